/* What auto chooses: by what would be sent, said in words, and not worse than the other choice. */
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/network.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 120 };

typedef struct shape {
    int columns, K, nodes;
    const char *topology, *chosen, *why;
} shape;

static const shape shapes[] = {
    {8, 2, 6, "cycle", "covariance", "krylov"},        {30, 5, 6, "er:0.6", "covariance", "deepca"},
    {300, 2, 6, "cycle", "krylov", "covariance"},      {300, 10, 6, "star", "krylov", "deepca"},
    {8, 2, 1, "complete", "covariance", "8 features"},
};

static em_model *fit(const shape *s, const char *method)
{
    network net;
    em_error err = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    double *values = malloc(sizeof *values * ROWS * (size_t)s->columns);
    assert_non_null(values);
    matrix_fill_table(values, ROWS, s->columns, 3);
    const network_plan plan = {values, ROWS, (size_t)s->columns, s->topology, s->nodes, 1};
    assert_ok(network_open(&net, &plan, &err), &err);
    options.method = method;
    options.components = s->K;
    assert_ok(em_fit(&model, &options, net.mesh, net.shards, &err), &err);
    network_close(&net);
    free(values);
    return model;
}

static void the_cheaper_one_is_chosen_and_told(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        em_model *model = fit(&shapes[n], "auto");
        const em_info *info = em_model_info(model);
        assert_string_equal(info->method, shapes[n].chosen);
        assert_non_null(strstr(info->choice, shapes[n].why));
        assert_null(strstr(info->choice, "broke down"));
        assert_int_equal(info->reason, EM_CONVERGED);
        em_model_free(&model);
    }
}

/* Predictions are guesses, but not wild ones: no more than half as much again as the best. */
static void the_choice_is_right_in_hindsight(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "krylov", "covariance", "deepca"};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        uint64_t bytes[4];
        for (int m = 0; m < 4; m++) {
            em_model *model = fit(&shapes[n], methods[m]);
            bytes[m] = em_model_info(model)->traffic[EM_METHOD].bytes;
            if (m > 0) assert_string_equal(em_model_info(model)->choice, ""); /* there was none */
            em_model_free(&model);
        }
        for (int m = 1; m < 4; m++) assert_true(2 * bytes[0] <= 3 * bytes[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_one_is_chosen_and_told),
        cmocka_unit_test(the_choice_is_right_in_hindsight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
