/* Memory on the device and beside it, and copies. */
#include "gpu/parts.h"

em_status emi_gpu_wait(emi_gpu *gpu, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.stream_wait(gpu->stream), "its work failed", err);
}

em_status emi_gpu_wait_for(emi_gpu *gpu, void *stream, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.stream_wait(stream), "the stream that the array was made on", err);
}

em_status emi_gpu_check_place(emi_gpu *gpu, emi_address at, em_error *err)
{
    enum { ORDINAL = 9 }; /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
    int ordinal = -1;
    if (gpu->cuda.device_of(&ordinal, ORDINAL, at) != 0)
        return emi_fail(err, EM_EINVAL, "gpu: the array does not lie in its memory; try an array of the CPU's");
    if (ordinal != gpu->ordinal)
        return emi_fail(err, EM_ENOTSUP,
                        "gpu: the array lies on device %d, and %d is used; try CUDA_VISIBLE_DEVICES=%d", ordinal,
                        gpu->ordinal, ordinal);
    return EM_OK;
}

em_status emi_gpu_memory(emi_gpu *gpu, size_t *left, size_t *total, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.memory_left(left, total), "its memory cannot be asked for", err);
}

em_status emi_gpu_alloc(emi_gpu *gpu, size_t bytes, emi_address *out, em_error *err)
{
    *out = 0;
    int code = gpu->cuda.alloc(out, bytes ? bytes : 1);
    if (code != 0) *out = 0;
    return emi_gpu_check(gpu, code, "memory", err);
}

/* Something may have failed while it was filled, or read. */
void emi_gpu_free(emi_gpu *gpu, emi_address at)
{
    if (!at) return;
    (void)gpu->cuda.stream_wait(gpu->sender);
    (void)gpu->cuda.stream_wait(gpu->stream);
    (void)gpu->cuda.release_memory(at);
}

em_status emi_gpu_room(emi_gpu *gpu, emi_gpu_place place, size_t bytes, emi_address *out, em_error *err)
{
    em_status status = EM_OK;
    if (gpu->room[place].bytes < bytes) {
        emi_gpu_free(gpu, gpu->room[place].at);
        gpu->room[place].at = 0, gpu->room[place].bytes = 0;
        TRY(emi_gpu_alloc(gpu, bytes, &gpu->room[place].at, err));
        gpu->room[place].bytes = bytes;
    }
    *out = gpu->room[place].at;
done:
    return status;
}

em_status emi_gpu_ones(emi_gpu *gpu, int single, size_t count, emi_address *out, em_error *err)
{
    em_status status = EM_OK;
    size_t bytes = count * (single ? sizeof(float) : sizeof(double));
    void *hand;
    *out = gpu->room[EMI_GPU_ONES].at;
    if (gpu->ones >= count && gpu->ones_single == single) return EM_OK;
    gpu->ones = 0;
    TRY(emi_gpu_room(gpu, EMI_GPU_ONES, bytes, out, err));
    TRY(emi_gpu_hand(gpu, bytes, &hand, err));
    TRY(emi_gpu_wait(gpu, err));
    for (size_t n = 0; n < count; n++)
        if (single)
            ((float *)hand)[n] = 1;
        else
            ((double *)hand)[n] = 1;
    TRY(emi_gpu_put(gpu, *out, hand, bytes, err));
    TRY(emi_gpu_wait(gpu, err));
    gpu->ones = count, gpu->ones_single = single;
done:
    return status;
}

/* ---- memory of the host that the device copies from by itself --------------------------------------------------------- */

static em_status grow_pinned(emi_gpu *gpu, emi_gpu_pinned *pinned, size_t bytes, em_error *err)
{
    if (pinned->at && pinned->bytes >= bytes) return EM_OK;
    em_status status = emi_gpu_wait(gpu, err);
    if (status != EM_OK) return status;
    if (pinned->at) (void)gpu->cuda.release_host(pinned->at);
    *pinned = (emi_gpu_pinned){0};
    void *at = NULL;
    status = emi_gpu_check(gpu, gpu->cuda.alloc_host(&at, bytes), "pinned memory", err);
    if (status != EM_OK) return status;
    if (!at) return emi_fail_memory(err, "gpu");
    *pinned = (emi_gpu_pinned){at, bytes};
    return EM_OK;
}

