/* Options from text, and back. */
#include "fit/check.h"
#include "methods/method.h"
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

static void defaults(void **state)
{
    (void)state;
    em_options o = emi_options_default();
    assert_string_equal(o.method, "auto");
    assert_int_equal(o.components, 0);
    assert_true(o.step == 0 && o.step_power == 0.2 && o.tolerance == 1e-6);
    assert_true(o.step_decay == EMI_DECAY_CONSTANT && o.scale == EMI_SCALE_AUTO && o.qr_signs == EMI_QR_POSITIVE);
    assert_true(o.iterations == -1 && o.consensus_rounds == 0 && o.center == 1 && o.seed == 0);
    assert_true(o.variance == 0 && o.rayleigh_ritz == 1 && o.oversample == -1);
    assert_true(!o.checkpoint && o.checkpoint_every == 600 && !o.resume);
    assert_true(!o.init && !o.truth && !o.truth_compute && !o.trace && !o.monitor && !o.monitor_user);
}

static void good_values(void **state)
{
    (void)state;
    assert_int_equal(set("components", "7").components, 7);
    assert_int_equal(set("components", "2147483647").components, INT_MAX);
    assert_true(set("components", "0.95").variance == 0.95);
    assert_true(set("components", "7").variance == 0);
    assert_string_equal(set("method", "auto").method, "auto");
    for (int m = 0; em_method(m); m++)
        assert_string_equal(set("method", em_method(m)->name).method, em_method(m)->name);
    assert_true(set("step", "0.25").step == 0.25);
    assert_true(set("step", "1e-3").step == 1e-3);
    assert_true(set("step", "auto").step == 0);
    assert_int_equal(set("step-decay", "constant").step_decay, EMI_DECAY_CONSTANT);
    assert_int_equal(set("step-decay", "sqrt").step_decay, EMI_DECAY_SQRT);
    assert_int_equal(set("step-decay", "power:0.6").step_decay, EMI_DECAY_POWER);
    assert_true(set("step-decay", "power:0.6").step_power == 0.6);
    assert_int_equal(set("consensus-rounds", "12").consensus_rounds, 12);
    assert_int_equal(set("qr-signs", "free").qr_signs, EMI_QR_FREE);
    assert_int_equal(set("qr-signs", "positive").qr_signs, EMI_QR_POSITIVE);
    assert_int_equal(set("rayleigh-ritz", "no").rayleigh_ritz, 0);
    assert_int_equal(set("rayleigh-ritz", "yes").rayleigh_ritz, 1);
    assert_int_equal(set("oversample", "0").oversample, 0);
    assert_int_equal(set("oversample", "12").oversample, 12);
    assert_int_equal(set("iterations", "0").iterations, 0);
    assert_int_equal(set("iterations", "12345678901").iterations, 12345678901);
    assert_true(set("tolerance", "0").tolerance == 0);
    assert_true(set("tolerance", "1e-9").tolerance == 1e-9);
    assert_int_equal(set("scale", "none").scale, EMI_SCALE_NONE);
    assert_int_equal(set("scale", "std").scale, EMI_SCALE_STD);
    assert_int_equal(set("scale", "spectral").scale, EMI_SCALE_SPECTRAL);
    assert_int_equal(set("scale", "binomial").scale, EMI_SCALE_BINOMIAL);
    assert_int_equal(set("scale", "auto").scale, EMI_SCALE_AUTO);
    assert_true(set("seed", "18446744073709551615").seed == UINT64_MAX);
}

