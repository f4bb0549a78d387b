/* eigenmesh fit: find the components of data that is spread over a network. */
#include "command.h"
#include "input.h"
#include "message.h"
#include "network.h"
#include "outputs.h"
#include "plot.h"
#include "progress.h"
#include "report.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

static const option_spec fit_options[] = {
    {.name = "nodes",
     .letter = 'n',
     .metavar = "M",
     .preset = "the number of INPUTs",
     .example = "20",
     .help = "nodes to simulate; one INPUT is split over them"},
    {.name = "topology",
     .letter = 't',
     .metavar = "SPEC",
     .preset = "er:0.5, or complete when M < 4",
     .example = "er:0.5",
     .help = "the network: er:P, cycle, star, path, complete, grid:RxC, torus:RxC, regular:D, smallworld:D:P, "
             "scalefree:A, or file:EDGES"},
    {.name = "weights",
     .metavar = "SPEC",
     .preset = "metropolis",
     .help = "the mixing weights: metropolis, maxdegree, lazy, or file:W.npy"},
    {.name = "split",
     .metavar = "HOW",
     .preset = "contiguous",
     .help = "how one INPUT is split: contiguous, shuffle, or sizes:A,B,..."},
    {.name = "no-center", .help = "leave the mean in"},
    {.name = "init", .metavar = "SPEC", .preset = "random", .help = "the start: random, or file:X0.npy (d x K)"},
    {.name = "engine", .metavar = "NAME", .preset = "local", .help = "what moves the messages: local"},
    {.name = "threads", .metavar = "T", .preset = "all", .example = "4", .help = "cores to use"},
    {.name = "truth",
     .metavar = "SPEC",
     .preset = "none",
     .help = "what to measure the error against, for study: none, compute (a central eigensolve), or file:Q.npy "
             "(d x K)"},
    {.name = "trace", .metavar = "FILE.csv", .help = "write a row an iteration"},
    {.name = "plot", .metavar = "FILE.svg", .help = "draw the error, or the residual, against what was sent"},
    {.name = "output", .letter = 'o', .metavar = "MODEL.npz", .example = "model.npz", .help = "write the model"},
    INPUT_OPTIONS,
    {0}};

static const char *const fit_examples[] = {"eigenmesh fit data.npy -k 10 --nodes 20 -o model.npz",
                                           "eigenmesh fit a.csv b.csv c.csv -k 3 --method dsa --trace trace.csv", NULL};

enum { FILE_MODEL, FILE_TRACE, FILE_PLOT, FILES };

typedef struct fit_job {
    const arguments *args;
    em_options options;
    int nodes;
    int table_count;
    em_data **tables;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    double *init, *truth;
    em_model *model;
    output_file files[FILES];
} fit_job;

static em_status choose_nodes(fit_job *job, em_error *err)
{
    int inputs = job->args->operand_count;
    job->nodes = inputs;
    em_status status = args_int(job->args, "nodes", 1, &job->nodes, err);
    if (status != EM_OK || inputs == 1) return status;
    if (job->nodes != inputs)
        return refuse(err, EM_EINVAL, "--nodes: %d, but %d INPUTs are one node each; try without --nodes", job->nodes,
                      inputs);
    if (args_given(job->args, "split"))
        return refuse(err, EM_EINVAL, "--split: %d INPUTs are one node each already; try without --split", inputs);
    return EM_OK;
}

static em_status open_network(fit_job *job, em_error *err)
{
    const arguments *args = job->args;
    int threads = 0;
    em_status status = args_int(args, "threads", 1, &threads, err);
    if (status == EM_OK)
        status = network_create(&job->graph, args_text(args, "topology"), args_text(args, "weights"), job->nodes,
                                job->options.seed, err);
    if (status == EM_OK) status = em_mesh_open(&job->mesh, args_text(args, "engine"), job->graph, threads, err);
    return status;
}

static em_status open_data(fit_job *job, em_error *err)
{
    const arguments *args = job->args;
    job->tables = calloc((size_t)args->operand_count, sizeof *job->tables);
    if (!job->tables) return refuse_memory(err, "INPUT");
    for (int i = 0; i < args->operand_count; i++, job->table_count++) {
        em_status status = input_open(&job->tables[i], args->operands[i], args, err);
        if (status != EM_OK) return status;
    }
    if (job->table_count == 1)
        return em_shards_split(&job->shards, job->tables[0], job->nodes, args_text(args, "split"), job->options.seed,
                               err);
    return em_shards_of(&job->shards, (const em_data *const *)job->tables, job->nodes, err);
}

