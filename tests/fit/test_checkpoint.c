/* Checkpoints: a fit that goes on from one ends like a fit that never stopped, bit for bit. */
#include "support/checkpoints.h"
#include "support/models.h"

#include <stdio.h>
#include <string.h>

/* As if the process were killed at this moment: what is in the file now is all that is left. */
static int copy_at(const em_progress *progress, void *user)
{
    if (progress->iteration == *(const long *)user && exists(file)) copy_file(file, copied);
    return 0;
}

/* Everything is the same, and the clock of the whole goes on too. */
static void check_same(const em_model *a, const em_model *b)
{
    size_t rows;
    const em_trace_row *trace = trace_of(b, &rows);
    assert_same_model(a, b);
    for (size_t n = 1; n < rows; n++) assert_true(trace[n].seconds > trace[n - 1].seconds);
}

/* The same fit, killed after iteration `at`, or stopped there by its monitor, and resumed: which iteration it went on
 * from, or 0 where there was nothing to go on from yet. */
static long check_resumed(em_options options, const setting *where, long at, int stopped, const em_model *whole)
{
    (void)remove(file);
    (void)remove(copied);
    options.checkpoint = file;
    options.checkpoint_every = 0;
    options.monitor = stopped ? stop_at : copy_at;
    options.monitor_user = &at;
    em_model *first = fit(&options, where);
    if (!stopped) check_same(whole, first); /* making checkpoints changes nothing */
    em_model_free(&first);
    options.checkpoint = stopped ? file : copied;
    if (!exists(options.checkpoint)) return 0;
    options.monitor = NULL;
    options.resume = 1;
    em_model *rest = fit(&options, where);
    long from = em_model_info(rest)->resumed;
    assert_true(from >= 1 && from <= at);
    if (stopped) assert_int_equal(from, at);
    check_same(whole, rest);
    em_model_free(&rest);
    return from;
}

static void every_method_goes_on(void **state)
{
    (void)state;
    const long moments[] = {1, 5, 7, 16, 23, 24, 31, 44, 48};
    for (int m = 0; em_method(m); m++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const em_method_info *method = em_method(m);
            const setting where = {"er:0.6", method->single_node ? 1 : NODES, threads};
            em_options options = options_for(method->name);
            em_model *whole = fit(&options, &where);
            assert_int_equal(em_model_info(whole)->resumed, 0);
            int resumed = 0;
            for (size_t n = 0; n < sizeof moments / sizeof *moments; n++) {
                if (moments[n] > em_model_info(whole)->iterations) continue;
                resumed += check_resumed(options, &where, moments[n], 0, whole) > 0;
                resumed += check_resumed(options, &where, moments[n], 1, whole) > 0;
            }
            assert_true(resumed >= 1 && (resumed >= 2 || strcmp(method->name, "covariance") == 0));
            em_model_free(&whole);
        }
}

/* Long enough for krylov's basis to have been restarted several times, on one node too. */
static void krylov_goes_on_past_restarts(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= NODES; nodes += NODES - 1) {
        const setting where = {"cycle", nodes, 2};
        em_options options = options_for("krylov");
        options.oversample = 0;
        options.tolerance = 0; /* there is no end but the limit */
        options.iterations = 60;
        em_model *whole = fit(&options, &where);
        assert_int_equal(em_model_info(whole)->iterations, 60);
        for (long at = 14; at < em_model_info(whole)->iterations && at < 40; at++)
            assert_int_equal(check_resumed(options, &where, at, 0, whole) > 0, 1);
        em_model_free(&whole);
    }
}

/* One component after another, each with its own end. */
static void columns_that_are_found_stay_found(void **state)
{
    (void)state;
    em_options options = options_for("seqdistpm");
    options.tolerance = 1e-3;
    options.iterations = 400;
    options.consensus_rounds = 6;
    em_model *whole = fit(&options, &usual);
    assert_true(em_model_info(whole)->iterations < 400);
    for (long at = 5; at < em_model_info(whole)->iterations; at += 3) {
        (void)check_resumed(options, &usual, at, 0, whole);
        (void)check_resumed(options, &usual, at, 1, whole);
    }
    em_model_free(&whole);
}

static void options_that_change_the_course(void **state)
{
    (void)state;
    em_options cases[6];
    cases[0] = options_for("dsa"), cases[0].step_decay = EMI_DECAY_SQRT;
    cases[1] = options_for("dsa"), cases[1].scale = EMI_SCALE_SPECTRAL, cases[1].trace = EMI_TRACE_ERROR;
    cases[2] = options_for("deepca"), cases[2].rayleigh_ritz = 0, cases[2].trace = EMI_TRACE_NONE;
    cases[3] = options_for("fastpca"), cases[3].scale = EMI_SCALE_STD, cases[3].tolerance = 1e-2;
    cases[4] = options_for("dpgd"), cases[4].center = 0, cases[4].step = 0.01;
    cases[5] = options_for("auto");
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        em_model *whole = fit(&cases[n], &usual);
        for (long at = 5; at < em_model_info(whole)->iterations && at < 20; at += 7)
            (void)check_resumed(cases[n], &usual, at, 0, whole);
        em_model_free(&whole);
    }
}

