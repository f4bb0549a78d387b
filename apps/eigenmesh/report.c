#include "report.h"
#include "table.h"

#include <ctype.h>
#include <math.h>

const double *report_exact(const em_model *model)
{
    const double *exact = em_model_exact_variance(model);
    return exact && !isnan(exact[0]) ? exact : NULL;
}

/* A bound of 1 says nothing. */
static void angle_cell(table *t, double bound)
{
    if (bound < 1)
        table_cell(t, "%.1e", bound);
    else
        table_cell(t, "-");
}

em_status report_components(const em_model *model, em_error *err)
{
    const double *variance = em_model_explained_variance(model);
    const double *ratio = em_model_explained_variance_ratio(model);
    const double *residual = em_model_residuals(model);
    const double *angle = em_model_angle_bounds(model);
    const double *exact = report_exact(model);
    const double *error = em_model_component_error(model);
    double cumulative = 0;
    table t;
    table_begin(&t, 6 + (exact != NULL) + (error != NULL));
    table_cell(&t, "component");
    table_cell(&t, "variance");
    if (exact) table_cell(&t, "exact");
    table_cell(&t, "ratio");
    table_cell(&t, "cumulative");
    table_cell(&t, "residual");
    table_cell(&t, "angle");
    if (error) table_cell(&t, "error");
    for (int k = 0; k < em_model_components_count(model); k++) {
        cumulative += ratio[k];
        table_cell(&t, "%d", k + 1);
        table_cell(&t, "%.6g", variance[k]);
        if (exact) table_cell(&t, "%.6g", exact[k]);
        table_cell(&t, "%.4f", ratio[k]);
        table_cell(&t, "%.4f", cumulative);
        table_cell(&t, "%.1e", residual[k]);
        angle_cell(&t, angle[k]);
        if (error) table_cell(&t, "%.1e", error[k]);
    }
    return table_print(&t, err);
}

/* A line for each run of components that only define a subspace together. */
static void report_alike(const em_model *model, int first, int end, int open)
{
    double bound = em_model_subspace_bounds(model)[first];
    (void)printf("alike     the variances of components %d to %d are too close to tell the single vectors apart",
                 first + 1, open ? end + 1 : end);
    if (open)
        (void)printf("; the last is not among those found: try -k %d\n", end + 1);
    else if (bound < 1)
        (void)printf("; the subspace they span is known to an angle of %.1e\n", bound);
    else
        (void)putchar('\n');
}

void report_certificate(const em_model *model)
{
    const int64_t *cluster = em_model_clusters(model);
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model), has = info->rank;
    for (int k = 0, end; k < has; k = end) {
        for (end = k + 1; end < has && cluster[end] == k;) end++;
        int open = end == K && info->open_cluster;
        if (end - k > 1 || open) report_alike(model, k, end, open);
    }
    if (has < K)
        (void)printf("rank      %d: component%s %d%s no variance, any direction beside the others would do\n", has,
                     has + 1 < K ? "s from" : "", has + 1, has + 1 < K ? " on have" : " has");
    if (info->limited)
        (void)printf("limited   %d component%s above the tolerance, where rounding forbids more; see the angle\n",
                     info->limited, info->limited == 1 ? " is" : "s are");
}

em_traffic report_total(const em_info *info)
{
    em_traffic total = {0};
    for (int phase = 0; phase < EM_PHASES; phase++) {
        total.rounds += info->traffic[phase].rounds;
        total.messages += info->traffic[phase].messages;
        total.bytes += info->traffic[phase].bytes;
        total.units += info->traffic[phase].units;
    }
    return total;
}

static void traffic_row(table *t, const char *name, const em_traffic *sent)
{
    table_cell(t, "%s", name);
    table_cell(t, "%llu", (unsigned long long)sent->rounds);
    table_cell(t, "%llu", (unsigned long long)sent->messages);
    table_cell(t, "%llu", (unsigned long long)sent->bytes);
    table_cell(t, "%.6g", sent->units);
}

em_status report_traffic(const em_info *info, em_error *err)
{
    static const char *const heading[] = {"sent", "rounds", "messages", "bytes", "units"};
    if (info->nodes == 1) {
        (void)printf("sent      nothing, as there is one node\n");
        return EM_OK;
    }
    em_traffic total = report_total(info);
    table t;
    table_begin(&t, 5);
    for (int i = 0; i < 5; i++) table_cell(&t, "%s", heading[i]);
    for (int phase = 0; phase < EM_PHASES; phase++)
        traffic_row(&t, em_phase_name((em_phase)phase), &info->traffic[phase]);
    traffic_row(&t, "total", &total);
    return table_print(&t, err);
}

/* Three digits and a unit that suits them. */
static void print_seconds(double seconds, const char *rest)
{
    if (seconds < 1e-3)
        (void)printf("%.3g us %s", 1e6 * seconds, rest);
    else if (seconds < 1)
        (void)printf("%.3g ms %s", 1e3 * seconds, rest);
    else
        (void)printf("%.*f s %s", seconds < 100 ? 2 : 0, seconds, rest);
}

void report_ending(const em_info *info)
{
    (void)printf("result    %s after %ld iteration%s", em_reason_text(info->reason), info->iterations,
                 info->iterations == 1 ? "" : "s");
    if (isfinite(info->change) && info->reason != EM_CONVERGED) (void)printf(", change %.1e", info->change);
    (void)printf(" (tolerance %g)\n", info->tolerance);
    (void)printf("measures  worst residual %.1e, mean %.1e", info->worst_residual, info->residual);
    if (isfinite(info->consensus)) (void)printf(", consensus %.1e", info->consensus);
    if (isfinite(info->error)) (void)printf(", error %.1e", info->error);
    if (isfinite(info->step)) (void)printf(", step %.4g", info->step);
    (void)printf("\ntime      ");
    print_seconds(info->seconds_setup, "before the iterations, ");
    print_seconds(info->seconds, "in them\n");
}

void report_names(const em_model *model)
{
    enum { WIDTH = 100 };
    int d = em_model_features(model), f, at = 10;
    if (!em_model_feature_name(model, 0)) return;
    for (f = 0; f < d && at < WIDTH; f++) {
        at += printf("%s", f ? ", " : "features  ");
        for (const char *c = em_model_feature_name(model, f); *c; c++, at++) /* on one line */
            (void)putchar(iscntrl((unsigned char)*c) ? ' ' : *c);
    }
    if (f < d) (void)printf(" and %d more", d - f);
    (void)putchar('\n');
}
