/* krylov's steps where the rows lie (data/gpu_lead.c): against LAPACK on the same rows, whatever they look like. */
#include "driver.h"
#include "problem.h"
#include "support/models.h"
#include "support/truth.h"

#include <math.h>
#include <string.h>

enum { N = 1200, D = 90 };

/* One step of the method's own is left, and the answer is as it should be: near means and far ones, both precisions. */
static void answers(void **state)
{
    (void)state;
    static const spectrum spectra[] = {{0.8, 1, D, 0}, {0.95, 1, D, 0}, {0.7, 3, D, 0}};
    for (size_t s = 0; s < sizeof spectra / sizeof *spectra; s++)
        for (int far = 0; far < 2; far++)
            for (int single = 0; single < 2; single++) {
                problem p;
                problem_open(&p, N, D, spectra[s], far ? 20 : 0, single);
                em_model *model = problem_fitted(&p, 4, single ? 1e-5 : 1e-10);
                assert_true(em_model_info(model)->reason > 0);
                if (s == 0) assert_true(steps_there(model) >= 4);
                if (s == 0) assert_int_equal(em_model_info(model)->iterations, 1);
                problem_check(&p, model, 4, single ? 1e-5 : 1e-10, single ? 2e-6 : 1e-11);
                em_model_free(&model);
                problem_close(&p);
            }
}

/* Steps in single precision, and one in double that judges them: residuals are those of the rows themselves, and not estimates, for
 * few digits and for as many as there are. */
static void judged_in_double(void **state)
{
    (void)state;
    static const double tolerances[] = {0.3, 5e-2, 1e-3, 1e-5, 1e-6}, means[] = {0, 3, 50};
    driver_forms(0); /* no covariance, which would be in double */
    for (size_t n = 0; n < 5 * 3; n++) {
        const double tolerance = tolerances[n % 5];
        const int many = 10;
        problem p;
        problem_open(&p, N, D, (spectrum){0.8, 1, D, 0}, means[n / 5], 1);
        em_model *model = problem_fitted(&p, many, tolerance);
        assert_string_equal(em_model_info(model)->precision, "double");
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        assert_int_equal(em_model_info(model)->estimated, 0);
        for (int k = 0; k < many; k++) {
            double said = em_model_residuals(model)[k], found = problem_residual(&p, model, k);
            assert_true(found <= tolerance && fabs(said - found) <= 1e-3 * found + 1e-11);
        }
        em_model_free(&model);
        problem_close(&p);
    }
    driver_forms(-1);
}

/* Means that are so far that the steps there may round more than the one that judges them: bounds hold, and what that leaves past the
 * rank is no variance. */
static void somewhat_far(void **state)
{
    (void)state;
    static const double means[] = {0.6, 1, 2, 4, 8}, tolerances[] = {1e-10, 1e-8, 1e-4, 1e-2};
    for (size_t n = 0; n < 5 * 4 * 2 * 2; n += 3) { /* of all combinations, some of each */
        double mean = means[n % 5], tolerance = tolerances[n / 5 % 4];
        int single = n / 20 % 2, rank = n / 40 ? 12 : D;
        problem p;
        problem_open(&p, N, D, (spectrum){0.7, 1, rank, 0}, mean, single);
        em_model *model = problem_fitted(&p, single || rank == D ? 4 : 14, single ? fmax(tolerance, 1e-5) : tolerance);
        assert_true(em_model_info(model)->reason > 0);
        if (!single && rank < D) assert_int_equal(em_model_info(model)->rank, rank);
        for (int k = 0; k < 4; k++) {
            const double *x = em_model_components(model) + (size_t)k * D, *q = p.vectors + (size_t)k * D;
            double bound = em_model_angle_bounds(model)[k];
            assert_true(bound < 20 * fmax(tolerance, single ? 1e-5 : 1e-9));
            assert_true(sqrt(truth_sin2(x, q, D)) <= bound + 1e-13);
        }
        em_model_free(&model);
        problem_close(&p);
    }
}

/* Fewer dimensions than the basis would have: columns depend on each other, and the method goes on by itself. */
static void few_dimensions(void **state)
{
    (void)state;
    for (int rank = 1; rank < 40; rank += 6) {
        problem p;
        problem_open(&p, N, D, (spectrum){0.9, 1, rank, 0}, 1, 0);
        em_model *model = problem_fitted(&p, 5, 1e-9);
        problem_check(&p, model, 5, 1e-9, 1e-11);
        em_model_free(&model);
        problem_close(&p);
    }
}

/* Past the rank there is nothing, also where means are so near that rows are multiplied as they lie: what rounding leaves of a mean
 * is not taken for variance. */
