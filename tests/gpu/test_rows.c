/* What is done with rows on a GPU, piece by piece, against the CPU's own: the pass over the rows, products, a covariance, scores. */
#include "data/by_rows.h"
#include "data/form.h"
#include "data/gpu_rows.h"
#include "data/moments.h"
#include "driver.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1500, MOST_D = 140, K = 5 };

typedef struct fixture {
    size_t rows;
    int d;
    double *values;
    float *floats;
    em_data *data;
    em_shards *shards;
    double mean[MOST_D], inverse[MOST_D], fill[MOST_D];
    emi_standard standard;
    emi_scratch scratch;
    emi_helpers helpers;
    emi_gpu *gpu;
    emi_gpu_rows there;
    emi_operator C;
} fixture;

typedef struct shape {
    size_t rows;
    int d, single, scaled, holes;
    const char *split;
    double offset;
} shape;

static size_t scratch_for(int d)
{
    size_t needs[] = {emi_moments_needs(d), emi_form_needs(d, d), emi_by_rows_needs(d, K)}, most = 0;
    for (int n = 0; n < 3; n++) most = needs[n] > most ? needs[n] : most;
    return most;
}

static void open_fixture(fixture *f, const shape *s)
{
    em_error err = {0};
    size_t size = s->rows * (size_t)s->d;
    *f = (fixture){.rows = s->rows, .d = s->d, .values = malloc(size * 8), .floats = malloc(size * 4)};
    matrix_fill(f->values, size, 11);
    for (size_t n = 0; n < size; n++) {
        f->values[n] = f->values[n] * (1 + (double)(n % (size_t)s->d % 3)) + s->offset + 0.5;
        if (s->holes && n % 17 == 5) f->values[n] = NAN;
        f->floats[n] = (float)f->values[n];
        if (s->single) f->values[n] = f->floats[n];
    }
    for (int c = 0; c < s->d; c++)
        f->mean[c] = s->offset + 0.5, f->inverse[c] = 1 / (1 + 0.25 * c), f->fill[c] = s->offset + 2;
    f->standard = (emi_standard){.d = s->d,
                                 .mean = f->mean,
                                 .inverse_scale = s->scaled ? f->inverse : NULL,
                                 .fill = s->holes ? f->fill : NULL,
                                 .within = s->offset == 0 && !s->holes};
    const void *numbers = s->single ? (void *)f->floats : (void *)f->values;
    assert_ok(em_data_from_array(&f->data, numbers, s->single ? EM_F32 : EM_F64, s->rows, (size_t)s->d, 0, 0, &err),
              &err);
    f->data->holes = s->holes;
    assert_ok(em_shards_split(&f->shards, f->data, s->rows > 1 ? 2 : 1, s->split, 3, &err), &err);
    f->scratch = (emi_scratch){malloc(8 * scratch_for(s->d)), scratch_for(s->d)};
    f->helpers = (emi_helpers){NULL, &f->scratch};
    const emi_shard *shard = &f->shards->shard[s->rows > 1];
    assert_ok(emi_gpu_take(&f->gpu, &err), &err);
    assert_ok(emi_gpu_rows_open(&f->there, f->gpu, shard, &f->helpers, &err), &err);
    f->there.must = 1;
    f->C = (emi_operator){
        .kind = &emi_by_rows, .d = s->d, .weight = 0.25, .shard = shard, .standard = &f->standard, .gpu = &f->there};
}

static void close_fixture(fixture *f)
{
    emi_operator_free(&f->C);
    emi_gpu_rows_close(&f->there);
    emi_gpu_give(&f->gpu);
    em_shards_free(&f->shards);
    em_data_free(&f->data);
    free(f->scratch.v);
    free(f->floats);
    free(f->values);
}

static void near_each_other(const double *got, const double *wanted, size_t count, double digits)
{
    double size = 0;
    for (size_t n = 0; n < count; n++) size = fmax(size, fabs(wanted[n]));
    for (size_t n = 0; n < count; n++)
        if (!(fabs(got[n] - wanted[n]) <= digits * size))
            fail_msg("number %zu of %zu is %.17g, not %.17g", n, count, got[n], wanted[n]);
}

/* ---- each of them ------------------------------------------------------------------------------------------------------ */

