#include "linalg/basis.h"

#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* R <- R - B (B' R), twice: once loses digits, twice is enough (Giraud, Langou and Rozloznik, Computers and Mathematics
 * with Applications 50, 2005). */
static void project_out(emi_block B, emi_block R, double *work)
{
    emi_block along = {B.cols, R.cols, work};
    for (int twice = 0; twice < 2 && B.cols > 0; twice++) {
        emi_mul_tn(1, B, R, 0, along);
        emi_mul(-1, B, along, 1, R);
    }
}

/* QR with pivoting: R's diagonal falls, and where it has fallen to nothing the rest adds nothing. */
static em_status pivoted_qr(emi_block R, double scale, double *work, size_t room, lapack_int *pivot, int *kept,
                            em_error *err)
{
    double *tau = work, *rest = tau + R.cols;
    int most = R.rows < R.cols ? R.rows : R.cols;
    memset(pivot, 0, sizeof *pivot * (size_t)R.cols);
    lapack_int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, R.rows, R.cols, R.v, R.rows, pivot, tau, rest,
                                          (lapack_int)(room - (size_t)R.cols));
    *kept = 0;
    while (*kept < most && fabs(emi_column_of(R, *kept)[*kept]) > scale) ++*kept;
    if (!info && *kept > 0)
        info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, R.rows, *kept, *kept, R.v, R.rows, tau, rest,
                                   (lapack_int)(room - (size_t)R.cols));
    return info ? emi_fail(err, EM_ENUMERIC, "QR: LAPACK returned %d; try scale=spectral", (int)info) : EM_OK;
}

em_status emi_extend_basis(emi_block B, emi_block R, double scale, int *kept, em_error *err)
{
    em_status status = EM_OK;
    size_t n = (size_t)R.cols, overlap = (size_t)B.cols * n, qr = n * 70 + 64, room = overlap > qr ? overlap : qr;
    double *work = emi_doubles(room);
    lapack_int *pivot = emi_malloc(sizeof *pivot * n);
    if (!work || !pivot) TRY(emi_fail_memory(err, "basis"));
    project_out(B, R, work);
    TRY(pivoted_qr(R, scale, work, room, pivot, kept, err));
    emi_block left = {R.rows, *kept, R.v};
    project_out(B, left, work); /* what the QR magnified of rounding */
    if (*kept > 0) TRY(emi_orthonormalise(left, EMI_QR_POSITIVE, (emi_scratch){work, room}, err));
done:
    emi_free(pivot);
    emi_free(work);
    return status;
}

em_status emi_all_eigen(double *A, int n, double *values, em_error *err)
{
    em_status status = EM_OK;
    double room = 0, *work = NULL, *rising = NULL;
    lapack_int iroom = 0, *iwork = NULL;
    (void)LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, values, &room, -1, &iroom, -1);
    work = emi_doubles((size_t)room);
    rising = emi_doubles((size_t)n * (size_t)n);
    iwork = emi_malloc(sizeof *iwork * (size_t)iroom);
    if (!work || !rising || !iwork) TRY(emi_fail_memory(err, "eigensolve"));
    lapack_int info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, values, work, (lapack_int)room, iwork, iroom);
    if (info) TRY(emi_fail(err, EM_ENUMERIC, "eigensolve: LAPACK returned %d; try scale=spectral", (int)info));
    memcpy(rising, A, sizeof *A * (size_t)n * (size_t)n);
    for (int k = 0; k < n; k++)
        memcpy(A + (size_t)k * (size_t)n, rising + (size_t)(n - 1 - k) * (size_t)n, sizeof *A * (size_t)n);
    for (int a = 0, b = n - 1; a < b; a++, b--) {
        double swap = values[a];
        values[a] = values[b], values[b] = swap;
    }
done:
    emi_free(iwork);
    emi_free(rising);
    emi_free(work);
    return status;
}

/* Many of them: all, by a solver whose work is products of matrices. */
em_status emi_first_eigen(double *A, int n, int K, double *values, double *vectors, em_error *err)
{
    enum { MANY = 8 };
    if (MANY * K <= n) return emi_top_eigen(A, n, K, values, vectors, err);
    double *all = emi_doubles((size_t)n);
    if (!all) return emi_fail_memory(err, "eigensolve");
    em_status status = emi_all_eigen(A, n, all, err);
    if (status == EM_OK) {
        memcpy(values, all, sizeof *values * (size_t)K);
        memcpy(vectors, A, sizeof *vectors * (size_t)n * (size_t)K);
    }
    emi_free(all);
    return status;
}
