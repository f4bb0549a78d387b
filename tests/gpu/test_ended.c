/* Steps among the rows that end with the answer and its products (data/gpu_lead.c): what is said of it is true of the rows, whatever
 * was asked for, though nothing was multiplied with it again. */
#include "driver.h"
#include "problem.h"
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDE = 500, MANY = 700, NARROW = 90, ROWS = 1200 };

/* Residuals are those of the rows themselves, and within what was asked for. */
static void check_residuals(const problem *p, const em_model *model, double tolerance)
{
    for (int k = 0; k < em_model_components_count(model); k++) {
        double said = em_model_residuals(model)[k], found = problem_residual(p, model, k);
        assert_true(found <= tolerance && fabs(said - found) <= 1e-3 * found + 1e-2 * tolerance);
    }
}

/* Columns are orthonormal to all digits, though the basis may have been made so but once. */
static void check_columns(const em_model *model)
{
    int d = em_model_features(model), K = em_model_components_count(model);
    const double *X = em_model_components(model);
    for (int k = 0; k < K; k++)
        for (int j = 0; j <= k; j++) {
            double dot = 0;
            for (int f = 0; f < d; f++)
                dot += X[(size_t)k * (size_t)d + (size_t)f] * X[(size_t)j * (size_t)d + (size_t)f];
            assert_close(dot, j == k, 1e-13);
        }
}

static void check_one(const problem *p, int K, double tolerance)
{
    em_model *model = problem_fitted(p, K, tolerance);
    const em_info *info = em_model_info(model);
    assert_int_equal(info->reason, EM_CONVERGED);
    assert_int_equal(info->estimated, 0);
    assert_int_equal(info->iterations, 1);
    assert_true(steps_there(model) >= 2);
    check_residuals(p, model, tolerance);
    check_columns(model);
    problem_check(p, model, K, tolerance, fmin(1e-2, 10 * tolerance * tolerance) + 1e-12);
    em_model_free(&model);
}

/* Few digits and many, means at hand and far away; blocks that have more columns where there are features enough. */
static void says_what_is_true(void **state)
{
    (void)state;
    static const double tolerances[] = {0.1, 5e-2, 1e-2, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10},
                        means[] = {0, 0.3, 3, 50, 2000};
    static const int components[] = {1, 4, 10};
    driver_forms(0);
    for (int wide = 0; wide < 2; wide++)
        for (int m = 0; m < 5; m += SANITIZED ? 3 : 1) {
            problem p;
            problem_open(&p, wide ? MANY : ROWS, wide ? WIDE : NARROW, (spectrum){0.8, 1, WIDE, 0}, means[m], 0);
            for (int n = 0; n < 10; n++) check_one(&p, components[n % 3], tolerances[n]);
            problem_close(&p);
        }
    driver_forms(-1);
}

/* Eigenvalues of very different size, and such as come in groups that a block does not hold: more steps, or the method goes on here;
 * the answer is as good. */
static void hard_ones(void **state)
{
    (void)state;
    static const spectrum spectra[] = {
        {0.02, 1, WIDE, 0}, {0.3, 1, WIDE, 0}, {0.5, 30, WIDE, 0}, {0.999, 1, WIDE, 0}, {0.7, 1, 15, 0}};
    driver_forms(0);
    for (size_t s = 0; s < sizeof spectra / sizeof *spectra; s++)
        for (int n = SANITIZED ? (int)s % 3 : 0; n < 3; n += SANITIZED ? 3 : 1) {
            const double tolerance = n == 0 ? 5e-2 : n == 1 ? 1e-4 : 1e-9;
            problem p;
            problem_open(&p, MANY, WIDE, spectra[s], n == 2 ? 100 : n, 0);
            em_model *model = problem_fitted(&p, 6, tolerance);
            const em_info *info = em_model_info(model);
            assert_true(info->reason > 0);
            for (int k = 0; k < 6; k++) {
                double said = em_model_residuals(model)[k],
                       found = problem_residual(&p, model, k) * problem_variance(&p, model, k);
                assert_true(fabs(said * problem_variance(&p, model, k) - found) <=
                            0.1 * (found + tolerance * p.values[k]) + 1e-13 * p.values[0]);
                assert_true(found <= tolerance * problem_variance(&p, model, k) + 1e-12 * p.values[0]);
                assert_close(problem_variance(&p, model, k) / p.values[k], 1, fmin(2 * tolerance, 0.03) + 1e-10);
            }
            em_model_free(&model);
            problem_close(&p);
        }
    driver_forms(-1);
}

/* One that is far larger than all others, as a feature in other units makes it, and few digits: what is lost of the basis is seen. */
static void one_far_larger(void **state)
{
    (void)state;
    driver_forms(0);
    for (double first = 1e3; first < 1e9; first *= SANITIZED ? 1e5 : 10) {
        problem p;
        problem_open(&p, MANY, WIDE, (spectrum){0.995, 1, WIDE, first}, 0, 0);
        for (int n = 0; n < 4; n++) {
            const double tolerance = n % 2 ? 2e-2 : 5e-3;
            em_model *model = problem_fitted(&p, n < 2 ? 3 : 8, tolerance);
            assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
            check_residuals(&p, model, tolerance);
            check_columns(model);
            em_model_free(&model);
        }
        problem_close(&p);
    }
    driver_forms(-1);
}

