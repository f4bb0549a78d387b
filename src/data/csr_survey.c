/* What there is to know of sparse rows, by what is stored: zeros are counted.
 *
 * A part of the rows is gone through twice, for its sums and then for squares about its own mean, and parts are merged as those of dense
 * rows are.  The origin is the first row's value there too. */
#include "data/csr.h"
#include "data/moments.h"

#include <math.h>
#include <string.h>

typedef struct survey {
    const emi_shard *shard;
    const emi_csr *m;
    const double *unit, *origin;
} survey;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Is it no number, where that is not allowed? */
static int is_bad(const survey *s, double value)
{
    return !isfinite(value) && !(s->shard->data->holes && isnan(value));
}

/* Which one it is, and in whose words: those of any other row. */
static em_status tell_bad(const survey *s, size_t row, double *room, em_error *err)
{
    em_status status = emi_shard_read(s->shard, row, 1, room, err);
    return status == EM_OK ? emi_shard_check_finite(s->shard, row, 1, room, err) : status;
}

static double value_at(const survey *s, size_t n, size_t f)
{
    double value = emi_csr_value(s->m, n);
    return s->unit ? value / s->unit[f] : value;
}

/* Counts, sums and extremes of what is stored; `missing` counts what is there but no number. */
static em_status first_pass(const survey *s, size_t from, size_t rows, double *found, double *missing, double *room,
                            em_error *err)
{
    const size_t d = s->m->columns;
    for (size_t r = from; r < from + rows; r++) {
        size_t row = emi_csr_row(s->shard, r), end = emi_csr_start(s->m, row + 1);
        for (size_t n = emi_csr_start(s->m, row); n < end; n++) {
            size_t f = emi_csr_index(s->m, n);
            double value = value_at(s, n, f);
            if (is_bad(s, value)) return tell_bad(s, r, room, err);
            if (isnan(value)) {
                missing[f]++;
                continue;
            }
            found[EMI_COUNT * d + f]++;
            found[EMI_SUM * d + f] += value - s->origin[f];
            found[EMI_HIGHEST * d + f] = larger(found[EMI_HIGHEST * d + f], value);
            found[EMI_LOWEST * d + f] = larger(found[EMI_LOWEST * d + f], -value);
        }
    }
    return EM_OK;
}

/* The zeros join what is stored; `centre` is the mean then, and squares begin with theirs. */
static void count_zeros(const survey *s, size_t rows, double *found, const double *missing, double *centre)
{
    const size_t d = s->m->columns;
    for (size_t f = 0; f < d; f++) {
        double zeros = (double)rows - missing[f] - found[EMI_COUNT * d + f];
        found[EMI_COUNT * d + f] += zeros;
        found[EMI_SUM * d + f] -= zeros * s->origin[f];
        centre[f] = found[EMI_SUM * d + f] / larger(1, found[EMI_COUNT * d + f]);
        if (zeros == 0) continue;
        double away = s->origin[f] + centre[f];
        found[EMI_SQUARES * d + f] = zeros * away * away;
        for (int e = EMI_HIGHEST; e <= EMI_LOWEST; e++) found[(size_t)e * d + f] = larger(found[(size_t)e * d + f], 0);
    }
}

static void second_pass(const survey *s, size_t from, size_t rows, double *found, const double *centre)
{
    double *squares = found + EMI_SQUARES * s->m->columns;
    for (size_t r = from; r < from + rows; r++) {
        size_t row = emi_csr_row(s->shard, r), end = emi_csr_start(s->m, row + 1);
        for (size_t n = emi_csr_start(s->m, row); n < end; n++) {
            size_t f = emi_csr_index(s->m, n);
            double away = value_at(s, n, f) - s->origin[f] - centre[f];
            if (!isnan(away)) squares[f] += away * away;
        }
    }
}

static em_status survey_part(void *context, size_t from, size_t rows, double *found, emi_scratch scratch, em_error *err)
{
    const survey *s = context;
    const size_t d = s->m->columns;
    double *missing = scratch.v, *centre = missing + d, *room = centre + d;
    emi_survey_nothing(found, d);
    memset(missing, 0, sizeof *missing * d);
    em_status status = first_pass(s, from, rows, found, missing, room, err);
    if (status != EM_OK) return status;
    count_zeros(s, rows, found, missing, centre);
    second_pass(s, from, rows, found, centre);
    return EM_OK;
}

/* The first row; 0 where that has no number. */
static em_status find_origin(const survey *s, double *origin, em_error *err)
{
    em_status status = emi_shard_read(s->shard, 0, 1, origin, err);
    for (size_t f = 0; status == EM_OK && f < s->m->columns; f++)
        origin[f] = isfinite(origin[f]) ? origin[f] / (s->unit ? s->unit[f] : 1) : 0;
    return status;
}

em_status emi_csr_survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                         emi_scratch scratch, em_error *err)
{
    const emi_csr *m = shard->data->state;
    size_t d = m->columns, width = emi_csr_count(m) / m->rows + 1;
    survey s = {shard, m, unit, found + EMI_ORIGIN * d};
    em_status status = find_origin(&s, found + EMI_ORIGIN * d, err);
    if (status != EM_OK) return status;
    return emi_gather_parts((emi_extent){shard->count, width}, found, EMI_ORIGIN * d, survey_part, emi_survey_merge, &s,
                            helpers, scratch, err);
}
