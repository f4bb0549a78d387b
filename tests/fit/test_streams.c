/* Fits of moments are fits of the rows, whatever batches, nodes and order these came in: compared with LAPACK on all rows. */
#include "support/check.h"
#include "support/streams.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 700, D = 14, K = 4, NODES_MOST = 5, SPLITTINGS = SANITIZED ? 20 : 100 };

static const double spectrum[D] = {9, 6, 4, 2.5, 1.5, 1, .7, .5, .3, .2, .1, .05, .02, .01};

/* A generator of the tests' own. */
static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

static void shuffle(size_t *order, size_t count, uint64_t *state)
{
    for (size_t n = 0; n < count; n++) order[n] = n;
    for (size_t n = count; n > 1; n--) {
        size_t other = draw(state, (unsigned)n), was = order[n - 1];
        order[n - 1] = order[other];
        order[other] = was;
    }
}

/* Nodes of moments, or, by chance, of rows. */
typedef struct network {
    int nodes;
    em_moments *moments[NODES_MOST];
    em_data *tables[NODES_MOST];
    double *rows[NODES_MOST];
} network;

static void open_rows(network *n, int i, const double *rows, int d, const size_t *order, size_t count)
{
    em_error err = {0};
    n->rows[i] = malloc(count * (size_t)d * sizeof(double));
    assert_non_null(n->rows[i]);
    for (size_t r = 0; r < count; r++)
        memcpy(n->rows[i] + r * (size_t)d, rows + order[r] * (size_t)d, sizeof(double) * (size_t)d);
    assert_ok(em_data_from_array(&n->tables[i], n->rows[i], EM_F64, count, (size_t)d, 0, 0, &err), &err);
}

static void close_network(network *n)
{
    for (int i = 0; i < n->nodes; i++) {
        em_data_free(&n->tables[i]);
        em_moments_free(&n->moments[i]);
        free(n->rows[i]);
    }
}

/* One node's: batches of one row to 300, into one of two accumulators each, which are merged. */
static void open_moments(network *n, int i, const double *rows, int d, const size_t *order, size_t count, em_dtype type,
                         uint64_t *state)
{
    em_moments *other = NULL;
    em_error err = {0};
    unsigned largest = draw(state, 3) == 0 ? 1 : draw(state, 2) == 0 ? 20 : 300;
    assert_ok(em_moments_create(&n->moments[i], (size_t)d, &err), &err);
    assert_ok(em_moments_create(&other, (size_t)d, &err), &err);
    assert_ok(em_moments_set_threads(other, 2, &err), &err);
    for (size_t first = 0, now; first < count; first += now) {
        now = 1 + draw(state, largest);
        if (now > count - first) now = count - first;
        stream_add(draw(state, 4) ? n->moments[i] : other, rows, d, order + first, now, type);
    }
    assert_ok(em_moments_merge(n->moments[i], other, &err), &err);
    assert_int_equal(em_moments_rows(n->moments[i]), count);
    em_moments_free(&other);
    assert_ok(em_data_from_moments(&n->tables[i], n->moments[i], &err), &err);
}

static network split(const double *rows, size_t count, int d, em_dtype type, uint64_t seed)
{
    uint64_t state = seed;
    size_t *order = malloc(count * sizeof *order), first = 0;
    network n = {.nodes = 1 + (int)draw(&state, NODES_MOST)};
    assert_non_null(order);
    shuffle(order, count, &state);
    for (int i = 0; i < n.nodes; i++) {
        size_t left = count - first, others = (size_t)(n.nodes - i - 1),
               own = others ? 1 + draw(&state, (unsigned)(left - others)) : left;
        if (type == EM_F64 && draw(&state, 4) == 0)
            open_rows(&n, i, rows, d, order + first, own);
        else
            open_moments(&n, i, rows, d, order + first, own, type, &state);
        first += own;
    }
    free(order);
    return n;
}

static void check_truth(const em_model *model, const double *rows, size_t count, int d, int components, double vectors,
                        double variances)
{
    double *values = malloc((size_t)d * sizeof *values), *q = malloc((size_t)d * (size_t)d * sizeof *q);
    assert_non_null(values);
    assert_non_null(q);
    truth_pca(rows, count, d, values, q);
    for (int k = 0; k < components; k++) {
        double wanted = values[k] * (double)count / (double)(count - 1);
        assert_true(fabs(em_model_explained_variance(model)[k] / wanted - 1) <= variances);
        double sine = sqrt(truth_sin2(em_model_components(model) + k * d, q + k * d, d));
        assert_true(sine <= vectors);
        assert_true(sine <= em_model_angle_bounds(model)[k]); /* of the rows, not of what summing made of them */
    }
    free(q);
    free(values);
}

static void any_splitting_is_a_fit_of_all_rows(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "krylov", "covariance"};
    for (uint64_t seed = 1; seed <= SPLITTINGS; seed++) {
        double *rows = truth_rows(ROWS, D, spectrum, (unsigned)(seed % 5));
        network n = split(rows, ROWS, D, EM_F64, seed);
        em_options options = stream_options(methods[seed % 3], K);
        em_model *model = stream_fit(n.tables, n.nodes, &options);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        assert_int_equal(em_model_samples(model), ROWS);
        check_truth(model, rows, ROWS, D, K, 1e-10, 1e-12);
        em_model_free(&model);
        close_network(&n);
        free(rows);
    }
}

