/* The process's GPU: found, opened once, shared. */
#include "gpu/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What CUDA keeps for the whole process has one owner, and a lock: this. */
static emi_gpu the_gpu = {.lock = PTHREAD_MUTEX_INITIALIZER};

em_status emi_gpu_check(const emi_gpu *gpu, int code, const char *what, em_error *err)
{
    enum { OUT_OF_MEMORY = 2 };
    const char *text = NULL;
    if (code == 0) return EM_OK;
    if (gpu->cuda.error_text(code, &text) != 0 || !text) text = "no more is known";
    return emi_fail(err, code == OUT_OF_MEMORY ? EM_ENOMEM : EM_ENOTSUP, "gpu: %s: error %d, %s; try device=cpu", what,
                    code, text);
}

em_status emi_gpu_check_blas(int code, const char *what, em_error *err)
{
    enum { NO_MEMORY = 3 };
    if (code == 0) return EM_OK;
    return emi_fail(err, code == NO_MEMORY ? EM_ENOMEM : EM_ENOTSUP, "gpu: %s: status %d of cuBLAS; try device=cpu",
                    what, code);
}

/* ---- opening it ---------------------------------------------------------------------------------------------------- */

/* Processes that a launcher started on one machine take its devices in turn. */
static int turn(int devices)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                                        "SLURM_LOCALID"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *text = getenv(names[n]);
        long rank = text ? strtol(text, NULL, 10) : -1;
        if (rank >= 0) return (int)(rank % devices);
    }
    return 0;
}

static em_status find_device(emi_gpu *gpu, em_error *err)
{
    enum { SINGLE_TO_DOUBLE = 87 }; /* CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO */
    em_status status = EM_OK;
    const emi_cuda *cuda = &gpu->cuda;
    int count = 0;
    TRY(emi_gpu_check(gpu, cuda->start(0), "the driver does not start", err));
    TRY(emi_gpu_check(gpu, cuda->devices(&count), "devices cannot be counted", err));
    if (count < 1) TRY(emi_fail(err, EM_ENOTSUP, "gpu: the driver has no device; try device=cpu"));
    gpu->ordinal = turn(count);
    TRY(emi_gpu_check(gpu, cuda->device(&gpu->device, gpu->ordinal), "a device is not found", err));
    TRY(emi_gpu_check(gpu, cuda->device_name(gpu->name, (int)sizeof gpu->name, gpu->device), "a device has no name",
                      err));
    TRY(emi_gpu_check(gpu, cuda->device_memory(&gpu->size, gpu->device), "a device's memory is not known", err));
    TRY(emi_gpu_check(gpu, cuda->device_has(&gpu->ratio, SINGLE_TO_DOUBLE, gpu->device),
                      "a device's speed is not known", err));
done:
    return status;
}

static em_status load_kernels(emi_gpu *gpu, em_error *err)
{
    static const char *const names[EMI_GPU_KERNELS] = {[EMI_GPU_STANDARDISE_FF] = "emi_standardise_float_float",
                                                       [EMI_GPU_STANDARDISE_FD] = "emi_standardise_float_double",
                                                       [EMI_GPU_STANDARDISE_DF] = "emi_standardise_double_float",
                                                       [EMI_GPU_STANDARDISE_DD] = "emi_standardise_double_double",
                                                       [EMI_GPU_SURVEY_F] = "emi_survey_float",
                                                       [EMI_GPU_SURVEY_D] = "emi_survey_double",
                                                       [EMI_GPU_SURVEY_JOIN] = "emi_survey_join",
                                                       [EMI_GPU_ADD_UP] = "emi_add_up",
                                                       [EMI_GPU_DRAW] = "emi_draw",
                                                       [EMI_GPU_SCALE_D] = "emi_scale_double",
                                                       [EMI_GPU_SCALE_F] = "emi_scale_float",
                                                       [EMI_GPU_BEGIN_D] = "emi_begin_double",
                                                       [EMI_GPU_BEGIN_F] = "emi_begin_float",
                                                       [EMI_GPU_CORRECT] = "emi_correct",
                                                       [EMI_GPU_CENTRE] = "emi_centre"};
    em_status status =
        emi_gpu_check(gpu, gpu->cuda.module_load(&gpu->module, emi_gpu_kernels), "kernels are not taken", err);
    for (int k = 0; k < EMI_GPU_KERNELS && status == EM_OK; k++)
        status = emi_gpu_check(gpu, gpu->cuda.module_function(&gpu->kernel[k], gpu->module, names[k]),
                               "a kernel is not found", err);
    return status;
}

/* Products in the precision that is asked for, and in the same order each time: no TF32, and no atomics, which is the default. */
static em_status open_blas(emi_gpu *gpu, em_error *err)
{
    enum { PLAIN = 0 };
    em_status status = emi_gpu_check_blas(gpu->blas.open(&gpu->handle), "it does not open", err);
    if (status == EM_OK) status = emi_gpu_check_blas(gpu->blas.use_stream(gpu->handle, gpu->stream), "stream", err);
    if (status == EM_OK) status = emi_gpu_check_blas(gpu->blas.math_mode(gpu->handle, PLAIN), "mode", err);
    return status;
}

