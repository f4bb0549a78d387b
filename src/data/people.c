/* Genotypes as codes: where they lie, and how many there are of each. */
#include "data/genotypes.h"
#include "data/map.h"
#include "data/moments.h"

#include <math.h>
#include <string.h>

enum { IN_BYTE = EMI_PEOPLE_IN_BYTE, BYTES_AT_ONCE = 1024, VARIANTS_AT_ONCE = 256 };

int emi_is_genotypes(const em_data *data)
{
    return data->source->rows == &emi_genotype_rows;
}

static size_t variant_of(const em_data *data, size_t column)
{
    return data->pick ? data->pick[column] : column;
}

const unsigned char *emi_genotype_codes(const em_data *data, size_t column)
{
    const emi_genotypes *g = data->state;
    return g->bytes.at + g->offset + variant_of(data, column) * g->stride;
}

void emi_genotype_numbers(const em_data *data, size_t column, double number[EMI_GENOTYPES])
{
    const emi_genotypes *g = data->state;
    int swapped = g->swapped[variant_of(data, column)];
    number[EMI_TWO_A1] = swapped ? 0 : 2;
    number[EMI_NO_CALL] = NAN;
    number[EMI_ONE_A1] = 1;
    number[EMI_NO_A1] = swapped ? 2 : 0;
}

em_status emi_genotypes_check(const em_data *data, em_error *err)
{
    const emi_genotypes *g = data->state;
    if (g->bytes.kind != EMI_MAPPED || emi_map_is_whole(g->bytes.at)) return EM_OK;
    return emi_fail_shorter(err, data->name);
}

/* ---- the people of a shard -------------------------------------------------------------------------------------- */

emi_people emi_people_of(const emi_shard *shard)
{
    size_t before = shard->order ? 0 : shard->first % IN_BYTE;
    return (emi_people){shard, (before + shard->count + IN_BYTE - 1) / IN_BYTE, before};
}

static void gather(const emi_people *who, const unsigned char *variant, size_t first, size_t bytes, unsigned char *out)
{
    const size_t *order = who->shard->order + who->shard->first;
    memset(out, 0, bytes);
    for (size_t n = 0; n < IN_BYTE * bytes && IN_BYTE * first + n < who->shard->count; n++) {
        size_t person = order[IN_BYTE * first + n];
        unsigned code = (unsigned)variant[person / IN_BYTE] >> (2 * (person % IN_BYTE)) & 3U;
        out[n / IN_BYTE] = (unsigned char)(out[n / IN_BYTE] | code << (2 * (n % IN_BYTE)));
    }
}

const unsigned char *emi_people_codes(const emi_people *who, size_t column, size_t first, size_t bytes,
                                      unsigned char *room)
{
    const unsigned char *variant = emi_genotype_codes(who->shard->data, column);
    if (!who->shard->order) return variant + who->shard->first / IN_BYTE + first;
    gather(who, variant, first, bytes, room);
    return room;
}

void emi_people_fetch(const emi_people *who, size_t column, size_t first, size_t bytes)
{
    enum { LINE = 64 };
    if (who->shard->order) return; /* they lie anywhere */
    const unsigned char *codes = emi_genotype_codes(who->shard->data, column) + who->shard->first / IN_BYTE + first;
    size_t here = who->bytes - first < bytes ? who->bytes - first : bytes;
    for (size_t at = 0; at < here + LINE - 1; at += LINE) __builtin_prefetch(codes + (at < here ? at : here - 1), 0, 2);
}

/* ---- survey ------------------------------------------------------------------------------------------------------- */

