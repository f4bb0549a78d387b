/* The GPU as its own files see it. */
#ifndef EMI_GPU_PARTS_H
#define EMI_GPU_PARTS_H

#include "gpu/gpu.h"

#include <pthread.h>
#include <sys/types.h>

typedef struct emi_gpu_pinned {
    void *at;
    size_t bytes;
} emi_gpu_pinned;

struct emi_gpu {
    pthread_mutex_t lock; /* of all that follows */
    int users, opened;
    pid_t process; /* that opened it: a child has none of it */
    emi_cuda cuda;
    emi_cublas blas;
    int device, ordinal;
    char name[64];
    size_t size; /* of its memory */
    int ratio;   /* its speed in single precision, in that of double */
    void *context, *stream, *handle, *module;
    void *sender; /* a stream of its own, so that rows are on their way while others are multiplied */
    void *kernel[EMI_GPU_KERNELS];
    struct {
        emi_address at;
        size_t bytes;
    } room[EMI_GPU_PLACES];
    size_t ones; /* in their room */
    int ones_single;
    emi_gpu_pinned stage[EMI_GPU_STAGES], hand;
    void *sent[EMI_GPU_STAGES]; /* events: the last copy from there is done              */
    void *used[EMI_GPU_STAGES]; /* what was sent from there before is not needed any more */
    int next;                   /* stage */
};

extern const char emi_gpu_kernels[]; /* kernels.ptx */

/* A failure of the driver, or of cuBLAS, in words. */
em_status emi_gpu_check(const emi_gpu *gpu, int code, const char *what, em_error *err);
em_status emi_gpu_check_blas(int code, const char *what, em_error *err);

/* Give back all memory but so much of the device's, and so much for each buffer of the host's.  Within. */
void emi_gpu_clear(emi_gpu *gpu, size_t there, size_t here);

#endif