static void survey(fixture *f, const double *unit)
{
    em_error err = {0};
    size_t d = (size_t)f->d;
    double *there = malloc(8 * EMI_SURVEY * d), *here = malloc(8 * EMI_SURVEY * d);
    assert_ok(emi_gpu_rows_survey(&f->there, unit, there, &err), &err);
    assert_ok(emi_survey(f->C.shard, unit, here, NULL, f->scratch, &err), &err);
    for (size_t c = 0; c < d; c++) {
        double n = here[EMI_COUNT * d + c], of_there = there[EMI_ORIGIN * d + c], of_here = here[EMI_ORIGIN * d + c];
        assert_true(there[EMI_COUNT * d + c] == n);
        assert_true(there[EMI_HIGHEST * d + c] == here[EMI_HIGHEST * d + c]);
        assert_true(there[EMI_LOWEST * d + c] == here[EMI_LOWEST * d + c]);
        if (n == 0) continue;
        assert_close(of_there + there[EMI_SUM * d + c] / n, of_here + here[EMI_SUM * d + c] / n, 1e-14);
        assert_close(there[EMI_SQUARES * d + c] / fmax(here[EMI_SQUARES * d + c], 1e-300),
                     here[EMI_SQUARES * d + c] > 0, 1e-12);
    }
    free(here);
    free(there);
}

static void products(fixture *f, emi_real real, size_t every)
{
    em_error err = {0};
    size_t size = (size_t)f->d * K;
    double *X = malloc(8 * size), *there = malloc(8 * (size + K)), *here = malloc(8 * (size + K));
    double digits = real == EMI_SINGLE ? 2e-6 : 1e-13;
    matrix_fill(X, size, 3);
    emi_block columns = {f->d, K, X};
    emi_operator on_cpu = f->C;
    on_cpu.gpu = NULL;
    f->C.real = on_cpu.real = real;
    f->C.every = every;
    assert_ok(emi_by_rows.apply(&f->C, columns, (emi_block){f->d, K, there}, f->scratch, &err), &err);
    assert_ok(emi_by_rows.apply(&on_cpu, columns, (emi_block){f->d, K, here}, f->scratch, &err), &err);
    if (every <= 1) near_each_other(there, here, size, digits);
    f->C.every = 0;
    assert_ok(emi_by_rows.measure(&f->C, columns, there, f->scratch, &err), &err);
    assert_ok(emi_by_rows.measure(&on_cpu, columns, here, f->scratch, &err), &err);
    near_each_other(there, here, size, 1e-13);
    near_each_other(there + size, here + size, K, 1e-13);
    free(here);
    free(there);
    free(X);
}

static void covariance(fixture *f)
{
    em_error err = {0};
    emi_operator on_cpu = f->C;
    on_cpu.gpu = NULL;
    f->C.real = on_cpu.real = EMI_DOUBLE;
    assert_ok(emi_by_covariance.form(&f->C, f->scratch, &err), &err);
    assert_ok(emi_by_covariance.form(&on_cpu, f->scratch, &err), &err);
    near_each_other(f->C.dense, on_cpu.dense, (size_t)f->d * (size_t)f->d, 1e-13);
    emi_operator_free(&on_cpu);
}

static void scores(fixture *f)
{
    em_error err = {0};
    size_t count = f->C.shard->count * K;
    double *X = malloc(8 * (size_t)f->d * K), *there = malloc(8 * count), *here = malloc(8 * count);
    emi_operator on_cpu = f->C;
    on_cpu.gpu = NULL;
    matrix_fill(X, (size_t)f->d * K, 4);
    emi_block columns = {f->d, K, X};
    assert_ok(emi_gpu_rows_scores(&f->there, &f->C, EMI_DOUBLE, columns, there, &err), &err);
    assert_ok(emi_by_rows_scores(&on_cpu, EMI_DOUBLE, columns, here, f->scratch, &err), &err);
    near_each_other(there, here, count, 1e-13);
    free(here);
    free(there);
    free(X);
}

