#include "fit/device.h"

#include "base/memory.h"
#include "data/row_kind.h"
#include "fit/cost.h"
#include "fit/plan.h"
#include "fit/prepare.h"
#include "mesh/masking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void say(emi_device *device, const char *text)
{
    (void)snprintf(device->why, sizeof device->why, "%s", text);
}

/* What was wrong, without what to try. */
static void say_failure(emi_device *device, const em_error *failure)
{
    (void)snprintf(device->why, sizeof device->why, "%.*s", (int)strcspn(failure->msg, ";"), failure->msg);
}

/* A kind of rows here that is no matter of a GPU; NULL: all are packed numbers, or lie there. */
static const emi_row_kind *kind_here(const emi_problem *p, int *lent)
{
    const emi_row_kind *other = NULL;
    *lent = 0;
    for (int i = 0; i < p->mesh->hosted; i++) {
        const emi_row_kind *kind = emi_rows_of(&p->shard[i]);
        if (kind == &emi_on_gpu)
            *lent = 1;
        else if (kind)
            other = kind;
    }
    return other;
}

/* ---- which is faster ------------------------------------------------------------------------------------------------ */

/* Of all rows here. */
static emi_sizes sizes_here(const emi_problem *p, const em_options *options)
{
    emi_sizes sizes = {.features = p->d,
                       .filled = 1,
                       .components = p->K,
                       .first = emi_problem_block(p, options, EMI_DOUBLE),
                       .tolerance = options->tolerance,
                       .bytes = p->rows_are_single ? sizeof(float) : sizeof(double),
                       .real = p->rows_are_single ? EMI_SINGLE : EMI_DOUBLE};
    for (int i = 0; i < p->mesh->hosted; i++) sizes.rows += (double)p->shard[i].count;
    return sizes;
}

/* Where so many rows have to be sent for each product. */
static int gpu_is_faster(const emi_problem *p, const em_options *options, long products, double outside)
{
    emi_sizes sizes = sizes_here(p, options), sent = sizes;
    sent.rows = (sizes.rows - outside) + outside * (double)products;
    return emi_cost_of_sending(&sent, emi_gpu_is_loaded()) + emi_cost_of_products(&sizes, products, 1, p->threads) <
           emi_cost_of_products(&sizes, products, 0, p->threads);
}

/* Rows that its memory has no room for, about. */
static em_status rows_outside(const emi_problem *p, const em_options *options, double *rows, em_error *err)
{
    const double share = 0.8; /* of what is free, for rows */
    size_t left = 0, total;
    emi_sizes sizes = sizes_here(p, options);
    em_status status = emi_gpu_enter(p->device.gpu, err);
    if (status != EM_OK) return status;
    status = emi_gpu_memory(p->device.gpu, &left, &total, err);
    emi_gpu_leave(p->device.gpu);
    *rows = fmax(0, sizes.rows - share * (double)left / (sizes.features * (double)sizes.bytes));
    return status;
}

/* Rows with holes are looked at before they are summed up, so that they are sent twice. */
static int may_miss(const emi_problem *p)
{
    int holes = 0;
    for (int i = 0; i < p->mesh->hosted; i++) holes |= p->shard[i].data->holes;
    return holes;
}

/* ---- its covariance ------------------------------------------------------------------------------------------------------ */

int emi_device_forms(const emi_problem *p, const emi_method *named, const em_options *options)
{
    if (!p->device.gpu || p->mesh->graph->nodes > 1 || (named && named != &emi_krylov)) return 0;
    if (emi_mesh_is_masked(p->mesh) || p->scaling == EMI_SCALE_SPECTRAL || options->truth_compute ||
        options->precision == EMI_PRECISION_SINGLE)
        return 0; /* that is made of other products */
    const double part =
        16; /* of all its memory: less than is spared for work, by its size, as what is free would decide bits */
    if (sizeof(double) * (double)p->d * p->d > (double)emi_gpu_size(p->device.gpu) / part) return 0;
    emi_sizes sizes = sizes_here(p, options);
    sizes.gpu = 1;
    return emi_gpu_is_quick_in_double(p->device.gpu) && emi_forming_there_pays(&sizes, p->device.lent, may_miss(p));
}

/* ---- the choice -------------------------------------------------------------------------------------------------------- */

