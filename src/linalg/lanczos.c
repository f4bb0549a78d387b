#include "linalg/lanczos.h"

#include "base/memory.h"
#include "base/random.h"
#include "linalg/block.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { STEP_LIMIT = 300 };

/* The m x m tridiagonal matrix's largest eigenvalue, and how far it can be from one of A's:
 * |beta_m s_m|, s_m the last entry of its eigenvector (Parlett, The Symmetric Eigenvalue Problem, 13.2). */
static em_status largest_ritz(const double *alpha, const double *beta, int m, double *work, double *value,
                              double *doubt, em_error *err)
{
    double *diagonal = work, *off = diagonal + m, *Z = off + m, *more = Z + (size_t)m * (size_t)m;
    memcpy(diagonal, alpha, sizeof *alpha * (size_t)m);
    memcpy(off, beta, sizeof *beta * (size_t)m);
    lapack_int info = LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', m, diagonal, off, Z, m, more);
    if (info) return emi_fail(err, EM_ENUMERIC, "Lanczos: LAPACK returned %d; try scale=spectral", (int)info);
    *value = diagonal[m - 1];
    *doubt = fabs(beta[m - 1] * Z[(size_t)m * (size_t)m - 1]);
    return EM_OK;
}

static void remove_basis(const double *basis, int d, int m, double *z, double *projection)
{
    for (int twice = 0; twice < 2; twice++) { /* once loses digits, twice is enough */
        cblas_dgemv(CblasColMajor, CblasTrans, d, m, 1, basis, d, z, 1, 0, projection, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, d, m, -1, basis, d, projection, 1, 1, z, 1);
    }
}

static void start(int d, double *v)
{
    emi_random random = emi_random_seed(0, EMI_STREAM_INIT);
    emi_random_normals(&random, v, (size_t)d);
    cblas_dscal(d, 1 / emi_norm(d, v), v, 1);
}

em_status emi_largest_eigenvalue(emi_product_fn *apply, void *context, int d, double tolerance, double *value,
                                 double *doubt, em_error *err)
{
    em_status status = EM_OK;
    int limit = d < STEP_LIMIT ? d : STEP_LIMIT;
    size_t n = (size_t)d, m = (size_t)limit;
    double *basis = emi_room(n * (m + 1));
    double *work = emi_doubles(3 * m + m * m + 4 * m);
    if (!basis || !work) TRY(emi_fail_memory(err, "largest eigenvalue"));
    double *alpha = work, *beta = alpha + m, *projection = beta + m, *rest = projection + m;

    start(d, basis);
    for (int j = 0; j < limit; j++) {
        double *v = basis + (size_t)j * n, *z = v + n;
        TRY(apply(context, v, z, err));
        alpha[j] = cblas_ddot(d, v, 1, z, 1);
        remove_basis(basis, d, j + 1, z, projection);
        beta[j] = emi_norm(d, z);
        TRY(largest_ritz(alpha, beta, j + 1, rest, value, doubt, err));
        if (*doubt <= tolerance * fabs(*value) || beta[j] == 0) break;
        cblas_dscal(d, 1 / beta[j], z, 1);
    }
done:
    emi_free(work);
    emi_free(basis);
    return status;
}
