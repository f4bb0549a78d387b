#include "support/problems.h"

#include "base/random.h"

#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double between(emi_random *r, double least, double most)
{
    return least + (most - least) * emi_random_uniform(r);
}

static int whole(emi_random *r, int least, int most)
{
    return least + (int)emi_random_below(r, (size_t)(most - least + 1));
}

static int chance(emi_random *r, double probability)
{
    return emi_random_uniform(r) < probability;
}

static void note(problem *p, const char *format, ...)
{
    size_t used = strlen(p->words);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(p->words + used, sizeof p->words - used, format, arguments);
    va_end(arguments);
}

static double *numbers(size_t count)
{
    double *memory = calloc(count, sizeof *memory);
    if (!memory) abort();
    return memory;
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void draw_shape(problem *p, emi_random *r)
{
    switch (whole(r, 0, 4)) {
    case 0: p->N = (size_t)whole(r, 40, 300), p->d = whole(r, 2, 12); break;
    case 1: p->N = (size_t)whole(r, 60, 200), p->d = whole(r, 12, 40); break;
    case 2: p->N = (size_t)whole(r, 3, 30), p->d = whole(r, 31, 120); break;
    case 3: p->d = whole(r, 4, 40), p->N = (size_t)p->d; break;
    default: p->N = (size_t)whole(r, 2, 7), p->d = whole(r, 1, 6);
    }
}

/* rows = L R': so many columns in L, scaled by deviation[rank]. */
static void multiply(problem *p, const double *L, const double *R, const double *deviation, int rank)
{
    for (size_t n = 0; n < p->N; n++)
        for (int f = 0; f < p->d; f++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += L[(size_t)k * p->N + n] * deviation[k] * R[(size_t)k * (size_t)p->d + (size_t)f];
            p->rows[n * (size_t)p->d + (size_t)f] = sum;
        }
}

/* Orthonormal columns, m x n with n <= m. */
static void orthonormal(emi_random *r, double *A, int m, int n)
{
    double *tau = numbers((size_t)n);
    emi_random_normals(r, A, (size_t)m * (size_t)n);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, A, m, tau) || LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, n, n, A, m, tau))
        abort();
    free(tau);
}

/* A table of that rank whose deviations fall over so many decades; some of them alike. */
static void draw_spectrum(problem *p, emi_random *r, int rank, double decades, int rotated)
{
    int most = p->N < (size_t)p->d ? (int)p->N : p->d;
    double *L = numbers(p->N * (size_t)most), *R = numbers((size_t)p->d * (size_t)most),
           *deviation = numbers((size_t)most);
    emi_random_normals(r, L, p->N * (size_t)most);
    if (chance(r, 0.5)) orthonormal(r, L, (int)p->N, most);
    if (rotated) orthonormal(r, R, p->d, most);
    for (int k = 0; !rotated && k < most; k++) R[k * p->d + k] = 1;
    for (int k = 0; k < rank; k++) {
        deviation[k] = pow(10, rank > 1 ? -decades * k / (rank - 1) : 0) * between(r, 0.7, 1);
        if (k > 0 && chance(r, 0.1)) deviation[k] = deviation[k - 1] * (1 - pow(10, between(r, -14, -2)));
    }
    multiply(p, L, R, deviation, rank);
    p->decades += decades;
    note(p, "rank %d, %.1f decades, %s; ", rank, decades, rotated ? "rotated" : "along axes");
    free(deviation);
    free(R);
    free(L);
}

static void draw_table(problem *p, emi_random *r)
{
    int most = p->N < (size_t)p->d ? (int)p->N : p->d;
    p->rows = numbers(p->N * (size_t)p->d);
    switch (whole(r, 0, 3)) {
    case 0: emi_random_normals(r, p->rows, p->N * (size_t)p->d), note(p, "gaussian; "); break;
    case 1: draw_spectrum(p, r, most, between(r, 0, 5), chance(r, 0.7)); break;  /* ten decades of eigenvalues */
    case 2: draw_spectrum(p, r, most, between(r, 4, 10), chance(r, 0.5)); break; /* and of deviations          */
    default: draw_spectrum(p, r, whole(r, 1, most), between(r, 0, 3), 1);
    }
}

/* ---- what happens to columns ------------------------------------------------------------------------- */

static void scale_column(problem *p, int f, double factor, double shift)
{
    for (size_t n = 0; n < p->N; n++) {
        double *value = &p->rows[n * (size_t)p->d + (size_t)f];
        *value = *value * factor + shift;
    }
}

