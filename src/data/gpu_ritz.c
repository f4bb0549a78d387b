#include "data/gpu_ritz.h"

#include "base/clock.h"
#include "base/memory.h"
#include "linalg/basis.h"

#include <math.h>
#include <string.h>

enum { FIRST_LOOK_ROUGH = 3, FIRST_LOOK_FAIR = 4, FIRST_LOOK = 5, LOOK_AGAIN = 2, LOOK_AT_LATEST = 4 };
enum { UNTIL_IT_FALLS = 2 };
static const double rough = 1e-3, fair = 1e-5;

int emi_gpu_ritz_is_rough(const emi_gpu_ritz *r)
{
    return r->tolerance > rough;
}

static size_t first_look(double tolerance)
{
    return tolerance > rough ? FIRST_LOOK_ROUGH : tolerance > fair ? FIRST_LOOK_FAIR : FIRST_LOOK;
}

em_status emi_gpu_ritz_open(emi_gpu_ritz *r, size_t b, size_t room, size_t pairs, double tolerance, em_error *err)
{
    *r = (emi_gpu_ritz){.b = b, .room = room, .pairs = pairs, .tolerance = tolerance, .before = 1};
    r->next = first_look(tolerance);
    r->since = r->next - UNTIL_IT_FALLS;
    r->T = emi_room(room * (room + 1) / 2);
    r->work = emi_room(room * room);
    r->beta = emi_doubles(b * b);
    r->values = emi_doubles(pairs);
    r->vectors = emi_room(room * pairs);
    return r->T && r->work && r->beta && r->values && r->vectors ? EM_OK : emi_fail_memory(err, "krylov");
}

void emi_gpu_ritz_close(emi_gpu_ritz *r)
{
    emi_free(r->vectors);
    emi_free(r->values);
    emi_free(r->beta);
    emi_free(r->work);
    emi_free(r->T);
}

/* Of the upper triangle, whose columns lie one after the other. */
static double *column_of(const emi_gpu_ritz *r, size_t j)
{
    return r->T + j * (j + 1) / 2;
}

void emi_gpu_ritz_take(emi_gpu_ritz *r, size_t n, const double *H)
{
    for (size_t c = 0, j = n - r->b; j < n; c++, j++) memcpy(column_of(r, j), H + c * n, sizeof *H * (j + 1));
}

double emi_gpu_ritz_largest(const emi_gpu_ritz *r, size_t n)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(column_of(r, j)[j]));
    return largest;
}

void emi_gpu_ritz_link(emi_gpu_ritz *r, const double *first, const double *second)
{
    size_t b = r->b;
    memset(r->beta, 0, sizeof *r->beta * b * b);
    for (size_t j = 0; j < b && !second; j++) memcpy(r->beta + j * b, first + j * b, sizeof *first * (j + 1));
    for (size_t j = 0; j < b && second; j++)
        for (size_t k = 0; k <= j; k++)
            for (size_t i = 0; i <= k; i++) r->beta[j * b + i] += second[k * b + i] * first[j * b + k];
}

em_status emi_gpu_ritz_solve(emi_gpu_ritz *r, size_t n, em_error *err)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) r->work[j * n + i] = r->work[i * n + j] = column_of(r, j)[i];
    return emi_first_eigen(r->work, (int)n, (int)r->pairs, r->values, r->vectors, err);
}

double emi_gpu_ritz_residual(const emi_gpu_ritz *r, size_t n, size_t k)
{
    double square = 0;
    const double *end = r->vectors + k * n + n - r->b;
    for (size_t i = 0; i < r->b; i++) {
        double sum = 0;
        for (size_t j = i; j < r->b; j++) sum += r->beta[j * r->b + i] * end[j];
        square += sum * sum;
    }
    return sqrt(square);
}

/* Residuals fall about as fast as they did since the last look, or since they began to, or faster. */
static size_t next_look(const emi_gpu_ritz *r, double residual)
{
    double fell = log(r->before / residual) / (double)r->since, steps = log(residual / r->tolerance) / fell;
    if (!(fell > 0)) return LOOK_AGAIN;
    return steps < 1 ? 1 : steps > LOOK_AT_LATEST ? LOOK_AT_LATEST : (size_t)steps;
}

em_status emi_gpu_ritz_look(emi_gpu_ritz *r, size_t n, size_t wanted, int *enough, em_error *err)
{
    double began = emi_seconds(), worst = 0;
    em_status status = emi_gpu_ritz_solve(r, n, err);
    if (status != EM_OK) return status;
    for (size_t k = 0; k < wanted; k++)
        worst = fmax(worst, r->values[k] > 0 ? emi_gpu_ritz_residual(r, n, k) / r->values[k] : INFINITY);
    r->seconds = emi_seconds() - began;
    *enough = worst <= r->tolerance;
    if (*enough) return EM_OK;
    r->next = r->since = next_look(r, worst);
    r->before = worst;
    return EM_OK;
}

/* The first look seldom is the last, but where few digits are wanted; afterwards the step would often be waited for in vain, which is
 * no loss if the look takes as long. */
int emi_gpu_ritz_goes_on(const emi_gpu_ritz *r, double step_seconds)
{
    return r->seconds == 0 ? r->tolerance <= fair : step_seconds < r->seconds;
}