/* A sample of the rows is of just these. */
static void samples(fixture *f)
{
    em_error err = {0};
    size_t d = (size_t)f->d, every = 3, first = 0;
    double X[MOST_D] = {1}, there[MOST_D], sum[MOST_D] = {0}, row[MOST_D];
    f->C.every = every, f->C.real = EMI_DOUBLE;
    assert_ok(emi_by_rows.apply(&f->C, (emi_block){f->d, 1, X}, (emi_block){f->d, 1, there}, f->scratch, &err), &err);
    f->C.every = 0;
    for (size_t r = 0; r < f->C.shard->count; r++) {
        if (r % f->there.chunk == 0) first = r;
        if ((r - first) % every) continue;
        assert_ok(emi_standard_read(&f->standard, f->C.shard, r, 1, EMI_DOUBLE, row, NULL, &err), &err);
        for (size_t c = 0; c < d; c++) sum[c] += f->C.weight * row[0] * row[c];
    }
    near_each_other(there, sum, d, 1e-12);
}

/* ---- all of them, in every shape --------------------------------------------------------------------------------------- */

static void try_shape(const shape *s)
{
    fixture f;
    double unit[MOST_D];
    open_fixture(&f, s);
    for (int c = 0; c < s->d; c++) unit[c] = ldexp(1, c % 5 - 2);
    survey(&f, NULL);
    survey(&f, unit);
    products(&f, EMI_DOUBLE, 0);
    products(&f, EMI_SINGLE, 0);
    products(&f, EMI_SINGLE, 7);
    covariance(&f);
    samples(&f);
    if (!s->holes) scores(&f);
    close_fixture(&f);
}

static void every_shape(void **state)
{
    (void)state;
    static const size_t rows[] = {1, 2, 130, MOST_ROWS};
    static const int features[] = {1, 3, 129};
    for (size_t r = 0; r < 4; r++)
        for (size_t c = 0; c < 3; c++)
            for (int n = 0; n < 16; n++) {
                const shape s = {rows[r],        features[c], n & 1, (n >> 1) & 1, 0, n & 4 ? "shuffle" : NULL,
                                 n & 8 ? 1e3 : 0};
                try_shape(&s);
            }
    assert_int_equal(driver_pushed(), 0);
}

static void missing_values(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        const shape s = {200, 12, single, 1, 1, NULL, 0};
        try_shape(&s);
    }
}

/* Rows that are standardised have a copy from the second product on, and bits do not depend on whether there is one. */
static void copies(void **state)
{
    (void)state;
    enum { TIMES = 3 };
    for (int n = 0; n < 4; n++) {
        const shape s = {MOST_ROWS, 50, n & 1, n / 2, 0, NULL, 1e3};
        em_error err = {0};
        double X[50 * K], Z[TIMES][50 * K];
        fixture f;
        open_fixture(&f, &s);
        f.C.real = s.single ? EMI_SINGLE : EMI_DOUBLE;
        matrix_fill(X, (size_t)(50 * K), 3);
        for (int t = 0; t < TIMES; t++) {
            assert_ok(emi_by_rows.apply(&f.C, (emi_block){50, K, X}, (emi_block){50, K, Z[t]}, f.scratch, &err), &err);
            assert_int_equal(f.there.copy != 0, t > 0);
            assert_memory_equal(Z[t], Z[0], sizeof Z[0]);
        }
        products(&f, f.C.real, 0);
        close_fixture(&f);
    }
}

/* The same where no row stays there. */
static void streamed(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    driver_memory((size_t)450 << 10);
    for (int single = 0; single < 2; single++) {
        const shape s = {MOST_ROWS, 50, single, 0, 0, single ? "shuffle" : NULL, 0};
        fixture f;
        open_fixture(&f, &s);
        assert_true(f.there.resident < f.C.shard->count);
        close_fixture(&f);
        try_shape(&s);
    }
    driver_memory((size_t)1 << 30);
}

/* Nothing of the device's memory, nor of the host's that it knows, is left: but what stays open. */
static void nothing_is_left(void **state)
{
    (void)state;
    fixture f;
    const shape s = {300, 9, 0, 0, 0, NULL, 0};
    open_fixture(&f, &s);
    products(&f, EMI_DOUBLE, 0);
    close_fixture(&f);
    assert_true(driver_live() == DRIVER_OPEN * driver_is_standin());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape), cmocka_unit_test(missing_values),
                                       cmocka_unit_test(copies), cmocka_unit_test(streamed),
                                       cmocka_unit_test(nothing_is_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
