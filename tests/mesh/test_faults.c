/* A fit on an engine that goes wrong in one of its processes: it ends in all of them, in words that say where, and soon; or, where
 * blocks are only late, as if nothing were. */
#include "fit/options.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/faulty_engine.h"
#include "support/matrix.h"

#include <string.h>
#include <time.h>

enum { ROWS = 60, COLUMNS = 5, NODES = 5, K = 2 };

static double values[ROWS * COLUMNS];

typedef struct outcome {
    em_status status;
    em_error err;
    double components[K * COLUMNS];
    double seconds;
    int faulty, spread; /* is it this process that has the fault?  Are there others? */
    long calls;
} outcome;

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* In the process of the last node, or in all. */
static outcome fit_with(const char *engine, engine_fault fault, int everywhere, double patience)
{
    outcome o = {0};
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = "deepca";
    options.components = K;
    options.iterations = 10;
    assert_ok(em_data_from_array(&data, values, EM_F64, ROWS, COLUMNS, 0, 0, &o.err), &o.err);
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &o.err), &o.err);
    assert_ok(em_graph_create(&graph, "cycle", NODES, 1, &o.err), &o.err);
    o.status = engines_open(&mesh, engine, graph, 1, &o.err);
    if (o.status != EM_OK) goto done; /* a process that was quicker has failed in its first call by now */
    o.spread = emi_mesh_is_spread(mesh);
    o.faulty = everywhere || emi_mesh_hosts(mesh, NODES - 1);
    if (o.spread) assert_ok(em_mesh_set_patience(mesh, patience, &o.err), &o.err);
    if (o.faulty) faulty_engine_install(mesh, &fault);
    double began = now();
    o.status = em_fit(&model, &options, mesh, shards, &o.err);
    o.seconds = now() - began;
    o.calls = fault.calls;
    if (o.status == EM_OK) memcpy(o.components, em_model_components(model), sizeof o.components);
    if (o.status != EM_OK) assert_null(model);
done:
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return o;
}

/* What other processes say: after the name of the one that failed. */
static const char heard[] = ": has failed (a neighbour is lost); try what its own message says";

static void check_end(const outcome *o, const char *words)
{
    assert_fails(o->status, EM_ENET, words, &o->err);
    assert_fails(o->status, EM_ENET, "; try ", &o->err);
    assert_true(o->seconds < 20);
}

static void late_is_no_fault(void **state)
{
    (void)state;
    for (int e = 0; engines_name(e); e++) {
        const char *name = engines_name(e);
        outcome sound = fit_with(name, (engine_fault){.at = FAULT_NEVER}, 1, 60);
        assert_ok(sound.status, &sound.err);
        outcome late = fit_with(name, (engine_fault){.at = FAULT_NEVER, .late = 2e-4}, 1, 60);
        assert_ok(late.status, &late.err);
        assert_memory_equal(late.components, sound.components, sizeof sound.components);
        late = fit_with(name, (engine_fault){.at = FAULT_NEVER, .late = 2e-4}, 0, 60);
        assert_ok(late.status, &late.err);
        assert_memory_equal(late.components, sound.components, sizeof sound.components);
    }
}

/* In the beginning of a fit, in the midst of it, and in the last exchange, by which every process knows that all have
 * succeeded: whoever fails at hearing that fails alone, as in any network. */
static void fail_at_many_calls(const char *engine, enum fault_kind kind, const char *words)
{
    enum { LAST = 8 }; /* calls, in the last exchange: twice the two levels of the tree, there and back */
    outcome sound = fit_with(engine, (engine_fault){.at = FAULT_NEVER}, 1, 60);
    assert_ok(sound.status, &sound.err);
    assert_true(sound.calls > 100);
    const long all = sound.calls,
               calls[] = {0, 1, 2, 3, 10, 11, all / 2, all / 2 + 1, all - LAST - 1, all - 2, all - 1};
    for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
        outcome o = fit_with(engine, (engine_fault){.at = calls[n], .kind = kind}, 0, 60);
        if (!o.faulty && calls[n] >= all - LAST && o.status == EM_OK) continue;
        check_end(&o, o.faulty ? words : heard);
        if (!o.faulty) assert_null(strstr(o.err.msg, words)); /* which are that process's own */
    }
}

/* Where nobody is told of a failure, it is the silence below. */
static void on_engines_that_tell(enum fault_kind kind, const char *words)
{
    for (int e = 0; engines_manner.tells && engines_name(e); e++) fail_at_many_calls(engines_name(e), kind, words);
}

static void a_call_that_fails_ends_all(void **state)
{
    (void)state;
    on_engines_that_tell(FAULT_FAILS, "node 1: lost in call ");
}

static void a_block_that_is_missing_ends_all(void **state)
{
    (void)state;
    on_engines_that_tell(FAULT_DROPS, "engine faulty: the block of node ");
}

/* It tells nobody; the others find out.  Where they do not know late from lost, a busy machine may end their patience before. */
static void one_that_falls_silent_is_lost(void **state)
{
    (void)state;
    for (int e = 0; engines_name(e); e++) {
        outcome o = fit_with(engines_name(e), (engine_fault){.at = 40, .kind = FAULT_SILENT}, 0, 0.3);
        check_end(&o, o.faulty && engines_manner.tells ? "node 1: lost in call 40" : "");
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_is_no_fault),
        cmocka_unit_test(a_call_that_fails_ends_all),
        cmocka_unit_test(a_block_that_is_missing_ends_all),
        cmocka_unit_test(one_that_falls_silent_is_lost),
    };
    matrix_fill_table(values, ROWS, COLUMNS, 5);
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    return failed;
}
