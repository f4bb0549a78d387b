#include "graph/spectrum.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linalg/tridiagonal.h"

enum { DENSE_UP_TO = 500 }; /* nodes; beyond, dense is slower than sparse and its memory grows with the square */

em_status emi_graph_beta(const em_graph *graph, double *beta, em_error *err)
{
    static const double rounding = 1e-14; /* what stands for 0: W = J/M up to rounding */
    em_status status =
        graph->nodes <= DENSE_UP_TO ? emi_beta_dense(graph, beta, err) : emi_beta_sparse(graph, beta, err);
    if (!status && *beta < rounding) *beta = 0;
    return status;
}

em_status emi_beta_dense(const em_graph *graph, double *beta, em_error *err)
{
    enum { BLOCK = 64 }; /* columns dsyev reduces at a time */
    em_status status = EM_OK;
    size_t nodes = (size_t)graph->nodes, count, work_count = (BLOCK + 2) * nodes;
    if (emi_size_overflows(nodes, nodes, &count)) return emi_fail_memory_try(err, "beta", "fewer nodes");
    double *B = emi_doubles(count), *eigenvalue = emi_doubles(nodes), *work = emi_doubles(work_count);
    if (!B || !eigenvalue || !work) TRY(emi_fail_memory_try(err, "beta", "fewer nodes"));

    for (size_t k = 0; k < count; k++) B[k] = -1.0 / graph->nodes; /* B = W - J/M */
    for (size_t i = 0; i < nodes; i++) {
        B[i * nodes + i] += graph->self[i];
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++)
            B[i * nodes + (size_t)graph->neighbour[a]] += graph->weight[a];
    }
    lapack_int order = graph->nodes;
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', order, B, order, eigenvalue, work, (lapack_int)work_count))
        TRY(emi_fail(err, EM_ENUMERIC, "beta: LAPACK's dsyev did not converge; try other weights"));
    *beta = fmax(fabs(eigenvalue[0]), fabs(eigenvalue[nodes - 1]));
done:
    emi_free(B);
    emi_free(eigenvalue);
    emi_free(work);
    return status;
}

/* ---- Lanczos ----
 *
 * Without reorthogonalisation and so without keeping the basis.  Rounding then makes copies of eigenvalues that have
 * converged, and nothing worse (Paige, "Accuracy and effectiveness of the Lanczos algorithm for the symmetric
 * eigenproblem", Linear Algebra and its Applications 34, 1980): the two ends of the spectrum, all that is
 * wanted here, are as accurate as ever.  A cycle of 10,000 nodes takes thousands of steps, whose basis would be as
 * large as the dense matrix. */
typedef struct lanczos {
    const em_graph *graph;
    size_t nodes;
    double *v, *before, *next; /* [nodes] */
    double size;               /* of next, before it was normalised */
    emi_tridiagonal T;
    int exhausted; /* T holds every eigenvalue there is: no further step is possible */
} lanczos;

static double dot(const double *x, const double *y, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

/* Leave out the eigenvector of lambda_1 = 1, the constant one. */
static void remove_mean(double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i];
    for (size_t i = 0; i < count; i++) x[i] -= sum / (double)count;
}

static em_status lanczos_open(lanczos *l, const em_graph *graph, em_error *err)
{
    *l = (lanczos){.graph = graph, .nodes = (size_t)graph->nodes};
    l->v = emi_doubles(l->nodes);
    l->before = emi_calloc(l->nodes, sizeof *l->before);
    l->next = emi_doubles(l->nodes);
    if (!l->v || !l->before || !l->next) return emi_fail_memory_try(err, "beta", "fewer nodes");

    emi_random random = emi_random_seed(0, EMI_STREAM_GRAPH); /* any start does, the same one every time */
    emi_random_normals(&random, l->v, l->nodes);
    remove_mean(l->v, l->nodes);
    double size = sqrt(dot(l->v, l->v, l->nodes));
    for (size_t i = 0; i < l->nodes; i++) l->v[i] /= size;
    return EM_OK;
}

static void lanczos_close(lanczos *l)
{
    emi_free(l->v);
    emi_free(l->before);
    emi_free(l->next);
    emi_tridiagonal_free(&l->T);
}

/* next = W v - size before - along v, normalised. */
static em_status lanczos_step(lanczos *l, em_error *err)
{
    static const double nothing = 1e-15;
    emi_graph_mix_vector(l->graph, l->v, l->next);
    remove_mean(l->next, l->nodes);
    for (size_t i = 0; i < l->nodes; i++) l->next[i] -= l->size * l->before[i];
    double along = dot(l->next, l->v, l->nodes);
    em_status status = emi_tridiagonal_append(&l->T, along, l->size, err);
    for (size_t i = 0; i < l->nodes; i++) l->next[i] -= along * l->v[i];
    l->size = sqrt(dot(l->next, l->next, l->nodes));
    l->exhausted = l->size < nothing;
    if (l->exhausted || status != EM_OK) return status;
    for (size_t i = 0; i < l->nodes; i++) l->next[i] /= l->size;
    double *spare = l->before;
    l->before = l->v;
    l->v = l->next;
    l->next = spare;
    return EM_OK;
}

/* An end of the spectrum is known when half as many steps again hardly moved it, against its distance from 1: that
 * is what the number of gossip rounds depends on. */
static int settled(double before, double now)
{
    return fabs(now - before) <= 1e-10 * (1 - fabs(now)) + 1e-15;
}

em_status emi_beta_sparse(const em_graph *graph, double *beta, em_error *err)
{
    enum { FIRST_LOOK = 32, MOST_STEPS = 2000000 };
    em_status status;
    lanczos l;
    emi_ends now = {0};
    TRY(lanczos_open(&l, graph, err));
    for (int look = FIRST_LOOK, known = 0; !known; look += look / 2) {
        if (look > MOST_STEPS)
            TRY(emi_fail(err, EM_ENUMERIC,
                         "beta: unsettled after %d Lanczos steps; try a better connected graph, or "
                         "fewer nodes",
                         l.T.rows));
        while (!l.exhausted && l.T.rows < look) TRY(lanczos_step(&l, err));
        emi_ends before = now;
        now = emi_tridiagonal_ends(&l.T, l.T.rows);
        known = l.exhausted || (settled(before.low, now.low) && settled(before.high, now.high));
    }
    *beta = fmax(fabs(now.low), fabs(now.high));
done:
    lanczos_close(&l);
    return status;
}
