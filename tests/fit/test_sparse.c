/* Fits of sparse tables end as those of the same tables when they are dense. */
#include "fit/options.h"
#include "support/check.h"
#include "support/sparse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, D = 30, K = 5, NODES = 4 };

typedef struct setting {
    int nodes, threads;
    const char *split;
} setting;

static em_status try_fit(em_model **model, const em_data *data, const em_options *options, setting s, em_error *err)
{
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    assert_ok(em_shards_split(&shards, data, s.nodes, s.split, 1, err), err);
    assert_ok(em_graph_create(&graph, "cycle", s.nodes, 1, err), err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, s.threads, err), err);
    em_status status = em_fit(model, options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return status;
}

static em_model *fit(const em_data *data, const em_options *options, setting s)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(try_fit(&model, data, options, s, &err), &err);
    return model;
}

static em_options options_for(const char *method, int components)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = components;
    options.tolerance = 1e-12;
    return options;
}

/* Components of variance that is alike may differ; here none are, up to `alike`. */
static void check_same(const em_model *a, const em_model *b, int alike, double tolerance)
{
    int components = em_model_components_count(a), d = em_model_features(a);
    assert_int_equal(components, em_model_components_count(b));
    assert_int_equal(em_model_info(a)->rank, em_model_info(b)->rank);
    assert_true(em_model_info(a)->reason == em_model_info(b)->reason);
    for (int f = 0; f < d; f++) {
        assert_close(em_model_mean(a)[f], em_model_mean(b)[f], tolerance);
        assert_close(em_model_scale(a)[f], em_model_scale(b)[f], tolerance);
    }
    for (int k = 0; k < components; k++) {
        assert_close(em_model_explained_variance(a)[k], em_model_explained_variance(b)[k], tolerance);
        for (int f = 0; k < alike && f < d; f++)
            assert_close(em_model_components(a)[k * d + f], em_model_components(b)[k * d + f], tolerance);
    }
}

static void check_fits(const sparse_table *t, const em_options *options, setting s, int alike, double tolerance)
{
    em_data *sparse = sparse_open(t), *dense = sparse_open_dense(t);
    em_model *a = fit(sparse, options, s), *b = fit(dense, options, s);
    check_same(a, b, alike, tolerance);
    em_model_free(&a);
    em_model_free(&b);
    em_data_free(&sparse);
    em_data_free(&dense);
}

static sparse_table usual(em_dtype type, int untidy)
{
    return sparse_make((sparse_plan){ROWS, D, 0.15, type, untidy ? EM_I64 : EM_I32, untidy, 9});
}

static void fits_are_the_dense_ones(void **state)
{
    (void)state;
    const setting settings[] = {{1, 1, NULL}, {1, 2, NULL}, {NODES, 2, NULL}, {NODES, 1, "shuffle"}};
    const char *const methods[] = {"auto", "krylov", "covariance"};
    for (int n = 0; n < 48; n++) {
        sparse_table t = usual(n & 1 ? EM_F32 : EM_F64, n >> 1 & 1);
        em_options options = options_for(methods[n % 3], K);
        options.scale = n & 4 ? EMI_SCALE_STD : EMI_SCALE_NONE;
        options.center = n != 6;
        check_fits(&t, &options, settings[(n >> 3) & 3], K, 1e-10);
        sparse_free(&t);
    }
}

static void methods_that_gossip(void **state)
{
    (void)state;
    const char *const methods[] = {"deepca", "fastpca", "dsa", "sdot"};
    sparse_table t = usual(EM_F64, 0);
    for (int n = 0; n < 4; n++) {
        em_options options = options_for(methods[n], 2);
        options.iterations = 30;
        options.tolerance = 0;
        check_fits(&t, &options, (setting){NODES, 2, NULL}, 2, 1e-9);
    }
    sparse_free(&t);
}

