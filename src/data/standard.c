#include "data/standard.h"

#include "base/wide.h"

#include <math.h>

size_t emi_rows_at_once(int d, size_t bytes)
{
    size_t rows = bytes / (sizeof(double) * (size_t)d) / EMI_SKINNY_ROWS * EMI_SKINNY_ROWS;
    return rows < EMI_SKINNY_ROWS ? EMI_SKINNY_ROWS : rows;
}

/* ---- numbers where they lie, in one go ----------------------------------------------------------------------- */

#define STANDARDISER(FROM, TO, NAME)                                                                                   \
    EMI_WIDE static void NAME(const emi_standard *standard, const void *from, size_t count, void *to)                  \
    {                                                                                                                  \
        size_t d = (size_t)standard->d;                                                                                \
        const double *restrict mean = standard->mean, *restrict inverse = standard->inverse_scale;                     \
        for (size_t r = 0; r < count; r++) {                                                                           \
            const FROM *y = (const FROM *)from + r * d;                                                                \
            TO *out = (TO *)to + r * d;                                                                                \
            if (mean && inverse)                                                                                       \
                for (size_t f = 0; f < d; f++) out[f] = (TO)(((double)y[f] - mean[f]) * inverse[f]);                   \
            else if (mean)                                                                                             \
                for (size_t f = 0; f < d; f++) out[f] = (TO)((double)y[f] - mean[f]);                                  \
            else if (inverse)                                                                                          \
                for (size_t f = 0; f < d; f++) out[f] = (TO)((double)y[f] * inverse[f]);                               \
            else                                                                                                       \
                for (size_t f = 0; f < d; f++) out[f] = (TO)y[f];                                                      \
        }                                                                                                              \
    }

/* In single precision throughout, where there is only a mean to take off: in two parts, so that what is left of a number near
 * it has all its digits. */
#define CENTRER(FROM)                                                                                                  \
    EMI_WIDE static void FROM##_to_float(const emi_standard *standard, const void *from, size_t count, void *to)       \
    {                                                                                                                  \
        enum { AT_ONCE = 512 };                                                                                        \
        size_t d = (size_t)standard->d;                                                                                \
        float high[AT_ONCE], low[AT_ONCE];                                                                             \
        if (!standard->mean || standard->inverse_scale) {                                                              \
            FROM##_scaled_to_float(standard, from, count, to);                                                         \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t first = 0; first < d; first += AT_ONCE) {                                                          \
            size_t features = d - first < AT_ONCE ? d - first : AT_ONCE;                                               \
            for (size_t f = 0; f < features; f++) {                                                                    \
                high[f] = (float)standard->mean[first + f];                                                            \
                low[f] = (float)(standard->mean[first + f] - (double)high[f]);                                         \
            }                                                                                                          \
            for (size_t r = 0; r < count; r++) {                                                                       \
                const FROM *restrict y = (const FROM *)from + r * d + first;                                           \
                float *restrict out = (float *)to + r * d + first;                                                     \
                for (size_t f = 0; f < features; f++) out[f] = ((float)y[f] - high[f]) - low[f];                       \
            }                                                                                                          \
        }                                                                                                              \
    }

STANDARDISER(double, double, double_to_double)
STANDARDISER(double, float, double_to_float)
STANDARDISER(float, double, float_to_double)
STANDARDISER(float, float, float_scaled_to_float)
STANDARDISER(uint8_t, double, uint8_t_to_double)
STANDARDISER(uint8_t, float, uint8_t_scaled_to_float)
STANDARDISER(int8_t, double, int8_t_to_double)
STANDARDISER(int8_t, float, int8_t_scaled_to_float)
CENTRER(float)
CENTRER(uint8_t)
CENTRER(int8_t)

typedef void standardiser(const emi_standard *standard, const void *from, size_t count, void *to);

static standardiser *const in_place[][2] = {[EM_F64] = {double_to_double, double_to_float},
                                            [EM_F32] = {float_to_double, float_to_float},
                                            [EM_U8] = {uint8_t_to_double, uint8_t_to_float},
                                            [EM_I8] = {int8_t_to_double, int8_t_to_float},
                                            [EM_BOOL] = {0}};

/* ---- others, by way of doubles ------------------------------------------------------------------------------- */

static void fill_holes(const double *fill, size_t d, size_t count, double *rows)
{
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++)
            if (isnan(rows[r * d + f])) rows[r * d + f] = fill[f];
}

int emi_standard_reads_in_place(const emi_shard *shard)
{
    return in_place[shard->data->type][EMI_DOUBLE] && !shard->order &&
           emi_data_in_place(shard->data, shard->first) != NULL;
}

em_status emi_standard_read(const emi_standard *standard, const emi_shard *shard, size_t first, size_t count,
                            emi_real real, void *rows, double *room, em_error *err)
{
    standardiser *convert = in_place[shard->data->type][real];
    const void *from = convert && !shard->order ? emi_data_in_place(shard->data, shard->first + first) : NULL;
    if (from) {
        convert(standard, from, count, rows);
        return emi_data_check(shard->data, shard->first + first, count, err);
    }
    double *read = real == EMI_DOUBLE ? rows : room;
    em_status status = emi_shard_read(shard, first, count, read, err);
    if (status != EM_OK) return status;
    if (standard->fill && shard->data->holes) fill_holes(standard->fill, (size_t)standard->d, count, read);
    in_place[EM_F64][real](standard, read, count, rows);
    return EM_OK;
}

em_status emi_standard_read_part(const emi_standard *standard, const emi_shard *shard, size_t row, size_t from,
                                 size_t count, emi_real real, void *out, double *room, em_error *err)
{
    const double *mean = standard->mean, *inverse = standard->inverse_scale;
    emi_standard part = {.d = (int)count, /* which it does not change */
                         .mean = mean ? (double *)mean + from : NULL,
                         .inverse_scale = inverse ? (double *)inverse + from : NULL};
    standardiser *convert = in_place[shard->data->type][real];
    const char *where = convert && !shard->order ? emi_data_in_place(shard->data, shard->first + row) : NULL;
    if (where) {
        convert(&part, where + from * emi_dtype_size(shard->data->type), 1, out);
        return emi_data_check(shard->data, shard->first + row, 1, err);
    }
    em_status status = emi_shard_read(shard, row, 1, room, err);
    if (status != EM_OK) return status;
    if (standard->fill && shard->data->holes) fill_holes(standard->fill, (size_t)standard->d, 1, room);
    in_place[EM_F64][real](&part, room + from, 1, out);
    return EM_OK;
}