static em_status take_gpu(emi_problem *p, const em_options *options, const emi_method *named, long products,
                          em_error *err)
{
    emi_device *device = &p->device;
    em_error failure = {0};
    double outside = 0;
    em_status status = emi_gpu_take(&device->gpu, &failure);
    int once = status == EM_OK && !may_miss(p) && emi_device_forms(p, named, options); /* are all rows sent */
    if (status == EM_OK && !device->must && !once) status = rows_outside(p, options, &outside, &failure);
    if (status == EM_OK && outside > 0 && !gpu_is_faster(p, options, products, outside)) {
        (void)snprintf(device->why, sizeof device->why,
                       "%s has no room for all rows, and to send them for each product "
                       "takes longer",
                       emi_gpu_name(device->gpu));
        emi_gpu_give(&device->gpu);
        return EM_OK;
    }
    if (status == EM_OK) {
        (void)snprintf(device->why, sizeof device->why, "%s, %s", emi_gpu_name(device->gpu),
                       device->lent   ? "where the rows lie"
                       : device->must ? "as asked for"
                                      : "faster here, with the copy of the rows to it");
        return EM_OK;
    }
    if (device->must) {
        if (err) *err = failure;
        return status;
    }
    emi_gpu_give(&device->gpu);
    say_failure(device, &failure);
    return EM_OK;
}

em_status emi_device_choose(emi_problem *p, const em_options *options, const emi_method *named, em_error *err)
{
    long products = emi_expected_products(named, options);
    emi_device *device = &p->device;
    const emi_row_kind *other = kind_here(p, &device->lent);
    device->must = device->lent || options->device == EMI_DEVICE_GPU;
    if (device->lent && options->device == EMI_DEVICE_CPU)
        return emi_fail(err, EM_EINVAL, "device cpu: the rows lie on a GPU; try device=auto, or a copy of them here");
    if (options->device == EMI_DEVICE_CPU) {
        say(device, "as asked for");
        return EM_OK;
    }
    if (other && options->device == EMI_DEVICE_GPU)
        return emi_fail(err, EM_ENOTSUP, "device gpu: %s rows are multiplied by the CPU alone; try device=auto",
                        other->name);
    if (other && !device->lent) {
        (void)snprintf(device->why, sizeof device->why, "%s rows are multiplied by it alone", other->name);
        return EM_OK;
    }
    if (!device->must && !gpu_is_faster(p, options, products, 0)) {
        say(device, "so few products are done before a GPU has begun");
        return EM_OK;
    }
    return take_gpu(p, options, named, products, err);
}

/* ---- the rows, there --------------------------------------------------------------------------------------------------- */

em_status emi_device_send(emi_problem *p, int forms, em_error *err)
{
    emi_device *device = &p->device;
    if (!device->gpu) return EM_OK;
    device->rows = emi_calloc((size_t)p->mesh->hosted, sizeof *device->rows);
    if (!device->rows) return emi_fail_memory(err, "rows");
    for (int i = 0; i < p->mesh->hosted; i++) {
        em_error failure = {0};
        em_status status = EM_OK;
        emi_gpu_rows *rows = &device->rows[i];
        if (device->lent)
            status = emi_gpu_rows_borrow(rows, &p->shard[i], &failure);
        else if (forms)
            emi_gpu_rows_describe(rows, device->gpu, &p->shard[i], &p->helpers);
        else
            status = emi_gpu_rows_open(rows, device->gpu, &p->shard[i], &p->helpers, &failure);
        rows->gathers = forms && !device->lent;
        rows->must = device->must;
        if (status == EM_OK || emi_gpu_rows_yield(rows, status, &failure, err)) continue;
        if (err) err->node = p->mesh->first + i;
        return status;
    }
    return EM_OK;
}

const char *emi_device_tell(const emi_problem *p, char *why, size_t room)
{
    const emi_device *device = &p->device;
    int failed = 0, hosted = p->mesh->hosted, last = 0, streamed = 0;
    for (int i = 0; device->rows && i < hosted; i++) {
        if (device->rows[i].gave_up) failed++, last = i;
        streamed |= device->rows[i].settled && device->rows[i].resident < p->shard[i].count;
    }
    if (failed)
        (void)snprintf(why, room, "%s went on without it: %.160s", hosted > 1 ? "a node" : "the fit",
                       device->rows[last].why);
    else
        (void)snprintf(why, room, "%s%s", device->why, streamed ? "; what does not fit is sent for each product" : "");
    return device->gpu && failed < hosted ? "gpu" : "cpu";
}

void emi_device_close(emi_problem *p)
{
    emi_device *device = &p->device;
    for (int i = 0; device->rows && i < p->mesh->hosted; i++) emi_gpu_rows_close(&device->rows[i]);
    emi_free(device->rows);
    emi_gpu_give(&device->gpu);
    *device = (emi_device){0};
}
