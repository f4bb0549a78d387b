/* Whether what is asked can be done: by the method, on the network, with data of this size. */
#include "fit/check.h"
#include "support/check.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof list / sizeof *list)

static em_options set(const char *name, const char *value)
{
    em_options options = emi_options_default();
    em_error err = {0};
    assert_ok(em_options_set(&options, name, value, &err), &err);
    return options;
}

static const struct {
    const char *method, *name, *value;
    int reads;
} readers[] = {
    {"dsa", "step", "0.1", 1},
    {"dpgd", "step", "0.1", 1},
    {"gha", "step", "0.1", 1},
    {"oi", "step", "0.1", 0},
    {"seqdistpm", "step", "0.1", 0},
    {"dsa", "step-decay", "sqrt", 1},
    {"oi", "step-decay", "sqrt", 0},
    {"dsa", "consensus-rounds", "2", 0},
    {"seqdistpm", "consensus-rounds", "2", 1},
    {"gha", "consensus-rounds", "2", 0},
    {"oi", "consensus-rounds", "2", 0},
    {"dpgd", "consensus-rounds", "2", 0},
    {"dsa", "qr-signs", "free", 0},
    {"dpgd", "qr-signs", "free", 1},
    {"oi", "qr-signs", "free", 1},
    {"gha", "qr-signs", "free", 0},
    {"seqdistpm", "qr-signs", "free", 0},
    {"seqdistpm", "step-decay", "power:1", 0},
    {"fastpca", "step", "0.1", 1},
    {"fastpca", "consensus-rounds", "2", 0},
    {"deepca", "step", "0.1", 0},
    {"deepca", "consensus-rounds", "2", 1},
    {"deepca", "qr-signs", "free", 1},
    {"deepca", "rayleigh-ritz", "no", 1},
    {"sdot", "rayleigh-ritz", "no", 0},
    {"sdot", "consensus-rounds", "2", 1},
    {"sadot", "consensus-rounds", "2", 1},
    {"krylov", "rayleigh-ritz", "no", 0},
    {"krylov", "oversample", "3", 1},
    {"krylov", "step", "0.1", 0},
    {"covariance", "oversample", "3", 0},
    {"covariance", "qr-signs", "free", 0},
    {"dsa", "oversample", "0", 0},
    {"krylov", "precision", "single", 1},
    {"covariance", "precision", "single", 1},
    {"deepca", "precision", "single", 0},
    {"dsa", "precision", "double", 0},
};

static void options_a_method_does_not_read_are_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(readers); n++) {
        em_options options = set(readers[n].name, readers[n].value);
        const emi_method *method = NULL;
        em_error err = {0};
        char words[100];
        options.method = readers[n].method;
        em_status status = emi_options_method(&options, 1, &method, &err);
        (void)snprintf(words, sizeof words, "%s: not used by method %s; try without it", readers[n].name,
                       readers[n].method);
        if (readers[n].reads)
            assert_ok(status, &err);
        else
            assert_fails(status, EM_EINVAL, words, &err);
    }
}

static void methods_for_one_node_stay_there(void **state)
{
    (void)state;
    const char *const names[] = {"gha", "oi"};
    for (int n = 0; n < 2; n++) {
        em_options options = emi_options_default();
        const emi_method *method = NULL;
        em_error err = {0};
        options.method = names[n];
        assert_ok(emi_options_method(&options, 1, &method, &err), &err);
        assert_string_equal(method->info.name, names[n]);
        assert_fails(emi_options_method(&options, 2, &method, &err), EM_EINVAL,
                     "needs all data in one place, and there are 2 nodes; try nodes=1, or method dsa", &err);
    }
}

/* Which one it will be depends on the problem: fit/choose.c decides. */
static void auto_is_no_method_yet(void **state)
{
    (void)state;
    em_options options = emi_options_default();
    const emi_method *method = &emi_oi;
    em_error err = {0};
    assert_ok(emi_options_method(&options, 10, &method, &err), &err);
    assert_null(method);
    options.method = NULL;
    method = &emi_oi;
    assert_ok(emi_options_method(&options, 1, &method, &err), &err);
    assert_null(method);
    options.method = "pca";
    assert_fails(emi_options_method(&options, 10, &method, &err), EM_EINVAL, "method pca: no such method; try auto",
                 &err);
}

