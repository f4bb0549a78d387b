#include "base/random.h"

#include <lapacke.h>

emi_random emi_random_seed(uint64_t seed, emi_stream stream)
{
    emi_random random = {.state = seed};
    random.state = emi_random_bits(&random) + (uint64_t)stream * UINT64_C(0xd1342543de82ef95);
    return random;
}

uint64_t emi_random_bits(emi_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double emi_random_uniform(emi_random *random)
{
    return (double)(emi_random_bits(random) >> 11) * 0x1p-53;
}

size_t emi_random_below(emi_random *random, size_t bound)
{
    /* Rejecting the short last interval keeps every value equally likely. */
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound, bits;
    do bits = emi_random_bits(random);
    while (bits >= limit);
    return (size_t)(bits % bound);
}

void emi_random_shuffle(emi_random *random, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = emi_random_below(random, i), swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}

/* The sum of four uniforms (Irwin and Hall, Biometrika 19, 1927), sixteen bits each. */
void emi_random_roughly_normals(emi_random *random, double *out, size_t count)
{
    static const double mean = 2 * 65535.0, deviation = 37837.22723720648; /* sqrt(4 (2^32 - 1) / 12) */
    for (size_t n = 0; n < count; n++) {
        uint64_t bits = emi_random_bits(random);
        uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        out[n] = ((double)sum - mean) / deviation;
    }
}

/* dlarnv draws from x <- a x mod 2^48 (LAPACK's dlaruv, which gives a), two numbers for a normal. */
static const uint64_t multiplier = UINT64_C(33952834046453), mask = (UINT64_C(1) << 48) - 1;

emi_normals emi_normals_begin(emi_random *random)
{
    uint64_t bits = emi_random_bits(random), state = 0;
    for (int i = 0; i < 4; i++) state = state << 12 | (bits >> (12 * i) & 0xfff);
    return (emi_normals){state | 1}; /* odd, for the longest period */
}

emi_normals emi_normals_after(emi_normals here, uint64_t count)
{
    uint64_t power = multiplier * multiplier & mask;
    for (; count; count >>= 1, power = power * power & mask)
        if (count & 1) here.state = here.state * power & mask;
    return here;
}

void emi_normals_draw(emi_normals *normals, double *out, size_t count)
{
    enum { NORMAL = 3, AT_ONCE = 1 << 20 };
    lapack_int seed[4]; /* 12 bits each, the highest first */
    for (int i = 0; i < 4; i++) seed[i] = (lapack_int)(normals->state >> (36 - 12 * i) & 0xfff);
    for (size_t done = 0; done < count;) {
        size_t n = count - done < AT_ONCE ? count - done : AT_ONCE;
        (void)LAPACKE_dlarnv_work(NORMAL, seed, (lapack_int)n, out + done);
        done += n;
    }
    for (int i = 0; i < 4; i++) normals->state = (normals->state << 12 | (uint64_t)seed[i]) & mask;
}

void emi_random_normals(emi_random *random, double *out, size_t count)
{
    emi_normals normals = emi_normals_begin(random);
    emi_normals_draw(&normals, out, count);
}