static em_status open_start_and_truth(fit_job *job, em_error *err)
{
    static const char shape[] = "features x components";
    const char *init = args_text(job->args, "init"), *truth = args_text(job->args, "truth");
    size_t d = em_shards_columns(job->shards), K = (size_t)job->options.components;
    em_status status = EM_OK;
    if (init && input_file_of(init)) status = input_matrix(&job->init, input_file_of(init), d, K, shape, err);
    if (status == EM_OK && truth && input_file_of(truth))
        status = input_matrix(&job->truth, input_file_of(truth), d, K, shape, err);
    job->options.init = job->init;
    job->options.truth = job->truth;
    return status;
}

static em_status choose_options(fit_job *job, em_error *err)
{
    const arguments *args = job->args;
    const char *init = args_text(args, "init"), *truth = args_text(args, "truth");
    job->options = em_options_default();
    em_status status = args_solver(args, &job->options, err);
    if (status != EM_OK) return status;
    if (init && strcmp(init, "random") != 0 && !input_file_of(init))
        return refuse(err, EM_EINVAL, "--init: '%s' is not random or file:X0.npy; try --init random", init);
    if (truth && strcmp(truth, "none") != 0 && strcmp(truth, "compute") != 0 && !input_file_of(truth))
        return refuse(err, EM_EINVAL, "--truth: '%s' is not none, compute or file:Q.npy; try --truth compute", truth);
    if (job->options.variance > 0 && ((init && input_file_of(init)) || (truth && input_file_of(truth))))
        return refuse(err, EM_EINVAL,
                      "--components: with a fraction of variance, a file of K columns fits no K; try a whole number");
    job->options.truth_compute = truth && strcmp(truth, "compute") == 0;
    job->options.center = !args_given(args, "no-center");
    job->options.trace = args_given(args, "trace") || args_given(args, "plot");
    job->options.monitor = progress_fit;
    return EM_OK;
}

static em_status write_files(fit_job *job, em_error *err)
{
    em_status status = EM_OK;
    output_file *files = job->files;
    if (files[FILE_MODEL].handle) TRY(em_model_write(job->model, files[FILE_MODEL].handle, err));
    if (files[FILE_TRACE].handle) trace_write(em_output_stream(files[FILE_TRACE].handle), job->model);
    if (files[FILE_PLOT].handle) TRY(plot_trace(files[FILE_PLOT].handle, job->model, err));
    TRY(outputs_commit(files, FILES, err));
done:
    return status;
}

static int method_was_chosen(const fit_job *job)
{
    return strcmp(job->options.method, "auto") == 0;
}

static const char *topology_name(const fit_job *job)
{
    const char *named = args_text(job->args, "topology");
    return named ? named : network_default_topology(job->nodes);
}

static const char *weights_name(const fit_job *job)
{
    const char *named = args_text(job->args, "weights");
    return named ? named : "metropolis";
}

static em_status print_report(const fit_job *job, em_error *err)
{
    em_status status = EM_OK;
    const em_info *info = em_model_info(job->model);
    (void)printf("data      %llu x %d over %d node%s\n", (unsigned long long)info->samples, info->features, info->nodes,
                 info->nodes == 1 ? "" : "s");
    if (info->nodes > 1)
        (void)printf("network   %s, %zu edges, %s weights\n", topology_name(job), em_graph_edges(job->graph),
                     weights_name(job));
    (void)printf("method    %s, %s covariances, %d thread%s\n", info->method, info->operator_name, info->threads,
                 info->threads == 1 ? "" : "s");
    if (*info->choice) (void)printf("auto      %s: %s\n", info->method, info->choice);
    (void)putchar('\n');
    TRY(report_components(job->model, err));
    report_clusters(job->model);
    (void)putchar('\n');
    TRY(report_traffic(info, err));
    (void)putchar('\n');
    report_ending(info);
    for (int i = 0; i < FILES; i++)
        if (job->files[i].path)
            (void)printf("%-9s %s\n", i == FILE_MODEL ? "model" : job->files[i].option, job->files[i].path);
done:
    return status;
}

