#include "fit/last.h"

#include "base/memory.h"
#include "data/shards.h"
#include "linalg/basis.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- whose features are which ---------------------------------------------------------------------- */

typedef struct named {
    const char *name;
    int at;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static void sort_names(named *out, char *const *names, int d)
{
    for (int f = 0; f < d; f++) out[f] = (named){names[f], f};
    qsort(out, (size_t)d, sizeof *out, by_name);
}

static em_status refuse_name(const named *here, const named *there, em_error *err)
{
    if (strcmp(here->name, there->name) < 0)
        return emi_fail(err, EM_EINVAL,
                        "init: the last model has no feature '%.60s', and the data has; try its columns", here->name);
    return emi_fail(err, EM_EINVAL, "init: the data has no feature '%.60s', and the last model has; try its columns",
                    there->name);
}

/* from[f]: where the last model has the feature that is the f-th here.  By place where either has no names. */
static em_status match(int *from, const em_model *model, char *const *names, em_error *err)
{
    em_status status = EM_OK;
    int d = model->d, same = 1;
    named *here = NULL, *there = NULL;
    for (int f = 0; f < d; f++) {
        from[f] = f;
        if (names && model->feature_names) same &= strcmp(names[f], model->feature_names[f]) == 0;
    }
    if (same) return EM_OK;
    here = emi_calloc((size_t)d, sizeof *here);
    there = emi_calloc((size_t)d, sizeof *there);
    if (!here || !there) TRY(emi_fail_memory(err, "init"));
    sort_names(here, names, d);
    sort_names(there, model->feature_names, d);
    for (int f = 0; f < d; f++) {
        if (strcmp(here[f].name, there[f].name) != 0) TRY(refuse_name(&here[f], &there[f], err));
        from[here[f].at] = there[f].at;
    }
done:
    emi_free(there);
    emi_free(here);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Those with variance: the others have any direction. */
static em_status take_columns(emi_last *last, const em_model *model, const int *from, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)model->d;
    int count = 0;
    double *room = NULL;
    while (count < model->K && model->explained_variance[count] > 0) count++;
    if (count == 0) return EM_OK;
    size_t needs = emi_orthonormalise_needs(model->d, count);
    last->V = emi_doubles(d * (size_t)count);
    room = emi_doubles(needs);
    if (!last->V || !room) TRY(emi_fail_memory(err, "init"));
    for (size_t k = 0; k < (size_t)count; k++)
        for (size_t f = 0; f < d; f++) last->V[k * d + f] = model->components[k * d + (size_t)from[f]];
    TRY(emi_orthonormalise((emi_block){model->d, count, last->V}, EMI_QR_POSITIVE, (emi_scratch){room, needs}, err));
    last->K = count;
done:
    emi_free(room);
    return status;
}

em_status emi_last_open(emi_last *last, const em_options *options, const em_shards *shards, em_error *err)
{
    em_status status = EM_OK;
    const em_model *model = options->last;
    int *from = NULL;
    *last = (emi_last){.d = (int)shards->columns};
    if (!model) return EM_OK;
    if (options->init) TRY(emi_fail(err, EM_EINVAL, "init: a start and a last model too; try one of them"));
    if ((size_t)model->d != shards->columns)
        TRY(emi_fail(err, EM_EINVAL, "init: the last model has %d features, and the data %zu; try a model of such data",
                     model->d, shards->columns));
    from = emi_calloc((size_t)model->d, sizeof *from);
    if (!from) TRY(emi_fail_memory(err, "init"));
    TRY(match(from, model, shards->shard[0].data->names, err));
    TRY(take_columns(last, model, from, err));
done:
    emi_free(from);
    return status;
}

em_status emi_last_check_scale(const em_options *options, const char *scale, em_error *err)
{
    const char *before = options->last ? options->last->info.scale : "";
    if (*before == 0 || strcmp(before, scale) == 0) return EM_OK; /* an older file does not say */
    return emi_fail(err, EM_EINVAL, "init: the last model has scale %s, and this fit %s; try scale=%s", before, scale,
                    before);
}

void emi_last_close(emi_last *last)
{
    emi_free(last->V);
    *last = (emi_last){0};
}

/* ---- following it -------------------------------------------------------------------------------------- */

static void turn_round(int d, double *x)
{
    cblas_dscal(d, -1, x, 1);
}

/* The last component that x is nearest to; its overlap with it. */
static int nearest(const emi_last *last, const double *x, double *overlap)
{
    int best = 0;
    *overlap = 0;
    for (int j = 0; j < last->K; j++) {
        double dot = cblas_ddot(last->d, x, 1, last->V + (size_t)j * (size_t)last->d, 1);
        if (fabs(dot) > fabs(*overlap)) *overlap = dot, best = j;
    }
    return best;
}

/* Of the last components, the columns of `all` (m x K), the m whose projections are longest come first, in their order. */
static void choose_columns(emi_block all)
{
    int m = all.rows;
    for (int drop = all.cols; drop > m; drop--) {
        int shortest = 0;
        for (int j = 1; j < drop; j++)
            if (emi_norm(m, emi_column_of(all, j)) < emi_norm(m, emi_column_of(all, shortest))) shortest = j;
        memmove(emi_column_of(all, shortest), emi_column_of(all, shortest) + m,
                sizeof *all.v * (size_t)m * (size_t)(drop - 1 - shortest));
    }
}

/* Z <- Z turn, for m columns. */
static void apply_turn(emi_block Z, emi_block turn, double *room)
{
    emi_block out = {Z.rows, Z.cols, room};
    emi_mul(1, Z, turn, 0, out);
    memcpy(Z.v, room, sizeof *room * (size_t)Z.rows * (size_t)Z.cols);
}

/* Columns first .. end - 1 of X turn among themselves: by the orthogonal matrix nearest to their overlaps with the last ones
 * (Schoenemann, Psychometrika 31, 1966). */
static em_status turn_group(const emi_last *last, emi_block X, double *CX, int first, int end, em_error *err)
{
    em_status status = EM_OK;
    int m = end - first;
    size_t d = (size_t)last->d, at = (size_t)first * d, size = (size_t)m, needs = emi_polar_needs(m, m);
    double *overlaps = emi_doubles(size * (size_t)last->K), *room = emi_doubles(d * size + needs);
    if (!overlaps || !room) TRY(emi_fail_memory(err, "init"));
    emi_block G = {last->d, m, X.v + at}, all = {m, last->K, overlaps};
    emi_mul_tn(1, G, (emi_block){last->d, last->K, last->V}, 0, all);
    choose_columns(all);
    emi_block turn = {m, m, overlaps};
    TRY(emi_polar(turn, (emi_scratch){room + d * size, needs}, err));
    apply_turn(G, turn, room);
    if (CX) apply_turn((emi_block){last->d, m, CX + at}, turn, room);
done:
    emi_free(room);
    emi_free(overlaps);
    return status;
}

em_status emi_last_lead(const emi_last *last, emi_block X, double *CX, const double *theta, double tolerance,
                        em_error *err)
{
    const double part = 0.1; /* of the tolerance: what such a turn adds to a residual */
    em_status status = EM_OK;
    double overlap;
    for (int first = 0, end; theta && first < X.cols; first = end) {
        for (end = first + 1; end < X.cols && theta[end - 1] - theta[end] <= part * tolerance * theta[end - 1];) end++;
        if (end - first > 1 && end - first <= last->K) TRY(turn_group(last, X, CX, first, end, err));
    }
    for (int k = 0; k < X.cols; k++) {
        (void)nearest(last, emi_column_of(X, k), &overlap);
        if (overlap < 0) turn_round(X.rows, emi_column_of(X, k));
        if (overlap < 0 && CX) turn_round(X.rows, CX + (size_t)k * (size_t)X.rows);
    }
done:
    return status;
}

/* ---- how far ------------------------------------------------------------------------------------------- */

static double angle_of(double sine)
{
    return asin(fmin(1, sine));
}

/* The sine of the largest angle of `few` orthonormal columns to the span of `many`: the largest singular value of what is left
 * of them without it, whose squares are small where it is. */
static em_status largest_sine(emi_block few, emi_block many, double *sine, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)few.rows, n = (size_t)few.cols;
    double *left = emi_doubles(d * n + (size_t)many.cols * n + n * n + n);
    if (!left) TRY(emi_fail_memory(err, "init"));
    emi_block rest = {few.rows, few.cols, left}, along = {many.cols, few.cols, left + d * n},
              gram = {few.cols, few.cols, along.v + (size_t)many.cols * n};
    memcpy(rest.v, few.v, sizeof *left * d * n);
    emi_mul_tn(1, many, rest, 0, along);
    emi_mul(-1, many, along, 1, rest);
    emi_mul_tn(1, rest, rest, 0, gram);
    TRY(emi_all_eigen(gram.v, gram.cols, gram.v + n * n, err));
    *sine = sqrt(fmax(0, gram.v[n * n]));
done:
    emi_free(left);
    return status;
}

em_status emi_last_measure(const emi_last *last, em_model *model, em_error *err)
{
    double overlap, sine = 0;
    if (last->K == 0) return EM_OK;
    for (int k = 0; k < model->K; k++) {
        const double *x = model->components + (size_t)k * (size_t)model->d;
        int j = nearest(last, x, &overlap);
        model->turns[k] = angle_of(sqrt(emi_sin2(model->d, x, last->V + (size_t)j * (size_t)model->d)));
    }
    emi_block X = {model->d, model->K, model->components}, V = {last->d, last->K, last->V};
    em_status status = X.cols <= V.cols ? largest_sine(X, V, &sine, err) : largest_sine(V, X, &sine, err);
    model->info.turn = angle_of(sine);
    return status;
}