/* With the context current. */
static em_status open_inside(emi_gpu *gpu, em_error *err)
{
    enum { APART = 1, NO_TIMES = 2 };
    em_status status = EM_OK;
    TRY(emi_gpu_check(gpu, gpu->cuda.stream_create(&gpu->stream, APART), "no stream", err));
    TRY(emi_gpu_check(gpu, gpu->cuda.stream_create(&gpu->sender, APART), "no stream", err));
    for (int s = 0; s < EMI_GPU_STAGES; s++) {
        TRY(emi_gpu_check(gpu, gpu->cuda.event_create(&gpu->sent[s], NO_TIMES), "no event", err));
        TRY(emi_gpu_check(gpu, gpu->cuda.event_create(&gpu->used[s], NO_TIMES), "no event", err));
    }
    TRY(load_kernels(gpu, err));
    TRY(open_blas(gpu, err));
done:
    return status;
}

static void close_inside(emi_gpu *gpu)
{
    if (gpu->handle) (void)gpu->blas.close(gpu->handle);
    if (gpu->module) (void)gpu->cuda.module_unload(gpu->module);
    for (int s = 0; s < EMI_GPU_STAGES; s++) {
        if (gpu->sent[s]) (void)gpu->cuda.event_destroy(gpu->sent[s]);
        if (gpu->used[s]) (void)gpu->cuda.event_destroy(gpu->used[s]);
    }
    if (gpu->sender) (void)gpu->cuda.stream_destroy(gpu->sender);
    if (gpu->stream) (void)gpu->cuda.stream_destroy(gpu->stream);
    gpu->handle = gpu->module = gpu->stream = gpu->sender = NULL;
    memset(gpu->sent, 0, sizeof gpu->sent);
    memset(gpu->used, 0, sizeof gpu->used);
}

/* All or nothing: it may be asked for again. */
static em_status open_gpu(emi_gpu *gpu, em_error *err)
{
    em_status status = EM_OK;
    void *before;
    TRY(emi_gpu_load(&gpu->cuda, &gpu->blas, err));
    TRY(find_device(gpu, err));
    TRY(emi_gpu_check(gpu, gpu->cuda.retain(&gpu->context, gpu->device), "no context", err));
    status = emi_gpu_check(gpu, gpu->cuda.push(gpu->context), "no context", err);
    if (status == EM_OK) {
        status = open_inside(gpu, err);
        if (status != EM_OK) close_inside(gpu);
        (void)gpu->cuda.pop(&before);
    }
    if (status != EM_OK) (void)gpu->cuda.release(gpu->device);
    gpu->process = getpid();
    gpu->opened = status == EM_OK;
done:
    return status;
}

em_status emi_gpu_take(emi_gpu **out, em_error *err)
{
    emi_gpu *gpu = &the_gpu;
    em_status status = EM_OK;
    *out = NULL;
    (void)pthread_mutex_lock(&gpu->lock);
    if (!gpu->opened)
        status = open_gpu(gpu, err);
    else if (gpu->process != getpid())
        status =
            emi_fail(err, EM_ENOTSUP,
                     "gpu: it was used before this process was forked; try starting processes first, or device=cpu");
    if (status == EM_OK) gpu->users++, *out = gpu;
    (void)pthread_mutex_unlock(&gpu->lock);
    return status;
}

/* With the lock held. */
static void clear(emi_gpu *gpu, size_t there, size_t here)
{
    void *before;
    int inside = gpu->cuda.push(gpu->context) == 0;
    emi_gpu_clear(gpu, there, here);
    if (inside) (void)gpu->cuda.pop(&before);
}

void emi_gpu_give(emi_gpu **handle)
{
    const size_t there = (size_t)128 << 20, here = (size_t)32 << 20;
    emi_gpu *gpu = *handle;
    if (!gpu) return;
    (void)pthread_mutex_lock(&gpu->lock);
    if (--gpu->users == 0) clear(gpu, there, here);
    (void)pthread_mutex_unlock(&gpu->lock);
    *handle = NULL;
}

void emi_gpu_forget(void)
{
    emi_gpu *gpu = &the_gpu;
    (void)pthread_mutex_lock(&gpu->lock);
    if (gpu->opened && gpu->users == 0 && gpu->process == getpid()) clear(gpu, 0, 0);
    (void)pthread_mutex_unlock(&gpu->lock);
}

void emi_gpu_drop(emi_gpu *gpu, emi_address at)
{
    void *before;
    if (!at) return;
    (void)pthread_mutex_lock(&gpu->lock);
    int inside = gpu->cuda.push(gpu->context) == 0;
    emi_gpu_free(gpu, at);
    if (inside) (void)gpu->cuda.pop(&before);
    (void)pthread_mutex_unlock(&gpu->lock);
}

const char *emi_gpu_name(const emi_gpu *gpu)
{
    return gpu->name;
}

size_t emi_gpu_size(const emi_gpu *gpu)
{
    return gpu->size;
}

int emi_gpu_is_quick_in_double(const emi_gpu *gpu)
{
    enum { QUICK = 4 };
    return gpu->ratio <= QUICK;
}

em_status emi_gpu_enter(emi_gpu *gpu, em_error *err)
{
    (void)pthread_mutex_lock(&gpu->lock);
    em_status status = emi_gpu_check(gpu, gpu->cuda.push(gpu->context), "its context is lost", err);
    if (status != EM_OK) (void)pthread_mutex_unlock(&gpu->lock);
    return status;
}

/* What failed on the way may have left work that reads memory which is then given back. */
void emi_gpu_leave(emi_gpu *gpu)
{
    void *before;
    (void)gpu->cuda.stream_wait(gpu->sender);
    (void)gpu->cuda.stream_wait(gpu->stream);
    (void)gpu->cuda.pop(&before);
    (void)pthread_mutex_unlock(&gpu->lock);
}
