#include "bench.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdlib.h>

void bench_heading(const char *text)
{
    printf("\n%s\n", text);
    (void)fflush(stdout);
}

void bench_row(const char *what, double measured, const char *unit, double goal, int at_most)
{
    printf("  %-62s %10.4g %-8s", what, measured, unit);
    if (goal > 0) {
        int met = at_most ? measured <= goal : measured >= goal;
        printf(" %s %-6.4g %s", at_most ? "<=" : ">=", goal, met ? "met" : "NOT MET");
    }
    printf("\n");
    (void)fflush(stdout);
}

void bench_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("  ");
    (void)vprintf(format, args);
    printf("\n");
    va_end(args);
}

void bench_must(em_status status, const em_error *err)
{
    if (status == EM_OK) return;
    (void)fprintf(stderr, "bench: %s\n", err->msg);
    exit(1);
}

double bench_best(bench_fn *run, void *context, int tries)
{
    double best = 1e30;
    for (int t = 0; t < tries; t++) {
        double began = emi_seconds();
        run(context);
        double seconds = emi_seconds() - began;
        if (seconds < best) best = seconds;
    }
    return best;
}

float *bench_rows(size_t rows, int features)
{
    float *values = malloc(rows * (size_t)features * sizeof *values);
    if (!values) exit(1);
    uint32_t state = 1;
    for (size_t r = 0; r < rows; r++)
        for (int f = 0; f < features; f++) {
            state = state * 1664525U + 1013904223U;
            values[r * (size_t)features + (size_t)f] =
                (float)((state >> 8) * 0x1p-24 - 0.5) / (1 + (float)f / 20) + 0.25F;
        }
    return values;
}

int main(int count, char **arguments)
{
    double loops = count > 1 ? strtod(arguments[1], NULL) : 0, stacked = count > 2 ? strtod(arguments[2], NULL) : 0;
    bench_memory(); /* first: a child measured before this process grows */
    bench_machine machine = bench_measure_machine();
    bench_iterations(&machine);
    bench_small(loops, stacked);
    bench_covariance(&machine);
    bench_moments(&machine);
    bench_krylov(&machine);
    bench_large_network();
    return 0;
}
