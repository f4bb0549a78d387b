/* Squares about the mean, in one pass over the rows.  Of a piece of some rows, squares are taken about the mean of those before
 * it, corrected to the piece's own, and pieces are merged:
 *
 *     T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances.
 *     Technical report STAN-CS-79-773, Stanford University, 1979.
 *
 * The correction loses no digits that count: it is never much larger than what the merge adds.  The merge takes the difference
 * of two means, which would lose them where a mean is many deviations away from zero; so sums are of differences from an
 * origin, one of the feature's own values. */
#include "data/moments.h"

#include "base/wide.h"
#include "data/row_kind.h"
#include "data/standard.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 20, /* of rows as doubles, where they must be read      */
    FEATURES = 1024,       /* that are gone through at a time                  */
    PIECE = 256,           /* rows at most that are summed one after the other */
    FIRST_PIECE = 16       /* of a part, which often is gone through twice     */
};

size_t emi_moments_needs(int d)
{
    return (emi_rows_at_once(d, BLOCK_BYTES) + EMI_SURVEY) * (size_t)d;
}

/* ---- a piece of a few rows ----------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Sums of differences from `centre` and of their squares, and extremes.  Four rows at a time: what is found so far is fetched and
 * put back less often. */
#define SURVEYOR(FROM)                                                                                                 \
    EMI_WIDE static void survey_##FROM(const void *from, size_t count, size_t d, size_t features,                      \
                                       const double *restrict centre, double *restrict sum, double *restrict squares,  \
                                       double *restrict highest, double *restrict lowest)                              \
    {                                                                                                                  \
        const FROM *row = from;                                                                                        \
        size_t r = 0;                                                                                                  \
        for (; r + 4 <= count; r += 4, row += 4 * d)                                                                   \
            for (size_t f = 0; f < features; f++) {                                                                    \
                double v = row[f], w = row[d + f], x = row[2 * d + f], y = row[3 * d + f], c = centre[f];              \
                highest[f] = larger(larger(larger(larger(highest[f], v), w), x), y);                                   \
                lowest[f] = larger(larger(larger(larger(lowest[f], -v), -w), -x), -y);                                 \
                v -= c, w -= c, x -= c, y -= c;                                                                        \
                sum[f] += (v + w) + (x + y);                                                                           \
                squares[f] += (v * v + w * w) + (x * x + y * y);                                                       \
            }                                                                                                          \
        for (; r < count; r++, row += d)                                                                               \
            for (size_t f = 0; f < features; f++) {                                                                    \
                double v = row[f], from_centre = v - centre[f];                                                        \
                highest[f] = larger(highest[f], v);                                                                    \
                lowest[f] = larger(lowest[f], -v);                                                                     \
                sum[f] += from_centre;                                                                                 \
                squares[f] += from_centre * from_centre;                                                               \
            }                                                                                                          \
    }

SURVEYOR(double)
SURVEYOR(float)
SURVEYOR(uint8_t)
SURVEYOR(int8_t)

typedef void surveyor(const void *from, size_t count, size_t d, size_t features, const double *centre, double *sum,
                      double *squares, double *highest, double *lowest);

/* Where values are missing: they count as nothing. */
static void survey_holes(const double *rows, size_t count, size_t d, double *piece)
{
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++) {
            double value = rows[r * d + f], from_centre = value - piece[EMI_ORIGIN * d + f],
                   *highest = &piece[EMI_HIGHEST * d + f], *lowest = &piece[EMI_LOWEST * d + f];
            if (isnan(value)) continue;
            piece[EMI_COUNT * d + f]++;
            piece[EMI_SUM * d + f] += from_centre;
            piece[EMI_SQUARES * d + f] += from_centre * from_centre;
            *highest = larger(*highest, value), *lowest = larger(*lowest, -value);
        }
}

/* ---- pieces, and parts, one after the other -------------------------------------------------------------------- */

void emi_survey_nothing(double *found, size_t d)
{
    memset(found, 0, sizeof *found * EMI_HIGHEST * d);
    for (size_t n = EMI_HIGHEST * d; n < EMI_ORIGIN * d; n++) found[n] = -INFINITY;
}

