#include "report.h"

static void json_components(json *j, const em_model *model)
{
    const double *variance = em_model_explained_variance(model);
    const double *ratio = em_model_explained_variance_ratio(model);
    const double *residual = em_model_residuals(model);
    const double *angle = em_model_angle_bounds(model);
    const double *exact = report_exact(model);
    const double *error = em_model_component_error(model);
    double cumulative = 0;
    json_open(j, "components", '[');
    for (int k = 0; k < em_model_components_count(model); k++) {
        cumulative += ratio[k];
        json_open(j, NULL, '{');
        json_whole(j, "component", (uint64_t)k + 1);
        json_real(j, "variance", variance[k]);
        if (exact) json_real(j, "exact_variance", exact[k]);
        json_real(j, "ratio", ratio[k]);
        json_real(j, "cumulative", cumulative);
        json_real(j, "residual", residual[k]);
        json_real(j, "angle_bound", angle[k]);
        if (error) json_real(j, "error", error[k]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* For each component the first one of those it cannot be told apart from, counted from 1 as the components are, and how
 * well the subspace of these is known. */
static void json_clusters(json *j, const em_model *model)
{
    const int64_t *cluster = em_model_clusters(model);
    json_open(j, "clusters", '[');
    for (int k = 0; k < em_model_components_count(model); k++) json_whole(j, NULL, (uint64_t)cluster[k] + 1);
    json_close(j, ']');
    json_open(j, "subspace_bounds", '[');
    for (int k = 0; k < em_model_components_count(model); k++) json_real(j, NULL, em_model_subspace_bounds(model)[k]);
    json_close(j, ']');
    json_flag(j, "open_cluster", em_model_info(model)->open_cluster);
}

static void json_traffic(json *j, const char *key, const em_traffic *sent)
{
    json_open(j, key, '{');
    json_whole(j, "rounds", sent->rounds);
    json_whole(j, "messages", sent->messages);
    json_whole(j, "bytes", sent->bytes);
    json_real(j, "units", sent->units);
    json_close(j, '}');
}

static void json_sent(json *j, const em_info *info)
{
    em_traffic total = report_total(info);
    json_open(j, "sent", '{');
    for (int phase = 0; phase < EM_PHASES; phase++)
        json_traffic(j, em_phase_name((em_phase)phase), &info->traffic[phase]);
    json_traffic(j, "total", &total);
    json_close(j, '}');
}

void report_json(json *j, const em_model *model)
{
    const em_info *info = em_model_info(model);
    json_text(j, "method", info->method);
    json_text(j, "choice", *info->choice ? info->choice : NULL);
    json_text(j, "operator", info->operator_name);
    json_whole(j, "samples", em_model_samples(model));
    json_whole(j, "features", (uint64_t)em_model_features(model));
    json_whole(j, "nodes", (uint64_t)info->nodes);
    json_whole(j, "threads", (uint64_t)info->threads);
    json_whole(j, "seed", info->seed);
    json_flag(j, "converged", info->reason == EM_CONVERGED);
    json_text(j, "result", em_reason_text(info->reason));
    json_whole(j, "rank", (uint64_t)info->rank);
    json_whole(j, "limited", (uint64_t)info->limited);
    json_whole(j, "iterations", (uint64_t)info->iterations);
    json_whole(j, "resumed", (uint64_t)info->resumed);
    json_real(j, "tolerance", info->tolerance);
    json_real(j, "change", info->change);
    json_real(j, "step", info->step);
    json_real(j, "residual", info->residual);
    json_real(j, "worst_residual", info->worst_residual);
    json_real(j, "consensus", info->consensus);
    json_real(j, "error", info->error);
    json_real(j, "noise_variance", em_model_noise_variance(model));
    json_whole(j, "constant_features", (uint64_t)info->constant_features);
    json_whole(j, "missing_values", info->missing_values);
    json_components(j, model);
    json_clusters(j, model);
    json_sent(j, info);
    json_open(j, "seconds", '{');
    json_real(j, "setup", info->seconds_setup);
    json_real(j, "iterations", info->seconds);
    json_close(j, '}');
}

void report_names_json(json *j, const em_model *model)
{
    json_open(j, "feature_names", '[');
    for (int f = 0; em_model_feature_name(model, f); f++) json_text(j, NULL, em_model_feature_name(model, f));
    json_close(j, ']');
}
