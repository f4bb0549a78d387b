#include "support/verdicts.h"

#include "support/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct check {
    const em_model *model;
    const em_info *info;
    const svd *exact;
    const verdict_place *place;
    int complaints;
} check;

static void complain(check *c, const char *format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    c->complaints++;
    print_error("%s on %s, K = %d: %s\n", c->place->method, c->place->where, c->info->components, words);
}

const em_method_info *verdict_method(const char *name)
{
    for (int m = 0; em_method(m); m++)
        if (strcmp(em_method(m)->name, name) == 0) return em_method(m);
    fail_msg("no method %s", name);
    return NULL;
}

static void check_reason(check *c)
{
    const em_info *info = c->info;
    const double *residual = em_model_residuals(c->model);
    int above = 0;
    for (int k = 0; k < info->components; k++) above += !(residual[k] <= info->tolerance);
    if (above != info->limited && info->reason == EM_CONVERGED)
        complain(c, "converged, %d above the tolerance, %d said to be limited", above, info->limited);
    if (info->reason == EM_CONVERGED) return;
    if (verdict_method(info->method)->residual || info->reason != EM_SETTLED)
        complain(c, "%s after %ld iterations, worst residual %g, change %g", em_reason_text(info->reason),
                 info->iterations, info->worst_residual, info->change);
}

static int rank_of(const svd *exact)
{
    int rank = 0;
    while (rank < exact->count && exact->sigma[rank] > 1e-12L * (exact->sigma[0] + exact->offset)) rank++;
    return rank;
}

static void check_rank(check *c)
{
    int K = c->info->components, rank = rank_of(c->exact) < K ? rank_of(c->exact) : K;
    if (c->info->rank != rank) complain(c, "rank %d, is %d", c->info->rank, rank);
    for (int k = rank; k < K; k++)
        if (em_model_explained_variance(c->model)[k] != 0)
            complain(c, "component %d is past the rank, its variance is %g", k,
                     em_model_explained_variance(c->model)[k]);
}

static void check_angles(check *c)
{
    int d = em_model_features(c->model), rank = rank_of(c->exact);
    for (int k = 0; k < c->info->components && k < rank; k++) {
        double sine = svd_sine(c->exact, em_model_components(c->model) + k * d, k);
        double own = svd_own_error(c->exact, k, k) + 4 * DBL_EPSILON * sqrt(d);
        double bound = em_model_angle_bounds(c->model)[k];
        if (!(sine <= bound + own)) complain(c, "component %d: sine %g, said to be at most %g", k, sine, bound);
        if (c->info->reason > 0 && !(sine <= c->place->most))
            complain(c, "component %d: sine %g, %g is owed", k, sine, c->place->most);
    }
}

int verdict_complaints(const em_model *model, const svd *exact, const verdict_place *place)
{
    check c = {.model = model, .info = em_model_info(model), .exact = exact, .place = place};
    check_reason(&c);
    check_rank(&c);
    check_angles(&c);
    return c.complaints;
}