/* Chan, Golub and LeVeque: for sums S of m and T of n values, squares about the mean of all are those about
 * either's plus (n S - m T)^2 / (m n (m + n)). */
EMI_WIDE static void merge(double *found, const double *more, size_t size)
{
    const size_t d = size / EMI_ORIGIN;
    double *restrict count = found, *restrict sum = found + EMI_SUM * d, *restrict squares = found + EMI_SQUARES * d;
    const double *restrict n = more, *restrict added = more + EMI_SUM * d, *restrict about = more + EMI_SQUARES * d;
    for (size_t f = 0; f < d; f++) {
        double m = count[f], apart = n[f] * sum[f] - m * added[f], weight = m * n[f] * (m + n[f]);
        squares[f] += about[f] + apart * apart / (weight > 0 ? weight : 1);
        sum[f] += added[f];
        count[f] += n[f];
    }
    for (size_t e = EMI_HIGHEST * d; e < size; e++) found[e] = larger(found[e], more[e]);
}

void emi_survey_merge(double *found, const double *more, size_t size)
{
    merge(found, more, size);
}

typedef struct survey {
    const emi_shard *shard;
    const double *unit, *origin;
} survey;

/* Rows as doubles, in the unit asked for. */
static em_status read_rows(const survey *s, size_t first, size_t count, double *rows, em_error *err)
{
    em_status status = emi_shard_read(s->shard, first, count, rows, err);
    size_t d = s->shard->data->columns;
    for (size_t n = 0; status == EM_OK && s->unit && n < count * d; n++) rows[n] /= s->unit[n % d];
    return status;
}

/* Rows to look at, where they lie or as doubles. */
typedef struct block {
    const char *rows;
    size_t row_size;
    surveyor *look; /* NULL: values are missing */
} block;

/* Squares about the piece's own mean, and sums from the origin.  Was the centre far from that mean, for some feature, so that
 * digits were lost? */
EMI_WIDE static int settle(const double *restrict n, double *restrict sum, double *restrict squares,
                           const double *restrict centre, const double *restrict origin, size_t d)
{
    static const double far = 64, nothing = 1e-28; /* the squares of what rounding leaves of a constant */
    double lost = 0;
    for (size_t f = 0; f < d; f++) {
        double apart = sum[f] * sum[f] / larger(1, n[f]), about = squares[f];
        squares[f] = larger(0, about - apart);
        sum[f] += n[f] * (centre[f] - origin[f]);
        lost = larger(lost, apart - far * squares[f] - nothing * n[f] * origin[f] * origin[f]);
    }
    return lost > 0;
}

/* A few rows, about the means that are known.  Is it to be done again, about the mean that is known now? */
static int survey_piece(const survey *s, const block *b, size_t at, size_t count, const double *known, double *piece)
{
    const size_t d = s->shard->data->columns;
    const char *rows = b->rows + at * b->row_size;
    double *n = piece + EMI_COUNT * d, *sum = piece + EMI_SUM * d, *squares = piece + EMI_SQUARES * d,
           *centre = piece + EMI_ORIGIN * d;
    for (size_t f = 0; f < d; f++)
        centre[f] = s->origin[f] + known[EMI_SUM * d + f] / larger(1, known[EMI_COUNT * d + f]);
    emi_survey_nothing(piece, d);
    if (b->look) {
        for (size_t f = 0; f < d; f++) n[f] = (double)count;
        for (size_t at_feature = 0; at_feature < d; at_feature += FEATURES) /* whose sums stay in the cache */
            b->look(rows + b->row_size / d * at_feature, count, d,
                    d - at_feature < FEATURES ? d - at_feature : FEATURES, centre + at_feature, sum + at_feature,
                    squares + at_feature, piece + EMI_HIGHEST * d + at_feature, piece + EMI_LOWEST * d + at_feature);
    } else {
        survey_holes((const double *)(const void *)rows, count, d, piece);
    }
    return settle(n, sum, squares, centre, s->origin, d);
}

