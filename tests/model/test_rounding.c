/* How much of a covariance is rounding, and what rows that are multiplied as they lie have more of it. */
#include "data/standard.h"
#include "model/bounds.h"
#include "support/check.h"

#include <math.h>

enum { D = 3 };

static const double deviation[D] = {1, 2, 0.5}, nothing[D] = {0}, x[D] = {0.6, 0, -0.8};

static emi_rounding rounding_of(int single, int formed, double times)
{
    return (emi_rounding){
        .deviation = deviation, .offset = nothing, .total = 5.25, .single = single, .formed = formed, .times = times};
}

static void more_of_it(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        emi_rounding once = rounding_of(single, 0, 0), thrice = rounding_of(single, 0, 3);
        assert_true(emi_eps(&once) == (single ? EMI_ROUNDING_SINGLE : EMI_ROUNDING));
        assert_close(emi_eps(&thrice) / emi_eps(&once), 3, 1e-15);
        assert_close(emi_eps_double(&thrice) / EMI_ROUNDING, 3, 1e-15);
        assert_close(emi_rounding_variance(&thrice, D, x, 2) / emi_rounding_variance(&once, D, x, 2), 9, 1e-13);
        assert_close(emi_rounding_most(&thrice, D, 2) / emi_rounding_most(&once, D, 2), 9, 1e-13);
    }
}

/* What may be hidden in a residual is as much more. */
static void bounds_know(void **state)
{
    (void)state;
    double X[D] = {0, 1, 0}, theta[1] = {4}, noise[2];
    for (int n = 0; n < 2; n++) {
        em_error err = {0};
        double CX[D] = {0, 4, 1e-12};
        emi_evidence e = {.X = {D, 1, X},
                          .CX = {D, 1, CX},
                          .theta = theta,
                          .next = 1,
                          .variance = 5.25,
                          .rank = D,
                          .tolerance = 1e-10,
                          .rounding = rounding_of(0, 0, n ? 7 : 1)};
        emi_bounds b;
        assert_ok(emi_bounds_find(&b, &e, &err), &err);
        noise[n] = emi_noise_of(&b, 0, 0);
        emi_bounds_free(&b);
    }
    assert_true(noise[0] > 0);
    assert_close(noise[1] / noise[0], 7, 1e-13);
}

/* Within two deviations everybody takes means off afterwards; further, who has said what rounding is nothing to him. */
static void near_enough(void **state)
{
    (void)state;
    const struct {
        double within, bears;
        int in_single, in_double;
    } cases[] = {{0, 1, 0, 0},       {1, 0, 1, 1},    {2, 0, 1, 1},      {2.1, 0, 0, 0},
                 {2.1, 1e-13, 0, 1}, {5, 1e-5, 1, 1}, {1e4, 1e-5, 0, 1}, {INFINITY, 1, 0, 0}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const emi_standard s = {.d = D, .within = cases[n].within, .bears = cases[n].bears};
        assert_int_equal(emi_standard_is_near_enough(&s, EMI_SINGLE), cases[n].in_single);
        assert_int_equal(emi_standard_is_near_enough(&s, EMI_DOUBLE), cases[n].in_double);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_of_it), cmocka_unit_test(bounds_know),
                                       cmocka_unit_test(near_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
