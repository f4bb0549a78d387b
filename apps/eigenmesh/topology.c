/* eigenmesh topology: a network and how fast it averages. */
#include "command.h"
#include "lab/plot.h"
#include "message.h"
#include "outputs.h"
#include "print.h"
#include "problem.h"

static const option_spec topology_options[] = {
    {.name = "nodes", .letter = 'n', .metavar = "M", .example = "20", .required = 1, .help = "how many nodes"},
    {.name = "weights",
     .metavar = "SPEC",
     .preset = "metropolis",
     .help = "the mixing weights: metropolis, maxdegree, lazy, or file:W.npy",
     .file = READS_SPEC},
    {.name = "seed", .metavar = "S", .preset = "0", .help = "everything random follows from it"},
    {.name = "plot",
     .metavar = "FILE",
     .example = "graph.svg",
     .help = "draw the network: .svg, .png or .pdf",
     .file = WRITES},
    {.name = "edges", .metavar = "FILE", .help = "write the edges, one `i j` a line, from 0", .file = WRITES},
    {0}};

enum { FILE_PLOT, FILE_EDGES, FILES };

static void write_edges(FILE *out, const em_graph *graph)
{
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        (void)fprintf(out, "%d %d\n", i, j);
    }
}

static void print_text(const em_graph_info *info, const output_file *files)
{
    (void)printf("nodes              %d\n", info->nodes);
    (void)printf("edges              %zu\n", info->edges);
    (void)printf("degree             %d to %d, %.4g on average\n", info->degree_min, info->degree_max,
                 info->degree_mean);
    (void)printf("diameter           %d\n", info->diameter);
    (void)printf("beta               %.6g\n", info->beta);
    (void)printf("min w_ii           %.6g\n", info->min_self_weight);
    (void)printf("tree depth         %d\n", info->tree_depth);
    (void)printf("rounds to 1e-6     %ld\n", info->rounds_to_1e6);
    for (int i = 0; i < FILES; i++)
        if (files[i].path) (void)printf("%-18s %s\n", files[i].option, files[i].path);
}

static void print_json(const em_graph_info *info, const arguments *args, uint64_t seed)
{
    json j;
    json_begin(&j);
    json_text(&j, "topology", args->operands[0]);
    json_text(&j, "weights", args_value(args, "weights"));
    json_whole(&j, "seed", seed);
    json_whole(&j, "nodes", (uint64_t)info->nodes);
    json_whole(&j, "edges", info->edges);
    json_whole(&j, "degree_min", (uint64_t)info->degree_min);
    json_real(&j, "degree_mean", info->degree_mean);
    json_whole(&j, "degree_max", (uint64_t)info->degree_max);
    json_whole(&j, "diameter", (uint64_t)info->diameter);
    json_real(&j, "beta", info->beta);
    json_real(&j, "min_self_weight", info->min_self_weight);
    json_whole(&j, "tree_depth", (uint64_t)info->tree_depth);
    json_whole(&j, "rounds_to_1e-6", (uint64_t)info->rounds_to_1e6);
    json_end(&j);
}

static em_status topology(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_graph *graph = NULL;
    em_graph_info info = {.size = sizeof info};
    output_file files[FILES] = {{.option = "plot"}, {.option = "edges"}};
    int nodes = 0;
    uint64_t seed = 0;
    const char *spec = args->operands[0];
    TRY(args_int(args, "nodes", 1, &nodes, err));
    TRY(args_whole(args, "seed", 0, UINT64_MAX, &seed, err));
    TRY(outputs_open(files, FILES, args, err));
    TRY(network_create(&graph, spec, args_text(args, "weights"), nodes, seed, err));
    TRY(em_graph_measure(graph, &info, err));
    if (files[FILE_PLOT].handle)
        TRY(plot_graph(&(canvas){files[FILE_PLOT].handle, gnuplot_kind(files[FILE_PLOT].path)}, graph, spec, err));
    if (files[FILE_EDGES].handle) write_edges(emi_output_stream(files[FILE_EDGES].handle), graph);
    TRY(outputs_commit(files, FILES, err));
    if (args_given(args, "json"))
        print_json(&info, args, seed);
    else if (args_reports(args))
        print_text(&info, files);
done:
    outputs_discard(files, FILES);
    em_graph_free(&graph);
    return status;
}

const command_spec command_topology = {.name = "topology",
                                       .summary = "Measure a network: degrees, diameter, how fast it averages",
                                       .usage = "SPEC -n M [options]",
                                       .operands = {{"SPEC", READS_SPEC}},
                                       .operand_limit = 1,
                                       .options = topology_options,
                                       .prints_table = 1,
                                       .examples = {"eigenmesh topology er:0.5 -n 20 --plot graph.svg"},
                                       .run = topology};
