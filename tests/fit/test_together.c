/* Fits, experiments and drawn data side by side in one process, each thread with objects of its own: every one ends as it
 * does alone, and the BLAS library's thread count is afterwards what the process had chosen. */
#include "base/error.h"
#include "lab/tables/generate.h"
#include "support/check.h"
#include "support/contenders.h"
#include "support/models.h"

#include <cblas.h>
#include <pthread.h>

enum { ROUNDS = 25, MOST = 6, N = 300, D = 110, K = 3, OWN = 3 };

typedef struct request {
    const char *method, *topology; /* no method: an experiment */
    int nodes, threads;
    long iterations;
} request;

/* What a thread is given, and what it made of it. */
typedef struct job {
    request ask;
    em_status status;
    em_error err;
    em_data *data;
    em_model *model;
    lab_results *results;
} job;

static em_status fit(job *j)
{
    em_status status = EM_OK;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options options = emi_options_default();
    options.method = j->ask.method;
    options.components = K;
    options.iterations = j->ask.iterations;
    TRY(lab_generate(&j->data, D, N, K, 0.6, 5, &j->err));
    TRY(em_shards_split(&shards, j->data, j->ask.nodes, NULL, 0, &j->err));
    TRY(em_graph_create(&graph, j->ask.topology, j->ask.nodes, 1, &j->err));
    TRY(em_mesh_open(&mesh, NULL, graph, j->ask.threads, &j->err));
    TRY(em_fit(&j->model, &options, mesh, shards, &j->err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return status;
}

static em_status experiment(job *j)
{
    em_status status = EM_OK;
    em_graph *graph = NULL;
    const lab_contender list[] = {contender("krylov", LAB_OVER_NETWORK, K, 4),
                                  contender("dsa", LAB_OVER_NETWORK, K, 5)};
    lab_experiment about = {
        .drawn = {D, N, K, 0.6}, .contenders = list, .contender_count = 2, .trials = 2, .threads = j->ask.threads};
    TRY(em_graph_create(&graph, j->ask.topology, j->ask.nodes, 1, &j->err));
    about.graph = graph;
    TRY(lab_experiment_run(&j->results, &about, &j->err));
done:
    em_graph_free(&graph);
    return status;
}

static void *run(void *context)
{
    job *j = context;
    j->status = j->ask.method ? fit(j) : experiment(j);
    return NULL;
}

static void release(job *j)
{
    lab_results_free(&j->results);
    em_model_free(&j->model);
    em_data_free(&j->data);
}

static void assert_same_data(const em_data *a, const em_data *b)
{
    static double left[N * D], right[N * D];
    em_error err = {0};
    assert_ok(em_data_read(a, 0, N, left, &err), &err);
    assert_ok(em_data_read(b, 0, N, right, &err), &err);
    assert_memory_equal(left, right, sizeof left);
}

/* A single node's BLAS may have had other numbers of cores: its last digits are its own. */
static void assert_same_result(const job *a, const job *b)
{
    for (int c = 0; a->results && c < 2; c++)
        for (int n = 0; n < lab_results_runs(a->results, c); n++)
            assert_same_model(lab_results_model(a->results, c, n), lab_results_model(b->results, c, n));
    if (a->results) return;
    assert_same_data(a->data, b->data);
    if (a->ask.nodes > 1) {
        assert_same_model(a->model, b->model);
        return;
    }
    for (int n = 0; n < K * D; n++)
        assert_close(em_model_components(a->model)[n], em_model_components(b->model)[n], 1e-6);
}

/* Each alone, then all at once, again and again. */
static void check_together(const request *plan, int count)
{
    job alone[MOST], beside[MOST];
    pthread_t thread[MOST];
    openblas_set_num_threads(OWN);
    for (int i = 0; i < count; i++) {
        alone[i] = (job){.ask = plan[i]};
        (void)run(&alone[i]);
        assert_ok(alone[i].status, &alone[i].err);
        assert_int_equal(openblas_get_num_threads(), OWN);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) beside[i] = (job){.ask = plan[i]};
        for (int i = 0; i < count; i++) assert_int_equal(pthread_create(&thread[i], NULL, run, &beside[i]), 0);
        for (int i = 0; i < count; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(openblas_get_num_threads(), OWN);
        for (int i = 0; i < count; i++) {
            assert_ok(beside[i].status, &beside[i].err);
            assert_same_result(&alone[i], &beside[i]);
            release(&beside[i]);
        }
    }
    for (int i = 0; i < count; i++) release(&alone[i]);
}

static void fits(void **state)
{
    (void)state;
    static const request plan[] = {{"krylov", "er:0.6", 5, 2, -1},  {"covariance", "star", 1, 2, -1},
                                   {"dsa", "cycle", 6, 1, 20},      {"krylov", "path", 1, 3, -1},
                                   {"deepca", "complete", 4, 2, 8}, {"covariance", "path", 3, 2, -1}};
    check_together(plan, 6);
}

static void experiments_and_fits(void **state)
{
    (void)state;
    static const request plan[] = {
        {NULL, "cycle", 4, 2, 0}, {"krylov", "er:0.6", 5, 2, -1}, {"oi", "path", 1, 2, 20}, {NULL, "star", 3, 1, 0}};
    check_together(plan, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(experiments_and_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
