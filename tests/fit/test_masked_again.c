/* Masked fits that follow one another, on one mesh, after a failure, or from a checkpoint: none repeats a mask of another. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/crowd.h"
#include "support/matrix.h"
#include "support/network.h"
#include "support/plain_masks.h"
#include "support/table_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 120, COLUMNS = 40, NODES = 6, K = 3 };

static double values[ROWS * COLUMNS];
static char file[512];

static em_options options_for(void)
{
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = K;
    options.tolerance = 1e-11;
    return options;
}

static int prepare(void **state)
{
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    (void)snprintf(file, sizeof file, "%s", scratch("fit.ck"));
    return 0;
}

/* No two sums of a node have one number. */
static void assert_no_number_twice(const watched *w)
{
    for (size_t a = 0; a < w->count; a++)
        for (size_t b = 0; b < a; b++)
            assert_false(w->sums[a].node == w->sums[b].node && w->sums[a].sum.number == w->sums[b].sum.number);
}

/* ---- on one mesh ------------------------------------------------------------------------------------------------------ */

static void one_after_the_other(void **state)
{
    const unsigned char view[EM_VIEW_BYTES] = {1};
    const network_plan plan = {values, ROWS, COLUMNS, "er:0.6", NODES, 2};
    em_options options = options_for();
    network net;
    watched w = {.seed = 1};
    em_error err = {0};
    em_model *first = NULL, *model = NULL;
    (void)state;
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(watched_masks_set(net.mesh, &w, view, &err), &err);
    assert_ok(em_fit(&first, &options, net.mesh, net.shards, &err), &err);
    for (int turn = 0; turn < 4; turn++) {
        w.columns = turn % 2 ? 0 : w.answered + 7 + (uint64_t)turn; /* that fail in the midst of it */
        em_status status = em_fit(&model, &options, net.mesh, net.shards, &err);
        if (turn % 2 == 0)
            assert_fails(status, EM_EDATA, "more than were agreed", &err);
        else
            assert_ok(status, &err);
        for (int n = 0; model && n < K * COLUMNS; n++)
            assert_true(em_model_components(model)[n] == em_model_components(first)[n]);
        em_model_free(&model);
    }
    assert_no_number_twice(&w);
    em_model_free(&first);
    network_close(&net);
    watched_free(&w);
}

/* What a fit that failed was asked is not what another one answers. */
static void a_question_ends_with_its_fit(void **state)
{
    const network_plan plan = {values, ROWS, COLUMNS, "path", NODES, 1};
    em_options options = options_for();
    network net;
    em_error err = {0};
    em_model *model = NULL;
    (void)state;
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(plain_masks_set(net.mesh, 1, &err), &err);
    assert_ok(em_fit(&model, &options, net.mesh, net.shards, &err), &err);
    em_model_free(&model);
    net.mesh->question.open = 1; /* as where a product failed after the question */
    options.components = ROWS + 1;
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, "components", &err);
    assert_int_equal(net.mesh->question.open, 0);
    network_close(&net);
}

/* ---- from a checkpoint ---------------------------------------------------------------------------------------------------- */

static int stop_at_two(const em_progress *progress, void *user)
{
    (void)user;
    return progress->iteration == 2;
}

static em_model *fit_once(const em_options *options, uint64_t run)
{
    em_error err = {0};
    em_model *model = NULL;
    watched w = {.seed = run};
    unsigned char view[EM_VIEW_BYTES] = {(unsigned char)run};
    const table_fit t = {.values = values,
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .topology = "star",
                         .nodes = NODES,
                         .options = options,
                         .masks = &w,
                         .view = view};
    assert_ok(table_fit_run(&t, &model, &err), &err);
    assert_no_number_twice(&w);
    watched_free(&w);
    return model;
}

static void assert_near(const em_model *a, const em_model *b)
{
    for (int n = 0; n < K * COLUMNS; n++) assert_close(em_model_components(a)[n], em_model_components(b)[n], 1e-10);
}

