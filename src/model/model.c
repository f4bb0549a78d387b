#include "model/model.h"

#include "base/larger.h"
#include "base/memory.h"
#include "linalg/block.h"

#include <string.h>

em_status emi_model_new(em_model **out, int K, int d, uint64_t N, em_error *err)
{
    size_t k = (size_t)K, f = (size_t)d, size;
    em_model *model = emi_calloc(1, sizeof *model);
    if (!model || emi_size_overflows(k, f, &size) || size > SIZE_MAX / 32 ||
        !(model->numbers = emi_calloc(size + 2 * f + 8 * k, sizeof(double))) ||
        !(model->cluster = emi_calloc(k, sizeof *model->cluster))) {
        em_model_free(&model);
        return emi_fail_memory(err, "model");
    }
    model->K = K, model->d = d, model->N = N;
    model->components = model->numbers;
    model->mean = model->components + size;
    model->scale = model->mean + f;
    model->explained_variance = model->scale + f;
    model->explained_variance_ratio = model->explained_variance + k;
    model->singular_values = model->explained_variance_ratio + k;
    model->residuals = model->singular_values + k;
    model->angle_bounds = model->residuals + k;
    model->subspace_bounds = model->angle_bounds + k;
    model->exact_variance = model->subspace_bounds + k;
    model->component_error = model->exact_variance + k;
    for (int n = 0; n < K; n++) model->cluster[n] = n, model->angle_bounds[n] = model->subspace_bounds[n] = NAN;
    *out = model;
    return EM_OK;
}

void em_model_free(em_model **handle)
{
    if (!*handle) return;
    emi_free((*handle)->feature_names);
    emi_free((*handle)->exact_components);
    emi_free((*handle)->trace);
    emi_free((*handle)->cluster);
    emi_free((*handle)->numbers);
    emi_free(*handle);
    *handle = NULL;
}

void emi_model_derive(em_model *model)
{
    em_info *info = &model->info;
    info->residual = info->worst_residual = 0;
    for (int k = 0; k < model->K; k++) {
        info->residual += model->residuals[k] / model->K;
        info->worst_residual = emi_larger(info->worst_residual, model->residuals[k]);
    }
}

int em_model_components_count(const em_model *model)
{
    return model->K;
}

int em_model_features(const em_model *model)
{
    return model->d;
}

uint64_t em_model_samples(const em_model *model)
{
    return model->N;
}

const double *em_model_components(const em_model *model)
{
    return model->components;
}

const double *em_model_mean(const em_model *model)
{
    return model->mean;
}

const double *em_model_scale(const em_model *model)
{
    return model->scale;
}

const double *em_model_explained_variance(const em_model *model)
{
    return model->explained_variance;
}

const double *em_model_explained_variance_ratio(const em_model *model)
{
    return model->explained_variance_ratio;
}

const double *em_model_singular_values(const em_model *model)
{
    return model->singular_values;
}

const double *em_model_residuals(const em_model *model)
{
    return model->residuals;
}

const double *em_model_angle_bounds(const em_model *model)
{
    return model->angle_bounds;
}

const double *em_model_subspace_bounds(const em_model *model)
{
    return model->subspace_bounds;
}

const int64_t *em_model_clusters(const em_model *model)
{
    return model->cluster;
}

double em_model_noise_variance(const em_model *model)
{
    return model->noise_variance;
}

const double *em_model_exact_variance(const em_model *model)
{
    return model->has_truth && !isnan(model->exact_variance[0]) ? model->exact_variance : NULL;
}

const double *em_model_exact_components(const em_model *model)
{
    return model->exact_components;
}

const double *em_model_component_error(const em_model *model)
{
    return model->has_truth ? model->component_error : NULL;
}

const em_info *em_model_info(const em_model *model)
{
    return &model->info;
}

size_t em_model_trace_rows(const em_model *model)
{
    return model->trace_rows;
}

const em_trace_row *em_model_trace_row(const em_model *model, size_t index)
{
    return index < model->trace_rows ? &model->trace[index] : NULL;
}

const char *em_reason_text(em_reason reason)
{
    switch (reason) {
    case EM_CONVERGED: return "converged";
    case EM_SETTLED: return "settled";
    case EM_STOPPED_ITERATIONS: return "stopped at the iteration limit";
    case EM_STOPPED_DIVERGED: return "diverged";
    case EM_STOPPED_USER: return "interrupted";
    case EM_STOPPED_SHORT: return "stopped short of the tolerance";
    case EM_STOPPED_ROUNDING: return "rounding leaves components undetermined";
    case EM_STOPPED_MISSED: return "a larger component was missed";
    }
    return "unknown";
}

const char *em_phase_name(em_phase phase)
{
    static const char *const names[EM_PHASES] = {"set-up", "method", "stopping", "report"};
    return (int)phase >= 0 && phase < EM_PHASES ? names[phase] : "unknown";
}

/* ---- rows to scores, and back ------------------------------------------------------------------ */

/* Rows are centred and scaled a block at a time, so that no copy of the data is made. */
enum { ROWS_AT_ONCE = 256 };

static double whitener(const em_model *model, int k)
{
    double deviation = sqrt(model->explained_variance[k]);
    return deviation > 0 ? deviation : 1;
}

em_status em_model_transform(const em_model *model, const double *rows, size_t count, int whiten, double *scores,
                             em_error *err)
{
    size_t d = (size_t)model->d, K = (size_t)model->K, n;
    double *block = emi_doubles(ROWS_AT_ONCE * d);
    if (!block) return emi_fail_memory(err, "transform");
    emi_block V = {model->d, model->K, model->components};
    for (size_t first = 0; first < count; first += n) {
        n = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;
        for (size_t r = 0; r < n; r++)
            for (size_t f = 0; f < d; f++)
                block[r * d + f] = (rows[(first + r) * d + f] - model->mean[f]) / model->scale[f];
        emi_block Y = {model->d, (int)n, block}, S = {model->K, (int)n, scores + first * K};
        emi_mul_tn(1, V, Y, 0, S); /* row-major rows are column-major columns */
    }
    for (size_t r = 0; whiten && r < count; r++)
        for (size_t k = 0; k < K; k++) scores[r * K + k] /= whitener(model, (int)k);
    emi_free(block);
    return EM_OK;
}

em_status em_model_inverse(const em_model *model, const double *scores, size_t count, int whiten, double *rows,
                           em_error *err)
{
    size_t d = (size_t)model->d, K = (size_t)model->K, n;
    double *block = emi_doubles(ROWS_AT_ONCE * K);
    if (!block) return emi_fail_memory(err, "inverse transform");
    emi_block V = {model->d, model->K, model->components};
    for (size_t first = 0; first < count; first += n) {
        n = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;
        for (size_t r = 0; r < n; r++)
            for (size_t k = 0; k < K; k++)
                block[r * K + k] = scores[(first + r) * K + k] * (whiten ? whitener(model, (int)k) : 1);
        emi_block S = {model->K, (int)n, block}, Y = {model->d, (int)n, rows + first * d};
        emi_mul(1, V, S, 0, Y);
        for (size_t r = first; r < first + n; r++)
            for (size_t f = 0; f < d; f++) rows[r * d + f] = rows[r * d + f] * model->scale[f] + model->mean[f];
    }
    emi_free(block);
    return EM_OK;
}