/* Stopped, resumed, stopped, resumed: each goes on where the last one was. */
static void again_and_again(void **state)
{
    (void)state;
    const char *const methods[] = {"fastpca", "deepca", "krylov", "seqdistpm"};
    for (int m = 0; m < 4; m++) {
        em_options options = options_for(methods[m]);
        if (m == 2) options.tolerance = 1e-300, options.oversample = 0;
        (void)remove(file);
        em_model *whole = fit(&options, &usual), *part = NULL;
        options.checkpoint = file;
        for (long at = 3; at <= em_model_info(whole)->iterations; at += 4) {
            options.monitor = stop_at;
            options.monitor_user = &at;
            part = fit(&options, &usual);
            assert_int_equal(em_model_info(part)->reason, EM_STOPPED_USER);
            assert_int_equal(em_model_info(part)->iterations, at);
            em_model_free(&part);
            options.resume = 1;
        }
        options.monitor = NULL;
        part = fit(&options, &usual);
        check_same(whole, part);
        em_model_free(&part);
        em_model_free(&whole);
    }
}

/* Begun from the last answer, which the rest of the fit needs too: the turn is told of it, and signs follow it. */
static void a_fit_from_the_last_answer_goes_on(void **state)
{
    (void)state;
    static const char *const methods[] = {"krylov", "deepca", "dsa", "auto"};
    em_options before = options_for("krylov"), options;
    before.iterations = 1;
    em_model *last = fit(&before, &usual), *whole = NULL, *part = NULL;
    em_error err = {0};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        int resumed = 0;
        options = options_for(methods[m]);
        em_options_set_last(&options, last);
        whole = fit(&options, &usual);
        assert_true(em_model_info(whole)->turn > 0);
        for (long at = 1; at < em_model_info(whole)->iterations && at < 20; at += 3) {
            resumed += check_resumed(options, &usual, at, 0, whole) > 0;
            resumed += check_resumed(options, &usual, at, 1, whole) > 0;
        }
        assert_true(resumed >= 2 || strcmp(em_model_info(whole)->method, "covariance") == 0);
        em_model_free(&whole);
    }
    long at = 3;
    options = options_for("deepca");
    options.checkpoint = file;
    options.monitor = stop_at;
    options.monitor_user = &at;
    em_options_set_last(&options, last);
    (void)remove(file);
    part = fit(&options, &usual);
    em_model_free(&part);
    options.monitor = NULL;
    options.resume = 1;
    em_options_set_last(&options, NULL); /* it is another fit without */
    assert_fails(try_fit(&part, &options, &usual, &err), EM_EINVAL, "option init", &err);
    em_model_free(&last);
}

/* More iterations than were asked for at first.  How many are asked for decides how C is applied: the last bits may
 * differ. */
static void the_limit_may_be_another(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    em_model *whole = fit(&options, &usual);
    (void)remove(file);
    options.checkpoint = file;
    options.checkpoint_every = 0;
    options.iterations = 22;
    em_model *part = fit(&options, &usual);
    em_model_free(&part);
    options.iterations = 48;
    options.resume = 1;
    part = fit(&options, &usual);
    assert_int_equal(em_model_info(part)->resumed, 20);
    assert_int_equal(em_model_info(part)->iterations, 48);
    for (int n = 0; n < K * COLUMNS; n++)
        assert_close(em_model_components(part)[n], em_model_components(whole)[n], 1e-12);
    em_model_free(&part);
    options.iterations = 10; /* it is past that already */
    part = fit(&options, &usual);
    assert_int_equal(em_model_info(part)->reason, EM_STOPPED_ITERATIONS);
    assert_true(em_model_info(part)->iterations == em_model_info(part)->resumed);
    em_model_free(&part);
    em_model_free(&whole);
}

static void checkpoints_come_as_often_as_asked(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    (void)remove(file);
    options.checkpoint = file;
    options.checkpoint_every = 3600;
    em_model *model = fit(&options, &usual);
    assert_false(exists(file));
    em_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_goes_on),
        cmocka_unit_test(krylov_goes_on_past_restarts),
        cmocka_unit_test(columns_that_are_found_stay_found),
        cmocka_unit_test(options_that_change_the_course),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(a_fit_from_the_last_answer_goes_on),
        cmocka_unit_test(the_limit_may_be_another),
        cmocka_unit_test(checkpoints_come_as_often_as_asked),
    };
    return cmocka_run_group_tests(tests, checkpoints_prepare, NULL);
}
