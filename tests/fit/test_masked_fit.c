/* A masked fit finds what one without masks finds, in the same bits on any network, for hardly more rounds and bytes; and refuses
 * what masks cannot hide. */
#include "support/check.h"
#include "support/crowd.h"
#include "support/matrix.h"
#include "support/models.h"
#include "support/plain_masks.h"
#include "support/table_fit.h"

#include "mesh/masking.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 240, COLUMNS = 20, NODES = 6, K = 3 };

static double values[ROWS * COLUMNS];

static em_options options_for(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 1e-12;
    return options;
}

static table_fit usual(const em_options *options)
{
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    return (table_fit){
        .values = values, .rows = ROWS, .columns = COLUMNS, .topology = "path", .nodes = NODES, .options = options};
}

static em_status try_masked(table_fit t, uint64_t seed, em_model **model, em_error *err)
{
    watched w = {.seed = seed};
    t.masks = &w;
    em_status status = table_fit_run(&t, model, err);
    assert_int_equal(w.closed, 1);
    watched_free(&w);
    return status;
}

static em_model *fit_masked(table_fit t)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(try_masked(t, 1, &model, &err), &err);
    return model;
}

static em_model *fit_plain(table_fit t)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(table_fit_run(&t, &model, &err), &err);
    return model;
}

/* ---- the same answer ------------------------------------------------------------------------------------------------ */

/* The largest difference of two models, each number beside the size of its kind. */
static double distance(const em_model *a, const em_model *b)
{
    int d = em_model_features(a), count = em_model_components_count(a);
    double most = 0;
    assert_int_equal(em_model_components_count(b), count);
    for (int n = 0; n < count * d; n++) most = fmax(most, fabs(em_model_components(a)[n] - em_model_components(b)[n]));
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(em_model_explained_variance(a)[k] / em_model_explained_variance(b)[k] - 1));
    for (int f = 0; f < d; f++) {
        double size = fmax(fabs(em_model_mean(b)[f]), DBL_MIN);
        most = fmax(most, fabs(em_model_mean(a)[f] - em_model_mean(b)[f]) / size);
        most = fmax(most, fabs(em_model_scale(a)[f] / em_model_scale(b)[f] - 1));
    }
    return most;
}

/* As near as two fits without masks, on other networks, are to each other. */
static void assert_agrees(table_fit t)
{
    em_options other = *t.options;
    em_model *masked = fit_masked(t), *plain = fit_plain(t);
    other.seed += 1;
    t.options = &other;
    t.topology = "star";
    em_model *again = fit_plain(t);
    double apart = distance(masked, plain), usually = distance(again, plain);
    if (!(apart <= fmax(1e-12, 10 * usually))) fail_msg("%g apart, without masks %g", apart, usually);
    assert_int_equal(em_model_info(masked)->reason, EM_CONVERGED);
    assert_int_equal(em_model_info(masked)->samples, t.rows);
    em_model_free(&masked);
    em_model_free(&plain);
    em_model_free(&again);
}

static void every_method_and_scale(void **state)
{
    static const char *const methods[] = {"krylov", "covariance", "auto"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++)
            for (int center = 0; center <= 1; center++) {
                em_options options = options_for(methods[m]);
                options.scale = (emi_scale)scale;
                options.center = center;
                assert_agrees(usual(&options));
            }
}

static void every_shape(void **state)
{
    const int shapes[][3] = {{ROWS, 1, 1}, {ROWS, 2, 2}, {ROWS, COLUMNS, COLUMNS}, {12, COLUMNS, 5}, {7, 3, 1}};
    (void)state;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        em_options options = options_for("krylov");
        table_fit t = usual(&options);
        t.rows = (size_t)shapes[n][0];
        t.columns = shapes[n][1];
        options.components = shapes[n][2];
        assert_agrees(t);
    }
}

static void a_fraction_of_the_variance(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        em_options options = options_for(m ? "covariance" : "krylov");
        options.components = 0;
        options.variance = 0.9;
        assert_agrees(usual(&options));
    }
}

static void a_start_of_ones_own(void **state)
{
    double init[COLUMNS * K];
    em_options options = options_for("krylov");
    (void)state;
    matrix_fill(init, COLUMNS * K, 5);
    options.init = init;
    assert_agrees(usual(&options));
}

