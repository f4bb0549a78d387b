/* Orthonormalise and eigensolve, by LAPACK.  The _work variants are used throughout: what they need is
 * allocated here, where running out of memory can be reported. */
#include "base/memory.h"
#include "linalg/block.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum { QR_BLOCK = 64 };

size_t emi_orthonormalise_needs(int rows, int cols)
{
    (void)rows;
    return (size_t)cols * (1 + 1 + QR_BLOCK); /* tau, R's diagonal, LAPACK's own */
}

em_status emi_orthonormalise(emi_block A, emi_qr_signs signs, emi_scratch scratch, em_error *err)
{
    double *tau = scratch.v, *diagonal = tau + A.cols, *work = diagonal + A.cols;
    lapack_int room = A.cols * QR_BLOCK;
    lapack_int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, A.rows, A.cols, A.v, A.rows, tau, work, room);
    for (int k = 0; k < A.cols; k++) diagonal[k] = emi_column_of(A, k)[k];
    if (!info) info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, A.rows, A.cols, A.cols, A.v, A.rows, tau, work, room);
    if (info) return emi_fail(err, EM_ENUMERIC, "QR: LAPACK returned %d; try scale=spectral", (int)info);
    for (int k = 0; signs == EMI_QR_POSITIVE && k < A.cols; k++) {
        if (diagonal[k] >= 0) continue;
        double *column = emi_column_of(A, k);
        for (int i = 0; i < A.rows; i++) column[i] = -column[i];
    }
    return EM_OK;
}

int emi_gram_factor(emi_block X, double *R)
{
    int K = X.cols;
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, K, X.rows, 1, X.v, X.rows, 0, R, K);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', K, R, K) == 0;
}

void emi_gram_values(double *XCX, const double *R, int K, double *values)
{
    (void)LAPACKE_dsygst_work(LAPACK_COL_MAJOR, 1, 'U', K, XCX, K, R, K);
    for (int k = 0; k < K; k++) values[k] = XCX[(size_t)k * (size_t)K + (size_t)k];
}

void emi_gram_orthonormalise(emi_block X, const double *R)
{
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, X.rows, X.cols, 1, R, X.cols, X.v,
                X.rows);
}

size_t emi_polar_needs(int rows, int cols)
{
    return (size_t)rows * (size_t)cols + (size_t)cols * (4 * (size_t)cols + 1) + emi_orthonormalise_needs(rows, cols) +
           64;
}

/* A = Q R, R = U Sigma V': the factor is Q (U V'), and only a K x K matrix needs its singular vectors. */
em_status emi_polar(emi_block A, emi_scratch scratch, em_error *err)
{
    int K = A.cols;
    size_t size = (size_t)K * (size_t)K;
    double *copy = scratch.v, *R = copy + (size_t)A.rows * (size_t)K, *U = R + size, *Vt = U + size, *UVt = Vt + size;
    double *sigma = UVt + size, *work = sigma + K;
    size_t room = scratch.count - (size_t)(work - scratch.v);
    memcpy(copy, A.v, sizeof *copy * (size_t)A.rows * (size_t)K);
    em_status status = emi_orthonormalise(A, EMI_QR_POSITIVE, (emi_scratch){work, room}, err);
    if (status != EM_OK) return status;
    emi_mul_tn(1, A, (emi_block){A.rows, K, copy}, 0, (emi_block){K, K, R});
    lapack_int info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', K, K, R, K, sigma, U, K, Vt, K, work, (lapack_int)room);
    if (info) return emi_fail(err, EM_ENUMERIC, "polar factor: LAPACK returned %d; try scale=spectral", (int)info);
    emi_mul(1, (emi_block){K, K, U}, (emi_block){K, K, Vt}, 0, (emi_block){K, K, UVt});
    memcpy(copy, A.v, sizeof *copy * (size_t)A.rows * (size_t)K);
    emi_mul(1, (emi_block){A.rows, K, copy}, (emi_block){K, K, UVt}, 0, A);
    return EM_OK;
}

/* Rising eigenpairs into falling order. */
static void reverse(double *values, double *vectors, int d, int K)
{
    for (int a = 0, b = K - 1; a < b; a++, b--) {
        double swap = values[a];
        values[a] = values[b], values[b] = swap;
        double *x = vectors + (size_t)a * (size_t)d, *y = vectors + (size_t)b * (size_t)d;
        for (int i = 0; i < d; i++) swap = x[i], x[i] = y[i], y[i] = swap;
    }
}

em_status emi_top_eigen(double *A, int d, int K, double *values, double *vectors, em_error *err)
{
    em_status status = EM_OK;
    lapack_int found = 0, *isuppz = emi_malloc(2 * sizeof *isuppz * (size_t)d), *iwork = NULL, iroom = 0;
    double *all = emi_doubles((size_t)d), *work = NULL, room = 0;
    if (!isuppz || !all) TRY(emi_fail_memory(err, "eigensolve"));
#define DSYEVR(w, nw, iw, niw)                                                                                         \
    LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', d, A, d, 0, 0, d - K + 1, d, 0, &found, all, vectors, d,      \
                        isuppz, w, nw, iw, niw)
    (void)DSYEVR(&room, -1, &iroom, -1);
    work = emi_doubles((size_t)room);
    iwork = emi_malloc(sizeof *iwork * (size_t)iroom);
    if (!work || !iwork) TRY(emi_fail_memory(err, "eigensolve"));
    lapack_int info = DSYEVR(work, (lapack_int)room, iwork, iroom);
#undef DSYEVR
    if (info || found != K)
        TRY(emi_fail(err, EM_ENUMERIC, "eigensolve: LAPACK returned %d; try scale=spectral", (int)info));
    memcpy(values, all, sizeof *values * (size_t)K);
    reverse(values, vectors, d, K);
done:
    emi_free(iwork);
    emi_free(work);
    emi_free(all);
    emi_free(isuppz);
    return status;
}