static void print_json(const fit_job *job)
{
    json j;
    json_begin(&j, stdout);
    json_open(&j, NULL, '{');
    report_json(&j, job->model);
    json_flag(&j, "auto", method_was_chosen(job));
    json_open(&j, "network", '{');
    json_text(&j, "topology", topology_name(job));
    json_text(&j, "weights", weights_name(job));
    json_whole(&j, "edges", em_graph_edges(job->graph));
    json_close(&j, '}');
    json_open(&j, "files", '{');
    json_text(&j, "model", job->files[FILE_MODEL].path);
    json_text(&j, "trace", job->files[FILE_TRACE].path);
    json_text(&j, "plot", job->files[FILE_PLOT].path);
    json_close(&j, '}');
    json_close(&j, '}');
    json_end(&j);
}

static void warn(const fit_job *job)
{
    int constant = em_model_info(job->model)->constant_features;
    if (constant && !args_given(job->args, "quiet"))
        complain("--scale std: %d constant feature%s left unscaled; try --columns to leave %s out", constant,
                 constant == 1 ? " was" : "s were", constant == 1 ? "it" : "them");
}

/* Not converging is a result that is kept, and still a job that failed. */
static em_status verdict(const fit_job *job, em_error *err)
{
    const em_info *info = em_model_info(job->model);
    const char *kept = job->files[FILE_MODEL].path ? ", the last good estimate is in the model" : "";
    switch (info->reason) {
    case EM_CONVERGED: return EM_OK;
    case EM_STOPPED_ITERATIONS:
        if (args_given(job->args, "iterations")) return EM_OK;
        return refuse(err, EM_ENUMERIC,
                      "fit: %s has not converged after %ld iterations (change %.1e, tolerance %g)%s; "
                      "try more --iterations, or another --method",
                      info->method, info->iterations, info->change, info->tolerance, kept);
    case EM_STOPPED_DIVERGED:
        return refuse(err, EM_ENUMERIC,
                      "fit: %s diverged within %ld iterations with step %g%s; try a smaller --step, or --step auto",
                      info->method, info->iterations, info->step, kept);
    case EM_STOPPED_SHORT:
        return refuse(err, EM_ENUMERIC,
                      "fit: %s stopped with a residual of %.1e, above the tolerance of %g%s; "
                      "try more --consensus-rounds, or method krylov",
                      info->method, info->worst_residual, info->tolerance, kept);
    case EM_STOPPED_USER:
        return refuse(err, EM_ENUMERIC, "fit: interrupted after %ld iterations%s; try --iterations %ld to stop there",
                      info->iterations, kept, info->iterations);
    }
    return EM_OK;
}

static void release(fit_job *job)
{
    outputs_discard(job->files, FILES);
    em_model_free(&job->model);
    em_mesh_close(&job->mesh);
    em_graph_free(&job->graph);
    em_shards_free(&job->shards);
    for (int i = 0; i < job->table_count; i++) em_data_free(&job->tables[i]);
    free(job->tables);
    free(job->init);
    free(job->truth);
}

static em_status fit(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    fit_job job = {.args = args, .files = {{.option = "output"}, {.option = "trace"}, {.option = "plot"}}};
    /* What is quick to refuse comes first, and reading the data last. */
    TRY(choose_options(&job, err));
    TRY(choose_nodes(&job, err));
    TRY(outputs_open(job.files, FILES, args, err));
    TRY(open_network(&job, err));
    TRY(open_data(&job, err));
    TRY(open_start_and_truth(&job, err));
    TRY(em_fit(&job.model, &job.options, job.mesh, job.shards, err));
    progress_erase();
    TRY(write_files(&job, err));
    warn(&job);
    if (args_given(args, "json"))
        print_json(&job);
    else if (!args_given(args, "quiet"))
        TRY(print_report(&job, err));
    TRY(verdict(&job, err));
done:
    release(&job);
    return status;
}

const command_spec command_fit = {.name = "fit",
                                  .summary = "Find the principal components of data spread over a network",
                                  .usage = "INPUT... -k K [options]",
                                  .operands = {"INPUT"},
                                  .operand_limit = ANY_NUMBER,
                                  .options = fit_options,
                                  .prints_table = 1,
                                  .takes_solver_options = 1,
                                  .examples = fit_examples,
                                  .run = fit};