/* How many they are must be known to all nodes alike. */
static void a_fraction_needs_a_method_whose_nodes_agree(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++) {
        em_options options = set("components", "0.9");
        const emi_method *method = NULL;
        em_error err = {0};
        options.method = em_method(m)->name;
        em_status status = emi_options_method(&options, 1, &method, &err);
        if (emi_method_find(options.method)->traits & EMI_AT_ROOT)
            assert_ok(status, &err);
        else
            assert_fails(status, EM_EINVAL, "components: a fraction of variance is not for method", &err);
    }
}

static void check(em_options options, const char *words)
{
    em_error err = {0};
    if (words)
        assert_fails(emi_options_check(&options, 20, 6, &err), EM_EINVAL, words, &err);
    else
        assert_ok(emi_options_check(&options, 20, 6, &err), &err);
}

static void the_problem_s_size_is_a_limit(void **state)
{
    (void)state;
    em_options options = emi_options_default();
    em_error err = {0};
    check(options, "components: 0 of them; try 1 or more");
    options.components = 6;
    check(options, NULL);
    assert_fails(emi_options_check(&options, 4, 6, &err), EM_EINVAL, "from 4 rows of 6 features; try 4 or fewer", &err);
    options.components = 7;
    check(options, "components: 7 of them, from 20 rows of 6 features; try 6 or fewer");
}

static void numbers_set_by_hand_are_checked_too(void **state)
{
    (void)state;
    em_options good = emi_options_default(), bad;
    good.components = 2;
    bad = good, bad.step = -1;
    check(bad, "step: -1; try a positive number");
    bad = good, bad.step = NAN;
    check(bad, "step: ");
    bad = good, bad.tolerance = INFINITY;
    check(bad, "tolerance: inf; try 1e-6");
    bad = good, bad.step_decay = EMI_DECAY_POWER, bad.step_power = 0;
    check(bad, "step-decay: power 0; try 0.2");
    bad = good, bad.consensus_rounds = -1;
    check(bad, "consensus-rounds: -1; try 1 or more");

    const double fractions[] = {-0.5, 1, 2, NAN, INFINITY};
    for (size_t n = 0; n < COUNT(fractions); n++) {
        bad = good, bad.variance = fractions[n];
        check(bad, "components: a fraction of ");
    }

    bad = good, bad.resume = 1;
    check(bad, "resume: from no checkpoint; try checkpoint=FILE beside it");
    bad = good, bad.checkpoint_every = -1;
    check(bad, "checkpoint-every: -1 seconds; try 600");
    bad = good, bad.checkpoint_every = NAN;
    check(bad, "checkpoint-every: ");
    bad = good, bad.checkpoint = "fit.ck", bad.resume = 1;
    check(bad, NULL);
    bad.variance = 0.9;
    check(bad, "checkpoint: for a number of components, not a fraction");

    double numbers[12] = {0};
    bad = good, bad.init = numbers;
    check(bad, NULL);
    bad.variance = 0.9; /* how many columns it has is not known */
    check(bad, "init: for a number of components, not a fraction of variance");
    bad = good, bad.truth = numbers, bad.variance = 0.9;
    check(bad, "truth: for a number of components");
    bad = good, bad.init = numbers;
    numbers[11] = NAN;
    check(bad, "init: an entry is not finite");
    bad = good, bad.precision = EMI_PRECISION_SINGLE, bad.truth_compute = 1;
    check(bad, "truth compute: not in single precision");
    bad = good, bad.truth = numbers;
    check(bad, "truth: an entry is not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_a_method_does_not_read_are_refused),
        cmocka_unit_test(methods_for_one_node_stay_there),
        cmocka_unit_test(auto_is_no_method_yet),
        cmocka_unit_test(a_fraction_needs_a_method_whose_nodes_agree),
        cmocka_unit_test(the_problem_s_size_is_a_limit),
        cmocka_unit_test(numbers_set_by_hand_are_checked_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
