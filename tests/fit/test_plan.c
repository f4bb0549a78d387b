/* The plan: what it says is what a fit then does. */
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/network.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 120 };

typedef struct shape {
    int columns, K, nodes;
    const char *topology;
} shape;

static const shape shapes[] = {{8, 2, 6, "cycle"},   {30, 5, 6, "er:0.6"},  {300, 2, 6, "star"},
                               {300, 10, 6, "path"}, {8, 2, 1, "complete"}, {200, 3, 1, "complete"}};

/* What is planned, and then done, with the same options. */
static void plan_and_fit(const shape *s, const em_options *options, em_plan **plan, em_model **model)
{
    network net;
    em_error err = {0};
    double *values = malloc(sizeof *values * ROWS * (size_t)s->columns);
    assert_non_null(values);
    matrix_fill_table(values, ROWS, s->columns, 3);
    const network_plan described = {values, ROWS, (size_t)s->columns, s->topology, s->nodes, 1};
    assert_ok(network_open(&net, &described, &err), &err);
    assert_ok(em_plan_make(plan, options, net.mesh, net.shards, &err), &err);
    assert_ok(em_fit(model, options, net.mesh, net.shards, &err), &err);
    network_close(&net);
    free(values);
}

static void the_fit_keeps_to_the_plan(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        for (int m = -1; m < 0 || em_method(m); m++) {
            em_plan *plan = NULL;
            em_model *model = NULL;
            em_options options = emi_options_default();
            if (m >= 0 && em_method(m)->single_node && shapes[n].nodes > 1) continue;
            options.method = m < 0 ? "auto" : em_method(m)->name;
            options.components = shapes[n].K;
            options.iterations = m < 0 ? -1 : 20;
            plan_and_fit(&shapes[n], &options, &plan, &model);
            const em_info *info = em_model_info(model);
            assert_string_equal(plan->method, info->method);
            assert_string_equal(plan->operator_name, info->operator_name);
            if (m < 0)
                assert_string_equal(plan->why, info->choice);
            else
                assert_string_equal(plan->why, "as asked for");
            assert_int_equal(plan->nodes, info->nodes);
            assert_int_equal(plan->threads, info->threads);
            assert_int_equal(plan->samples, info->samples);
            assert_int_equal(plan->features, info->features);
            assert_int_equal(plan->components, info->components);
            assert_true(plan->memory > 0 && plan->block > 0);
            em_model_free(&model);
            em_plan_free(&plan);
        }
}

/* Where the number of iterations is known, so is everything that is sent, to the last message. */
static void what_is_sent_is_foreseen(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int rounds;
    } cases[] = {{"dsa", 0}, {"dpgd", 0}, {"fastpca", 0}, {"sdot", 7}, {"deepca", 3}, {"seqdistpm", 4}};
    for (size_t n = 0; n < 4; n++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            em_plan *plan = NULL;
            em_model *model = NULL;
            em_options options = emi_options_default();
            options.method = cases[c].method;
            options.consensus_rounds = cases[c].rounds;
            options.components = shapes[n].K;
            options.tolerance = 0;
            options.iterations = 10L * shapes[n].K;
            plan_and_fit(&shapes[n], &options, &plan, &model);
            const em_traffic *sent = &em_model_info(model)->traffic[EM_METHOD];
            assert_int_equal(plan->iterations, options.iterations);
            assert_true(plan->at_most);
            assert_int_equal((uint64_t)plan->rounds, sent->rounds);
            assert_int_equal((uint64_t)plan->messages, sent->messages);
            assert_int_equal((uint64_t)plan->bytes, sent->bytes);
            em_model_free(&model);
            em_plan_free(&plan);
        }
}

/* Of krylov the number of steps is a guess; what a step sends is not.  covariance is one exchange. */
static void a_step_over_the_tree_is_foreseen(void **state)
{
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        em_plan *plan = NULL;
        em_model *model = NULL;
        em_options options = emi_options_default();
        options.method = "krylov";
        options.components = shapes[n].K;
        plan_and_fit(&shapes[n], &options, &plan, &model);
        const em_info *info = em_model_info(model);
        uint64_t steps = (uint64_t)info->iterations;
        assert_int_equal(info->traffic[EM_METHOD].messages,
                         (uint64_t)(plan->messages / (double)plan->iterations) * steps);
        assert_false(plan->at_most);
        em_model_free(&model);
        em_plan_free(&plan);
        options.method = "covariance";
        plan_and_fit(&shapes[n], &options, &plan, &model);
        assert_true(em_model_info(model)->traffic[EM_METHOD].bytes <= (uint64_t)plan->bytes);
        assert_int_equal(plan->iterations, 1);
        em_model_free(&model);
        em_plan_free(&plan);
    }
}

/* What a fit would refuse for its options or sizes, a plan refuses too. */
static void what_cannot_be_done_is_not_planned(void **state)
{
    (void)state;
    network net;
    em_error err = {0};
    em_plan *plan = NULL;
    double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 9, 8, 7};
    const network_plan described = {values, 4, 3, "cycle", 3, 1};
    assert_ok(network_open(&net, &described, &err), &err);
    em_options options = emi_options_default();
    options.components = 4;
    assert_int_equal(em_plan_make(&plan, &options, net.mesh, net.shards, &err), EM_EINVAL);
    assert_null(plan);
    options.components = 1;
    options.method = "gha";
    assert_int_equal(em_plan_make(&plan, &options, net.mesh, net.shards, &err), EM_EINVAL);
    options.method = "dsa";
    assert_ok(em_plan_make(&plan, &options, net.mesh, net.shards, &err), &err);
    em_plan_free(&plan);
    em_plan_free(&plan);
    network_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fit_keeps_to_the_plan),
        cmocka_unit_test(what_is_sent_is_foreseen),
        cmocka_unit_test(a_step_over_the_tree_is_foreseen),
        cmocka_unit_test(what_cannot_be_done_is_not_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
