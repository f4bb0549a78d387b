#include "linalg/skinny.h"

#include "base/wide.h"

#include <string.h>

/* ---- the products, for each kind of processor --------------------------------------------------------------- */

#define REAL   double
#define KERNEL double_plain
#define BYTES  16
#define TARGET
#include "linalg/skinny_kernel.h"
#define REAL   float
#define KERNEL single_plain
#define BYTES  16
#define TARGET
#include "linalg/skinny_kernel.h"

static int runs_anywhere(void)
{
    return 1;
}

#ifdef __x86_64__

#define REAL   double
#define KERNEL double_avx2
#define BYTES  32
#define TARGET __attribute__((target("avx2,fma")))
#include "linalg/skinny_kernel.h"
#define REAL   float
#define KERNEL single_avx2
#define BYTES  32
#define TARGET __attribute__((target("avx2,fma")))
#include "linalg/skinny_kernel.h"
#define REAL   double
#define KERNEL double_avx512
#define BYTES  64
#define TARGET __attribute__((target("avx512f")))
#include "linalg/skinny_kernel.h"
#define REAL   float
#define KERNEL single_avx512
#define BYTES  64
#define TARGET __attribute__((target("avx512f")))
#include "linalg/skinny_kernel.h"

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}

#endif

const emi_skinny_kernel emi_skinny_kernels[] = {
#ifdef __x86_64__
    {"avx512", has_avx512, {double_avx512_block, single_avx512_block}},
    {"avx2", has_avx2, {double_avx2_block, single_avx2_block}},
#endif
    {"plain", runs_anywhere, {double_plain_block, single_plain_block}},
    {0}};

/* ---- panels -------------------------------------------------------------------------------------------------- */

size_t emi_real_size(emi_real real)
{
    return real == EMI_SINGLE ? sizeof(float) : sizeof(double);
}

const char *emi_real_name(emi_real real)
{
    return real == EMI_SINGLE ? "single" : "double";
}

int emi_panel_width(emi_real real)
{
    return EMI_PANEL_BYTES / (int)emi_real_size(real);
}

static size_t lanes(emi_real real)
{
    return (size_t)emi_panel_width(real);
}

size_t emi_panels(emi_real real, int columns)
{
    return ((size_t)columns + lanes(real) - 1) / lanes(real);
}

/* Where the first number of column k lies; the next are a panel's width apart. */
static size_t at(emi_real real, size_t d, int k)
{
    return (size_t)k / lanes(real) * lanes(real) * d + (size_t)k % lanes(real);
}

void emi_panels_from(emi_real real, emi_block X, void *panels)
{
    size_t d = (size_t)X.rows, step = lanes(real);
    memset(panels, 0, emi_panels(real, X.cols) * d * EMI_PANEL_BYTES);
    for (int k = 0; k < X.cols; k++) {
        const double *column = emi_column_of(X, k);
        double *wide = (double *)panels + (real == EMI_DOUBLE ? at(real, d, k) : 0);
        float *narrow = (float *)panels + (real == EMI_SINGLE ? at(real, d, k) : 0);
        if (real == EMI_DOUBLE)
            for (size_t f = 0; f < d; f++) wide[f * step] = column[f];
        else
            for (size_t f = 0; f < d; f++) narrow[f * step] = (float)column[f];
    }
}

void emi_panels_to(emi_real real, double factor, const double *panels, emi_block Z)
{
    size_t d = (size_t)Z.rows, step = lanes(real);
    for (int k = 0; k < Z.cols; k++) {
        const double *from = panels + at(real, d, k);
        double *column = emi_column_of(Z, k);
        for (size_t f = 0; f < d; f++) column[f] = factor * from[f * step];
    }
}

EMI_WIDE void emi_move_sums(float *restrict floats, double *restrict sums, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        sums[n] += (double)floats[n];
        floats[n] = 0;
    }
}

void emi_skinny(const emi_skinny_product *p, const void *Y, size_t count, emi_ahead ahead)
{
    const emi_skinny_kernel *kernel = emi_skinny_kernels;
    const emi_ahead nothing = {Y, 0};
    while (!kernel->runs()) kernel++;
    for (size_t panel = 0; panel < p->panels; panel++)
        kernel->block[p->real](p, panel, Y, count, panel == 0 && ahead.size ? ahead : nothing);
}

void emi_skinny_sums(emi_real real, const void *S, size_t rows, size_t count, int columns, double *sums)
{
    size_t step = lanes(real);
    for (int k = 0; k < columns; k++) {
        size_t from = at(real, rows, k);
        double sum = 0;
        for (size_t r = 0; r < count; r++)
            sum +=
                real == EMI_SINGLE ? (double)((const float *)S)[from + r * step] : ((const double *)S)[from + r * step];
        sums[k] += sum;
    }
}

void emi_skinny_squares(const double *S, size_t rows, size_t count, int columns, double *sums)
{
    for (int k = 0; k < columns; k++) {
        const double *column = S + at(EMI_DOUBLE, rows, k);
        double sum = 0;
        for (size_t r = 0; r < count; r++) sum += column[r * lanes(EMI_DOUBLE)] * column[r * lanes(EMI_DOUBLE)];
        sums[k] += sum;
    }
}