/* Values are missing; nodes have one row; a feature is constant, everywhere, or at some nodes. */
static void every_kind_of_data(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_STD; scale++) {
            em_options options = options_for("krylov");
            options.scale = (emi_scale)scale;
            table_fit t = usual(&options);
            if (kind == 0) t.split = "sizes:200,1,1,36,1,1";
            for (int r = 0; r < ROWS; r++) {
                double *row = values + (size_t)r * COLUMNS;
                if (kind == 1 && r % 7 == 0) row[r % COLUMNS] = NAN;
                if (kind == 2 && r < ROWS / 2) row[3] = 5;
                if (kind == 3) row[3] = 0.1;
                if (kind == 4) row[2] += 1.6e9; /* seconds since 1970 */
                if (kind == 5) row[0] *= 1e6, row[1] *= 1e-6;
            }
            t.holes = kind == 1;
            if (kind == 5 && scale == EMI_SCALE_NONE)
                continue; /* what is left of the small ones is rounding, either way */
            assert_agrees(t);
        }
}

/* Of any size that doubles have: the same digits, in other units. */
static void every_size_of_values(void **state)
{
    (void)state;
    for (int ten = -300; ten <= 300; ten += 50) {
        em_options options = options_for("krylov");
        options.scale = EMI_SCALE_STD;
        table_fit t = usual(&options);
        for (int n = 0; n < ROWS * COLUMNS; n++) values[n] *= pow(10, ten);
        assert_agrees(t);
    }
}

/* ---- what cannot be ------------------------------------------------------------------------------------------------------- */

static void units_too_far_apart_are_refused(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        em_options options = options_for("krylov");
        options.scale = EMI_SCALE_STD;
        table_fit t = usual(&options);
        em_model *model = NULL;
        em_error err = {0};
        for (int r = 0; r < ROWS; r++) {
            double *value = values + (size_t)r * COLUMNS + 4;
            *value = way ? 1e-40 * (r / (ROWS / NODES) + 1) : 1e-300 * *value; /* it varies between nodes alone */
        }
        assert_fails(try_masked(t, 1, &model, &err), EM_EDATA, "column 4 (from 0) varies by less than", &err);
    }
}

static void no_variance_is_refused(void **state)
{
    em_options options = options_for("krylov");
    table_fit t = usual(&options);
    em_model *model = NULL;
    em_error err = {0};
    (void)state;
    for (int n = 0; n < ROWS * COLUMNS; n++) values[n] = 0.1 * (n % COLUMNS);
    assert_fails(try_masked(t, 1, &model, &err), EM_EDATA, "no variance", &err);
    for (int n = 0; n < ROWS * COLUMNS; n++) values[n] = 0;
    assert_fails(try_masked(t, 1, &model, &err), EM_EDATA, "no variance", &err);
}

static void what_shows_more_is_refused(void **state)
{
    const double truth[COLUMNS * K] = {1};
    (void)state;
    for (int n = 0; n < 5; n++) {
        em_options options = options_for(n == 0 ? "dsa" : "krylov");
        em_model *model = NULL;
        em_error err = {0};
        if (n == 1) options.truth_compute = 1;
        if (n == 2) options.truth = truth;
        if (n == 3) options.trace = EMI_TRACE_ALL;
        if (n == 4) options.wire = EMI_WIRE_32;
        watched w = {0};
        seen s = {0};
        table_fit t = usual(&options);
        t.masks = &w;
        t.seen = &s;
        assert_fails(table_fit_run(&t, &model, &err), EM_EINVAL, "mask", &err);
        assert_int_equal(s.count, 0);
        watched_free(&w);
        seen_free(&s);
    }
}

static void a_node_has_a_policy(void **state)
{
    em_options options = options_for("krylov");
    table_fit t = usual(&options);
    em_model *model = NULL;
    em_error err = {0};
    watched few = {.rows = ROWS / NODES + 1}, wide = {.columns = 3};
    (void)state;
    t.masks = &few;
    assert_fails(table_fit_run(&t, &model, &err), EM_EDATA, "too few here", &err);
    assert_int_equal(few.count, NODES); /* the number of all rows, and nothing after it */
    t.masks = &wide;
    assert_fails(table_fit_run(&t, &model, &err), EM_EDATA, "more than were agreed", &err);
    for (size_t n = 0; n < wide.count; n++) assert_int_not_equal(wide.sums[n].sum.kind, EM_SUM_BLOCK);
    watched_free(&few);
    watched_free(&wide);
}

/* ---- the same bits --------------------------------------------------------------------------------------------------------- */

static void assert_same_answer(const em_model *a, const em_model *b)
{
    assert_true(distance(a, b) == 0);
    assert_memory_equal(em_model_residuals(a), em_model_residuals(b), K * sizeof(double));
    assert_int_equal(em_model_info(a)->iterations, em_model_info(b)->iterations);
}

typedef struct party {
    const em_options *options;
    em_shards *shards;
    em_model *models[CROWD_MOST];
} party;

static em_status fit_in_process(void *user, int process, em_mesh *mesh, em_error *err)
{
    party *p = user;
    em_status status = plain_masks_set(mesh, 3, err);
    return status == EM_OK ? em_fit(&p->models[process], p->options, mesh, p->shards, err) : status;
}

