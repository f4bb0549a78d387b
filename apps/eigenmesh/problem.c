#include "problem.h"
#include "cluster.h"
#include "files.h"
#include "message.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* What follows "file:" in the text, or NULL. */
static const char *file_of(const char *text)
{
    return emi_text_after(text, "file:");
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static const char *topology_or_default(const char *topology, int nodes)
{
    return topology ? topology : nodes < 4 ? "complete" : "er:0.5";
}

static em_status weights_from_file(em_graph *graph, const char *path, em_error *err)
{
    double *W = NULL;
    size_t nodes = (size_t)em_graph_nodes(graph);
    em_status status = matrix_read(&W, path, nodes, nodes, "nodes x nodes", err);
    if (status == EM_OK) status = em_graph_set_weight_matrix(graph, W, err);
    emi_free(W);
    return status;
}

em_status network_create(em_graph **out, const char *topology, const char *weights, int nodes, uint64_t seed,
                         em_error *err)
{
    em_status status = EM_OK;
    em_graph *graph = NULL;
    const char *file = weights ? file_of(weights) : NULL;
    TRY(em_graph_create(&graph, topology_or_default(topology, nodes), nodes, seed, err));
    if (file)
        TRY(weights_from_file(graph, file, err));
    else if (weights)
        TRY(em_graph_set_weights(graph, weights, err));
    *out = graph;
    graph = NULL;
done:
    em_graph_free(&graph);
    return status;
}

/* ---- what is asked --------------------------------------------------------------------------------------- */

static em_status choose_nodes(problem *p, em_error *err)
{
    p->nodes = cluster_size();
    if (!inputs_are_nodes(p->args)) return args_int(p->args, "nodes", 1, &p->nodes, err);
    em_status status = inputs_count(p->args, &p->nodes, err);
    if (status != EM_OK || !args_given(p->args, "split")) return status;
    return emi_fail(err, EM_EINVAL, "--split: %d INPUTs are one node each already; try without --split", p->nodes);
}

enum { OPTION_ROOM = 64 };

static const char *option_text(const problem *p, const char *name, char room[OPTION_ROOM])
{
    (void)em_options_get(p->options, name, room, OPTION_ROOM);
    return room;
}

/* Their number, or the fraction of the variance that they are to explain; 0 where it is not set yet. */
static double components_of(const problem *p)
{
    char text[OPTION_ROOM];
    double wanted = 0;
    (void)emi_text_double(option_text(p, "components", text), &wanted);
    return wanted;
}

em_status problem_describe(problem *p, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    char text[OPTION_ROOM];
    const char *init = args_value(args, "init"), *truth = args_value(args, "truth");
    *p = (problem){.args = args};
    TRY(em_options_create(&p->options, err));
    TRY(args_solver(args, p->options, err));
    (void)emi_text_u64(option_text(p, "seed", text), &p->seed);
    double wanted = components_of(p);
    if (strcmp(init, "random") != 0 && !file_of(init))
        TRY(emi_fail(err, EM_EINVAL, "--init: '%s' is not random or file:X0.npy; try --init random", init));
    if (strcmp(truth, "none") != 0 && strcmp(truth, "compute") != 0 && !file_of(truth))
        TRY(emi_fail(err, EM_EINVAL, "--truth: '%s' is not none, compute or file:Q.npy; try --truth compute", truth));
    if (wanted > 0 && wanted < 1 && (file_of(init) || file_of(truth)))
        TRY(emi_fail(err, EM_EINVAL,
                     "--components: with a fraction of variance, a file of K columns fits no K; try a whole number"));
    TRY(em_options_set(p->options, "truth", file_of(truth) ? "none" : truth, err));
    TRY(cluster_choose_engine(args_text(args, "engine"), &p->together, err));
    TRY(choose_nodes(p, err));
done:
    return status;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static em_status open_network(problem *p, em_error *err)
{
    const arguments *args = p->args;
    return network_create(&p->graph, args_text(args, "topology"), args_text(args, "weights"), p->nodes, p->seed, err);
}

static em_status open_mesh(problem *p, em_error *err)
{
    int threads = 0;
    em_status status = args_int(p->args, "threads", 1, &threads, err);
    if (status != EM_OK) return status;
    return cluster_mesh(&p->mesh, p->graph, threads, err);
}

/* Read whole, wherever a few rows are needed? */
static int is_read_whole(const em_data *table)
{
    const char *format = em_data_format(table), *name = em_data_name(table);
    size_t length = strlen(name);
    return strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0 || strcmp(format, "npz") == 0 ||
           (length > 3 && strcmp(name + length - 3, ".gz") == 0);
}

/* The one table, of which every process reads its own nodes' rows. */
static em_status open_shared(problem *p, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = p->args;
    TRY(reading_open(&p->reading, &p->tables[p->table_count++], args->operands[0], args, NULL, err));
    if (!cluster_speaks()) reading_free(&p->reading); /* one tells of what all have read */
    if (p->together && cluster_size() > 1 && is_read_whole(p->tables[0]))
        TRY(emi_fail(
            err, EM_EINVAL,
            "%s: would be read whole by each of %d processes; try eigenmesh convert to .npy, or a file a node: "
            "shard-%%03d.csv",
            args->operands[0], cluster_size()));
    TRY(em_shards_split(&p->shards, p->tables[0], p->nodes, args_text(args, "split"), p->seed, err));
done:
    return status;
}

/* The file of this node: the first one in its own order, all others by its names. */
static em_status open_own(problem *p, int node, em_error *err)
{
    char room[PATH_MAX];
    const char *path = input_path(p->args, node, room);
    return reading_open(&p->reading, &p->tables[p->table_count++], path, p->args, NULL, err);
}

static em_status open_others(problem *p, em_error *err)
{
    em_status status = EM_OK;
    for (int node = p->first + p->table_count; node < p->first + p->hosted; node++) TRY(open_own(p, node, err));
    TRY(em_shards_of(&p->shards, (const em_data *const *)p->tables, p->hosted, err));
done:
    return status;
}

static em_status open_data(problem *p, em_error *err)
{
    em_status status = EM_OK;
    p->tables = emi_calloc((size_t)(inputs_are_nodes(p->args) ? p->hosted : 1), sizeof *p->tables);
    status = cluster_agree(p->tables ? EM_OK : emi_fail_memory(err, "INPUT"), err);
    if (status != EM_OK || !p->tables) return status;
    if (inputs_are_nodes(p->args)) {
        TRY(cluster_agree(p->first == 0 ? open_own(p, 0, err) : EM_OK, err));
        TRY(reading_share(&p->reading, err));
        TRY(cluster_agree(open_others(p, err), err));
    } else {
        TRY(cluster_agree(open_shared(p, err), err));
    }
    TRY(reading_gather(&p->reading, err));
done:
    return status;
}

static em_status check_columns(const problem *p, em_error *err)
{
    size_t own = em_shards_columns(p->shards), first = own;
    em_status status = cluster_share(&first, sizeof first, err);
    if (status != EM_OK || own == first) return status;
    return emi_fail(err, EM_EDATA, "%s: %zu columns, but there are %zu on rank 0; try files of the same columns",
                    em_data_name(p->tables[0]), own, first);
}

static em_status open_start_and_truth(problem *p, em_error *err)
{
    static const char shape[] = "features x components";
    em_status status = EM_OK;
    const char *init = file_of(args_value(p->args, "init")), *truth = file_of(args_value(p->args, "truth"));
    size_t d = em_shards_columns(p->shards), K = (size_t)components_of(p);
    if (init) TRY(matrix_read(&p->init, init, d, K, shape, err));
    if (truth) TRY(matrix_read(&p->truth, truth, d, K, shape, err));
    em_options_set_start(p->options, p->init, d, K);
    em_options_set_truth(p->options, p->truth, d, K);
done:
    return status;
}

em_status problem_open(problem *p, em_error *err)
{
    em_status status = EM_OK;
    TRY(cluster_agree(cluster_nodes(p->nodes, &p->first, &p->hosted, err), err));
    TRY(open_data(p, err)); /* first, since more nodes than rows are too many, and a large network takes its time */
    TRY(cluster_agree(check_columns(p, err), err));
    TRY(cluster_agree(open_network(p, err), err));
    TRY(cluster_agree(open_mesh(p, err), err));
    TRY(cluster_agree(open_start_and_truth(p, err), err));
done:
    return status;
}

void problem_close(problem *p)
{
    em_options_free(&p->options);
    cluster_close(&p->mesh);
    em_graph_free(&p->graph);
    em_shards_free(&p->shards);
    for (int i = 0; i < p->table_count; i++) em_data_free(&p->tables[i]);
    emi_free(p->tables);
    reading_free(&p->reading);
    emi_free(p->init);
    emi_free(p->truth);
}

/* ---- for people and for programs -------------------------------------------------------------------------- */

static const char *topology_name(const problem *p)
{
    return topology_or_default(args_text(p->args, "topology"), p->nodes);
}

void problem_print(const problem *p, const em_info *info)
{
    (void)printf("data      %llu x %d over %d node%s\n", (unsigned long long)info->samples, info->features, info->nodes,
                 info->nodes == 1 ? "" : "s");
    reading_print(&p->reading);
    if (info->missing_values)
        (void)printf("missing   %llu value%s filled with the feature's mean over the network\n",
                     (unsigned long long)info->missing_values, info->missing_values == 1 ? "" : "s");
    if (info->nodes > 1)
        (void)printf("network   %s, %zu edge%s, %s weights\n", topology_name(p), em_graph_edges(p->graph),
                     em_graph_edges(p->graph) == 1 ? "" : "s", args_value(p->args, "weights"));
}

void problem_json(json *j, const problem *p)
{
    reading_json(j, &p->reading);
    json_open(j, "network", '{');
    json_text(j, "topology", topology_name(p));
    json_text(j, "weights", args_value(p->args, "weights"));
    json_whole(j, "edges", em_graph_edges(p->graph));
    json_close(j, '}');
}

void problem_warn(const problem *p, const em_info *info)
{
    int constant = info->constant_features;
    if (args_given(p->args, "quiet") || !cluster_speaks()) return;
    reading_warn(&p->reading, p->args);
    if (constant)
        complain("--scale std: %d constant feature%s left unscaled; try --columns to leave %s out", constant,
                 constant == 1 ? " was" : "s were", constant == 1 ? "it" : "them");
}