/* More components than there are directions, of few rows and of columns that are all zero. */
static void components_at_and_above_the_rank(void **state)
{
    (void)state;
    sparse_table few = sparse_make((sparse_plan){8, D, 0.3, EM_F64, EM_I32, 0, 4});
    for (int components = 5; components <= 8; components++) {
        em_options options = options_for("auto", components);
        check_fits(&few, &options, (setting){1, 1, NULL}, 5, 1e-10);
    }
    sparse_free(&few);
    sparse_table narrow = usual(EM_F64, 0);
    for (size_t n = 0; n < (size_t)ROWS * D; n++)
        if (n % D >= 6) narrow.dense[n] = 0;
    sparse_store(&narrow);
    for (int components = 5; components <= 9; components += 2) {
        em_options options = options_for("krylov", components);
        check_fits(&narrow, &options, (setting){2, 1, NULL}, 5, 1e-10);
    }
    sparse_free(&narrow);
}

/* A full column a million deviations away from zero, and one that is never zero but near it. */
static void full_columns_far_from_zero(void **state)
{
    (void)state;
    sparse_table t = usual(EM_F64, 0);
    for (size_t r = 0; r < ROWS; r++) {
        t.dense[r * D + 3] = 1e6 + 2 * sin((double)(r * r));
        t.dense[r * D + 8] = cos((double)r * 1.7);
    }
    sparse_store(&t);
    em_options options = options_for("krylov", K);
    options.tolerance = 1e-11;
    check_fits(&t, &options, (setting){1, 1, NULL}, K, 1e-9);
    check_fits(&t, &options, (setting){NODES, 2, "shuffle"}, K, 1e-9);
    options.scale = EMI_SCALE_STD;
    check_fits(&t, &options, (setting){1, 1, NULL}, K, 1e-9);
    sparse_free(&t);
}

/* Values beyond what squares of doubles hold. */
static void values_of_any_size(void **state)
{
    (void)state;
    const double sizes[] = {0x1p400, 0x1p-400};
    for (int n = 0; n < 2; n++) {
        sparse_table t = usual(EM_F64, 0);
        for (size_t v = 0; v < (size_t)ROWS * D; v++) t.dense[v] *= sizes[n];
        sparse_store(&t);
        em_options options = options_for("krylov", K);
        check_fits(&t, &options, (setting){1, 1, NULL}, K, 1e-10);
        sparse_free(&t);
    }
}

static void refuse_alike(const sparse_table *t, const char *words)
{
    em_options options = options_for("auto", 1);
    em_data *tables[] = {sparse_open(t), sparse_open_dense(t)};
    for (int n = 0; n < 2; n++) {
        em_model *model = NULL;
        em_error err = {0};
        assert_fails(try_fit(&model, tables[n], &options, (setting){2, 1, NULL}, &err), EM_EDATA, words, &err);
        em_data_free(&tables[n]);
    }
}

static void no_variance_is_refused_as_of_dense_rows(void **state)
{
    (void)state;
    sparse_table t = usual(EM_F64, 0);
    memset(t.dense, 0, sizeof *t.dense * ROWS * D);
    sparse_store(&t); /* not an entry */
    refuse_alike(&t, "no variance, every row is the same");
    for (size_t r = 0; r < ROWS; r++) t.dense[r * D + 1] = 3;
    sparse_store(&t);
    refuse_alike(&t, "no variance, every row is the same");
    t.dense[(ROWS - 1) * D + 2] = NAN;
    sparse_store(&t);
    refuse_alike(&t, "row 599, column 2 (from 0) is not a number");
    sparse_free(&t);
}

/* The table as a text: Matrix Market, or CSV. */
static em_data *open_text(const sparse_table *t, int sparse, em_missing missing)
{
    const char *path = scratch(sparse ? "t.mtx" : "t.csv");
    em_data *data = NULL;
    em_error err = {0};
    FILE *file = fopen(path, "w");
    size_t count = 0;
    assert_non_null(file);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) count += t->dense[n] != 0;
    if (sparse) (void)fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %zu\n", ROWS, D, count);
    for (size_t n = 0; n < (size_t)ROWS * D; n++)
        if (!sparse)
            (void)fprintf(file, "%.17g%c", t->dense[n], n % D == D - 1 ? '\n' : ',');
        else if (t->dense[n] != 0)
            (void)fprintf(file, "%zu %zu %.17g\n", n / D + 1, n % D + 1, t->dense[n]);
    assert_int_equal(fclose(file), 0);
    const em_read_options options = {.size = sizeof options, .missing = missing};
    assert_ok(em_data_open(&data, path, &options, &err), &err);
    return data;
}

