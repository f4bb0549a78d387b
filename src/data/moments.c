#include "data/moments.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 }; /* stays in the second-level cache */

size_t emi_moments_needs(int d)
{
    return (emi_rows_at_once(d, BLOCK_BYTES) + 1) * (size_t)d;
}

typedef struct survey {
    const emi_shard *shard;
    const double *factor;
} survey;

/* A block of rows: its sums, and the extremes so far. */
EMI_WIDE static void survey_rows(const double *rows, size_t count, size_t d, double *restrict sum,
                                 double *restrict highest, double *restrict lowest)
{
    for (size_t r = 0; r < count; r++) {
        const double *restrict row = rows + r * d;
        for (size_t f = 0; f < d; f++) {
            sum[f] += row[f];
            highest[f] = row[f] > highest[f] ? row[f] : highest[f];
            lowest[f] = -row[f] > lowest[f] ? -row[f] : lowest[f];
        }
    }
}

/* The same where values are missing: they count as such, and as nothing else. */
static void survey_holes(const double *rows, size_t count, size_t d, double *sum, double *found)
{
    double *missing = found + EMI_MISSING * d, *highest = found + EMI_HIGHEST * d, *lowest = found + EMI_LOWEST * d;
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++) {
            double value = rows[r * d + f];
            if (isnan(value)) {
                missing[f] += 1;
                continue;
            }
            sum[f] += value;
            highest[f] = fmax(highest[f], value);
            lowest[f] = fmax(lowest[f], -value);
        }
}

static void multiply_rows(double *rows, size_t count, size_t d, const double *factor)
{
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++) rows[r * d + f] *= factor[f];
}

/* Sums are kept a block at a time and the blocks' sums added up: rounding then grows with the number of
 * blocks, not of rows. */
static em_status survey_part(void *context, size_t from, size_t rows_of_part, double *found, emi_scratch scratch,
                             em_error *err)
{
    em_status status = EM_OK;
    const survey *s = context;
    size_t d = s->shard->data->columns, at_once = emi_rows_at_once((int)d, BLOCK_BYTES), count;
    double *rows = scratch.v, *block = rows + at_once * d;
    memset(found, 0, sizeof *found * EMI_HIGHEST * d);
    for (size_t n = EMI_HIGHEST * d; n < EMI_SURVEY * d; n++) found[n] = -INFINITY;
    for (size_t first = from; first < from + rows_of_part; first += count) {
        count = from + rows_of_part - first < at_once ? from + rows_of_part - first : at_once;
        TRY(emi_shard_read(s->shard, first, count, rows, err));
        if (s->factor) multiply_rows(rows, count, d, s->factor);
        memset(block, 0, sizeof *block * d);
        if (s->shard->data->holes)
            survey_holes(rows, count, d, block, found);
        else
            survey_rows(rows, count, d, block, found + EMI_HIGHEST * d, found + EMI_LOWEST * d);
        double all = 0;
        for (size_t f = 0; f < d; f++) found[f] += block[f], all += block[f] - block[f];
        if (isnan(all)) TRY(emi_shard_check_finite(s->shard, first, count, rows, err));
        emi_shard_forget(s->shard, first, count);
    }
done:
    return status;
}

em_status emi_survey(const emi_shard *shard, const double *factor, double *found, const emi_helpers *helpers,
                     emi_scratch scratch, em_error *err)
{
    survey s = {shard, factor};
    size_t d = shard->data->columns;
    return emi_gather_parts(shard->count, found, EMI_HIGHEST * d, 2 * d, survey_part, &s, helpers, scratch, err);
}

typedef struct squares {
    const emi_standard *standard;
    const emi_shard *shard;
} squares;

static em_status squares_of_part(void *context, size_t from, size_t rows_of_part, double *sum, emi_scratch scratch,
                                 em_error *err)
{
    const squares *s = context;
    size_t d = (size_t)s->standard->d, at_once = emi_rows_at_once(s->standard->d, BLOCK_BYTES), count;
    double *rows = scratch.v, *block = rows + at_once * d;
    memset(sum, 0, sizeof *sum * d);
    for (size_t first = from; first < from + rows_of_part; first += count) {
        count = from + rows_of_part - first < at_once ? from + rows_of_part - first : at_once;
        em_status status = emi_standard_read(s->standard, s->shard, first, count, EMI_DOUBLE, rows, NULL, err);
        if (status != EM_OK) return status;
        memset(block, 0, sizeof *block * d);
        for (size_t r = 0; r < count; r++)
            for (size_t f = 0; f < d; f++) block[f] += rows[r * d + f] * rows[r * d + f];
        for (size_t f = 0; f < d; f++) sum[f] += block[f];
        emi_shard_forget(s->shard, first, count);
    }
    return EM_OK;
}

em_status emi_sum_squares(const emi_standard *standard, const emi_shard *shard, double *sum, const emi_helpers *helpers,
                          emi_scratch scratch, em_error *err)
{
    squares s = {standard, shard};
    return emi_sum_parts(shard->count, sum, (size_t)standard->d, squares_of_part, &s, helpers, scratch, err);
}
