#include "data/decode.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { WORD = sizeof(uint32_t), IN_WORD = EMI_PEOPLE_IN_BYTE * WORD };

/* Codes of sixteen people, or of as many as there are bytes for. */
static inline uint32_t word_of(const unsigned char *codes, size_t bytes)
{
    uint32_t word = 0;
    if (bytes >= WORD)
        return (uint32_t)codes[0] | (uint32_t)codes[1] << 8 | (uint32_t)codes[2] << 16 | (uint32_t)codes[3] << 24;
    for (size_t b = 0; b < bytes; b++) word |= (uint32_t)codes[b] << (8 * b);
    return word;
}

/* A choice of four values by two bits is a choice of two by one bit, twice, which vectors of any processor can do. */
#define DECODER(REAL)                                                                                                  \
    static void choose_##REAL(const unsigned char *codes, size_t bytes, const double value[EMI_GENOTYPES],             \
                              void *numbers)                                                                           \
    {                                                                                                                  \
        const REAL v0 = (REAL)value[0], v1 = (REAL)value[1], v2 = (REAL)value[2], v3 = (REAL)value[3];                 \
        REAL *restrict out = numbers;                                                                                  \
        for (size_t n = 0; n < bytes; n += WORD, out += IN_WORD) {                                                     \
            uint32_t word = word_of(codes + n, bytes - n);                                                             \
            for (uint32_t i = 0; i < IN_WORD; i++) {                                                                   \
                uint32_t code = word >> (2 * i);                                                                       \
                REAL even = code & 2 ? v2 : v0, odd = code & 2 ? v3 : v1;                                              \
                out[i] = code & 1 ? odd : even;                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }

DECODER(double)
DECODER(float)

#ifdef __x86_64__

/* Each lane takes the number that the lowest bits of its index name: those above a code are the next one's, so that the numbers
 * stand there as often as it takes. */

__attribute__((target("avx512f"))) static void permute_float_512(const unsigned char *codes, size_t bytes,
                                                                 const double value[EMI_GENOTYPES], void *numbers)
{
    const __m512 four = _mm512_castps128_ps512(_mm256_cvtpd_ps(_mm256_loadu_pd(value)));
    const __m512 table = _mm512_shuffle_f32x4(four, four, 0);
    const __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    float *out = numbers;
    for (size_t n = 0; n < bytes; n += WORD, out += IN_WORD) {
        __m512i word = _mm512_set1_epi32((int)word_of(codes + n, bytes - n));
        _mm512_storeu_ps(out, _mm512_permutexvar_ps(_mm512_srlv_epi32(word, shifts), table));
    }
}

__attribute__((target("avx512f"))) static void permute_double_512(const unsigned char *codes, size_t bytes,
                                                                  const double value[EMI_GENOTYPES], void *numbers)
{
    const __m512d four = _mm512_castpd256_pd512(_mm256_loadu_pd(value)), table = _mm512_shuffle_f64x2(four, four, 0x44);
    const __m512i shifts[] = {_mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                              _mm512_setr_epi64(16, 18, 20, 22, 24, 26, 28, 30)};
    double *out = numbers;
    for (size_t n = 0; n < bytes; n += WORD) {
        __m512i word = _mm512_set1_epi64(word_of(codes + n, bytes - n));
        for (int half = 0; half < 2; half++, out += IN_WORD / 2)
            _mm512_storeu_pd(out, _mm512_permutexvar_pd(_mm512_srlv_epi64(word, shifts[half]), table));
    }
}

__attribute__((target("avx2"))) static void permute_float_256(const unsigned char *codes, size_t bytes,
                                                              const double value[EMI_GENOTYPES], void *numbers)
{
    const __m128 four = _mm256_cvtpd_ps(_mm256_loadu_pd(value));
    const __m256 table = _mm256_set_m128(four, four);
    const __m256i shifts[] = {_mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14),
                              _mm256_setr_epi32(16, 18, 20, 22, 24, 26, 28, 30)};
    float *out = numbers;
    for (size_t n = 0; n < bytes; n += WORD) {
        __m256i word = _mm256_set1_epi32((int)word_of(codes + n, bytes - n));
        for (int half = 0; half < 2; half++, out += IN_WORD / 2)
            _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(table, _mm256_srlv_epi32(word, shifts[half])));
    }
}

/* A permutation chooses one of two: once of the first two numbers, once of the others. */
__attribute__((target("avx2"))) static void permute_double_256(const unsigned char *codes, size_t bytes,
                                                               const double value[EMI_GENOTYPES], void *numbers)
{
    const __m256i shifts[] = {_mm256_setr_epi64x(0, 2, 4, 6), _mm256_setr_epi64x(8, 10, 12, 14),
                              _mm256_setr_epi64x(16, 18, 20, 22), _mm256_setr_epi64x(24, 26, 28, 30)};
    const __m256d table = _mm256_loadu_pd(value), low = _mm256_permute2f128_pd(table, table, 0x00),
                  high = _mm256_permute2f128_pd(table, table, 0x11);
    double *out = numbers;
    for (size_t n = 0; n < bytes; n += WORD) {
        __m256i word = _mm256_set1_epi64x(word_of(codes + n, bytes - n));
        for (int quarter = 0; quarter < 4; quarter++, out += IN_WORD / 4) {
            __m256i code = _mm256_srlv_epi64(word, shifts[quarter]);
            __m256i first = _mm256_slli_epi64(code, 1); /* of a pair, by bit 1; the pair, by the sign */
            _mm256_storeu_pd(out, _mm256_blendv_pd(_mm256_permutevar_pd(low, first), _mm256_permutevar_pd(high, first),
                                                   _mm256_castsi256_pd(_mm256_slli_epi64(code, 62))));
        }
    }
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

#endif

static int always(void)
{
    return 1;
}

typedef struct decoder {
    int (*can)(void);
    emi_decode_fn *doubles, *floats;
} decoder;

/* The quickest first. */
static const decoder decoders[] = {
#ifdef __x86_64__
    {has_avx512, permute_double_512, permute_float_512},
    {has_avx2, permute_double_256, permute_float_256},
#endif
    {always, choose_double, choose_float}};

emi_decode_fn *emi_decoder_at(emi_real real, int n)
{
    for (size_t d = 0; d < sizeof decoders / sizeof *decoders; d++)
        if (decoders[d].can() && n-- == 0) return real == EMI_SINGLE ? decoders[d].floats : decoders[d].doubles;
    return NULL;
}

emi_decode_fn *emi_decoder(emi_real real)
{
    return emi_decoder_at(real, 0);
}
