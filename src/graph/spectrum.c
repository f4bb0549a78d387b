#include "graph/spectrum.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

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
    if (emi_size_overflows(nodes, nodes, &count)) return emi_fail_memory(err, "beta");
    double *B = emi_doubles(count), *eigenvalue = emi_doubles(nodes), *work = emi_doubles(work_count);
    if (!B || !eigenvalue || !work) TRY(emi_fail_memory(err, "beta"));

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
    int steps;
    int exhausted;        /* T holds every eigenvalue there is: no further step is possible */
    double *diagonal;     /* [steps] of the tridiagonal matrix T ... */
    double *beside;       /* [steps] ... and what stands beside it */
    double *work;         /* [5 steps] dstebz's answer and scratch */
    lapack_int *integers; /* [5 steps] */
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
    if (!l->v || !l->before || !l->next) return emi_fail_memory(err, "beta");

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
    emi_free(l->diagonal);
    emi_free(l->beside);
    emi_free(l->work);
    emi_free(l->integers);
}

/* Room for so many steps. */
static em_status lanczos_reserve(lanczos *l, int steps, em_error *err)
{
    size_t count = (size_t)steps;
    double *diagonal = emi_realloc(l->diagonal, count * sizeof *diagonal);
    if (diagonal) l->diagonal = diagonal;
    double *beside = emi_realloc(l->beside, count * sizeof *beside);
    if (beside) l->beside = beside;
    double *work = emi_realloc(l->work, 5 * count * sizeof *work);
    if (work) l->work = work;
    lapack_int *integers = emi_realloc(l->integers, 5 * count * sizeof *integers);
    if (integers) l->integers = integers;
    return diagonal && beside && work && integers ? EM_OK : emi_fail_memory(err, "beta");
}

/* next = W v - beside v_before - diagonal v, normalised. */
static void lanczos_step(lanczos *l)
{
    static const double nothing = 1e-15;
    double last = l->steps ? l->beside[l->steps - 1] : 0;
    emi_graph_mix_vector(l->graph, l->v, l->next);
    remove_mean(l->next, l->nodes);
    for (size_t i = 0; i < l->nodes; i++) l->next[i] -= last * l->before[i];
    double along = dot(l->next, l->v, l->nodes);
    for (size_t i = 0; i < l->nodes; i++) l->next[i] -= along * l->v[i];
    double size = sqrt(dot(l->next, l->next, l->nodes));

    l->diagonal[l->steps] = along;
    l->beside[l->steps] = size;
    l->steps++;
    l->exhausted = size < nothing;
    if (l->exhausted) return;
    for (size_t i = 0; i < l->nodes; i++) l->next[i] /= size;
    double *spare = l->before;
    l->before = l->v;
    l->v = l->next;
    l->next = spare;
}

/* T's index-th eigenvalue (from 1, the smallest), by bisection. */
static em_status eigenvalue_of_T(lanczos *l, lapack_int index, double *out, em_error *err)
{
    size_t n = (size_t)l->steps;
    double *values = l->work, *work = l->work + n;
    lapack_int *block = l->integers, *split = block + n, *work_integers = split + n, found = 0, splits = 0;
    lapack_int info =
        LAPACKE_dstebz_work('I', 'E', l->steps, 0, 0, index, index, 2 * LAPACKE_dlamch_work('S'), l->diagonal,
                            l->beside, &found, &splits, values, block, split, work, work_integers);
    if (info || found != 1)
        return emi_fail(err, EM_ENUMERIC, "beta: LAPACK's dstebz failed (%d); try other weights", (int)info);
    *out = values[0];
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
    double low = 0, high = 0;
    TRY(lanczos_open(&l, graph, err));
    for (int look = FIRST_LOOK, known = 0; !known; look += look / 2) {
        if (look > MOST_STEPS)
            TRY(emi_fail(err, EM_ENUMERIC,
                         "beta: unsettled after %d Lanczos steps; try a better connected graph, or "
                         "fewer nodes",
                         l.steps));
        TRY(lanczos_reserve(&l, look, err));
        while (!l.exhausted && l.steps < look) lanczos_step(&l);
        double low_before = low, high_before = high;
        TRY(eigenvalue_of_T(&l, 1, &low, err));
        TRY(eigenvalue_of_T(&l, l.steps, &high, err));
        known = l.exhausted || (settled(low_before, low) && settled(high_before, high));
    }
    *beta = fmax(fabs(low), fabs(high));
done:
    lanczos_close(&l);
    return status;
}
