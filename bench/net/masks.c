/* What masks cost a site: the time of one masked answer beside the same without, as a share of what an average takes on a line of
 * 100 Mbit/s, where the question comes down it and the answer goes up. */
#include "mesh/mesh.h"
#include "mesh/question.h"

#include <eigenmesh/net.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(em_status status, const em_error *err)
{
    if (status == EM_OK) return;
    (void)fprintf(stderr, "bench: %s\n", err->msg);
    exit(1);
}

/* Numbers of the size that questions about unit deviations have, with all their digits. */
static void fill(emi_field *parts)
{
    uint32_t state = 1;
    for (int i = 0; i < parts->nodes; i++)
        for (size_t n = 0; n < (size_t)parts->rows * (size_t)parts->cols; n++) {
            state = state * 1664525U + 1013904223U;
            emi_at(parts, i).v[n] = (state >> 8) * 0x1p-24 / 3 - 0.1;
        }
}

/* The first columns of the identity, about features of unit deviation. */
static void ask(em_mesh *mesh, int d, int columns, double *q)
{
    double *deviation = q;
    for (int f = 0; f < d; f++) deviation[f] = 1;
    emi_question_about(mesh, deviation, d, d);
    for (size_t n = 0; n < (size_t)d * (size_t)columns; n++) q[n] = n % ((size_t)d + 1) == 0;
    emi_question_ask(mesh, (emi_block){d, columns, q});
}

/* Of this process's work, whoever else is on the machine. */
static double seconds_worked(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of work that it takes all nodes, one after the other, to add up an answer; the best of some. */
static double seconds_of_sum(int nodes, int d, int columns, int masked)
{
    enum { TRIES = 3 };
    em_error err = {0};
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    emi_field parts = {0};
    double *q = malloc((size_t)d * (size_t)columns * sizeof *q), best = 1e30;
    if (!q) exit(1);
    must(em_graph_create(&graph, "star", nodes, 1, &err), &err);
    must(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    if (masked) must(em_mesh_simulate_masks(mesh, 1, &err), &err);
    must(emi_field_alloc(&parts, nodes, d, columns, &err), &err);
    for (int t = 0; t < TRIES; t++) {
        fill(&parts);
        ask(mesh, d, columns, q);
        double began = seconds_worked();
        emi_tree_sum_at_root(mesh, &parts, q);
        double seconds = seconds_worked() - began;
        if (seconds < best) best = seconds;
        must(mesh->failure.code, &mesh->failure);
    }
    emi_field_free(&parts);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    free(q);
    return best;
}

int main(void)
{
    const int features[] = {784, 100000}, sites[] = {4, 10, 32};
    enum { COLUMNS = 12 };
    const double line = 100e6, goal = 10;
    printf("\nMasks of a block of %d columns, as a share of an average over a line of 100 Mbit/s\n", COLUMNS);
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 3; s++) {
            int d = features[f], nodes = sites[s];
            double with = seconds_of_sum(nodes, d, COLUMNS, 1), without = seconds_of_sum(nodes, d, COLUMNS, 0);
            double own = (with - without) / nodes, average = 2.0 * 64 * d * COLUMNS / line, share = 100 * own / average;
            printf("  d = %6d, %2d sites: %8.3f ms of %8.1f ms %24.2f %%  <= %g %s\n", d, nodes, 1e3 * own,
                   1e3 * average, share, goal, share <= goal ? "met" : "NOT MET");
            (void)fflush(stdout);
        }
    return 0;
}