static void past_rank(void **state)
{
    static const char *const methods[] = {"krylov", "covariance"};
    (void)state;
    for (int n = 0; n < 8; n++) {
        problem p;
        em_model *model = NULL;
        em_error err = {0};
        int rank = n & 2 ? 12 : 20; /* so many that every feature has a part of them */
        problem_open(&p, N, D, (spectrum){0.98, 1, rank, 0}, n & 4 ? 0.1 : 0.4, 0);
        em_options options = emi_options_default();
        options.method = methods[n & 1];
        options.components = rank + 2;
        options.tolerance = 1e-9;
        options.device = EMI_DEVICE_GPU;
        assert_ok(problem_fit(&p, &options, &model, &err), &err);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        assert_int_equal(em_model_info(model)->rank, rank);
        em_model_free(&model);
        problem_close(&p);
    }
}

/* Few features and many rows: no steps there, and the method begins with a sample of them. */
static void few_features(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        problem p;
        problem_open(&p, 9000, 12, (spectrum){0.8, 1, 12, 0}, 3, single);
        em_model *model = problem_fitted(&p, 3, 1e-5);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        problem_check(&p, model, 3, 1e-5, 1e-8);
        em_model_free(&model);
        problem_close(&p);
    }
}

/* Sizes that are too far apart for one basis. */
static void far_apart(void **state)
{
    (void)state;
    problem p;
    problem_open(&p, N, D, (spectrum){0.05, 1, D, 0}, 0, 0);
    em_model *model = problem_fitted(&p, 5, 1e-6);
    problem_check(&p, model, 5, 1e-6, 1e-11);
    em_model_free(&model);
    problem_close(&p);
}

/* The same bits each time, and however much memory there is for a copy of the rows. */
static void bits(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("the memory of a GPU is not to be made smaller");
    for (int single = 0; single < 2; single++) {
        problem p;
        problem_open(&p, N, D, (spectrum){0.8, 1, D, 0}, 20, single);
        em_model *first = problem_fitted(&p, 4, single ? 1e-5 : 1e-10),
                 *second = problem_fitted(&p, 4, single ? 1e-5 : 1e-10);
        assert_same_model(first, second);
        em_model_free(&second);
        size_t rows = (single ? sizeof(float) : sizeof(double)) * N * D;
        driver_memory(rows * 8 / 5 + ((size_t)1200 << 10)); /* for the rows and the work, not for the copy too */
        second = problem_fitted(&p, 4, single ? 1e-5 : 1e-10);
        driver_memory((size_t)1 << 30);
        assert_same_model(first, second);
        em_model_free(&first);
        em_model_free(&second);
        problem_close(&p);
    }
}

/* A call fails, early or late, of those that are made for each chunk of the rows some: with auto the CPU goes on, and the answer is
 * right. */
static void fail_once_everywhere(int single, int asked)
{
    const double tolerance = single ? 1e-5 : 1e-9, digits = single ? 2e-6 : 1e-10;
    problem p;
    em_options options = emi_options_default();
    int failed = 1;
    long n = 0;
    options.method = "krylov";
    options.components = 4;
    options.tolerance = tolerance;
    options.device = asked ? EMI_DEVICE_GPU : EMI_DEVICE_AUTO;
    problem_open(&p, N, D, (spectrum){0.8, 1, D, 0}, 20, single);
    for (; failed; n += 1 + n / (single ? 10 : 40)) {
        em_error err = {0};
        em_model *model = NULL;
        driver_fail_at(n);
        em_status status = problem_fit(&p, &options, &model, &err);
        failed = driver_has_failed();
        driver_fail_at(-1);
        assert_int_equal(driver_pushed(), 0);
        assert_true(driver_live() <= DRIVER_OPEN);
        if (status == EM_OK) problem_check(&p, model, 4, tolerance, digits);
        if (status != EM_OK) assert_true(failed && asked && strstr(err.msg, "gpu: "));
        em_model_free(&model);
    }
    assert_true(n > 100);
    problem_close(&p);
}

static void failures(void **state)
{
    (void)state;
    if (!driver_is_standin()) skip_for("a GPU is not to be made to fail");
    for (int asked = 0; asked < 2; asked++) {
        fail_once_everywhere(0, asked);
        driver_forms(0); /* steps in single precision, and then one in double */
        fail_once_everywhere(1, asked);
        driver_forms(-1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers),      cmocka_unit_test(judged_in_double),
                                       cmocka_unit_test(somewhat_far), cmocka_unit_test(few_dimensions),
                                       cmocka_unit_test(few_features), cmocka_unit_test(past_rank),
                                       cmocka_unit_test(far_apart),    cmocka_unit_test(bits),
                                       cmocka_unit_test(failures)};
    int failed = 0;
    for (int forms = 0; forms < 2; forms++) { /* with the rows, and with their covariance */
        driver_forms(forms);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
