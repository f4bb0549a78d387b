#include "support/svd.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *memory_for(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) abort();
    return memory;
}

/* The centred rows, as columns of n = min(N, d) vectors of length m. */
typedef struct work {
    int m, n, wide;
    long double *A; /* [n][m]                                  */
    long double *V; /* [n][n] rotations so far; NULL when wide */
} work;

static long double dot(const long double *a, const long double *b, int count)
{
    long double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(long double *a, long double *b, int count, long double c, long double s)
{
    for (int i = 0; i < count; i++) {
        long double first = a[i];
        a[i] = c * first - s * b[i];
        b[i] = s * first + c * b[i];
    }
}

static work centred(const double *rows, size_t N, int d, double *offset)
{
    work w = {.wide = N < (size_t)d};
    w.m = w.wide ? d : (int)N;
    w.n = w.wide ? (int)N : d;
    w.A = memory_for((size_t)w.m * (size_t)w.n, sizeof *w.A);
    long double shift = 0;
    for (int f = 0; f < d; f++) {
        long double mean = 0, again = 0;
        for (size_t r = 0; r < N; r++) mean += rows[r * (size_t)d + (size_t)f];
        mean /= (long double)N;
        for (size_t r = 0; r < N; r++) again += rows[r * (size_t)d + (size_t)f] - mean;
        mean += again / (long double)N;
        shift += mean * mean * (long double)N;
        for (size_t r = 0; r < N; r++)
            w.A[w.wide ? r * (size_t)d + (size_t)f : (size_t)f * N + r] = rows[r * (size_t)d + (size_t)f] - mean;
    }
    *offset = (double)sqrtl(shift);
    if (w.wide) return w;
    w.V = memory_for((size_t)d * (size_t)d, sizeof *w.V);
    for (int f = 0; f < d; f++) w.V[f * d + f] = 1;
    return w;
}

/* One sweep over all pairs of columns; whether any was turned. */
static int sweep(work *w, long double *square, long double nothing)
{
    int turned = 0;
    for (int p = 0; p < w->n; p++) square[p] = dot(w->A + p * w->m, w->A + p * w->m, w->m);
    for (int p = 0; p < w->n; p++)
        for (int q = p + 1; q < w->n; q++) {
            long double *a = w->A + p * w->m, *b = w->A + q * w->m;
            if (square[p] <= nothing || square[q] <= nothing) continue;
            long double both = dot(a, b, w->m), limit = 4 * LDBL_EPSILON * sqrtl(square[p]) * sqrtl(square[q]);
            if (fabsl(both) <= limit) continue;
            long double zeta = (square[q] - square[p]) / (2 * both);
            long double t = copysignl(1, zeta) / (fabsl(zeta) + hypotl(1, zeta)), c = 1 / hypotl(1, t);
            rotate(a, b, w->m, c, c * t);
            if (w->V) rotate(w->V + p * w->n, w->V + q * w->n, w->n, c, c * t);
            square[p] = dot(a, a, w->m);
            square[q] = dot(b, b, w->m);
            turned = 1;
        }
    return turned;
}

/* The pairs in order of falling value. */
static void collect(const work *w, long double *square, svd *out)
{
    for (int k = 0; k < w->n; k++) {
        int largest = 0;
        for (int p = 1; p < w->n; p++) largest = square[p] > square[largest] ? p : largest;
        long double sigma = sqrtl(square[largest]);
        const long double *from = w->wide ? w->A + largest * w->m : w->V + largest * w->n;
        for (int f = 0; f < out->d; f++)
            out->vectors[k * out->d + f] = w->wide && sigma > 0 ? from[f] / sigma : from[f];
        out->sigma[k] = sigma;
        square[largest] = -1;
    }
}

svd svd_of_rows(const double *rows, size_t N, int d)
{
    svd out = {.d = d};
    work w = centred(rows, N, d, &out.offset);
    long double *square = memory_for((size_t)w.n, sizeof *square), total = 0;
    out.count = w.n;
    out.sigma = memory_for((size_t)w.n, sizeof *out.sigma);
    out.vectors = memory_for((size_t)w.n * (size_t)d, sizeof *out.vectors);
    total = dot(w.A, w.A, w.m * w.n);
    for (int turn = 0; turn < 60 && sweep(&w, square, LDBL_EPSILON * LDBL_EPSILON * total); turn++) {
    }
    for (int p = 0; p < w.n; p++) square[p] = dot(w.A + p * w.m, w.A + p * w.m, w.m);
    collect(&w, square, &out);
    free(square);
    free(w.V);
    free(w.A);
    return out;
}

void svd_free(svd *s)
{
    free(s->sigma);
    free(s->vectors);
}

/* x without its part along vectors first .. last, into rest[d]. */
static void outside(const svd *s, const double *x, int first, int last, long double *rest)
{
    for (int f = 0; f < s->d; f++) rest[f] = x[f];
    for (int k = first; k <= last; k++) {
        const long double *q = s->vectors + k * s->d;
        long double along = dot(rest, q, s->d);
        for (int f = 0; f < s->d; f++) rest[f] -= along * q[f];
    }
}

double svd_sine(const svd *s, const double *x, int k)
{
    return svd_sine_of_span(s, x, k, 1);
}

double svd_sine_of_span(const svd *s, const double *X, int first, int count)
{
    size_t n = (size_t)count, d = (size_t)s->d;
    long double *rest = memory_for(n * d, sizeof *rest);
    double *gram = memory_for(n * n, sizeof *gram), *values = memory_for(n, sizeof *values);
    for (size_t a = 0; a < n; a++) outside(s, X + a * d, first, first + count - 1, rest + a * d);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) gram[a * n + b] = (double)dot(rest + a * d, rest + b * d, s->d);
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', count, gram, count, values) != 0) abort();
    double sine = sqrt(fmax(0, values[n - 1]));
    free(values);
    free(gram);
    free(rest);
    return sine;
}

double svd_own_error(const svd *s, int first, int last)
{
    long double gap = s->sigma[0];
    if (first > 0) gap = fminl(gap, s->sigma[first - 1] - s->sigma[first]);
    if (last + 1 < s->count) gap = fminl(gap, s->sigma[last] - s->sigma[last + 1]);
    if (s->count < s->d) gap = fminl(gap, s->sigma[last]);
    long double error = 16 * LDBL_EPSILON * (s->sigma[0] + s->offset);
    return gap > error ? (double)(error / gap) : 1;
}

double svd_residual(const svd *s, const double *x, double theta, size_t N)
{
    long double *rest = memory_for((size_t)s->d, sizeof *rest), *own = memory_for((size_t)s->d, sizeof *own);
    for (int f = 0; f < s->d; f++) own[f] = x[f], rest[f] = -(long double)theta * own[f];
    for (int k = 0; k < s->count; k++) {
        const long double *q = s->vectors + k * s->d;
        long double along = s->sigma[k] * s->sigma[k] / (long double)N * dot(own, q, s->d);
        for (int f = 0; f < s->d; f++) rest[f] += along * q[f];
    }
    double norm = (double)sqrtl(dot(rest, rest, s->d));
    free(own);
    free(rest);
    return norm;
}
