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
        !(model->numbers = emi_doubles(size + 2 * f + 9 * k)) ||
        !(model->cluster = emi_calloc(k, sizeof *model->cluster))) {
        em_model_free(&model);
        return emi_fail_memory(err, "model");
    }
    memset(model->numbers, 0, sizeof *model->numbers * (size + 2 * f + 9 * k));
    model->K = K, model->d = d, model->N = N;
    (void)snprintf(model->info.precision, sizeof model->info.precision,
                   "double"); /* where an older file says nothing */
    model->info.wire_bits = 64;
    double **by_component[] = {&model->explained_variance,
                               &model->explained_variance_ratio,
                               &model->singular_values,
                               &model->residuals,
                               &model->angle_bounds,
                               &model->subspace_bounds,
                               &model->exact_variance,
                               &model->component_error,
                               &model->turns};
    model->components = model->numbers;
    model->mean = model->components + size;
    model->scale = model->mean + f;
    for (size_t n = 0; n < 9; n++) *by_component[n] = model->scale + f + n * k;
    for (int n = 0; n < K; n++) model->cluster[n] = n;
    for (int n = 0; n < K; n++) model->angle_bounds[n] = model->subspace_bounds[n] = model->turns[n] = NAN;
    model->info.turn = model->rest_squares = model->rest_cubes = NAN;
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

EMI_GETTER(int, em_model_components_count, em_model *model, model->K)
EMI_GETTER(int, em_model_features, em_model *model, model->d)
EMI_GETTER(uint64_t, em_model_samples, em_model *model, model->N)
EMI_GETTER(const double *, em_model_components, em_model *model, model->components)
EMI_GETTER(const double *, em_model_mean, em_model *model, model->mean)
EMI_GETTER(const double *, em_model_scale, em_model *model, model->scale)
EMI_GETTER(const double *, em_model_explained_variance, em_model *model, model->explained_variance)
EMI_GETTER(const double *, em_model_explained_variance_ratio, em_model *model, model->explained_variance_ratio)
EMI_GETTER(const double *, em_model_singular_values, em_model *model, model->singular_values)
EMI_GETTER(const double *, em_model_residuals, em_model *model, model->residuals)
EMI_GETTER(const double *, em_model_angle_bounds, em_model *model, model->angle_bounds)
EMI_GETTER(const double *, em_model_subspace_bounds, em_model *model, model->subspace_bounds)
EMI_GETTER(const double *, em_model_turns, em_model *model, model->turns)
EMI_GETTER(const int64_t *, em_model_clusters, em_model *model, model->cluster)
EMI_GETTER(double, em_model_noise_variance, em_model *model, model->noise_variance)
EMI_GETTER(const double *, em_model_exact_variance, em_model *model,
           model->has_truth && !isnan(model->exact_variance[0]) ? model->exact_variance : NULL)
EMI_GETTER(const double *, em_model_exact_components, em_model *model, model->exact_components)
EMI_GETTER(const double *, em_model_component_error, em_model *model, model->has_truth ? model->component_error : NULL)
EMI_GETTER(const em_info *, em_model_info, em_model *model, &model->info)
EMI_GETTER(size_t, em_model_trace_rows, em_model *model, model->trace_rows)

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

/* ---- fewer components ------------------------------------------------------------------------------ */

/* The variance of those that go is noise: they join the directions that have no component already. */
static double noise_beside(const em_model *model, int K)
{
    double before = fmin((double)model->N, model->d) - model->K, after = before + model->K - K;
    double sum = before > 0 ? before * model->noise_variance : 0;
    for (int k = model->K - 1; k >= K; k--) sum += model->explained_variance[k];
    return after > 0 ? sum / after : 0;
}

/* And so are sums of its powers, which are shares of another whole then. */
static void add_to_rest(em_model *model, int K)
{
    double rest = emi_model_rest(model), all = rest, squares = 0, cubes = 0;
    for (int k = K; k < model->K; k++) all += model->explained_variance[k];
    if (all == 0) return;
    for (int k = K; k < model->K; k++) {
        squares += pow(model->explained_variance[k] / all, 2);
        cubes += pow(model->explained_variance[k] / all, 3);
    }
    double share = rest / all; /* of what was the rest: nothing is known of nothing */
    model->rest_squares = squares + (rest > 0 ? share * share * model->rest_squares : 0);
    model->rest_cubes = cubes + (rest > 0 ? share * share * share * model->rest_cubes : 0);
    model->rest_squares_error *= share * share;
    model->rest_cubes_error *= share * share * share;
}

/* A unit is a matrix of the components that there are in the end. */
static void count_in_units_of(em_model *model, int K)
{
    double larger = (double)model->K / K;
    for (int phase = 0; phase < EM_PHASES; phase++) model->info.traffic[phase].units *= larger;
    for (size_t r = 0; r < model->trace_rows; r++) model->trace[r].units *= larger;
}

static int above_tolerance(const em_model *model)
{
    int count = 0;
    for (int k = 0; k < model->K; k++) count += model->residuals[k] > model->info.tolerance;
    return count;
}

em_status em_model_truncate(em_model *model, int components, em_error *err)
{
    em_info *info = &model->info;
    if (components < 1 || components > model->K)
        return emi_fail(err, EM_EINVAL, "truncate: %d components of a model of %d; try 1 to %d", components, model->K,
                        model->K);
    if (components == model->K) return EM_OK;
    add_to_rest(model, components);
    model->noise_variance = noise_beside(model, components);
    count_in_units_of(model, components);
    info->open_cluster = model->cluster[components] < components;
    model->K = info->components = components;
    if (info->rank > components) info->rank = components;
    int above = above_tolerance(model);
    if (info->limited > above) info->limited = above;
    emi_model_derive(model);
    return EM_OK;
}