static em_options usual(double tolerance)
{
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = 4;
    options.tolerance = tolerance;
    options.device = EMI_DEVICE_GPU;
    return options;
}

/* Where the run is traced, or may be resumed, or rows are floats that are to be multiplied in double: the same answer. */
static void in_company(void **state)
{
    (void)state;
    em_error err = {0};
    driver_forms(0);
    for (int single = 0; single < 2; single++)
        for (int way = 0; way < 3; way++) {
            problem p;
            em_model *model = NULL;
            em_options options = usual(1e-7);
            problem_open(&p, ROWS, NARROW, (spectrum){0.8, 1, NARROW, 0}, 0.3, single);
            if (way == 0) options.precision = EMI_PRECISION_DOUBLE;
            if (way == 1) options.trace = EMI_TRACE_ALL;
            if (way == 2) options.checkpoint = scratch("ended.ckpt");
            assert_ok(problem_fit(&p, &options, &model, &err), &err);
            assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
            if (way == 1) assert_true(em_model_trace_row(model, em_model_trace_rows(model) - 1)->residual < 1e-7);
            check_residuals(&p, model, 1e-7);
            em_model_free(&model);
            problem_close(&p);
        }
    driver_forms(-1);
}

static int stop(const em_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

/* Steps there that do not get to the end, and then some here, of which a run is stopped and goes on: the same bits. */
static void resumed(void **state)
{
    (void)state;
    em_error err = {0};
    driver_forms(0);
    problem p;
    em_model *whole = NULL, *part = NULL, *rest = NULL;
    const char *file = scratch("resumed.ckpt");
    em_options options = usual(1e-10);
    problem_open(&p, ROWS, NARROW, (spectrum){0.9995, 1, NARROW, 0}, 0.3, 0);
    options.checkpoint = file;
    assert_ok(problem_fit(&p, &options, &whole, &err), &err);
    assert_true(em_model_info(whole)->iterations > 1);
    (void)remove(file);
    options.monitor = stop;
    assert_ok(problem_fit(&p, &options, &part, &err), &err);
    assert_int_equal(em_model_info(part)->reason, EM_STOPPED_USER);
    options.monitor = NULL;
    options.resume = 1;
    assert_ok(problem_fit(&p, &options, &rest, &err), &err);
    assert_int_equal(em_model_info(rest)->reason, EM_CONVERGED);
    assert_int_equal(em_model_info(rest)->resumed, 1);
    size_t size = sizeof(double) * 4 * NARROW;
    assert_memory_equal(em_model_components(whole), em_model_components(rest), size);
    em_model_free(&whole);
    em_model_free(&part);
    em_model_free(&rest);
    problem_close(&p);
    driver_forms(-1);
}

/* Steps of a fit, and the one here that is counted if there is any. */
static int steps_of(const problem *p)
{
    em_model *model = problem_fitted(p, 10, 1e-6);
    int steps = em_model_info(model)->iterations == 1 ? steps_there(model) : 0;
    check_residuals(p, model, 1e-6);
    em_model_free(&model);
    return steps;
}

/* No room for products beside the basis: one more step, here.  In a process of its own, which finds a smaller GPU. */
static void little_room(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    int status = 0;
    problem p;
    driver_forms(0);
    problem_open(&p, MANY, WIDE, (spectrum){0.8, 1, WIDE, 0}, 0.3, 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        driver_memory((size_t)40 << 20);
        _exit(steps_of(&p));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), steps_of(&p) + 1);
    problem_close(&p);
    driver_forms(-1);
}

/* The same bits, whatever was in the memory that is used again. */
static void bits(void **state)
{
    (void)state;
    driver_forms(0);
    problem p;
    problem_open(&p, MANY, WIDE, (spectrum){0.9, 1, WIDE, 0}, 0.3, 0);
    for (int n = 0; n < 3; n++) {
        const double tolerance = n == 0 ? 5e-2 : n == 1 ? 1e-4 : 1e-9;
        em_model *first = problem_fitted(&p, 10, tolerance), *other = problem_fitted(&p, 7, 1e-3),
                 *second = problem_fitted(&p, 10, tolerance);
        assert_same_model(first, second);
        em_model_free(&first);
        em_model_free(&other);
        em_model_free(&second);
    }
    problem_close(&p);
    driver_forms(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_room), /* before others have used it */
                                       cmocka_unit_test(says_what_is_true), cmocka_unit_test(hard_ones),
                                       cmocka_unit_test(one_far_larger),    cmocka_unit_test(resumed),
                                       cmocka_unit_test(in_company),        cmocka_unit_test(bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
