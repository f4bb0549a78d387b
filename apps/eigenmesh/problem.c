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

/* The model that --init names, or NULL. */
static const char *model_of(const char *init)
{
    static const char end[] = ".npz";
    size_t length = strlen(init);
    if (file_of(init) || length < sizeof end || strcmp(init + length + 1 - sizeof end, end) != 0) return NULL;
    return init;
}

/* A whole matrix of a known shape, to be freed also after a failure; `shape` says in words what its sides are. */
static em_status matrix_read(double **out, const char *path, size_t rows, size_t columns, const char *shape,
                             em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    TRY(em_data_open(&data, path, NULL, err));
    if (em_data_rows(data) != rows || em_data_columns(data) != columns)
        TRY(emi_fail(err, EM_EINVAL, "%s: is %zu x %zu, not %zu x %zu (%s); try a matrix of that shape", path,
                     em_data_rows(data), em_data_columns(data), rows, columns, shape));
    *out = emi_doubles(rows * columns); /* as many as the open file holds */
    if (!*out) TRY(emi_fail_memory(err, path));
    TRY(em_data_read(data, 0, rows, *out, err));
done:
    em_data_free(&data);
    return status;
}

/* ---- the network ----------------------------------------------------------------------------------------- */

em_status network_create(em_graph **out, const char *topology, const char *weights, int nodes, uint64_t seed,
                         em_error *err)
{
    em_status status = EM_OK;
    double *W = NULL;
    size_t side = (size_t)nodes;
    const char *file = weights ? file_of(weights) : NULL;
    TRY(em_graph_create(out, topology, nodes, seed, err));
    if (file) {
        TRY(matrix_read(&W, file, side, side, "nodes x nodes", err));
        TRY(em_graph_set_weight_matrix(*out, W, err));
    } else if (weights) {
        TRY(em_graph_set_weights(*out, weights, err));
    }
done:
    emi_free(W);
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

/* Their number, or the fraction of the variance that they are to explain. */
static double components_of(const arguments *args)
{
    double wanted = 0;
    (void)emi_text_double(args_text(args, "components"), &wanted);
    return wanted;
}

em_status problem_describe(problem *p, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    const char *init = args_value(args, "init"), *truth = args_value(args, "truth");
    double wanted = components_of(args);
    *p = (problem){.args = args};
    TRY(em_options_create(&p->options, err));
    TRY(args_solver(args, p->options, err));
    TRY(args_whole(args, "seed", 0, UINT64_MAX, &p->seed, err));
    TRY(args_int(args, "threads", 1, &p->threads, err));
    if (strcmp(init, "random") != 0 && !file_of(init) && !model_of(init))
        TRY(emi_fail(err, EM_EINVAL, "--init: '%s' is not random, file:X0.npy or a model's .npz; try --init random",
                     init));
    if (strcmp(truth, "none") != 0 && strcmp(truth, "compute") != 0 && !file_of(truth))
        TRY(emi_fail(err, EM_EINVAL, "--truth: '%s' is not none, compute or file:Q.npy; try --truth compute", truth));
    if (wanted > 0 && wanted < 1 && (file_of(init) || file_of(truth)))
        TRY(emi_fail(err, EM_EINVAL,
                     "--components: with a fraction of variance, a file of K columns fits no K; try a whole number"));
    TRY(em_options_set(p->options, "truth", file_of(truth) ? "none" : truth, err));
    TRY(cluster_choose_engine(args_text(args, "engine"), &p->together, err));
    TRY(choose_nodes(p, err));
    p->topology = args_text(args, "topology");
    if (!p->topology) p->topology = p->nodes < 4 ? "complete" : "er:0.5";
done:
    return status;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Read whole, wherever a few rows are needed? */
static int is_read_whole(const em_data *data)
{
    const char *format = em_data_format(data), *name = em_data_name(data);
    size_t length = strlen(name);
    return strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0 || strcmp(format, "npz") == 0 ||
           strcmp(format, "mtx") == 0 || strcmp(format, "moments") == 0 || strcmp(format, "h5ad") == 0 ||
           (length > 3 && strcmp(name + length - 3, ".gz") == 0);
}

/* The one table, of which every process reads its own nodes' rows. */
static em_status open_shared(problem *p, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = p->args;
    TRY(reading_open(&p->reading, &p->tables[p->table_count++], args->operands[0], args, p->label, err));
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

/* The files of these nodes: the first one in its own order, all others by its names. */
static em_status open_own(problem *p, int node, int end, em_error *err)
{
    em_status status = EM_OK;
    char room[PATH_MAX];
    for (; node < end; node++) {
        const char *path = input_path(p->args, node, room);
        TRY(reading_open(&p->reading, &p->tables[p->table_count++], path, p->args, p->label, err));
    }
done:
    return status;
}

static em_status open_data(problem *p, em_error *err)
{
    em_status status = EM_OK;
    int own = inputs_are_nodes(p->args), end = p->first + p->hosted;
    p->tables = emi_calloc((size_t)(own ? p->hosted : 1), sizeof *p->tables);
    TRY(cluster_agree(p->tables ? EM_OK : emi_fail_memory(err, "INPUT"), err));
    if (own) {
        TRY(cluster_agree(p->first == 0 ? open_own(p, 0, 1, err) : EM_OK, err));
        TRY(reading_share(&p->reading, err));
        TRY(cluster_agree(open_own(p, p->first + p->table_count, end, err), err));
        TRY(cluster_agree(em_shards_of(&p->shards, (const em_data *const *)p->tables, p->hosted, err), err));
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
    size_t d = em_shards_columns(p->shards), K = (size_t)components_of(p->args);
    const char *last = model_of(args_value(p->args, "init"));
    if (last) TRY(em_model_load(&p->last, last, err));
    if (init) TRY(matrix_read(&p->init, init, d, K, shape, err));
    if (truth) TRY(matrix_read(&p->truth, truth, d, K, shape, err));
    em_options_set_start(p->options, p->init, d, K);
    em_options_set_truth(p->options, p->truth, d, K);
    em_options_set_last(p->options, p->last);
done:
    return status;
}

em_status problem_open(problem *p, em_error *err)
{
    em_status status = EM_OK;
    const char *weights = args_text(p->args, "weights");
    TRY(cluster_agree(cluster_nodes(p->nodes, &p->first, &p->hosted, err), err));
    TRY(open_data(p, err)); /* first, since more nodes than rows are too many, and a large network takes its time */
    TRY(cluster_agree(check_columns(p, err), err));
    TRY(cluster_agree(network_create(&p->graph, p->topology, weights, p->nodes, p->seed, err), err));
    TRY(cluster_agree(cluster_mesh(&p->mesh, p->graph, p->threads, err), err));
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
    em_model_free(&p->last);
    emi_free(p->init);
    emi_free(p->truth);
}

/* ---- for people and for programs -------------------------------------------------------------------------- */

void problem_print(const problem *p, const em_info *info)
{
    (void)printf("data      %llu x %d over %d node%s\n", (unsigned long long)info->samples, info->features, info->nodes,
                 info->nodes == 1 ? "" : "s");
    reading_print(&p->reading);
    if (info->missing_values)
        (void)printf("missing   %llu value%s filled with the feature's mean over the network\n",
                     (unsigned long long)info->missing_values, info->missing_values == 1 ? "" : "s");
    if (info->nodes > 1)
        (void)printf("network   %s, %zu edge%s, %s weights\n", p->topology, em_graph_edges(p->graph),
                     em_graph_edges(p->graph) == 1 ? "" : "s", args_value(p->args, "weights"));
}

void problem_json(json *j, const problem *p)
{
    reading_json(j, &p->reading);
    json_open(j, "network", '{');
    json_text(j, "topology", p->topology);
    json_text(j, "weights", args_value(p->args, "weights"));
    json_whole(j, "edges", em_graph_edges(p->graph));
    json_close(j, '}');
}

void problem_warn(const problem *p, const em_info *info)
{
    int constant = info->constant_features;
    if (args_given(p->args, "quiet") || !cluster_speaks()) return;
    reading_warn(&p->reading, p->args);
    if (constant && strcmp(info->scale, "std") == 0)
        complain("--scale std: %d constant feature%s left unscaled; try --columns to leave %s out", constant,
                 constant == 1 ? " was" : "s were", constant == 1 ? "it" : "them");
}
