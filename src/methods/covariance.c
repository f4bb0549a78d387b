/* covariance - send the covariances themselves, once.
 *
 *     the exact average of the C_i's upper triangles, up the spanning tree; then one eigensolve, at its root
 *
 * Cheapest where d is small beside K times the exchanges that iterating would take.  Where the eigenvalues wanted reach
 * far down, as with features in units of their own, the small ones' vectors are refined. */
#include "base/memory.h"
#include "mesh/question.h"
#include "methods/matrix.h"
#include "methods/method.h"

#include <limits.h>
#include <math.h>

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
static int needs_refinement(const double *values, const double *nothing, int d, int K)
{
    enum { FEW = 1024 };
    static const double far = 1e-5;
    if (d > FEW) return 0;
    double least = values[0];
    for (int k = 0; k < K && values[k] > nothing[k]; k++) least = values[k];
    return least < far * values[0];
}

static void find_nothing(const emi_solver *s, const double *vectors, int found, double *nothing)
{
    for (int k = 0; k < found; k++)
        nothing[k] = emi_rounding_variance(&s->rounding, s->d, vectors + (size_t)k * (size_t)s->d, k);
}

/* The root's part: eigenpairs of the covariance of all data, `packed`.  One more than is wanted, to see whether it is like
 * the last one; all of them where that is not known yet, or small ones have to be refined. */
static em_status solve(emi_solver *s, const double *packed, double *C, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d, K = s->K, found = s->fraction > 0 || s->limits || K == d ? d : K + 1;
    double *values = emi_doubles(2 * (size_t)d), *vectors = emi_doubles((size_t)d * (size_t)found);
    size_t needs = emi_orthonormalise_needs(d, d);
    double *room = emi_doubles(needs), *nothing = NULL;
    if (!values || !vectors || !room) TRY(emi_fail_memory_try(err, "covariance", "method=krylov"));
    nothing = values + d;
    unpack(packed, d, C);
    TRY(emi_top_of_matrix(s, d, C, found, values, vectors, err));
    find_nothing(s, vectors, found, nothing);
    int refined = needs_refinement(values, nothing, d, s->fraction > 0 ? s->rank : K);
    if (refined) {
        emi_free(vectors);
        found = d;
        vectors = emi_doubles((size_t)d * (size_t)d);
        if (!vectors) TRY(emi_fail_memory_try(err, "covariance", "method=krylov"));
        unpack(packed, d, C);
        TRY(emi_top_eigen(C, d, d, values, vectors, err));
        unpack(packed, d, C);
        find_nothing(s, vectors, d, nothing);
        TRY(emi_refine_eigen(C, d, nothing, values, vectors, err));
        TRY(emi_orthonormalise((emi_block){d, d, vectors}, EMI_QR_POSITIVE, (emi_scratch){room, needs}, err));
        find_nothing(s, vectors, d, nothing);
    }
    K = emi_components_of(s, values);
    emi_keep_answer(s, vectors, values, K);
    double doubt = K < found ? fmax(nothing[K], refined ? 0 : emi_eps(&s->rounding) * values[0]) : 0;
    emi_keep_rest(s, values, K, found, d, doubt);
done:
    emi_free(room);
    emi_free(vectors);
    emi_free(values);
    return status;
}

static em_status average_and_solve(emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d;
    emi_field triangles = {0};
    double *mean = NULL, *C = NULL;
    if (s->C[0].kind->lift) return emi_solve_other_side(s, err);
    if (packed_size(d) > INT_MAX)
        return emi_fail(err, EM_ENOTSUP, "covariance: %d features are too many to send; try method krylov", d);
    mean = emi_doubles(packed_size(d));
    if (emi_mesh_has_root(s->mesh)) C = emi_doubles((size_t)d * (size_t)d);
    if (!mean || (emi_mesh_has_root(s->mesh) && !C)) TRY(emi_fail_memory_try(err, "covariance", "method=krylov"));
    TRY(emi_field_alloc(&triangles, s->mesh->hosted, d, (d + 2) / 2, err)); /* room for d (d + 1) / 2 */
    for (int i = 0; i < s->mesh->hosted; i++) pack(s->C[i].kind->matrix(&s->C[i]).v, d, emi_at(&triangles, i).v);
    emi_field sent = triangles;
    sent.rows = (int)packed_size(d), sent.cols = 1;
    emi_question_ask_all(s->mesh, d);
    emi_tree_average_at_root(s->mesh, &sent, mean);
    if (C && !emi_mesh_failed(s->mesh)) status = solve(s, mean, C, err);
    if (status == EM_ENUMERIC) { /* the test for the end sees it, and tells the others */
        s->answer.residual = NAN;
        status = EM_OK;
    }
done:
    emi_field_free(&triangles);
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
                                            .summary = "average the covariances exactly, once, and solve at the root",
                                            .update = "C = mean of the C_i over the tree; X = its eigenvectors",
                                            .cite = "the direct way; exact averages over a spanning tree",
                                            .residual = 1,
                                            .exact = 1},
                                   .uses = EMI_USES_PRECISION,
                                   .traits = EMI_NEEDS_MATRIX | EMI_AT_ROOT,
                                   .iterations = 1,
                                   .run = covariance_run};
