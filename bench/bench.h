/* What the benchmarks share: a table of measurements against what they should be. */
#ifndef BENCH_H
#define BENCH_H

#include <eigenmesh/eigenmesh.h>

/* A line of the table: a measured number beside its goal; goal 0: none, just told.  at_most: the goal is an upper bound. */
void bench_row(const char *what, double measured, const char *unit, double goal, int at_most);
void bench_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_heading(const char *text);

/* Leave with a message when a call fails: a benchmark has no other way out. */
void bench_must(em_status status, const em_error *err);

/* This machine, measured once: GFLOP/s of a large dgemm and GB/s read from memory. */
typedef struct bench_machine {
    int threads;
    double peak_one, peak_all; /* one core, all cores */
    double bandwidth_one, bandwidth_all;
} bench_machine;

bench_machine bench_measure_machine(void);

/* The best of several tries, in seconds: other load on the machine only ever makes a try slower. */
typedef void bench_fn(void *context);
double bench_best(bench_fn *run, void *context, int tries);

/* Rows of a smooth spectrum: not random enough to be flat, not so structured as to be special. */
float *bench_rows(size_t rows, int features);

/* A table over a simulated network; the table moves in. */
typedef struct bench_problem {
    em_data *data;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
} bench_problem;

bench_problem bench_open(em_data *data, int nodes, const char *topology);
bench_problem bench_open_array(const void *rows, em_dtype type, size_t count, int features, int nodes,
                               const char *topology);
void bench_close(bench_problem *problem);

void bench_iterations(const bench_machine *machine);
void bench_small(double numpy_loops, double numpy_stacked);
void bench_covariance(const bench_machine *machine);
void bench_moments(const bench_machine *machine);
void bench_krylov(const bench_machine *machine);
void bench_large_network(void);
void bench_memory(void);

#endif
