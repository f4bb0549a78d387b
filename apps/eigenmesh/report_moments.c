#include "report_moments.h"

#include "base/error.h"
#include "base/memory.h"

em_status report_moments(em_moments *moments, em_error *err)
{
    double bound = 0, weight = em_moments_weight(moments);
    size_t directions = em_moments_directions(moments);
    em_status status = em_moments_bound(moments, &bound, err);
    if (status != EM_OK) return status;
    if (weight != (double)em_moments_rows(moments)) (void)printf("weight    %.6g, after forgetting\n", weight);
    if (directions)
        (void)printf("sketch    %zu directions; in any direction it lacks no more variance than %.3g\n", directions,
                     bound);
    else
        (void)printf("exact     a fit of them is one of all rows\n");
    return EM_OK;
}

em_status report_moments_json(json *j, em_moments *moments, em_error *err)
{
    double bound = 0;
    em_status status = em_moments_bound(moments, &bound, err);
    if (status != EM_OK) return status;
    json_whole(j, "samples", em_moments_rows(moments));
    json_whole(j, "features", em_moments_columns(moments));
    json_real(j, "weight", em_moments_weight(moments));
    json_whole(j, "directions", em_moments_directions(moments));
    json_real(j, "sketch_bound", bound);
    return EM_OK;
}

static em_status find_mean(em_moments *moments, double **out, em_error *err)
{
    double *mean = emi_doubles(em_moments_columns(moments));
    em_status status = mean ? em_moments_mean(moments, mean, err) : emi_fail_memory(err, "mean");
    if (status == EM_OK)
        *out = mean;
    else
        emi_free(mean);
    return status;
}

em_status report_means(em_moments *moments, em_error *err)
{
    enum { SHOWN = 20 };
    table t;
    double *mean = NULL;
    size_t features = em_moments_columns(moments);
    em_status status = find_mean(moments, &mean, err);
    if (status != EM_OK) return status;
    table_begin(&t, 2);
    table_cell(&t, "feature");
    table_cell(&t, "mean");
    for (size_t f = 0; f < features && f < SHOWN; f++) {
        const char *name = em_moments_column_name(moments, f);
        if (name)
            table_text(&t, name);
        else
            table_cell(&t, "%zu", f);
        table_cell(&t, "%.6g", mean[f]);
    }
    emi_free(mean);
    (void)putchar('\n');
    status = table_print(&t, err);
    if (status == EM_OK && features > SHOWN) (void)printf("and %zu more, of which --json has all\n", features - SHOWN);
    return status;
}

em_status report_means_json(json *j, em_moments *moments, em_error *err)
{
    double *mean = NULL;
    em_status status = find_mean(moments, &mean, err);
    if (status != EM_OK) return status;
    json_open(j, "feature_names", '[');
    for (size_t f = 0; em_moments_column_name(moments, f); f++) json_text(j, NULL, em_moments_column_name(moments, f));
    json_close(j, ']');
    json_open(j, "mean", '[');
    for (size_t f = 0; f < em_moments_columns(moments); f++) json_real(j, NULL, mean[f]);
    json_close(j, ']');
    emi_free(mean);
    return EM_OK;
}

void report_moments_held(const em_plan *plan)
{
    if (plan->moments > 0) {
        char size[SIZE_ROOM];
        (void)printf("moments   can be held of these features, in %s: rows may keep coming, and go\n",
                     size_text(plan->moments, size));
    } else {
        (void)printf(
            "moments   are not held of so many features: where rows keep coming, keep them and go on with --init\n"
            "          MODEL.npz, or hold a sketch, which is not exact: eigenmesh moments --directions\n");
    }
}
