/* Fewer components of a model that has more. */
#include "model/model.h"

#include <math.h>

/* The variance of those that go is noise: they join the directions that have no component already. */
static double noise_beside(const em_model *model, int K)
{
    double before = fmin((double)model->N, model->d) - model->K, after = before + model->K - K;
    double sum = before > 0 ? before * model->noise_variance : 0;
    for (int k = model->K - 1; k >= K; k--) sum += model->explained_variance[k];
    return after > 0 ? sum / after : 0;
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
