/* Whole fits with the rows on a GPU, against LAPACK on the pooled rows, and against the CPU's. */
#include "driver.h"
#include "fit/options.h"
#include "gpu/gpu.h"
#include "support/check.h"
#include "support/models.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 900, D = 40, K = 4 };

static double spectrum[D];

typedef struct table {
    double *rows, values[D], vectors[D * D];
    void *as; /* in the type asked for */
    em_dtype type;
    em_data *data;
} table;

/* Numbers of the type, and the truth of just these. */
static void table_open(table *t, em_dtype type, double offset)
{
    em_error err = {0};
    for (int k = 0; k < D; k++) spectrum[k] = 100 * pow(0.7, k);
    *t = (table){.rows = truth_rows(N, D, spectrum, 5), .type = type};
    size_t size = type == EM_F64 ? 8 : type == EM_F32 ? 4 : 1;
    t->as = malloc(N * D * size);
    assert_non_null(t->as);
    for (size_t n = 0; n < (size_t)N * D; n++) {
        double *x = &t->rows[n];
        *x += offset;
        if (type == EM_F64) ((double *)t->as)[n] = *x;
        if (type == EM_F32) *x = ((float *)t->as)[n] = (float)*x;
        if (type == EM_U8) *x = ((unsigned char *)t->as)[n] = (unsigned char)fmin(255, fmax(0, round(*x + 100)));
    }
    truth_pca(t->rows, N, D, t->values, t->vectors);
    assert_ok(em_data_from_array(&t->data, t->as, type, N, D, 0, 0, &err), &err);
}

static void table_close(table *t)
{
    em_data_free(&t->data);
    free(t->as);
    free(t->rows);
}

typedef struct wish {
    const char *method, *split;
    int nodes, threads;
    emi_device_choice device;
    double tolerance;
    emi_precision precision;
} wish;