static const struct {
    const char *name, *value;
    em_status code;
    const char *words;
} wrong[] = {
    {"components", "0", EM_EINVAL, "components 0: not a number of vectors; try 1 or more"},
    {"components", "-3", EM_EINVAL, "components -3: not a number of vectors"},
    {"components", "2147483648", EM_EINVAL, "not a number of vectors"},
    {"components", "99999999999999999999", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "1.5", EM_EINVAL, "components 1.5: neither a whole number nor a fraction; try 10, or 0.9 of"},
    {"components", "1.0", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "0.0", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "-0.5", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "nan", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "", EM_EINVAL, "neither a whole number nor a fraction"},
    {"components", "three", EM_EINVAL, "components three: neither a whole number nor a fraction"},
    {"components", " 3", EM_EINVAL, "neither a whole number nor a fraction"},
    {"method", "DSA", EM_EINVAL, "method DSA: no such method; try one that em_method lists"},
    {"method", "", EM_EINVAL, "no such method"},
    {"step", "0", EM_EINVAL, "step 0: not a positive number; try auto"},
    {"step", "-0.1", EM_EINVAL, "step -0.1: not a positive number"},
    {"step", "inf", EM_EINVAL, "not a positive number"},
    {"step", "nan", EM_EINVAL, "not a positive number"},
    {"step", "0.1x", EM_EINVAL, "not a positive number"},
    {"step-decay", "linear", EM_EINVAL, "step-decay linear: no such schedule; try constant, sqrt or power:0.2"},
    {"step-decay", "power", EM_EINVAL, "no such schedule"},
    {"step-decay", "power:", EM_EINVAL, "no such schedule"},
    {"step-decay", "power:0", EM_EINVAL, "step-decay power:0: no such schedule"},
    {"step-decay", "power:-1", EM_EINVAL, "no such schedule"},
    {"step-decay", "power:x", EM_EINVAL, "no such schedule"},
    {"consensus-rounds", "0", EM_EINVAL, "consensus-rounds 0: not a number of mixes; try 1 or more"},
    {"consensus-rounds", "1.5", EM_EINVAL, "not a number of mixes"},
    {"consensus-rounds", "4294967297", EM_EINVAL, "not a number of mixes"},
    {"qr-signs", "negative", EM_EINVAL, "qr-signs negative: no such rule; try positive or free"},
    {"rayleigh-ritz", "maybe", EM_EINVAL, "rayleigh-ritz maybe: not a choice; try yes or no"},
    {"oversample", "-1", EM_EINVAL, "oversample -1: not a number of vectors; try 0 or more"},
    {"oversample", "2.5", EM_EINVAL, "not a number of vectors"},
    {"oversample", "2147483647", EM_EINVAL, "not a number of vectors"},
    {"iterations", "-1", EM_EINVAL, "iterations -1: not a number of iterations; try 0 or more"},
    {"iterations", "1e3", EM_EINVAL, "not a number of iterations"},
    {"tolerance", "-1e-6", EM_EINVAL, "tolerance -1e-6: not a number; try 1e-6"},
    {"tolerance", "small", EM_EINVAL, "tolerance small: not a number"},
    {"scale", "STD", EM_EINVAL, "scale STD: no such scaling; try none, std, spectral or binomial"},
    {"seed", "-1", EM_EINVAL, "seed -1: not a number; try 0 to 18446744073709551615"},
    {"seed", "18446744073709551616", EM_EINVAL, "not a number"},
    {"steps", "1", EM_EINVAL, "steps: no such option"},
    {"", "1", EM_EINVAL, "no such option"},
    {"Step", "1", EM_EINVAL, "no such option"},
};

/* And nothing is changed by the attempt. */
static void bad_values(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(wrong); n++) {
        em_options options, before;
        em_error err = {0};
        memset(&before, 0, sizeof before); /* padding too */
        before.step = 0.125, before.step_power = 0.375, before.seed = 77, before.method = "dsa";
        before.components = 5, before.iterations = 9, before.tolerance = 0.5;
        memcpy(&options, &before, sizeof before);
        assert_fails(em_options_set(&options, wrong[n].name, wrong[n].value, &err), wrong[n].code, wrong[n].words,
                     &err);
        assert_memory_equal(&options, &before, sizeof before);
        assert_int_equal(em_options_set(&options, wrong[n].name, wrong[n].value, NULL), wrong[n].code);
    }
}

/* Every option of the table can be set, and refuses a text that no option takes, naming itself. */
static void the_table_is_complete(void **state)
{
    (void)state;
    int count = 0;
    for (const em_option_info *info; (info = em_option(count)); count++) {
        em_options options = emi_options_default();
        em_error err = {0};
        assert_true(*info->name && *info->metavar && *info->help);
        for (int before = 0; before < count; before++) assert_string_not_equal(em_option(before)->name, info->name);
        if (info->kind == EM_OPTION_TEXT) continue; /* any text is one */
        assert_true(*info->preset);
        assert_fails(em_options_set(&options, info->name, "?", &err), EM_EINVAL, info->name, &err);
        assert_ptr_equal(strstr(err.msg, info->name), err.msg);
        assert_non_null(strstr(err.msg, "; try "));
    }
    assert_true(count >= 18);
    assert_null(em_option(-1));
}

static em_options *create(void)
{
    em_options *options = NULL;
    em_error err = {0};
    assert_ok(em_options_create(&options, &err), &err);
    return options;
}

static void set_on(em_options *options, const char *name, const char *value)
{
    em_error err = {0};
    assert_ok(em_options_set(options, name, value, &err), &err);
}

static void has(const em_options *options, const char *name, const char *wanted)
{
    char value[200];
    assert_int_equal(em_options_get(options, name, value, sizeof value), strlen(wanted));
    assert_string_equal(value, wanted);
}

