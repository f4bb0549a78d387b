/* The functions of CUDA's driver and of cuBLAS that are used, found when they are wanted: whoever has no GPU needs neither. */
#ifndef EMI_GPU_API_H
#define EMI_GPU_API_H

#include "base/error.h"

typedef unsigned long long emi_address; /* on the device */

/* X(result, name here, name in the library, arguments), as cuda.h and cublas_api.h have them: handles are void *, enums int, and
 * what lies on the device a number, never to be followed here. */
#define EMI_CUDA_FUNCTIONS(X)                                                                                          \
    X(start, "cuInit", (unsigned flags))                                                                               \
    X(error_text, "cuGetErrorString", (int code, const char **text))                                                   \
    X(devices, "cuDeviceGetCount", (int *count))                                                                       \
    X(device, "cuDeviceGet", (int *device, int ordinal))                                                               \
    X(device_name, "cuDeviceGetName", (char *name, int room, int device))                                              \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                                              \
    X(device_has, "cuDeviceGetAttribute", (int *value, int attribute, int device))                                     \
    X(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                                \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                           \
    X(push, "cuCtxPushCurrent_v2", (void *context))                                                                    \
    X(pop, "cuCtxPopCurrent_v2", (void **context))                                                                     \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                                \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                                            \
    X(stream_wait, "cuStreamSynchronize", (void *stream))                                                              \
    X(stream_after, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                                  \
    X(event_create, "cuEventCreate", (void **event, unsigned flags))                                                   \
    X(event_destroy, "cuEventDestroy_v2", (void *event))                                                               \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                                      \
    X(event_wait, "cuEventSynchronize", (void *event))                                                                 \
    X(module_load, "cuModuleLoadData", (void **module, const void *image))                                             \
    X(module_unload, "cuModuleUnload", (void *module))                                                                 \
    X(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))                       \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
       unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra))                               \
    X(memory_left, "cuMemGetInfo_v2", (size_t * left, size_t * total))                                                 \
    X(alloc, "cuMemAlloc_v2", (emi_address * out, size_t bytes))                                                       \
    X(release_memory, "cuMemFree_v2", (emi_address at))                                                                \
    X(alloc_host, "cuMemAllocHost_v2", (void **out, size_t bytes))                                                     \
    X(release_host, "cuMemFreeHost", (void *at))                                                                       \
    X(zero, "cuMemsetD8Async", (emi_address at, unsigned char byte, size_t bytes, void *stream))                       \
    X(put, "cuMemcpyHtoDAsync_v2", (emi_address to, const void *from, size_t bytes, void *stream))                     \
    X(get, "cuMemcpyDtoHAsync_v2", (void *to, emi_address from, size_t bytes, void *stream))                           \
    X(device_of, "cuPointerGetAttribute", (void *data, int attribute, emi_address at))

#define EMI_CUBLAS_FUNCTIONS(X)                                                                                        \
    X(open, "cublasCreate_v2", (void **handle))                                                                        \
    X(close, "cublasDestroy_v2", (void *handle))                                                                       \
    X(use_stream, "cublasSetStream_v2", (void *handle, void *stream))                                                  \
    X(math_mode, "cublasSetMathMode", (void *handle, int mode))                                                        \
    X(dgemm, "cublasDgemm_v2",                                                                                         \
      (void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, emi_address A, int lda,             \
       emi_address B, int ldb, const double *beta, emi_address C, int ldc))                                            \
    X(sgemm, "cublasSgemm_v2",                                                                                         \
      (void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, emi_address A, int lda,              \
       emi_address B, int ldb, const float *beta, emi_address C, int ldc))                                             \
    X(sgemm_batched, "cublasSgemmStridedBatched",                                                                      \
      (void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, emi_address A, int lda,              \
       long long step_a, emi_address B, int ldb, long long step_b, const float *beta, emi_address C, int ldc,          \
       long long step_c, int count))                                                                                   \
    X(dgemv, "cublasDgemv_v2",                                                                                         \
      (void *handle, int op, int m, int n, const double *alpha, emi_address A, int lda, emi_address x, int step_x,     \
       const double *beta, emi_address y, int step_y))                                                                 \
    X(dsyrk, "cublasDsyrk_v2",                                                                                         \
      (void *handle, int triangle, int op, int n, int k, const double *alpha, emi_address A, int lda,                  \
       const double *beta, emi_address C, int ldc))

#define EMI_GPU_POINTER(name, symbol, arguments) int(*name) arguments;
typedef struct emi_cuda {
    EMI_CUDA_FUNCTIONS(EMI_GPU_POINTER)
} emi_cuda;

typedef struct emi_cublas {
    EMI_CUBLAS_FUNCTIONS(EMI_GPU_POINTER)
} emi_cublas;
#undef EMI_GPU_POINTER

/* Find all of them; the libraries stay loaded.  EIGENMESH_CUDA_PATH, a folder, is looked into first. */
em_status emi_gpu_load(emi_cuda *cuda, emi_cublas *blas, em_error *err);

/* Has this process the driver already, as one that uses the GPU otherwise? */
int emi_gpu_is_loaded(void);

#endif