/* How many of each code there are, neighbours too, added to count. */
static void count_codes(const unsigned char *codes, size_t bytes, size_t count[EMI_GENOTYPES])
{
    static const uint64_t low_bits = 0x5555555555555555;
    for (size_t n = 0; n < bytes; n += sizeof(uint64_t)) {
        size_t size = bytes - n < sizeof(uint64_t) ? bytes - n : sizeof(uint64_t);
        uint64_t word = 0;
        memcpy(&word, codes + n, size);
        uint64_t low = word & low_bits, high = word >> 1 & low_bits;
        size_t lows = (size_t)__builtin_popcountll(low), highs = (size_t)__builtin_popcountll(high),
               both = (size_t)__builtin_popcountll(low & high);
        count[EMI_NO_A1] += both;
        count[EMI_NO_CALL] += lows - both;
        count[EMI_ONE_A1] += highs - both;
        count[EMI_TWO_A1] += IN_BYTE * size - lows - highs + both;
    }
}

static void count_column(const emi_people *who, size_t column, size_t count[EMI_GENOTYPES])
{
    unsigned char room[BYTES_AT_ONCE], first = 0, last = 0;
    size_t after = IN_BYTE * who->bytes - who->before - who->shard->count, now;
    memset(count, 0, EMI_GENOTYPES * sizeof *count);
    for (size_t at = 0; at < who->bytes; at += now) {
        now = who->bytes - at < BYTES_AT_ONCE ? who->bytes - at : BYTES_AT_ONCE;
        const unsigned char *codes = emi_people_codes(who, column, at, now, room);
        count_codes(codes, now, count);
        if (at == 0) first = codes[0];
        last = codes[now - 1];
    }
    for (size_t n = 0; n < who->before; n++) count[first >> (2 * n) & 3]--;
    for (size_t n = IN_BYTE - after; n < IN_BYTE; n++) count[last >> (2 * n) & 3]--;
}

typedef struct survey {
    emi_people who;
    const double *unit;
    double *found;
} survey;

static void survey_column(const survey *t, size_t column)
{
    size_t d = t->who.shard->data->columns, count[EMI_GENOTYPES];
    double number[EMI_GENOTYPES], unit = t->unit ? t->unit[column] : 1, n = 0, sum = 0, squares = 0,
                                  highest = -INFINITY, lowest = -INFINITY, *found = t->found + column;
    count_column(&t->who, column, count);
    emi_genotype_numbers(t->who.shard->data, column, number);
    count[EMI_NO_CALL] = 0;
    for (int c = 0; c < EMI_GENOTYPES; c++) {
        if (count[c] == 0) continue;
        double value = number[c] / unit;
        n += (double)count[c];
        sum += (double)count[c] * value;
        highest = fmax(highest, value), lowest = fmax(lowest, -value);
    }
    for (int c = 0; c < EMI_GENOTYPES; c++) {
        double away = number[c] / unit - sum / n;
        if (count[c] > 0) squares += (double)count[c] * away * away;
    }
    found[EMI_COUNT * d] = n;
    found[EMI_SUM * d] = sum;
    found[EMI_SQUARES * d] = squares;
    found[EMI_HIGHEST * d] = highest;
    found[EMI_LOWEST * d] = lowest;
    found[EMI_ORIGIN * d] = 0;
}

static em_status survey_body(void *context, int index, int worker, em_error *err)
{
    const survey *t = context;
    size_t first = (size_t)index * VARIANTS_AT_ONCE, d = t->who.shard->data->columns;
    (void)worker;
    (void)err;
    for (size_t column = first; column < d && column < first + VARIANTS_AT_ONCE; column++) survey_column(t, column);
    return EM_OK;
}

em_status emi_survey_genotypes(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                               emi_scratch scratch, em_error *err)
{
    survey t = {emi_people_of(shard), unit, found};
    int pieces = (int)((shard->data->columns + VARIANTS_AT_ONCE - 1) / VARIANTS_AT_ONCE);
    (void)scratch;
    em_status status = emi_pool_run(helpers ? helpers->pool : NULL, pieces, 1e12, survey_body, &t, err);
    return status == EM_OK ? emi_genotypes_check(shard->data, err) : status;
}