em_status emi_gpu_stage(emi_gpu *gpu, size_t bytes, void **out, em_error *err)
{
    em_status status = EM_OK;
    gpu->next = (gpu->next + 1) % EMI_GPU_STAGES;
    TRY(grow_pinned(gpu, &gpu->stage[gpu->next], bytes, err));
    TRY(emi_gpu_check(gpu, gpu->cuda.event_wait(gpu->sent[gpu->next]), "a copy failed", err));
    *out = gpu->stage[gpu->next].at;
done:
    return status;
}

em_status emi_gpu_send(emi_gpu *gpu, emi_address to, size_t bytes, em_error *err)
{
    em_status status = EM_OK;
    const emi_cuda *cuda = &gpu->cuda;
    int s = gpu->next;
    TRY(emi_gpu_check(gpu, cuda->stream_after(gpu->sender, gpu->used[s], 0), "a copy cannot wait", err));
    TRY(emi_gpu_check(gpu, cuda->put(to, gpu->stage[s].at, bytes, gpu->sender), "a copy to it", err));
    TRY(emi_gpu_check(gpu, cuda->event_record(gpu->sent[s], gpu->sender), "a copy is not noted", err));
    TRY(emi_gpu_check(gpu, cuda->stream_after(gpu->stream, gpu->sent[s], 0), "a copy is not waited for", err));
done:
    return status;
}

em_status emi_gpu_mark_used(emi_gpu *gpu, int all, em_error *err)
{
    em_status status = EM_OK;
    for (int s = 0; s < EMI_GPU_STAGES; s++)
        if (all || s == gpu->next)
            TRY(emi_gpu_check(gpu, gpu->cuda.event_record(gpu->used[s], gpu->stream), "work is not noted", err));
done:
    return status;
}

em_status emi_gpu_hand(emi_gpu *gpu, size_t bytes, void **out, em_error *err)
{
    em_status status = grow_pinned(gpu, &gpu->hand, bytes, err);
    *out = gpu->hand.at;
    return status;
}

em_status emi_gpu_put(emi_gpu *gpu, emi_address to, const void *from, size_t bytes, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.put(to, from, bytes, gpu->stream), "a copy to it", err);
}

em_status emi_gpu_get(emi_gpu *gpu, void *to, emi_address from, size_t bytes, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.get(to, from, bytes, gpu->stream), "a copy from it", err);
}

em_status emi_gpu_zero(emi_gpu *gpu, emi_address at, size_t bytes, em_error *err)
{
    return emi_gpu_check(gpu, gpu->cuda.zero(at, 0, bytes, gpu->stream), "zeros", err);
}

void emi_gpu_clear(emi_gpu *gpu, size_t there, size_t here)
{
    emi_gpu_pinned *pinned[EMI_GPU_STAGES + 1] = {&gpu->hand};
    for (int s = 0; s < EMI_GPU_STAGES; s++) pinned[s + 1] = &gpu->stage[s];
    for (int p = 0; p < EMI_GPU_PLACES; p++) {
        if (gpu->room[p].bytes <= there) {
            there -= gpu->room[p].bytes;
            continue;
        }
        if (p == EMI_GPU_ONES) gpu->ones = 0;
        emi_gpu_free(gpu, gpu->room[p].at);
        gpu->room[p].at = 0, gpu->room[p].bytes = 0;
    }
    for (size_t n = 0; n < sizeof pinned / sizeof *pinned; n++) {
        if (pinned[n]->bytes <= here) continue;
        if (pinned[n]->at) (void)gpu->cuda.release_host(pinned[n]->at);
        *pinned[n] = (emi_gpu_pinned){0};
    }
}
