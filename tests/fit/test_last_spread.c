/* A fit from the last answer in several processes: all must have the same one, whatever object it is. */
#include "fit/options.h"
#include "model/model.h"
#include "support/check.h"
#include "support/crowd.h"
#include "support/truth.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, D = 8, NODES = 4, K = 2 };

static const double spectrum[D] = {9, 5, 3, 2, 1, .5, .3, .1};

typedef struct party {
    em_options options[NODES];
    em_shards *shards;
    em_model *models[CROWD_MOST];
} party;

static em_status fit_in_process(void *user, int process, em_mesh *mesh, em_error *err)
{
    party *p = user;
    return em_fit(&p->models[process], &p->options[process], mesh, p->shards, err);
}

static em_options options_for(int components, const em_model *last)
{
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = components;
    em_options_set_last(&options, last);
    return options;
}

/* Of all rows, in so many processes, one of which has another last answer. */
static void fit_all(party *p, const double *rows, const em_model *last, const em_model *odd, crowd_end ends[CROWD_MOST])
{
    em_error err = {0};
    em_graph *graph = NULL;
    em_data *data = NULL;
    *p = (party){0};
    for (int n = 0; n < NODES; n++) p->options[n] = options_for(K, n == 2 ? odd : last);
    assert_ok(em_graph_create(&graph, "path", NODES, 1, &err), &err);
    assert_ok(em_data_from_array(&data, rows, EM_F64, ROWS, D, 0, 0, &err), &err);
    assert_ok(em_shards_split(&p->shards, data, NODES, NULL, 0, &err), &err);
    crowd_run(&(crowd_plan){graph, NODES, 1, fit_in_process, NULL, p}, ends);
    em_shards_free(&p->shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

static em_model *alone(const double *rows, int components)
{
    em_error err = {0};
    em_graph *graph = NULL;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    const em_options options = options_for(components, NULL);
    assert_ok(em_graph_create(&graph, "complete", 1, 1, &err), &err);
    assert_ok(em_data_from_array(&data, rows, EM_F64, ROWS - 40, D, 0, 0, &err), &err);
    assert_ok(em_shards_of(&shards, (const em_data *const *)&data, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_shards_free(&shards);
    em_data_free(&data);
    em_graph_free(&graph);
    return model;
}

static void check(const double *rows, const em_model *last, const em_model *odd, int same)
{
    party p;
    crowd_end ends[CROWD_MOST];
    fit_all(&p, rows, last, odd, ends);
    for (int n = 0; n < NODES; n++) {
        if (same) {
            assert_ok(ends[n].status, &ends[n].err);
            assert_true(em_model_info(p.models[n])->turn > 0);
            assert_memory_equal(em_model_components(p.models[n]), em_model_components(p.models[0]),
                                sizeof(double) * K * D);
        } else {
            assert_int_equal(ends[n].status, EM_EINVAL);
            assert_non_null(strstr(ends[n].err.msg, "option init differs between processes; try the same everywhere"));
            assert_null(p.models[n]);
        }
    }
    for (int n = 0; n < NODES; n++) em_model_free(&p.models[n]);
}

static void all_must_begin_from_the_same(void **state)
{
    (void)state;
    static const char *const names[D] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    em_error err = {0};
    double *rows = truth_rows(ROWS, D, spectrum, 2), *others = truth_rows(ROWS, D, spectrum, 3);
    em_model *last = alone(rows, K), *more = alone(rows, K + 1), *other = alone(others, K), *loaded = NULL;
    assert_ok(em_model_save(last, scratch("last.npz"), &err), &err);
    assert_ok(em_model_load(&loaded, scratch("last.npz"), &err), &err);
    check(rows, last, last, 1);
    check(rows, last, loaded, 1);
    check(rows, last, more, 0);
    check(rows, last, other, 0);
    check(rows, last, NULL, 0);
    check(rows, NULL, last, 0);
    assert_ok(emi_model_name_features(loaded, names, &err), &err);
    check(rows, last, loaded, 0);
    em_model_free(&loaded);
    em_model_free(&other);
    em_model_free(&more);
    em_model_free(&last);
    free(others);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_must_begin_from_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