static em_status fit(const em_data *data, const wish *w, em_model **out, em_error *err)
{
    em_status status;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options options = emi_options_default();
    options.method = w->method;
    options.components = K;
    options.tolerance = w->tolerance > 0 ? w->tolerance : 1e-9;
    options.device = w->device;
    options.precision = w->precision;
    TRY(em_shards_split(&shards, data, w->nodes, w->split ? w->split : "contiguous", 3, err));
    TRY(em_graph_create(&graph, w->nodes > 1 ? "cycle" : "complete", w->nodes, 1, err));
    TRY(em_mesh_open(&mesh, NULL, graph, w->threads ? w->threads : 2, err));
    TRY(em_fit(out, &options, mesh, shards, err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return status;
}

static em_model *fitted(const em_data *data, const wish *w)
{
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(fit(data, w, &model, &err), &err);
    return model;
}

static void check(const table *t, const em_model *model, double sines, double digits)
{
    const em_info *info = em_model_info(model);
    assert_int_equal(info->reason, EM_CONVERGED);
    assert_true(info->worst_residual <= info->tolerance);
    for (int k = 0; k < K; k++) {
        double exact = t->values[k] * N / (N - 1);
        assert_true(truth_sin2(em_model_components(model) + k * D, t->vectors + k * D, D) <= sines);
        assert_close(em_model_explained_variance(model)[k] / exact, 1, digits);
    }
}

/* ---- every kind of row ------------------------------------------------------------------------------------------------ */

static void every_type_and_split(void **state)
{
    (void)state;
    static const em_dtype types[] = {EM_F64, EM_F32, EM_U8};
    static const char *const methods[] = {"auto", "krylov", "covariance", "deepca"};
    for (size_t y = 0; y < 3; y++)
        for (int far = 0; far < (types[y] == EM_U8 ? 1 : 2); far++) {
            table t;
            table_open(&t, types[y], far ? 3e4 : 0);
            for (size_t m = 0; m < 4; m++)
                for (int nodes = 1; nodes <= 3; nodes += 2) {
                    const wish w = {methods[m], nodes > 1 ? "shuffle" : NULL, nodes, 2, EMI_DEVICE_GPU, 0, 0};
                    em_model *model = fitted(t.data, &w);
                    assert_string_equal(em_model_info(model)->device, "gpu");
                    check(&t, model, 1e-14, 1e-9);
                    em_model_free(&model);
                }
            table_close(&t);
        }
    assert_int_equal(driver_pushed(), 0);
}

/* In single precision, as six digits are asked for; from the step that judges on in double, where there were steps before. */
static void floats_in_single(void **state)
{
    (void)state;
    table t;
    table_open(&t, EM_F32, 0);
    const wish w = {"krylov", NULL, 1, 2, EMI_DEVICE_GPU, 1e-6, 0};
    for (int forms = 0; forms < 2; forms++) { /* a covariance is formed in double */
        driver_forms(forms);
        em_model *model = fitted(t.data, &w);
        int there = strstr(em_model_info(model)->device_why, "taken there in single precision") != NULL;
        assert_int_equal(there, !forms && strstr(em_model_info(model)->device_why, "taken there") != NULL);
        assert_string_equal(em_model_info(model)->precision, forms || there ? "double" : "single");
        assert_string_equal(em_model_info(model)->operator_name, forms ? "dense" : "implicit");
        check(&t, model, 1e-11, 1e-6);
        em_model_free(&model);
    }
    driver_forms(-1);
    table_close(&t);
}

/* ---- covariances that are formed there ---------------------------------------------------------------------------------- */

typedef struct oddity {
    int outliers; /* are the rows that the origin is made of */
    double scale; /* of all numbers */
    int constant; /* is a feature, at the offset */
    double offset;
} oddity;

static void table_spoil(table *t, const oddity *o)
{
    enum { SOME = 64, APART = N / SOME };
    double *as = t->as;
    for (size_t n = 0; n < (size_t)N * D; n++) {
        size_t r = n / D;
        double *x = &t->rows[n];
        if (o->outliers && r % APART == 0 && r / APART < SOME) *x += 1e4;
        if (o->constant && n % D == 3) *x = 0;
        *x = o->scale * (*x + o->offset);
        as[n] = *x;
    }
    for (size_t n = 0; n < (size_t)N * D; n++) t->rows[n] /= o->scale;
    truth_pca(t->rows, N, D, t->values, t->vectors);
    for (int k = 0; k < D; k++) t->values[k] *= o->scale * o->scale;
}

/* However the rows lie about the origin that sums are made from, and in whatever units. */
static void covariances_of_odd_rows(void **state)
{
    (void)state;
    static const oddity all[] = {{0, 1, 1, 0},      {1, 1, 0, 0},      {0, 1, 1, 1e6},
                                 {0, 1e150, 0, 10}, {0, 1e-100, 0, 0}, {1, 1e-9, 1, 1e5}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        table t;
        table_open(&t, EM_F64, 0);
        table_spoil(&t, &all[n]);
        driver_forms(1);
        const wish w = {"auto", NULL, 1, 2, EMI_DEVICE_GPU, 0, 0};
        em_model *model = fitted(t.data, &w);
        driver_forms(-1);
        assert_string_equal(em_model_info(model)->device, "gpu");
        check(&t, model, all[n].offset > 1e3 ? 1e-13 : 1e-15, 1e-9);
        em_model_free(&model);
        table_close(&t);
    }
}

/* Rows are sent once, and need no memory: those that would not fit either. */
static void rows_that_are_not_kept(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    table t;
    table_open(&t, EM_F64, 0);
    driver_forms(1);
    const wish w = {"krylov", NULL, 1, 2, EMI_DEVICE_GPU, 0, 0};
    const size_t rows = sizeof(double) * N * D;
    (void)driver_sent();
    em_model *whole = fitted(t.data, &w);
    size_t sent = driver_sent();
    assert_true(sent >= rows && sent < rows + rows / 2);
    driver_memory((size_t)500 << 10); /* as below */
    em_model *part = fitted(t.data, &w);
    driver_memory((size_t)1 << 30);
    driver_forms(-1);
    assert_string_equal(em_model_info(part)->device, "gpu");
    assert_null(strstr(em_model_info(part)->device_why, "sent for each product"));
    assert_same_model(whole, part);
    em_model_free(&part);
    em_model_free(&whole);
    table_close(&t);
}

static void same_bits_each_time(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        table t;
        table_open(&t, single ? EM_F32 : EM_F64, 0);
        const wish one = {"auto", NULL, 3, 1, EMI_DEVICE_GPU, single ? 1e-6 : 0, 0};
        wish other = one;
        other.threads = 4;
        em_model *first = fitted(t.data, &one), *second = fitted(t.data, &other);
        assert_same_model(first, second);
        em_model_free(&first);
        em_model_free(&second);
        table_close(&t);
    }
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* Rows that do not fit, or of which none do, are sent for each product: the same bits. */
static void rows_that_do_not_fit(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    table t;
    table_open(&t, EM_F64, 0);
    const wish w = {"krylov", NULL, 1, 2, EMI_DEVICE_GPU, 0, 0};
    driver_forms(0);
    (void)driver_sent();
    em_model *whole = fitted(t.data, &w);
    size_t once = driver_sent();
    driver_memory((size_t)500 << 10);
    em_model *part = fitted(t.data, &w);
    assert_string_equal(em_model_info(part)->device, "gpu");
    assert_non_null(strstr(em_model_info(part)->device_why, "sent for each product"));
    assert_true(driver_sent() > once + sizeof(double) * N * D / 8);
    assert_same_model(whole, part);
    driver_memory((size_t)1 << 30);
    driver_forms(-1);
    em_model_free(&part);
    em_model_free(&whole);
    table_close(&t);
}

/* Where not even a chunk has room: asked for, that is an error; with auto the CPU goes on, and says so. */
static void no_memory_at_all(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    table t;
    em_model *model = NULL;
    em_error err = {0};
    table_open(&t, EM_F64, 0);
    wish w = {"krylov", NULL, 1, 2, EMI_DEVICE_GPU, 0, 0};
    driver_memory(1 << 10);
    assert_fails(fit(t.data, &w, &model, &err), EM_ENOMEM, "out of memory; try device=cpu", &err);
    w.device = EMI_DEVICE_AUTO;
    for (int forms = 0; forms < 2; forms++) {
        driver_forms(forms);
        model = fitted(t.data, &w);
        assert_string_equal(em_model_info(model)->device, "cpu");
        assert_non_null(strstr(em_model_info(model)->device_why, "out of memory"));
        assert_string_equal(em_model_info(model)->operator_name, "implicit");
        check(&t, model, 1e-14, 1e-9);
        em_model_free(&model);
    }
    driver_forms(-1);
    driver_memory((size_t)1 << 30);
    table_close(&t);
}

/* ---- rows that lie there already -------------------------------------------------------------------------------------------- */

typedef struct lent {
    emi_gpu *gpu;
    emi_address at;
    em_data *data;
} lent;

static void lent_open(lent *l, const void *numbers, size_t bytes)
{
    em_error err = {0};
    assert_ok(emi_gpu_take(&l->gpu, &err), &err);
    assert_ok(emi_gpu_enter(l->gpu, &err), &err);
    assert_ok(emi_gpu_alloc(l->gpu, bytes, &l->at, &err), &err);
    assert_ok(emi_gpu_put(l->gpu, l->at, numbers, bytes, &err), &err);
    emi_gpu_leave(l->gpu);
}

static void lent_close(lent *l)
{
    em_error err = {0};
    em_data_free(&l->data);
    assert_ok(emi_gpu_enter(l->gpu, &err), &err);
    emi_gpu_free(l->gpu, l->at);
    emi_gpu_leave(l->gpu);
    emi_gpu_give(&l->gpu);
}

static void rows_of_somebody_else(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "krylov", "covariance", "deepca"};
    for (int single = 0; single < 2; single++) {
        table t;
        lent l = {0};
        em_error err = {0};
        double *back = malloc(sizeof *back * N * D);
        size_t size = single ? sizeof(float) : sizeof(double);
        table_open(&t, single ? EM_F32 : EM_F64, 0);
        lent_open(&l, t.as, size * N * D);
        assert_ok(em_data_from_gpu(&l.data, (void *)(uintptr_t)l.at, t.type, N, D, 0, 0, NULL, &err), &err);
        (void)driver_sent();
        for (size_t m = 0; m < 4; m++)
            for (int nodes = 1; nodes <= 3; nodes += 2) {
                const wish w = {methods[m], NULL, nodes, 2, EMI_DEVICE_AUTO, 0, 0};
                em_model *model = fitted(l.data, &w);
                assert_string_equal(em_model_info(model)->device, "gpu");
                check(&t, model, 1e-14, 1e-9);
                em_model_free(&model);
            }
        assert_ok(em_data_read(l.data, 0, N, back, &err), &err);
        assert_memory_equal(back, t.rows, sizeof *back * N * D);
        lent_close(&l);
        free(back);
        table_close(&t);
    }
}

/* Columns that lie one after the other, and every second row. */
static void any_strides(void **state)
{
    (void)state;
    table t;
    lent l = {0};
    em_error err = {0};
    table_open(&t, EM_F64, 0);
    double *across = calloc((size_t)2 * N * D, sizeof *across);
    assert_non_null(across);
    for (size_t r = 0; r < N; r++)
        for (size_t c = 0; c < D; c++) across[c * 2 * N + 2 * r] = t.rows[r * D + c];
    lent_open(&l, across, sizeof *across * 2 * N * D);
    assert_ok(em_data_from_gpu(&l.data, (void *)(uintptr_t)l.at, EM_F64, N, D, 16, 16 * N, NULL, &err), &err);
    const wish w = {"krylov", NULL, 2, 2, EMI_DEVICE_GPU, 0, 0};
    em_model *model = fitted(l.data, &w);
    check(&t, model, 1e-14, 1e-9);
    em_model_free(&model);
    lent_close(&l);
    free(across);
    table_close(&t);
}

static void scores_of_lent_rows(void **state)
{
    (void)state;
    table t;
    lent l = {0};
    em_error err = {0};
    double scale[D], mean[D];
    table_open(&t, EM_F64, 7);
    for (int f = 0; f < D; f++) scale[f] = 1 + f, mean[f] = 7 - f;
    lent_open(&l, t.as, sizeof(double) * N * D);
    assert_ok(em_data_from_gpu(&l.data, (void *)(uintptr_t)l.at, EM_F64, N, D, 0, 0, NULL, &err), &err);
    double *here = malloc(sizeof *here * N * K), *there = malloc(sizeof *there * N * K);
    assert_ok(em_project(t.data, mean, scale, t.vectors, K, EM_F64, here, 1, &err), &err);
    assert_ok(em_project(l.data, mean, scale, t.vectors, K, EM_F64, there, 1, &err), &err);
    for (size_t n = 0; n < (size_t)N * K; n++) assert_close(there[n], here[n], 1e-12);
    free(here);
    free(there);
    lent_close(&l);
    table_close(&t);
}

static void refusals(void **state)
{
    (void)state;
    table t;
    lent l = {0};
    em_error err = {0};
    em_data *data = NULL;
    em_model *model = NULL;
    table_open(&t, EM_F64, 0);
    lent_open(&l, t.as, sizeof(double) * N * D);
    void *at = (void *)(uintptr_t)l.at;
    assert_fails(em_data_from_gpu(&data, NULL, EM_F64, N, D, 0, 0, NULL, &err), EM_EINVAL, "array: ", &err);
    assert_fails(em_data_from_gpu(&data, at, EM_F64, 0, D, 0, 0, NULL, &err), EM_EINVAL, "array: 0 rows", &err);
    assert_fails(em_data_from_gpu(&data, at, EM_I32, N, D, 0, 0, NULL, &err), EM_ENOTSUP, "float32 or float64", &err);
    assert_fails(em_data_from_gpu(&data, at, EM_F64, N, D, 12, 0, NULL, &err), EM_ENOTSUP, "try a copy", &err);
    assert_fails(em_data_from_gpu(&data, t.rows, EM_F64, N, D, 0, 0, NULL, &err), EM_EINVAL, "does not lie", &err);
    assert_null(data);
    assert_ok(em_data_from_gpu(&l.data, at, EM_F64, N, D, 0, 0, NULL, &err), &err);
    wish w = {"krylov", "shuffle", 2, 1, EMI_DEVICE_AUTO, 0, 0};
    assert_fails(fit(l.data, &w, &model, &err), EM_ENOTSUP, "in their order", &err);
    w.split = NULL, w.device = EMI_DEVICE_CPU;
    assert_fails(fit(l.data, &w, &model, &err), EM_EINVAL, "the rows lie on a GPU", &err);
    lent_close(&l);
    table_close(&t);
}

/* A value that is none is named, wherever the rows lie. */
static void not_a_number(void **state)
{
    (void)state;
    table t;
    lent l = {0};
    em_error err = {0};
    em_model *model = NULL;
    table_open(&t, EM_F64, 0);
    ((double *)t.as)[777 * D + 9] = NAN;
    wish w = {"auto", NULL, 2, 1, EMI_DEVICE_GPU, 0, 0};
    assert_fails(fit(t.data, &w, &model, &err), EM_EDATA, "row 777, column 9", &err);
    w.device = EMI_DEVICE_AUTO;
    assert_fails(fit(t.data, &w, &model, &err), EM_EDATA, "row 777, column 9", &err);
    lent_open(&l, t.as, sizeof(double) * N * D);
    assert_ok(em_data_from_gpu(&l.data, (void *)(uintptr_t)l.at, EM_F64, N, D, 0, 0, NULL, &err), &err);
    assert_fails(fit(l.data, &w, &model, &err), EM_EDATA, "row 777, column 9", &err);
    lent_close(&l);
    table_close(&t);
}

/* ---- rows that are no matter of a GPU ------------------------------------------------------------------------------------ */

static void sparse_rows_stay(void **state)
{
    (void)state;
    enum { ROWS = 30, COLUMNS = 5 };
    double values[ROWS];
    int32_t columns[ROWS], starts[ROWS + 1];
    em_error err = {0};
    em_data *data;
    em_model *model = NULL;
    for (int r = 0; r < ROWS; r++) values[r] = 1 + r % 7, columns[r] = (r * r) % COLUMNS, starts[r] = r;
    starts[ROWS] = ROWS;
    assert_ok(em_data_from_csr(&data, values, EM_F64, columns, starts, EM_I32, ROWS, COLUMNS, &err), &err);
    wish w = {"auto", NULL, 1, 1, EMI_DEVICE_GPU, 1e-6, 0};
    assert_fails(fit(data, &w, &model, &err), EM_ENOTSUP, "sparse rows are multiplied by the CPU alone", &err);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_and_split),
                                       cmocka_unit_test(floats_in_single),
                                       cmocka_unit_test(covariances_of_odd_rows),
                                       cmocka_unit_test(rows_that_are_not_kept),
                                       cmocka_unit_test(same_bits_each_time),
                                       cmocka_unit_test(rows_that_do_not_fit),
                                       cmocka_unit_test(no_memory_at_all),
                                       cmocka_unit_test(rows_of_somebody_else),
                                       cmocka_unit_test(any_strides),
                                       cmocka_unit_test(scores_of_lent_rows),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(not_a_number),
                                       cmocka_unit_test(sparse_rows_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