static void in_single_precision_to_its_digits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double *rows = truth_rows(ROWS, D, spectrum, (unsigned)seed);
        for (size_t n = 0; n < (size_t)ROWS * D; n++) rows[n] = (double)(float)rows[n];
        network n = split(rows, ROWS, D, EM_F32, seed);
        em_options options = stream_options("auto", K);
        options.tolerance = 1e-6;
        em_model *model = stream_fit(n.tables, n.nodes, &options);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        check_truth(model, rows, ROWS, D, K, 3e-6, 3e-7);
        em_model_free(&model);
        close_network(&n);
        free(rows);
    }
}

/* Two fits, one of rows and one of the moments of each half of them, in other respects alike. */
static void check_alike(const double *rows, size_t count, int d, const em_options *options, int components,
                        double tolerance)
{
    em_error err = {0};
    em_data *whole[2] = {0}, *tables[2] = {0};
    em_moments *moments[2] = {0};
    size_t *order = malloc(count * sizeof *order);
    assert_non_null(order);
    for (size_t r = 0; r < count; r++) order[r] = r;
    for (int i = 0; i < 2; i++) {
        size_t first = i ? count / 3 : 0, end = i ? count : count / 3;
        assert_ok(em_data_from_array(&whole[i], rows + first * (size_t)d, EM_F64, end - first, (size_t)d, 0, 0, &err),
                  &err);
        assert_ok(em_moments_create(&moments[i], (size_t)d, &err), &err);
        stream_add(moments[i], rows, d, order + first, end - first, EM_F64);
        assert_ok(em_data_from_moments(&tables[i], moments[i], &err), &err);
    }
    em_model *wanted = stream_fit(whole, 2, options), *got = stream_fit(tables, 2, options);
    assert_int_equal(em_model_info(got)->rank, em_model_info(wanted)->rank);
    assert_int_equal(em_model_info(got)->constant_features, em_model_info(wanted)->constant_features);
    assert_true(em_model_info(got)->reason == em_model_info(wanted)->reason);
    assert_close(em_model_noise_variance(got), em_model_noise_variance(wanted), tolerance);
    for (int f = 0; f < d; f++) {
        assert_close(em_model_mean(got)[f] / em_model_scale(wanted)[f],
                     em_model_mean(wanted)[f] / em_model_scale(wanted)[f], tolerance);
        assert_close(em_model_scale(got)[f] / em_model_scale(wanted)[f], 1, tolerance);
    }
    for (int k = 0; k < components; k++) {
        assert_close(em_model_explained_variance(got)[k] / em_model_explained_variance(wanted)[k], 1, tolerance);
        assert_close(em_model_singular_values(got)[k] / em_model_singular_values(wanted)[k], 1, tolerance);
        for (int f = 0; f < d; f++)
            assert_close(em_model_components(got)[k * d + f], em_model_components(wanted)[k * d + f], 1e-9);
    }
    em_model_free(&got);
    em_model_free(&wanted);
    for (int i = 0; i < 2; i++) {
        em_data_free(&tables[i]);
        em_data_free(&whole[i]);
        em_moments_free(&moments[i]);
    }
    free(order);
}

static void scales_centres_and_constants(void **state)
{
    (void)state;
    static const char *const methods[] = {"krylov", "covariance", "auto"};
    for (int n = 0; n < 24; n++) {
        double *rows = truth_rows(ROWS, D, spectrum, (unsigned)n);
        em_options options = stream_options(methods[n % 3], K);
        options.scale = (const emi_scale[]){EMI_SCALE_NONE, EMI_SCALE_STD, EMI_SCALE_SPECTRAL}[n / 3 % 3];
        options.center = n % 4 != 0;
        options.tolerance = 1e-11;
        for (size_t r = 0; r < ROWS && n >= 9; r++) rows[r * D + 3] = 0.1; /* of which no two sums are alike */
        check_alike(rows, ROWS, D, &options, K, 1e-12);
        free(rows);
    }
}

/* More than fits into the squares of doubles, and less, beside each other. */
static void units_far_apart(void **state)
{
    (void)state;
    static const double units[] = {1e60, 1e-60, 1e-70};
    for (int n = 0; n < 3; n++) {
        double *rows = truth_rows(ROWS, D, spectrum, 3);
        em_options options = stream_options("auto", K);
        options.scale = n == 2 ? EMI_SCALE_STD : EMI_SCALE_NONE;
        options.tolerance = 1e-11;
        for (size_t r = 0; r < ROWS; r++)
            for (size_t f = 0; f < D; f++) rows[r * D + f] *= n == 2 && f % 2 ? 1e70 : units[n];
        check_alike(rows, ROWS, D, &options, K, 1e-12);
        free(rows);
    }
}

/* Two features that are sums of others: K at the rank, above it, and of few rows. */
static void components_at_and_above_the_rank(void **state)
{
    (void)state;
    for (int components = D - 3; components <= D; components++) {
        double *rows = truth_rows(ROWS, D, spectrum, 5);
        em_options options = stream_options("auto", components);
        for (size_t r = 0; r < ROWS; r++) {
            rows[r * D + 12] = rows[r * D] + rows[r * D + 1];
            rows[r * D + 13] = rows[r * D + 2] - rows[r * D + 3];
        }
        options.tolerance = 1e-9;
        check_alike(rows, ROWS, D, &options, 8, 1e-11);
        options.components = components - 4; /* of rows that are fewer than features */
        check_alike(rows, 12, D, &options, 5, 1e-10);
        free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_splitting_is_a_fit_of_all_rows), cmocka_unit_test(in_single_precision_to_its_digits),
        cmocka_unit_test(scales_centres_and_constants),       cmocka_unit_test(units_far_apart),
        cmocka_unit_test(components_at_and_above_the_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
