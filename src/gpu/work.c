/* Kernels and products. */
#include "gpu/parts.h"

#include <limits.h>

em_status emi_gpu_launch(emi_gpu *gpu, emi_gpu_kernel kernel, size_t blocks, size_t stripes, void **arguments,
                         em_error *err)
{
    if (blocks > INT_MAX || stripes > EMI_GPU_STRIPES)
        return emi_fail(err, EM_ENOTSUP, "gpu: rows of so many features are too long for it; try device=cpu");
    int code = gpu->cuda.launch(gpu->kernel[kernel], (unsigned)blocks, (unsigned)stripes, 1, EMI_GPU_THREADS, 1, 1, 0,
                                gpu->stream, arguments, NULL);
    return emi_gpu_check(gpu, code, "a kernel", err);
}

/* cuBLAS counts in ints. */
static em_status check_sizes(const size_t *sizes, size_t count, em_error *err)
{
    for (size_t n = 0; n < count; n++)
        if (sizes[n] > INT_MAX)
            return emi_fail(err, EM_ENOTSUP, "gpu: a matrix of %zu is too large for cuBLAS; try device=cpu", sizes[n]);
    return EM_OK;
}

em_status emi_gpu_multiply(emi_gpu *gpu, const emi_gpu_product *p, em_error *err)
{
    const size_t sizes[] = {p->m, p->n, p->k, p->A.step, p->B.step, p->C.step, p->count};
    em_status status = check_sizes(sizes, sizeof sizes / sizeof *sizes, err);
    if (status != EM_OK) return status;
    const emi_cublas *blas = &gpu->blas;
    const int a = p->A.transposed, b = p->B.transposed, m = (int)p->m, n = (int)p->n, k = (int)p->k,
              lda = (int)p->A.step, ldb = (int)p->B.step, ldc = (int)p->C.step;
    const double one = p->minus ? -1 : 1;
    const float one_single = (float)one, beta_single = (float)p->beta;
    int code = 0;
    if (p->count)
        code = blas->sgemm_batched(gpu->handle, a, b, m, n, k, &one_single, p->A.at, lda, (long long)p->next_a, p->B.at,
                                   ldb, (long long)p->next_b, &beta_single, p->C.at, ldc, (long long)p->next_c,
                                   (int)p->count);
    else if (!p->single && a && !b && n == 1) /* one column: as a product of matrices it would leave the GPU idle */
        code = blas->dgemv(gpu->handle, a, k, m, &one, p->A.at, lda, p->B.at, 1, &p->beta, p->C.at, 1);
    else if (p->single)
        code = blas->sgemm(gpu->handle, a, b, m, n, k, &one_single, p->A.at, lda, p->B.at, ldb, &beta_single, p->C.at,
                           ldc);
    else
        code = blas->dgemm(gpu->handle, a, b, m, n, k, &one, p->A.at, lda, p->B.at, ldb, &p->beta, p->C.at, ldc);
    return emi_gpu_check_blas(code, "a product", err);
}

em_status emi_gpu_outer(emi_gpu *gpu, size_t n, size_t k, emi_gpu_matrix A, emi_gpu_matrix C, em_error *err)
{
    enum { UPPER = 1, PLAIN = 0 };
    const size_t sizes[] = {n, k, A.step, C.step};
    const double one = 1;
    em_status status = check_sizes(sizes, sizeof sizes / sizeof *sizes, err);
    if (status != EM_OK) return status;
    return emi_gpu_check_blas(
        gpu->blas.dsyrk(gpu->handle, UPPER, PLAIN, (int)n, (int)k, &one, A.at, (int)A.step, &one, C.at, (int)C.step),
        "a covariance", err);
}