static void a_fit_goes_on_from_its_checkpoint(void **state)
{
    em_options options = options_for();
    (void)state;
    em_model *whole = fit_once(&options, 1);
    options.checkpoint = file;
    options.monitor = stop_at_two;
    em_model *half = fit_once(&options, 2);
    assert_int_equal(em_model_info(half)->reason, EM_STOPPED_USER);
    options.monitor = NULL;
    options.resume = 1;
    em_model *rest = fit_once(&options, 3);
    assert_int_equal(em_model_info(rest)->resumed, 2);
    assert_int_equal(em_model_info(rest)->reason, EM_CONVERGED);
    assert_near(rest, whole);
    em_model_free(&whole);
    em_model_free(&half);
    em_model_free(&rest);
    (void)remove(file);
}

/* A run that is to end before it has found all components asks about what it has of them, made orthonormal: a start that was not,
 * or vectors of it after those that were found. */
static void a_fit_may_end_early(void **state)
{
    static double init[COLUMNS * K];
    (void)state;
    matrix_fill(init, COLUMNS * K, 5);
    for (long iterations = 0; iterations <= 2; iterations++)
        for (int way = 0; way < 3; way++) {
            em_options options = options_for();
            options.iterations = iterations;
            if (way == 1) options.init = init;
            if (way == 2) options.components = COLUMNS, options.scale = EMI_SCALE_STD;
            em_model *model = fit_once(&options, 1);
            for (int k = 1; k < options.components; k++)
                assert_true(em_model_explained_variance(model)[k] <= em_model_explained_variance(model)[k - 1]);
            em_model_free(&model);
        }
}

/* ---- in several processes --------------------------------------------------------------------------------------------------- */

typedef struct party {
    em_options options;
    em_shards *shards;
    uint64_t run;
    em_model *models[CROWD_MOST];
} party;

static em_status fit_in_process(void *user, int process, em_mesh *mesh, em_error *err)
{
    party *p = user;
    em_options own = p->options;
    if (process > 0) own.monitor = NULL;
    em_status status = plain_masks_set(mesh, p->run, err);
    return status == EM_OK ? em_fit(&p->models[process], &own, mesh, p->shards, err) : status;
}

static void fit_in_crowd(party *p, em_reason reason, long resumed)
{
    em_error err = {0};
    em_graph *graph = NULL;
    crowd_end ends[CROWD_MOST];
    assert_ok(em_graph_create(&graph, "path", NODES, 1, &err), &err);
    crowd_run(&(crowd_plan){graph, 3, 1, fit_in_process, NULL, p}, ends);
    for (int n = 0; n < 3; n++) {
        assert_ok(ends[n].status, &ends[n].err);
        assert_int_equal(em_model_info(p->models[n])->reason, reason);
        assert_int_equal(em_model_info(p->models[n])->resumed, resumed);
    }
    em_graph_free(&graph);
}

/* All name a checkpoint; the root alone has one, and no sum of what others' data is comes about for it. */
static void so_it_does_in_several_processes(void **state)
{
    party p = {.options = options_for(), .run = 5};
    em_error err = {0};
    em_data *data = NULL;
    (void)state;
    assert_ok(em_data_from_array(&data, values, EM_F64, ROWS, COLUMNS, 0, 0, &err), &err);
    assert_ok(em_shards_split(&p.shards, data, NODES, NULL, 0, &err), &err);
    em_options plain = options_for();
    em_model *whole = fit_once(&plain, 1);
    p.options.checkpoint = file;
    p.options.monitor = stop_at_two;
    fit_in_crowd(&p, EM_STOPPED_USER, 0);
    long reached = em_model_info(p.models[0])->iterations;
    for (int n = 0; n < 3; n++) em_model_free(&p.models[n]);
    p.options.monitor = NULL;
    p.options.resume = 1;
    p.run = 6;
    fit_in_crowd(&p, EM_CONVERGED, reached);
    for (int n = 0; n < 3; n++) {
        assert_near(p.models[n], whole);
        em_model_free(&p.models[n]);
    }
    em_model_free(&whole);
    em_shards_free(&p.shards);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(a_question_ends_with_its_fit),
        cmocka_unit_test(a_fit_goes_on_from_its_checkpoint),
        cmocka_unit_test(a_fit_may_end_early),
        cmocka_unit_test(so_it_does_in_several_processes),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
