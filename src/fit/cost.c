#include "fit/cost.h"

#include <math.h>

/* Of two cores of a server of 2023: floating-point operations a second in double precision, twice that in single, and bytes
 * read; and what share of the first each kind of work reaches.  docs/speed.md tells where they come from. */
static const double flops = 90e9, bytes = 30e9;
static const double of_a_panel = 0.85, of_forming = 0.85, of_lanczos_on_a_matrix = 0.25, of_reducing = 0.2,
                    of_lifting = 0.7, of_vectors = 0.1;

/* Of a GPU of a server of 2024: bytes read, of its memory and over the line to it, and operations in double precision or single;
 * and seconds to begin.  docs/gpu.md tells where they come from. */
static const double gpu_bytes = 2e12, line_bytes = 20e9, gpu_flops = 20e12, gpu_forms = 25e12, gpu_begins = 0.5,
                    gpu_goes_on = 0.05, line_at_best = 50e9;

static double rate(emi_real real)
{
    return real == EMI_SINGLE ? 2 * flops : flops;
}

/* A pass over the rows that multiplies so many columns, both ways. */
static double pass(const emi_sizes *s, emi_real real, double columns)
{
    double panel = emi_panel_width(real), padded = panel * ceil(columns / panel),
           numbers = s->rows * s->features * s->filled;
    if (s->gpu) return fmax(2 * numbers * (double)s->bytes / gpu_bytes, 4 * numbers * columns / gpu_flops);
    return fmax(numbers * (double)s->bytes / bytes, 4 * numbers * padded / (rate(real) * of_a_panel));
}

/* Columns until the residual is as asked, fitted to how Lanczos goes on the covariance of MNIST. */
static double columns_of(const emi_sizes *s)
{
    double digits = s->tolerance > 0 ? -log10(s->tolerance) : 14, more = fmax(0, digits - 6);
    return (6.3 * s->components + 25) * (1 + 0.08 * more);
}

double emi_cost_of_lanczos(const emi_sizes *s)
{
    enum { AT_FIRST = 6 }; /* steps on a sample of the rows, whose algebra costs as much */
    double narrow = fmin(emi_panel_width(s->real), s->first), columns = fmin(columns_of(s), s->features),
           steps = fmax(0, ceil((columns - s->first) / narrow));
    double vectors = s->features * columns / 2 * (4 * s->first + 8 * narrow), pairs = 10 * pow(columns, 3) / 3,
           small = (AT_FIRST + 1 + steps) * vectors / of_vectors + (1 + steps) * pairs / of_lanczos_on_a_matrix;
    return pass(s, s->real, s->first) + steps * pass(s, s->real, narrow) + small / flops +
           pass(s, EMI_DOUBLE, s->components); /* the certificate */
}

/* The largest eigenvectors of an n x n matrix at hand. */
static double solving(const emi_sizes *s, double n)
{
    double lanczos = 2 * n * n * 1.5 * columns_of(s) / (flops * of_lanczos_on_a_matrix),
           reducing = (4.0 / 3 * n * n * n + 4 * n * n * s->components) / (flops * of_reducing);
    return n > 1024 && 64.0 * (s->components + 3) <= n ? fmin(lanczos, reducing)
                                                       : reducing; /* as methods/matrix.c does */
}

double emi_cost_of_covariance(const emi_sizes *s)
{
    double d = s->features, reading = s->rows * d * (double)s->bytes / bytes,
           forming = reading + s->rows * d * d / (rate(s->real) * of_forming);
    if (s->gpu) forming = s->rows * d * d / gpu_flops;
    return (s->formed ? 0 : forming) + solving(s, d);
}

double emi_cost_of_gram(const emi_sizes *s)
{
    double n = s->rows, d = s->features, reading = n * d * (double)s->bytes / bytes;
    return 2 * reading + n * n * d / (rate(s->real) * of_forming) + solving(s, n) +
           2 * n * d * s->components / (flops * of_lifting) + pass(s, EMI_DOUBLE, s->components);
}

/* ---- on a GPU ---------------------------------------------------------------------------------------------------------- */

int emi_forming_there_pays(const emi_sizes *s, int lent, int holes)
{
    enum { BLOCKS = 5, JUDGING = 2 }; /* for fewer, steps are taken here */
    double sending = lent ? 0 : s->rows * s->features * (double)s->bytes / line_at_best,
           forming = s->rows * s->features * s->features / gpu_forms,
           products = ceil(columns_of(s) / s->first) + JUDGING;
    if (s->features < BLOCKS * s->first) return 0;
    return (holes ? sending + forming : fmax(sending, forming)) <= sending + products * pass(s, s->real, s->first);
}

/* ---- which device ---------------------------------------------------------------------------------------------------- */

/* Over covariances, where that is less. */
double emi_cost_of_products(const emi_sizes *s, long products, int gpu, int threads)
{
    const double cores = 2; /* of the machine that all of this is measured in */
    emi_sizes own = *s;
    own.gpu = gpu;
    double d = s->features, share = gpu ? 1 : cores / threads,
           formed = (gpu ? s->rows * d * d / gpu_flops : share * s->rows * d * d / (rate(s->real) * of_forming)) +
                    (double)products * 2 * d * d * s->components / (flops * of_lanczos_on_a_matrix);
    return fmin((double)products * pass(&own, s->real, s->first) * share, formed);
}

double emi_cost_of_sending(const emi_sizes *s, int begun)
{
    return (begun ? gpu_goes_on : gpu_begins) + s->rows * s->features * (double)s->bytes / line_bytes;
}
