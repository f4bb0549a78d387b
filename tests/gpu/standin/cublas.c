/* libcublas.so.12, over CBLAS.  Matrices must lie within the device's memory. */
#include "standin.h"

#include <cblas.h>
#include <stdlib.h>

enum { NOT_INITIALISED = 1, WRONG = 7, FAILED = 13 };

int cublasCreate_v2(void **handle);
int cublasCreate_v2(void **handle)
{
    if (standin_step()) return NOT_INITIALISED;
    *handle = calloc(1, sizeof *handle); /* its stream */
    return *handle ? 0 : NOT_INITIALISED;
}

int cublasDestroy_v2(void *handle);
int cublasDestroy_v2(void *handle)
{
    free(handle);
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream);
int cublasSetStream_v2(void *handle, void *stream)
{
    if (standin_step()) return FAILED;
    *(void **)handle = stream;
    return 0;
}

int cublasSetMathMode(void *handle, int mode);
int cublasSetMathMode(void *handle, int mode)
{
    (void)handle;
    return standin_step() ? FAILED : mode == 0 ? 0 : WRONG;
}

/* rows x columns, by columns of `step` numbers. */
static int holds(const void *at, int rows, int columns, int step, size_t number)
{
    if (rows == 0 || columns == 0) return 1;
    return step >= rows && standin_holds(at, number * ((size_t)step * (size_t)(columns - 1) + (size_t)rows));
}

static int fits(int op_a, int op_b, int m, int n, int k, const void *A, int lda, const void *B, int ldb, const void *C,
                int ldc, size_t number)
{
    return m > 0 && n > 0 && k > 0 && holds(A, op_a ? k : m, op_a ? m : k, lda, number) &&
           holds(B, op_b ? n : k, op_b ? k : n, ldb, number) && holds(C, m, n, ldc, number);
}

static CBLAS_TRANSPOSE op(int transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *A, int lda,
                   const double *B, int ldb, const double *beta, double *C, int ldc);
int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *A, int lda,
                   const double *B, int ldb, const double *beta, double *C, int ldc)
{
    if (standin_step()) return FAILED;
    standin_catch_up(*(void **)handle);
    if (!fits(op_a, op_b, m, n, k, A, lda, B, ldb, C, ldc, sizeof *A)) return WRONG;
    cblas_dgemm(CblasColMajor, op(op_a), op(op_b), m, n, k, *alpha, A, lda, B, ldb, *beta, C, ldc);
    return 0;
}

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *A, int lda,
                   const float *B, int ldb, const float *beta, float *C, int ldc);
int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *A, int lda,
                   const float *B, int ldb, const float *beta, float *C, int ldc)
{
    if (standin_step()) return FAILED;
    standin_catch_up(*(void **)handle);
    if (!fits(op_a, op_b, m, n, k, A, lda, B, ldb, C, ldc, sizeof *A)) return WRONG;
    cblas_sgemm(CblasColMajor, op(op_a), op(op_b), m, n, k, *alpha, A, lda, B, ldb, *beta, C, ldc);
    return 0;
}

int cublasSgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *A,
                              int lda, long long step_a, const float *B, int ldb, long long step_b, const float *beta,
                              float *C, int ldc, long long step_c, int count);
int cublasSgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *A,
                              int lda, long long step_a, const float *B, int ldb, long long step_b, const float *beta,
                              float *C, int ldc, long long step_c, int count)
{
    if (standin_step()) return FAILED;
    standin_catch_up(*(void **)handle);
    for (int i = 0; i < count; i++) {
        if (!fits(op_a, op_b, m, n, k, A, lda, B, ldb, C, ldc, sizeof *A)) return WRONG;
        cblas_sgemm(CblasColMajor, op(op_a), op(op_b), m, n, k, *alpha, A, lda, B, ldb, *beta, C, ldc);
        A += step_a, B += step_b, C += step_c;
    }
    return 0;
}

int cublasDgemv_v2(void *handle, int transposed, int m, int n, const double *alpha, const double *A, int lda,
                   const double *x, int step_x, const double *beta, double *y, int step_y);
int cublasDgemv_v2(void *handle, int transposed, int m, int n, const double *alpha, const double *A, int lda,
                   const double *x, int step_x, const double *beta, double *y, int step_y)
{
    if (standin_step()) return FAILED;
    standin_catch_up(*(void **)handle);
    if (m < 1 || n < 1 || step_x != 1 || step_y != 1 || !holds(A, m, n, lda, sizeof *A) ||
        !holds(x, transposed ? m : n, 1, transposed ? m : n, sizeof *x) ||
        !holds(y, transposed ? n : m, 1, transposed ? n : m, sizeof *y))
        return WRONG;
    cblas_dgemv(CblasColMajor, op(transposed), m, n, *alpha, A, lda, x, 1, *beta, y, 1);
    return 0;
}

int cublasDsyrk_v2(void *handle, int triangle, int transposed, int n, int k, const double *alpha, const double *A,
                   int lda, const double *beta, double *C, int ldc);
int cublasDsyrk_v2(void *handle, int triangle, int transposed, int n, int k, const double *alpha, const double *A,
                   int lda, const double *beta, double *C, int ldc)
{
    if (standin_step()) return FAILED;
    standin_catch_up(*(void **)handle);
    if (!holds(A, transposed ? k : n, transposed ? n : k, lda, sizeof *A) || !holds(C, n, n, ldc, sizeof *C))
        return WRONG;
    cblas_dsyrk(CblasColMajor, triangle ? CblasUpper : CblasLower, op(transposed), n, k, *alpha, A, lda, *beta, C, ldc);
    return 0;
}