static void check_crowd(const char *topology, int processes, const em_options *options, const em_model *wanted)
{
    party p = {.options = options};
    em_error err = {0};
    em_graph *graph = NULL;
    em_data *data = NULL;
    crowd_end ends[CROWD_MOST];
    assert_ok(em_graph_create(&graph, topology, NODES, 1, &err), &err);
    assert_ok(em_data_from_array(&data, values, EM_F64, ROWS, COLUMNS, 0, 0, &err), &err);
    assert_ok(em_shards_split(&p.shards, data, NODES, NULL, 0, &err), &err);
    crowd_run(&(crowd_plan){graph, processes, 1, fit_in_process, NULL, &p}, ends);
    for (int n = 0; n < processes; n++) {
        assert_ok(ends[n].status, &ends[n].err);
        assert_same_answer(p.models[n], wanted);
        em_model_free(&p.models[n]);
    }
    em_shards_free(&p.shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

static void on_any_network_and_hosting(void **state)
{
    static const char *const topologies[] = {"path", "star", "er:0.6", "complete"};
    (void)state;
    for (int m = 0; m < 2; m++) {
        em_options options = options_for(m ? "covariance" : "krylov");
        em_model *first = fit_masked(usual(&options));
        for (int n = 0; n < 4; n++) {
            for (int threads = 1; threads <= 3; threads++) {
                table_fit t = usual(&options);
                t.topology = topologies[n];
                t.threads = threads;
                em_model *model = fit_masked(t);
                assert_same_answer(model, first);
                em_model_free(&model);
            }
            for (int processes = 2; processes <= NODES; processes += 2)
                check_crowd(topologies[n], processes, &options, first);
        }
        em_model_free(&first);
    }
}

/* ---- what it costs ----------------------------------------------------------------------------------------------------------- */

enum { MANY = 200 };

static double many[ROWS * MANY];

static table_fit larger(const em_options *options)
{
    matrix_fill(many, ROWS * MANY, 3);
    for (int n = 0; n < ROWS * MANY; n++) many[n] = (many[n] + 2) / (1 + n % MANY);
    return (table_fit){
        .values = many, .rows = ROWS, .columns = MANY, .topology = "er:0.6", .nodes = NODES, .options = options};
}

/* A few components to a tolerance that is usual: no more than two averages beside those of a fit that may look at its own rows. */
static void hardly_more_averages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int problem = 0; problem < 2; problem++) {
            em_options options = options_for("krylov");
            options.seed = seed;
            options.tolerance = 1e-6;
            table_fit t = problem ? larger(&options) : usual(&options);
            em_model *plain = fit_plain(t), *masked = fit_masked(t);
            long more = em_model_info(masked)->iterations - em_model_info(plain)->iterations;
            if (more > 2) fail_msg("%ld averages more than %ld", more, em_model_info(plain)->iterations);
            em_model_free(&plain);
            em_model_free(&masked);
        }
}

/* The same averages of the same start: 64 bytes a message more, up the tree; set-up at most four times as much. */
static void hardly_more_bytes(void **state)
{
    static double init[MANY * K];
    em_options options = options_for("krylov");
    (void)state;
    matrix_fill(init, MANY * K, 5);
    options.init = init;
    options.tolerance = 0;
    options.iterations = 5;
    options.wire = EMI_WIRE_64;
    table_fit t = larger(&options);
    em_model *plain = fit_plain(t), *masked = fit_masked(t);
    const em_traffic *without = em_model_info(plain)->traffic, *with = em_model_info(masked)->traffic;
    assert_int_equal(with[EM_METHOD].rounds, without[EM_METHOD].rounds);
    assert_int_equal(with[EM_METHOD].messages, without[EM_METHOD].messages);
    assert_int_equal(with[EM_METHOD].bytes - without[EM_METHOD].bytes, 64 * (NODES - 1) * options.iterations);
    assert_true(with[EM_SETUP].bytes <= 4 * without[EM_SETUP].bytes);
    em_model_free(&plain);
    em_model_free(&masked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_and_scale),
        cmocka_unit_test(every_shape),
        cmocka_unit_test(a_fraction_of_the_variance),
        cmocka_unit_test(a_start_of_ones_own),
        cmocka_unit_test(every_kind_of_data),
        cmocka_unit_test(every_size_of_values),
        cmocka_unit_test(units_too_far_apart_are_refused),
        cmocka_unit_test(no_variance_is_refused),
        cmocka_unit_test(what_shows_more_is_refused),
        cmocka_unit_test(a_node_has_a_policy),
        cmocka_unit_test(on_any_network_and_hosting),
        cmocka_unit_test(hardly_more_averages),
        cmocka_unit_test(hardly_more_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