/* A value of its own for each option, as it is written; and every word that an option knows. */
static const char *const other_values[][2] = {
    {"components", "7"},
    {"components", "0.25"},
    {"method", "krylov"},
    {"step", "0.1"},
    {"step-decay", "sqrt"},
    {"step-decay", "power:0.6"},
    {"consensus-rounds", "12"},
    {"qr-signs", "free"},
    {"rayleigh-ritz", "no"},
    {"oversample", "0"},
    {"iterations", "12345678901"},
    {"max-seconds", "0.5"},
    {"tolerance", "1e-09"},
    {"center", "no"},
    {"limits", "yes"},
    {"scale", "spectral"},
    {"precision", "single"},
    {"wire", "32"},
    {"device", "gpu"},
    {"seed", "18446744073709551615"},
    {"truth", "compute"},
    {"trace", "error"},
    {"checkpoint", "a b/c=d.ck"},
    {"checkpoint-every", "0.5"},
    {"resume", "yes"},
};

static void what_is_set_is_got(void **state)
{
    (void)state;
    em_options *options = create(), *copy = NULL;
    em_error err = {0};
    char before[64], after[64];
    for (int i = 0; em_option(i); i++) { /* what is got can be set, the defaults too */
        const char *name = em_option(i)->name;
        (void)em_options_get(options, name, before, sizeof before);
        if (*before) set_on(options, name, before);
        (void)em_options_get(options, name, after, sizeof after);
        assert_string_equal(before, after);
    }
    for (size_t n = 0; n < COUNT(other_values); n++) {
        set_on(options, other_values[n][0], other_values[n][1]);
        has(options, other_values[n][0], other_values[n][1]);
    }
    assert_ok(em_options_copy(&copy, options, &err), &err);
    for (int i = 0; em_option(i); i++) {
        (void)em_options_get(options, em_option(i)->name, before, sizeof before);
        has(copy, em_option(i)->name, before);
        set_on(options, em_option(i)->name, NULL);
    }
    em_options_free(&options);
    options = create();
    for (int i = 0; em_option(i); i++) { /* NULL was the default, and the copy has kept what it had */
        (void)em_options_get(options, em_option(i)->name, before, sizeof before);
        (void)em_options_get(copy, em_option(i)->name, after, sizeof after);
        assert_string_not_equal(before, after);
        set_on(copy, em_option(i)->name, NULL);
        has(copy, em_option(i)->name, before);
    }
    em_options_free(&options);
    em_options_free(&copy);
    em_options_free(&copy);
}

static void every_word_is_taken(void **state)
{
    (void)state;
    em_options *options = create();
    for (int i = 0; em_option(i); i++) {
        char words[100], *rest = words;
        (void)snprintf(words, sizeof words, "%s", em_option(i)->words);
        for (char *word; (word = strtok_r(rest, " ", &rest));) {
            if (word[strlen(word) - 1] == ':') continue;
            set_on(options, em_option(i)->name, word);
            has(options, em_option(i)->name, word);
        }
    }
    em_options_free(&options);
}

static void texts_are_copied(void **state)
{
    (void)state;
    em_options *options = create();
    char method[] = "krylov", file[] = "run.ck";
    set_on(options, "method", method);
    set_on(options, "checkpoint", file);
    memset(method, 'x', strlen(method));
    memset(file, 'x', strlen(file));
    has(options, "method", "krylov");
    has(options, "checkpoint", "run.ck");
    em_options_free(&options);
}

static void little_room_is_filled_and_the_length_told(void **state)
{
    (void)state;
    em_options *options = create();
    char value[4] = "###";
    assert_int_equal(em_options_get(options, "step-decay", value, sizeof value), 8);
    assert_string_equal(value, "con");
    assert_int_equal(em_options_get(options, "step-decay", NULL, 0), 8);
    assert_int_equal(em_options_get(options, "steps", value, sizeof value), EM_EINVAL);
    em_options_free(&options);
}

static void matrices_of_another_size_are_refused(void **state)
{
    (void)state;
    em_options *options = create();
    em_error err = {0};
    double numbers[12] = {0};
    set_on(options, "components", "2");
    em_options_set_start(options, numbers, 6, 2);
    em_options_set_truth(options, numbers, 6, 2);
    assert_ok(emi_options_check(options, 20, 6, &err), &err);
    em_options_set_start(options, numbers, 4, 3);
    assert_fails(emi_options_check(options, 20, 6, &err), EM_EINVAL,
                 "init: 4 x 3, where there are 6 features and 2 components; try 6 x 2", &err);
    em_options_set_start(options, NULL, 0, 0);
    em_options_set_truth(options, numbers, 2, 6);
    assert_fails(emi_options_check(options, 20, 6, &err), EM_EINVAL, "truth: 2 x 6, where there are 6 features", &err);
    em_options_free(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(good_values),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(what_is_set_is_got),
        cmocka_unit_test(every_word_is_taken),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(little_room_is_filled_and_the_length_told),
        cmocka_unit_test(matrices_of_another_size_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
