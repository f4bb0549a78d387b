/* covariance - send the covariances themselves, once.
 *
 *     the exact average of the C_i's upper triangles over the spanning tree; then one eigensolve, the same at every node
 *
 * Cheapest where d is small beside K times the exchanges that iterating would take.  Where the eigenvalues wanted reach
 * far down, as with features in units of their own, the small ones' vectors are refined. */
#include "base/memory.h"
#include "methods/method.h"

#include <limits.h>

static size_t packed_size(int d)
{
    return (size_t)d * ((size_t)d + 1) / 2;
}

static void pack(const double *full, int d, double *packed)
{
    for (int j = 0; j < d; j++)
        for (int i = 0; i <= j; i++) *packed++ = full[(size_t)j * (size_t)d + (size_t)i];
}

static void unpack(const double *packed, int d, double *full)
{
    for (int j = 0; j < d; j++)
        for (int i = 0; i <= j; i++)
            full[(size_t)i * (size_t)d + (size_t)j] = full[(size_t)j * (size_t)d + (size_t)i] = *packed++;
}

/* Do the eigenvalues wanted, but for those that are nothing but rounding, reach so far down that digits are lost?  Features
 * in units of their own are rarely many, and for many it would cost more than all the rest. */
static int needs_refinement(const double *values, int d, int K)
{
    enum { FEW = 1024 };
    static const double far = 1e-5, rounding = 1e-14;
    if (d > FEW) return 0;
    double least = values[0];
    for (int k = 0; k < K && values[k] > rounding * values[0]; k++) least = values[k];
    return least < far * values[0];
}

/* All eigenpairs, refined; the vectors replace those that were there. */
static em_status solve_to_the_last(emi_solver *s, const double *packed, double *C, double **vectors, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d;
    double *values = emi_doubles((size_t)d);
    emi_free(*vectors);
    *vectors = emi_doubles((size_t)d * (size_t)d);
    if (!values || !*vectors) TRY(emi_fail_memory(err, "covariance"));
    unpack(packed, d, C);
    TRY(emi_top_eigen(C, d, d, values, *vectors, err));
    unpack(packed, d, C);
    TRY(emi_refine_eigen(C, d, values, *vectors, err));
    s->rest = 0;
    for (int k = s->K; k < d; k++) s->rest += values[k];
done:
    emi_free(values);
    return status;
}

static em_status average_and_solve(emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d;
    emi_field triangles = {0};
    double *mean = emi_doubles(packed_size(d)), *C = emi_doubles((size_t)d * (size_t)d);
    int more = s->K < d ? s->K + 1 : d; /* one more, to see whether it is like the last one */
    double *values = emi_doubles((size_t)more), *vectors = emi_doubles((size_t)d * (size_t)more);
    if (!mean || !C || !values || !vectors || packed_size(d) > INT_MAX) TRY(emi_fail_memory(err, "covariance"));
    TRY(emi_field_alloc(&triangles, s->mesh->hosted, d, (d + 2) / 2, err)); /* room for d (d + 1) / 2 */
    for (int i = 0; i < s->mesh->hosted; i++) pack(s->C[i].dense, d, emi_at(&triangles, i).v);
    emi_field sent = triangles;
    sent.rows = (int)packed_size(d), sent.cols = 1;
    emi_tree_average(s->mesh, &sent, mean);
    if (emi_mesh_failed(s->mesh)) goto done;
    unpack(mean, d, C);
    TRY(emi_top_eigen(C, d, more, values, vectors, err));
    if (more > s->K) s->next_value = values[s->K];
    if (needs_refinement(values, d, s->K)) TRY(solve_to_the_last(s, mean, C, &vectors, err));
    emi_share(s, vectors, 0);
done:
    emi_field_free(&triangles);
    emi_free(vectors);
    emi_free(values);
    emi_free(C);
    emi_free(mean);
    return status;
}

static em_status covariance_run(emi_solver *s)
{
    while (emi_next(s)) {
        em_error err;
        em_status status = average_and_solve(s, &err);
        if (status != EM_OK) emi_solver_fail(s, status, &err);
    }
    return emi_finish(s);
}

const emi_method emi_covariance = {.info = {.name = "covariance",
                                            .summary = "average the covariances exactly, once, and solve locally",
                                            .update = "C = mean of the C_i over the tree; X = its eigenvectors",
                                            .cite = "the direct way; exact averages over a spanning tree",
                                            .residual = 1,
                                            .exact = 1},
                                   .traits = EMI_NEEDS_DENSE | EMI_SAME_EVERYWHERE,
                                   .iterations = 1,
                                   .run = covariance_run};