static double deviation_of(const problem *p, int f)
{
    double sum = 0, mean = 0;
    for (size_t n = 0; n < p->N; n++) mean += p->rows[n * (size_t)p->d + (size_t)f] / (double)p->N;
    for (size_t n = 0; n < p->N; n++) sum += pow(p->rows[n * (size_t)p->d + (size_t)f] - mean, 2);
    return sqrt(sum / (double)p->N);
}

static void change_scales(problem *p, emi_random *r)
{
    double unit = 1;
    if (chance(r, 0.2)) {
        double factor = pow(10, between(r, 2, 10));
        scale_column(p, whole(r, 0, p->d - 1), factor, 0);
        p->decades += log10(factor);
        note(p, "a column times %.1e; ", factor);
    } else if (chance(r, 0.2)) {
        for (int f = 0; f < p->d; f++) scale_column(p, f, pow(10, between(r, -6, 6)), 0);
        p->decades += 12;
        note(p, "columns times 1e-6 .. 1e6; ");
    }
    if (chance(r, 0.4)) unit = pow(10, between(r, -8, 8));
    for (int f = 0; f < p->d; f++) scale_column(p, f, unit, 0);
    if (unit != 1) note(p, "unit %.1e; ", unit);
}

static void change_columns(problem *p, emi_random *r)
{
    if (p->d > 2 && chance(r, 0.15)) {
        int from = whole(r, 0, p->d - 2);
        for (size_t n = 0; n < p->N; n++)
            p->rows[n * (size_t)p->d + (size_t)from + 1] = p->rows[n * (size_t)p->d + (size_t)from];
        note(p, "a column twice; ");
    }
    if (p->d > 2 && chance(r, 0.15)) {
        double constant = chance(r, 0.5) ? 0 : between(r, -5, 5) * pow(10, between(r, -3, 6));
        scale_column(p, whole(r, 0, p->d - 1), 0, constant);
        note(p, "a constant column; ");
    }
    if (chance(r, 0.4)) {
        double most = pow(10, between(r, 0, 6));
        for (int f = 0; f < p->d; f++) scale_column(p, f, 1, between(r, -1, 1) * most * deviation_of(p, f));
        note(p, "offsets of %.1e deviations; ", most);
    }
}

/* ---- where it lies and what is asked ------------------------------------------------------------------- */

static void draw_split(problem *p, emi_random *r)
{
    size_t left = p->N;
    int limit = p->N < 20 ? (int)p->N : 20;
    p->nodes = chance(r, 0.2) ? 1 : whole(r, 1, limit);
    (void)snprintf(p->split, sizeof p->split, "sizes:");
    for (int i = 0; i < p->nodes; i++) {
        size_t later = (size_t)(p->nodes - 1 - i), most = left - later, used = strlen(p->split);
        size_t rows = later == 0 ? left : 1 + emi_random_below(r, chance(r, 0.5) ? most : (most - 1) / (later + 1) + 1);
        (void)snprintf(p->split + used, sizeof p->split - used, "%s%zu", i ? "," : "", rows);
        left -= rows;
    }
}

static void draw_network(problem *p, emi_random *r)
{
    static const char *const any[] = {"complete", "path", "star", "er:0.5", "cycle"};
    draw_split(p, r);
    int which = whole(r, 0, 4);
    if (which == 4 && p->nodes < 3) which = 0;
    (void)snprintf(p->topology, sizeof p->topology, "%s", p->nodes < 2 ? "complete" : any[which]);
    if (p->nodes % 2 == 0 && p->nodes > 2 && chance(r, 0.3))
        (void)snprintf(p->topology, sizeof p->topology, "grid:2x%d", p->nodes / 2);
}

problem problem_draw(uint64_t seed, uint64_t number)
{
    static const char *const methods[] = {"auto", "krylov", "covariance"};
    emi_random r = emi_random_seed(seed ^ (number + 1) * 0x9E3779B97F4A7C15U, EMI_STREAM_DATA);
    problem p = {.seed = emi_random_bits(&r) >> 12};
    draw_shape(&p, &r);
    draw_table(&p, &r);
    change_scales(&p, &r);
    change_columns(&p, &r);
    draw_network(&p, &r);
    int most = p.N < (size_t)p.d ? (int)p.N : p.d;
    p.K = chance(&r, 0.25) ? most : whole(&r, 1, most < 8 ? most : 8);
    p.method = methods[whole(&r, 0, 2)];
    p.tolerance = chance(&r, 0.7) ? 1e-6 : chance(&r, 0.5) ? 1e-9 : 1e-12;
    return p;
}

void problem_free(problem *p)
{
    free(p->rows);
}
