/* Blocks that are sent in single precision: half the bytes, and the digits that were asked for; in double where those are not
 * enough.  Against singular values in long double. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>

enum { K = 3 };

static em_model *fit_over_wire(const table *t, const char *bits, const char *residual, int nodes)
{
    em_error err = {0};
    em_options *options = NULL;
    assert_ok(em_options_create(&options, &err), &err);
    assert_ok(em_options_set(options, "components", "3", &err), &err);
    assert_ok(em_options_set(options, "method", "krylov", &err), &err);
    assert_ok(em_options_set(options, "wire", bits, &err), &err);
    assert_ok(em_options_set(options, "tolerance", residual, &err), &err);
    em_model *model = fit_rows(t->rows, EM_F64, t->N, t->d, options, NULL, nodes, 2);
    em_options_free(&options);
    return model;
}

static double worst_of(const truth *exact, const em_model *model, size_t N)
{
    double worst = 0;
    for (int k = 0; k < K; k++) {
        double value = truth_value(exact, k);
        const double *x = em_model_components(model) + (size_t)k * (size_t)em_model_features(model);
        worst = fmax(worst, svd_residual(&exact->exact, x, value, N) / value);
    }
    return worst;
}

static void half_the_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        table t = gaussian_table(400, 40, seed);
        truth exact = truth_of(&t);
        em_model *narrow = fit_over_wire(&t, "32", "1e-6", NODES), *wide = fit_over_wire(&t, "64", "1e-6", NODES);
        const em_info *less = em_model_info(narrow), *more = em_model_info(wide);
        const em_traffic *sent = &less->traffic[EM_METHOD], *twice = &more->traffic[EM_METHOD];
        assert_int_equal(less->wire_bits, 32);
        assert_int_equal(more->wire_bits, 64);
        assert_int_equal(less->reason, EM_CONVERGED);
        assert_true(labs(less->iterations - more->iterations) <= 1);
        assert_close((double)sent->bytes / sent->units * 2, (double)twice->bytes / twice->units, 1e-12);
        assert_int_equal(less->traffic[EM_REPORT].bytes,
                         more->traffic[EM_REPORT].bytes); /* the certificate's are wide */
        assert_true(worst_of(&exact, narrow, t.N) <= 1e-6);
        em_model_free(&wide);
        em_model_free(&narrow);
        free_truth(&exact);
        free(t.rows);
    }
}

static void narrow_only_where_it_is_enough(void **state)
{
    (void)state;
    table t = gaussian_table(200, 20, 2);
    static const struct {
        const char *residual;
        int nodes, bits;
    } cases[] = {{"1e-6", NODES, 32}, {"1e-5", NODES, 32}, {"1e-7", NODES, 64}, {"0", NODES, 64}, {"1e-6", 1, 64}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        em_model *model = fit_over_wire(&t, "auto", cases[n].residual, cases[n].nodes);
        assert_int_equal(em_model_info(model)->wire_bits, cases[n].bits);
        em_model_free(&model);
    }
    free(t.rows);
}

/* Components that floats do not carry beside the largest. */
static void done_again_with_more_digits(void **state)
{
    (void)state;
    static const double steep[12] = {1, 1e-4, 1e-8, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10};
    table t = table_of_spectrum(400, 12, steep, 7);
    truth exact = truth_of(&t);
    em_model *model = fit_over_wire(&t, "auto", "1e-6", NODES), *asked = fit_over_wire(&t, "32", "1e-6", NODES);
    assert_int_equal(em_model_info(model)->wire_bits, 64);
    assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
    assert_true(worst_of(&exact, model, t.N) <= 1e-6);
    assert_int_equal(em_model_info(asked)->wire_bits, 32); /* as asked: what it says of itself is true */
    if (em_model_info(asked)->reason == EM_CONVERGED) assert_true(worst_of(&exact, asked, t.N) <= 1e-6);
    em_model_free(&asked);
    em_model_free(&model);
    free_truth(&exact);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(half_the_bytes),
                                       cmocka_unit_test(narrow_only_where_it_is_enough),
                                       cmocka_unit_test(done_again_with_more_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
