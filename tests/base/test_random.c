/* Random numbers: the published sequence, determinism, independence of streams, and their moments.  Bounds on
 * moments are five standard errors or more; seeds are fixed, so that a test passes always or never. */
#include "base/random.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 200000 };

/* The reference outputs of splitmix64.c by Vigna, for the states 0 and 1234567. */
static void gives_the_published_bits(void **state)
{
    (void)state;
    const uint64_t of_zero[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec),
                                UINT64_C(0x1b39896a51a8749b)};
    const uint64_t of_1234567[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                   UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                   UINT64_C(16408922859458223821)};
    emi_random zero = {.state = 0}, other = {.state = 1234567};
    for (int n = 0; n < 5; n++) {
        assert_true(emi_random_bits(&zero) == of_zero[n]);
        assert_true(emi_random_bits(&other) == of_1234567[n]);
    }
}

/* A seed's state is the generator's first output for it, moved on by the stream. */
static void seeds_by_the_same_sequence(void **state)
{
    (void)state;
    assert_true(emi_random_seed(0, EMI_STREAM_GRAPH).state == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(emi_random_seed(1234567, EMI_STREAM_GRAPH).state == UINT64_C(6457827717110365317));
}

static void repeats_itself(void **state)
{
    (void)state;
    emi_random a = emi_random_seed(99, EMI_STREAM_INIT), b = emi_random_seed(99, EMI_STREAM_INIT);
    double x[1000], y[1000];
    for (int n = 0; n < 1000; n++) assert_true(emi_random_bits(&a) == emi_random_bits(&b));
    emi_random_normals(&a, x, 1000);
    emi_random_normals(&b, y, 1000);
    assert_memory_equal(x, y, sizeof x);
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    enum { SEEDS = 50, STREAMS = 4 };
    uint64_t first[SEEDS * STREAMS];
    double normal[SEEDS * STREAMS];
    for (int n = 0; n < SEEDS * STREAMS; n++) {
        emi_random random = emi_random_seed((uint64_t)(n / STREAMS), (emi_stream)(n % STREAMS));
        first[n] = emi_random_bits(&random);
        emi_random_normals(&random, &normal[n], 1);
        for (int m = 0; m < n; m++) assert_true(first[m] != first[n] && normal[m] != normal[n]);
    }
}

static void uniforms_fill_the_unit_interval(void **state)
{
    (void)state;
    emi_random random = emi_random_seed(3, EMI_STREAM_DATA);
    double sum = 0, squares = 0, low = 1, high = 0;
    for (int n = 0; n < MANY; n++) {
        double u = emi_random_uniform(&random);
        assert_true(u >= 0 && u < 1);
        sum += u, squares += u * u;
        low = fmin(low, u), high = fmax(high, u);
    }
    assert_true(fabs(sum / MANY - 0.5) < 5 * sqrt(1.0 / 12 / MANY));
    assert_true(fabs(squares / MANY - 1.0 / 3) < 5 * sqrt(4.0 / 45 / MANY));
    assert_true(low < 1e-4 && high > 1 - 1e-4);
}

static void whole_numbers_are_equally_likely(void **state)
{
    (void)state;
    enum { BOUND = 7 };
    emi_random random = emi_random_seed(4, EMI_STREAM_SPLIT);
    int seen[BOUND] = {0};
    for (int n = 0; n < MANY; n++) {
        size_t value = emi_random_below(&random, BOUND);
        assert_true(value < BOUND);
        seen[value]++;
    }
    for (int v = 0; v < BOUND; v++) assert_true(fabs(seen[v] - (double)MANY / BOUND) < 5 * sqrt((double)MANY / BOUND));
    for (int n = 0; n < 10; n++) assert_int_equal(emi_random_below(&random, 1), 0);
    assert_true(emi_random_below(&random, SIZE_MAX) < SIZE_MAX);
}

static void shuffles_are_permutations(void **state)
{
    (void)state;
    enum { MOST = 257 };
    size_t items[MOST];
    emi_random random = emi_random_seed(5, EMI_STREAM_SPLIT);
    for (size_t count = 0; count <= MOST; count += count < 9 ? 1 : 31) {
        char seen[MOST] = {0};
        for (size_t n = 0; n < count; n++) items[n] = n;
        emi_random_shuffle(&random, items, count);
        for (size_t n = 0; n < count; n++) {
            assert_true(items[n] < count && !seen[items[n]]);
            seen[items[n]] = 1;
        }
    }
}

/* Each of the six orders of three, about equally often. */
static void every_order_is_as_likely(void **state)
{
    (void)state;
    enum { TURNS = 60000, ORDERS = 6 };
    int seen[27] = {0}, orders = 0;
    emi_random random = emi_random_seed(6, EMI_STREAM_SPLIT);
    for (int turn = 0; turn < TURNS; turn++) {
        size_t items[] = {0, 1, 2};
        emi_random_shuffle(&random, items, 3);
        seen[9 * items[0] + 3 * items[1] + items[2]]++;
    }
    for (int n = 0; n < 27; n++) {
        if (!seen[n]) continue;
        orders++;
        assert_true(abs(seen[n] - TURNS / ORDERS) < 5 * (int)sqrt(TURNS / ORDERS));
    }
    assert_int_equal(orders, ORDERS);
}

static void normals_have_their_moments(void **state)
{
    (void)state;
    double *x = malloc(sizeof *x * MANY), moment[5] = {0};
    assert_non_null(x);
    emi_random random = emi_random_seed(7, EMI_STREAM_DATA);
    emi_random_normals(&random, x, MANY);
    for (int n = 0; n < MANY; n++)
        for (int power = 1; power <= 4; power++) moment[power] += pow(x[n], power) / MANY;
    /* the variances of x, x^2, x^3 and x^4 are 1, 2, 15 and 96 */
    assert_true(fabs(moment[1]) < 5 * sqrt(1.0 / MANY));
    assert_true(fabs(moment[2] - 1) < 5 * sqrt(2.0 / MANY));
    assert_true(fabs(moment[3]) < 5 * sqrt(15.0 / MANY));
    assert_true(fabs(moment[4] - 3) < 5 * sqrt(96.0 / MANY));
    free(x);
}

static void rough_ones_too(void **state)
{
    (void)state;
    static double x[MANY];
    double mean = 0, square = 0, fourth = 0, far = 0;
    emi_random random = emi_random_seed(3, EMI_STREAM_SKETCH);
    emi_random_roughly_normals(&random, x, MANY);
    for (int n = 0; n < MANY; n++) {
        mean += x[n] / MANY, square += x[n] * x[n] / MANY, fourth += pow(x[n], 4) / MANY;
        far = fmax(far, fabs(x[n]));
    }
    assert_close(mean, 0, 0.01);
    assert_close(square, 1, 0.01);
    assert_close(fourth, 2.7, 0.03); /* 3 of the normal */
    assert_true(far > 3 && far <= 2 * sqrt(3));
}

/* However a sequence is cut, and wherever it is entered, it is the same. */
static void normals_are_one_sequence(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    static double whole[LENGTH], parts[LENGTH];
    emi_random random = emi_random_seed(5, EMI_STREAM_DATA), again = random;
    emi_random_normals(&random, whole, LENGTH);
    emi_normals begin = emi_normals_begin(&again), moving = begin;
    assert_true(random.state == again.state);
    for (size_t done = 0, count = 1; done < LENGTH; done += count, count = count * 2 + 1) {
        if (count > LENGTH - done) count = LENGTH - done;
        emi_normals_draw(&moving, parts + done, count);
    }
    assert_memory_equal(whole, parts, sizeof whole);
    for (size_t from = 0; from < LENGTH; from += 271) {
        emi_normals there = emi_normals_after(begin, from);
        emi_normals_draw(&there, parts, LENGTH - from);
        assert_memory_equal(whole + from, parts, (LENGTH - from) * sizeof *whole);
    }
    /* two steps that add up, beyond what a test can draw */
    uint64_t far = UINT64_C(0x123456789abcdef);
    assert_true(emi_normals_after(emi_normals_after(begin, far), 17).state == emi_normals_after(begin, far + 17).state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_published_bits),
        cmocka_unit_test(seeds_by_the_same_sequence),
        cmocka_unit_test(repeats_itself),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(uniforms_fill_the_unit_interval),
        cmocka_unit_test(whole_numbers_are_equally_likely),
        cmocka_unit_test(shuffles_are_permutations),
        cmocka_unit_test(every_order_is_as_likely),
        cmocka_unit_test(normals_have_their_moments),
        cmocka_unit_test(rough_ones_too),
        cmocka_unit_test(normals_are_one_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
