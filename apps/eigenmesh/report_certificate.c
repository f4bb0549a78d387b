#include "report.h"

#include <math.h>
#include <stdio.h>

/* Is it the estimate that does not tell components first to end - 1 apart, and not the data?  As src/page/words.c has it. */
static int is_too_far(const em_model *model, int first, int end, int open)
{
    static const double alike = 1e-8;
    const em_info *info = em_model_info(model);
    if (info->reason == EM_CONVERGED || info->reason == EM_STOPPED_ROUNDING) return 0;
    for (int k = first; k < end; k++)
        if (!(em_model_residuals(model)[k] <= fmax(info->tolerance, alike))) return 1;
    return open && info->reason == EM_STOPPED_MISSED;
}

/* A line for each run of components that only define a subspace together. */
static void print_alike(const em_model *model, int first, int end, int open)
{
    double bound = em_model_subspace_bounds(model)[first];
    int last = open ? end + 1 : end;
    if (is_too_far(model, first, end, open)) {
        (void)printf("alike     the estimate is too far off to tell components %d to %d apart\n", first + 1, last);
        return;
    }
    (void)printf("alike     the variances of components %d to %d are too close to tell the single vectors apart",
                 first + 1, last);
    if (open)
        (void)printf("; the last is not among those found: try -k %d\n", end + 1);
    else if (bound < 1)
        (void)printf("; the subspace they span is known to an angle of %.1e\n", bound);
    else
        (void)putchar('\n');
}

/* What the angles in the table do not say: which components only define a subspace together, which have no variance, which
 * are limited by rounding. */
void report_certificate(const em_model *model)
{
    const int64_t *cluster = em_model_clusters(model);
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model), has = info->rank;
    for (int k = 0, end; k < has; k = end) {
        for (end = k + 1; end < has && cluster[end] == k;) end++;
        int open = end == K && info->open_cluster;
        if (end - k > 1 || open) print_alike(model, k, end, open);
    }
    if (has < K)
        (void)printf("rank      %d: component%s %d%s no variance, any direction beside the others would do\n", has,
                     has + 1 < K ? "s from" : "", has + 1, has + 1 < K ? " on have" : " has");
    if (info->limited)
        (void)printf("limited   %d component%s above the tolerance, where rounding forbids more; see the angle\n",
                     info->limited, info->limited == 1 ? " is" : "s are");
    if (info->weight > 0 && info->weight != (double)info->samples)
        (void)printf("weight    %.6g, of %llu rows, after forgetting\n", info->weight,
                     (unsigned long long)info->samples);
    if (info->sketch_bound > 0)
        (void)printf(
            "sketch    rows were sketched: in any direction the variance may be larger by up to %.3g than it seems\n",
            info->sketch_bound);
}
