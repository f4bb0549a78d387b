#include "support/models.h"

#include <string.h>

static int same_numbers(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static int same_number(double a, double b)
{
    return same_numbers(&a, &b, 1);
}

const em_trace_row *trace_of(const em_model *model, size_t *rows)
{
    *rows = em_model_trace_rows(model);
    assert_null(em_model_trace_row(model, *rows));
    return em_model_trace_row(model, 0);
}

static int same_trace(const em_model *a, const em_model *b)
{
    size_t rows = 0, others = 0, n = 0;
    const em_trace_row *left = trace_of(a, &rows), *right = trace_of(b, &others);
    if (rows != others) return 0;
    while (n < rows && left[n].iteration == right[n].iteration && left[n].rounds == right[n].rounds &&
           left[n].messages == right[n].messages && left[n].bytes == right[n].bytes &&
           left[n].units == right[n].units && same_number(left[n].residual, right[n].residual) &&
           same_number(left[n].consensus, right[n].consensus) && same_number(left[n].error, right[n].error))
        n++;
    return n == rows;
}

static int same_traffic(const em_info *a, const em_info *b)
{
    int phase = 0;
    while (phase < EM_PHASES && a->traffic[phase].rounds == b->traffic[phase].rounds &&
           a->traffic[phase].messages == b->traffic[phase].messages &&
           a->traffic[phase].bytes == b->traffic[phase].bytes && a->traffic[phase].units == b->traffic[phase].units)
        phase++;
    return phase == EM_PHASES;
}

static int same_ending(const em_info *a, const em_info *b)
{
    return strcmp(a->method, b->method) == 0 && strcmp(a->choice, b->choice) == 0 &&
           strcmp(a->operator_name, b->operator_name) == 0 && a->reason == b->reason &&
           a->iterations == b->iterations && a->seed == b->seed && a->samples == b->samples && a->nodes == b->nodes &&
           a->open_cluster == b->open_cluster && same_number(a->step, b->step) && same_number(a->change, b->change) &&
           same_number(a->residual, b->residual) && same_number(a->consensus, b->consensus) &&
           same_number(a->error, b->error);
}

static const char *difference(const em_model *a, const em_model *b)
{
    size_t K = (size_t)em_model_components_count(a), d = (size_t)em_model_features(a);
    if (K != (size_t)em_model_components_count(b) || d != (size_t)em_model_features(b)) return "shape";
    if (!same_numbers(em_model_components(a), em_model_components(b), K * d)) return "components";
    if (!same_numbers(em_model_explained_variance(a), em_model_explained_variance(b), K)) return "variances";
    if (!same_numbers(em_model_residuals(a), em_model_residuals(b), K)) return "residuals";
    if (!same_numbers(em_model_mean(a), em_model_mean(b), d)) return "mean";
    if (!same_numbers(em_model_scale(a), em_model_scale(b), d)) return "scale";
    if (!same_trace(a, b)) return "trace";
    if (!same_traffic(em_model_info(a), em_model_info(b))) return "traffic";
    if (!same_ending(em_model_info(a), em_model_info(b))) return "ending";
    return NULL;
}

void check_same_model(const em_model *a, const em_model *b, const char *file, int line)
{
    const char *what = a && b ? difference(a, b) : "one of them";
    if (!what) return;
    print_error("two models of %s differ: %s\n", a ? em_model_info(a)->method : "nothing", what);
    _fail(file, line);
}
