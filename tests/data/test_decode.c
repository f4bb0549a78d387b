/* Every way to decode genotypes that this processor has, against a loop. */
#include "data/decode.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { BYTES = 37, PEOPLE = 4 * (BYTES + 3) };

static const double value[EMI_GENOTYPES] = {-1.25, 0.1, 3, 1e30};

static void check(emi_real real, emi_decode_fn *decode, const unsigned char *codes, size_t bytes)
{
    double numbers[PEOPLE + 1], end = -7;
    float *floats = (float *)(void *)numbers;
    size_t whole = (bytes + 3) / 4 * 16;
    memcpy(real == EMI_SINGLE ? (void *)(floats + whole) : (void *)(numbers + whole), &end, 4);
    decode(codes, bytes, value, numbers);
    for (size_t p = 0; p < whole; p++) {
        unsigned code = p / 4 < bytes ? codes[p / 4] >> (2 * (p % 4)) & 3U : 0; /* what fills a word up */
        if (real == EMI_SINGLE)
            assert_true(floats[p] == (float)value[code]);
        else
            assert_true(numbers[p] == value[code]);
    }
    assert_memory_equal(real == EMI_SINGLE ? (void *)(floats + whole) : (void *)(numbers + whole), &end, 4);
}

static void every_way(void **state)
{
    (void)state;
    unsigned char codes[BYTES];
    for (size_t n = 0; n < BYTES; n++) codes[n] = (unsigned char)(n * 89 + 27);
    for (int real = 0; real < 2; real++) {
        int ways = 0;
        for (emi_decode_fn *decode; (decode = emi_decoder_at((emi_real)real, ways)); ways++)
            for (size_t bytes = 0; bytes <= BYTES; bytes++) check((emi_real)real, decode, codes, bytes);
        assert_true(ways >= 1);
        assert_true(emi_decoder((emi_real)real) == emi_decoder_at((emi_real)real, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