/* Rows that are left out, and values that are filled with the mean, as of dense rows. */
static void values_that_are_missing(void **state)
{
    (void)state;
    const em_missing ways[] = {EM_MISSING_DROP, EM_MISSING_MEAN};
    sparse_table t = usual(EM_F64, 0);
    t.dense[5 * D + 2] = t.dense[300 * D + 2] = t.dense[301 * D + 7] = NAN;
    for (int n = 0; n < 4; n++) {
        em_options options = options_for("krylov", K);
        const setting where = {n % 2 ? NODES : 1, 1, n % 2 ? "shuffle" : NULL};
        options.scale = n % 2 ? EMI_SCALE_STD : EMI_SCALE_NONE;
        em_data *sparse = open_text(&t, 1, ways[n / 2]), *dense = open_text(&t, 0, ways[n / 2]);
        assert_int_equal(em_data_rows_dropped(sparse), n < 2 ? 3 : 0);
        em_model *a = fit(sparse, &options, where), *b = fit(dense, &options, where);
        check_same(a, b, K, 1e-10);
        assert_int_equal(em_model_info(a)->missing_values, n < 2 ? 0 : 3);
        em_model_free(&a);
        em_model_free(&b);
        em_data_free(&sparse);
        em_data_free(&dense);
    }
    sparse_free(&t);
}

static void the_same_bits_by_any_number_of_threads(void **state)
{
    (void)state;
    sparse_table t = sparse_make((sparse_plan){5000, D, 0.1, EM_F32, EM_I32, 0, 2});
    em_data *data = sparse_open(&t);
    em_options options = options_for("krylov", K);
    options.tolerance = 1e-6;
    em_model *alone = fit(data, &options, (setting){1, 1, NULL});
    for (int threads = 2; threads <= 3; threads++) {
        em_model *together = fit(data, &options, (setting){1, threads, NULL});
        assert_memory_equal(em_model_components(alone), em_model_components(together), sizeof(double) * K * D);
        em_model_free(&together);
    }
    em_model_free(&alone);
    em_data_free(&data);
    sparse_free(&t);
}

/* By products with what is stored: covariances of many columns, or rows as numbers, would be far larger than the table. */
static void auto_does_not_expand_it(void **state)
{
    (void)state;
    const struct {
        size_t rows, columns;
    } shapes[] = {{4000, 800}, {300, 3000}};
    for (int n = 0; n < 2; n++) {
        em_error err = {0};
        sparse_table t = sparse_make((sparse_plan){shapes[n].rows, shapes[n].columns, 0.02, EM_F32, EM_I32, 0, 2});
        em_data *data = sparse_open(&t);
        em_options options = options_for("auto", K);
        em_shards *shards = NULL;
        em_graph *graph = NULL;
        em_mesh *mesh = NULL;
        em_plan *plan = NULL;
        options.tolerance = 1e-6;
        assert_ok(em_shards_split(&shards, data, 1, NULL, 1, &err), &err);
        assert_ok(em_graph_create(&graph, "path", 1, 1, &err), &err);
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        assert_ok(em_plan_make(&plan, &options, mesh, shards, &err), &err);
        assert_string_equal(plan->method, "krylov");
        assert_string_equal(plan->operator_name, "implicit");
        em_plan_free(&plan);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
        em_shards_free(&shards);
        em_data_free(&data);
        sparse_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_the_dense_ones),
        cmocka_unit_test(methods_that_gossip),
        cmocka_unit_test(components_at_and_above_the_rank),
        cmocka_unit_test(full_columns_far_from_zero),
        cmocka_unit_test(values_of_any_size),
        cmocka_unit_test(no_variance_is_refused_as_of_dense_rows),
        cmocka_unit_test(values_that_are_missing),
        cmocka_unit_test(the_same_bits_by_any_number_of_threads),
        cmocka_unit_test(auto_does_not_expand_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