static em_status find_block(const survey *s, size_t first, size_t count, double *rows, block *b, em_error *err)
{
    static surveyor *const in_place[] = {[EM_F64] = survey_double,
                                         [EM_F32] = survey_float,
                                         [EM_U8] = survey_uint8_t,
                                         [EM_I8] = survey_int8_t,
                                         [EM_BOOL] = NULL};
    const em_data *data = s->shard->data;
    *b = (block){.look = in_place[data->type], .row_size = emi_dtype_size(data->type) * data->columns};
    if (b->look && !s->shard->order && !s->unit) b->rows = emi_data_in_place(data, s->shard->first + first);
    if (b->rows) return EM_OK;
    *b = (block){(const char *)rows, sizeof *rows * data->columns, data->holes ? NULL : survey_double};
    return read_rows(s, first, count, rows, err);
}

/* Digits are lost where nothing is known yet: in the part's first piece; and in all where any may be the first with values of a
 * feature. */
static em_status survey_block(const survey *s, size_t first, size_t count, int begins, double *found, double *rows,
                              em_error *err)
{
    em_status status = EM_OK;
    size_t d = s->shard->data->columns, now;
    double all = 0, *piece = rows + emi_rows_at_once((int)d, BLOCK_BYTES) * d;
    block b;
    TRY(find_block(s, first, count, rows, &b, err));
    for (size_t at = 0; at < count; at += now) {
        int new = (begins && at == 0) || !b.look;
        size_t most = begins && at == 0 ? FIRST_PIECE : PIECE;
        now = count - at < most ? count - at : most;
        int lost = survey_piece(s, &b, at, now, found, piece);
        if (new &&lost) (void)survey_piece(s, &b, at, now, piece, piece);
        for (size_t f = 0; f < d; f++) all += piece[EMI_SUM * d + f] - piece[EMI_SUM * d + f];
        merge(found, piece, EMI_ORIGIN * d);
    }
    if (b.rows != (const char *)rows) TRY(emi_data_check(s->shard->data, s->shard->first + first, count, err));
    if (isnan(all)) { /* a value that is not finite, or a sum */
        TRY(emi_shard_read(s->shard, first, count, rows, err));
        TRY(emi_shard_check_finite(s->shard, first, count, rows, err));
    }
    emi_shard_forget(s->shard, first, count);
done:
    return status;
}

static em_status survey_part(void *context, size_t from, size_t rows_of_part, double *found, emi_scratch scratch,
                             em_error *err)
{
    em_status status = EM_OK;
    const survey *s = context;
    size_t d = s->shard->data->columns, at_once = emi_rows_at_once((int)d, BLOCK_BYTES), count;
    emi_survey_nothing(found, d);
    for (size_t first = from; status == EM_OK && first < from + rows_of_part; first += count) {
        count = from + rows_of_part - first < at_once ? from + rows_of_part - first : at_once;
        status = survey_block(s, first, count, first == from, found, scratch.v, err);
    }
    return status;
}

/* The first value of each feature; where values are missing, of the first block, or zero. */
static em_status find_origin(const survey *s, double *origin, double *rows, em_error *err)
{
    size_t d = s->shard->data->columns, most = s->shard->data->holes ? emi_rows_at_once((int)d, BLOCK_BYTES) : 1,
           count = s->shard->count < most ? s->shard->count : most;
    em_status status = read_rows(s, 0, count, rows, err);
    if (status != EM_OK) return status;
    memset(origin, 0, d * sizeof *origin);
    for (size_t r = count; r-- > 0;)
        for (size_t f = 0; f < d; f++)
            if (isfinite(rows[r * d + f])) origin[f] = rows[r * d + f];
    return EM_OK;
}

em_status emi_survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                     emi_scratch scratch, em_error *err)
{
    size_t d = shard->data->columns;
    const emi_row_kind *rows = emi_rows_of(shard);
    if (rows) return rows->survey(shard, unit, found, helpers, scratch, err);
    survey s = {shard, unit, found + EMI_ORIGIN * d};
    em_status status = find_origin(&s, found + EMI_ORIGIN * d, scratch.v, err);
    if (status != EM_OK) return status;
    return emi_gather_parts((emi_extent){shard->count, d}, found, EMI_ORIGIN * d, survey_part, merge, &s, helpers,
                            scratch, err);
}
