#include "problem.h"
#include "input.h"
#include "message.h"
#include "network.h"

#include <stdlib.h>
#include <string.h>

static em_status choose_nodes(problem *p, em_error *err)
{
    int inputs = p->args->operand_count;
    p->nodes = inputs;
    em_status status = args_int(p->args, "nodes", 1, &p->nodes, err);
    if (status != EM_OK || inputs == 1) return status;
    if (p->nodes != inputs)
        return refuse(err, EM_EINVAL, "--nodes: %d, but %d INPUTs are one node each; try without --nodes", p->nodes,
                      inputs);
    if (args_given(p->args, "split"))
        return refuse(err, EM_EINVAL, "--split: %d INPUTs are one node each already; try without --split", inputs);
    return EM_OK;
}

em_status problem_describe(problem *p, const arguments *args, const char *truth, em_error *err)
{
    const char *init = args_text(args, "init");
    if (args_given(args, "truth")) truth = args_text(args, "truth");
    *p = (problem){.args = args, .options = em_options_default()};
    em_status status = args_solver(args, &p->options, err);
    if (status != EM_OK) return status;
    if (init && strcmp(init, "random") != 0 && !input_file_of(init))
        return refuse(err, EM_EINVAL, "--init: '%s' is not random or file:X0.npy; try --init random", init);
    if (strcmp(truth, "none") != 0 && strcmp(truth, "compute") != 0 && !input_file_of(truth))
        return refuse(err, EM_EINVAL, "--truth: '%s' is not none, compute or file:Q.npy; try --truth compute", truth);
    if (p->options.variance > 0 && ((init && input_file_of(init)) || input_file_of(truth)))
        return refuse(err, EM_EINVAL,
                      "--components: with a fraction of variance, a file of K columns fits no K; try a whole number");
    p->options.truth_compute = strcmp(truth, "compute") == 0;
    p->options.center = !args_given(args, "no-center");
    return choose_nodes(p, err);
}

static em_status open_network(problem *p, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = p->args;
    int threads = 0;
    TRY(args_int(args, "threads", 1, &threads, err));
    TRY(network_create(&p->graph, args_text(args, "topology"), args_text(args, "weights"), p->nodes, p->options.seed,
                       err));
    TRY(em_mesh_open(&p->mesh, args_text(args, "engine"), p->graph, threads, err));
done:
    return status;
}

static em_status open_data(problem *p, em_error *err)
{
    const arguments *args = p->args;
    p->tables = calloc((size_t)args->operand_count, sizeof *p->tables);
    if (!p->tables) return refuse_memory(err, "INPUT");
    for (int i = 0; i < args->operand_count; i++, p->table_count++) {
        em_status status = input_open(&p->tables[i], args->operands[i], args, err);
        if (status != EM_OK) return status;
    }
    if (p->table_count == 1)
        return em_shards_split(&p->shards, p->tables[0], p->nodes, args_text(args, "split"), p->options.seed, err);
    return em_shards_of(&p->shards, (const em_data *const *)p->tables, p->nodes, err);
}

static em_status open_start_and_truth(problem *p, em_error *err)
{
    static const char shape[] = "features x components";
    em_status status = EM_OK;
    const char *init = args_text(p->args, "init"), *truth = args_text(p->args, "truth");
    size_t d = em_shards_columns(p->shards), K = (size_t)p->options.components;
    if (init && input_file_of(init)) TRY(input_matrix(&p->init, input_file_of(init), d, K, shape, err));
    if (truth && input_file_of(truth)) TRY(input_matrix(&p->truth, input_file_of(truth), d, K, shape, err));
    p->options.init = p->init;
    p->options.truth = p->truth;
done:
    return status;
}

em_status problem_open(problem *p, em_error *err)
{
    em_status status = EM_OK;
    TRY(open_network(p, err));
    TRY(open_data(p, err)); /* what takes longest comes last */
    TRY(open_start_and_truth(p, err));
done:
    return status;
}

void problem_close(problem *p)
{
    em_mesh_close(&p->mesh);
    em_graph_free(&p->graph);
    em_shards_free(&p->shards);
    for (int i = 0; i < p->table_count; i++) em_data_free(&p->tables[i]);
    free(p->tables);
    free(p->init);
    free(p->truth);
}

static const char *topology_name(const problem *p)
{
    const char *named = args_text(p->args, "topology");
    return named ? named : network_default_topology(p->nodes);
}

static const char *weights_name(const problem *p)
{
    const char *named = args_text(p->args, "weights");
    return named ? named : "metropolis";
}

void problem_print(const problem *p, const em_info *info)
{
    (void)printf("data      %llu x %d over %d node%s\n", (unsigned long long)info->samples, info->features, info->nodes,
                 info->nodes == 1 ? "" : "s");
    if (info->nodes > 1)
        (void)printf("network   %s, %zu edges, %s weights\n", topology_name(p), em_graph_edges(p->graph),
                     weights_name(p));
}

void problem_json(json *j, const problem *p)
{
    json_open(j, "network", '{');
    json_text(j, "topology", topology_name(p));
    json_text(j, "weights", weights_name(p));
    json_whole(j, "edges", em_graph_edges(p->graph));
    json_close(j, '}');
}

void problem_warn(const problem *p, const em_info *info)
{
    int constant = info->constant_features;
    if (constant && !args_given(p->args, "quiet"))
        complain("--scale std: %d constant feature%s left unscaled; try --columns to leave %s out", constant,
                 constant == 1 ? " was" : "s were", constant == 1 ? "it" : "them");
}
