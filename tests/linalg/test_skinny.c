/* Products of rows with a few columns, by every kernel that this processor can run, against plain loops in long double. */
#include "linalg/skinny.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0xFF, bytes); /* NaN */
    return memory;
}

static double number(emi_real real, const void *from, size_t n)
{
    return real == EMI_SINGLE ? (double)((const float *)from)[n] : ((const double *)from)[n];
}

/* Rows as the kernel takes them. */
static void *rows_of(emi_real real, const double *values, size_t count)
{
    void *rows = aligned(count * emi_real_size(real));
    for (size_t n = 0; n < count; n++) {
        if (real == EMI_SINGLE)
            ((float *)rows)[n] = (float)values[n];
        else
            ((double *)rows)[n] = values[n];
    }
    return rows;
}

typedef struct sizes {
    size_t rows, d;
    int columns;
} sizes;

/* Y' (Y X) of column k, feature f, of what the kernel was given. */
static double exactly(emi_real real, sizes s, const void *Y, emi_block X, int k, size_t f)
{
    long double sum = 0;
    for (size_t r = 0; r < s.rows; r++) {
        long double score = 0;
        for (size_t g = 0; g < s.d; g++) score += (long double)number(real, Y, r * s.d + g) * emi_column_of(X, k)[g];
        sum += score * number(real, Y, r * s.d + f);
    }
    return (double)sum;
}

static void check_kernel(const emi_skinny_kernel *kernel, emi_real real, sizes s)
{
    size_t panels = emi_panels(real, s.columns), block = s.d * (size_t)s.columns;
    double *values = aligned(s.rows * s.d * sizeof *values), *columns = aligned(block * sizeof *columns),
           *out = aligned(block * sizeof *out);
    matrix_fill(values, s.rows * s.d, 3);
    matrix_fill(columns, block, 4);
    if (real == EMI_SINGLE)
        for (size_t n = 0; n < block; n++) columns[n] = (double)(float)columns[n];
    emi_block X = {(int)s.d, s.columns, columns}, Z = {(int)s.d, s.columns, out};
    void *Y = rows_of(real, values, s.rows * s.d), *in_panels = aligned(panels * s.d * EMI_PANEL_BYTES),
         *scores = aligned(panels * s.rows * EMI_PANEL_BYTES), *sums = aligned(panels * s.d * EMI_PANEL_BYTES);
    emi_panels_from(real, X, in_panels);
    memset(sums, 0, panels * s.d * EMI_PANEL_BYTES);
    const emi_skinny_product p = {real, s.d, panels, in_panels, NULL, scores, sums};
    for (size_t panel = 0; panel < panels; panel++) kernel->block[real](&p, panel, Y, s.rows, (emi_ahead){Y, 0});
    size_t size = panels * s.d * (size_t)emi_panel_width(real);
    double *totals = aligned(size * sizeof *totals);
    for (size_t n = 0; n < size; n++) totals[n] = real == EMI_SINGLE ? 2 : 2 + ((double *)sums)[n];
    if (real == EMI_SINGLE) emi_move_sums(sums, totals, size);
    emi_panels_to(real, 0.5, totals, Z);
    double tolerance = (real == EMI_SINGLE ? 1e-6 : 1e-14) * (double)s.rows * (double)s.d;
    for (int k = 0; k < s.columns; k++)
        for (size_t f = 0; f < s.d; f += 1 + s.d / 7)
            assert_close(emi_column_of(Z, k)[f], 1 + 0.5 * exactly(real, s, Y, X, k, f), tolerance);
    for (size_t n = 0; real == EMI_SINGLE && n < size; n++) assert_true(((float *)sums)[n] == 0);
    free(totals);
    free(sums);
    free(scores);
    free(in_panels);
    free(Y);
    free(out);
    free(columns);
    free(values);
}

/* Fewer columns than a panel has, just as many, and more; features that fill what a kernel takes at once, and do not. */
static void kernels_are_the_formula(void **state)
{
    (void)state;
    const sizes all[] = {{8, 1, 1}, {8, 5, 3}, {16, 33, 8}, {24, 70, 9}, {64, 1024, 16}, {8, 1025, 17}, {40, 2050, 33}};
    for (const emi_skinny_kernel *kernel = emi_skinny_kernels; kernel->name; kernel++) {
        if (!kernel->runs()) continue;
        for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
            check_kernel(kernel, EMI_DOUBLE, all[n]);
            check_kernel(kernel, EMI_SINGLE, all[n]);
        }
    }
}

static void the_plain_kernel_runs(void **state)
{
    (void)state;
    const emi_skinny_kernel *last = emi_skinny_kernels;
    while (last[1].name) last++;
    assert_string_equal(last->name, "plain");
    assert_true(last->runs());
}

/* All rows and panels at once, and the squares of the scores. */
static void squares_are_of_the_scores(void **state)
{
    (void)state;
    enum { ROWS = 16, D = 6, COLUMNS = 11, PANELS = 2 };
    double Y[ROWS * D], columns[D * COLUMNS], squares[COLUMNS];
    double *in_panels = aligned(PANELS * D * EMI_PANEL_BYTES), *scores = aligned(PANELS * ROWS * EMI_PANEL_BYTES),
           *sums = aligned(PANELS * D * EMI_PANEL_BYTES);
    matrix_fill(Y, ROWS * D, 5);
    matrix_fill(columns, D * COLUMNS, 6);
    emi_panels_from(EMI_DOUBLE, (emi_block){D, COLUMNS, columns}, in_panels);
    memset(sums, 0, PANELS * D * EMI_PANEL_BYTES);
    emi_skinny(&(emi_skinny_product){EMI_DOUBLE, D, PANELS, in_panels, NULL, scores, sums}, Y, ROWS,
               (emi_ahead){NULL, 0});
    for (int k = 0; k < COLUMNS; k++) squares[k] = 1;
    emi_skinny_squares(scores, ROWS, ROWS, COLUMNS, squares);
    for (int k = 0; k < COLUMNS; k++) {
        double wanted = 1;
        for (int r = 0; r < ROWS; r++) {
            double score = 0;
            for (int f = 0; f < D; f++) score += Y[r * D + f] * columns[k * D + f];
            wanted += score * score;
        }
        assert_close(squares[k], wanted, 1e-12);
    }
    free(sums);
    free(scores);
    free(in_panels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_the_formula),
                                       cmocka_unit_test(the_plain_kernel_runs),
                                       cmocka_unit_test(squares_are_of_the_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
