/* A program in a locale with a decimal comma: all that the library reads and writes is as in C's own. */
#include "fit/options.h"
#include "lab/tables/writer.h"
#include "support/check.h"
#include "support/locales.h"
#include "support/models.h"
#include "support/tables.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 6, ROWS = 60, COLUMNS = 5 };

static void options_have_points(void **state)
{
    (void)state;
    em_error err = {0};
    em_options *options = NULL;
    assert_ok(em_options_create(&options, &err), &err);
    assert_ok(em_options_set(options, "step", "0.1", &err), &err);
    assert_ok(em_options_set(options, "tolerance", "2.5e-7", &err), &err);
    assert_ok(em_options_set(options, "step-decay", "power:0.25", &err), &err);
    assert_ok(em_options_set(options, "components", "0.9", &err), &err);
    assert_true(options->step == 0.1 && options->tolerance == 2.5e-7);
    assert_true(options->step_power == 0.25 && options->variance == 0.9);
    assert_fails(em_options_set(options, "step", "0,1", &err), EM_EINVAL, "step", &err);
    for (int n = 0; em_option(n); n++) /* every default is one that can be set */
        if (em_options_set(options, em_option(n)->name, em_option(n)->preset, &err) != EM_OK &&
            em_option(n)->preset[0] >= '0' && em_option(n)->preset[0] <= '9')
            fail_msg("%s: %s", em_option(n)->name, err.msg);
    em_options_free(&options);
}

static em_graph *make_graph(const char *spec)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, spec, NODES, 1, &err), &err);
    return graph;
}

static void topologies_have_points(void **state)
{
    (void)state;
    const char *edges = scratch_text("ring.edges", "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n");
    char file[600];
    (void)snprintf(file, sizeof file, "file:%s", edges);
    const char *const specs[] = {"er:0.5", "smallworld:2:0.3", "er:.75", file};
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) {
        em_graph *here = make_graph(specs[n]);
        locale_plain();
        em_graph *plain = make_graph(specs[n]);
        assert_true(locale_with_comma());
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++) assert_true(em_graph_weight(here, i, j) == em_graph_weight(plain, i, j));
        em_graph_free(&plain);
        em_graph_free(&here);
    }
    em_error err = {0};
    em_graph *graph = NULL;
    assert_fails(em_graph_create(&graph, "er:0,5", NODES, 1, &err), EM_EINVAL, "er:", &err);
}

static void tables_have_points(void **state)
{
    (void)state;
    static const double raw[] = {0.5, -1.25, 1e-3, 4};
    char spec[600];
    assert_table(scratch_text("t.csv", "a,b\n0.5,1.25e-3\n-12345678.12345678901,2\n"), NULL, 2, 2, 0.5, 1.25e-3,
                 -12345678.12345678901, 2);
    assert_table(scratch_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", raw, sizeof raw),
                 NULL, 2, 2, 0.5, -1.25, 1e-3, 4);
    (void)snprintf(spec, sizeof spec, "raw:f64:2:%s", scratch_file("t.bin", raw, sizeof raw));
    assert_table(spec, NULL, 2, 2, 0.5, -1.25, 1e-3, 4);
}

static void writers_write_points(void **state)
{
    (void)state;
    static const double values[] = {0.1, -2.5e-300, 0.1 + 0.2, 7};
    static const char *const names[] = {"w.csv", "w.tsv"};
    static const char *const wanted[] = {"0.1,-2.5e-300\n0.30000000000000004,7\n",
                                         "0.1\t-2.5e-300\n0.30000000000000004\t7\n"};
    for (int n = 0; n < 2; n++) {
        em_error err = {0};
        lab_writer *writer = NULL;
        size_t count = 0;
        assert_ok(lab_writer_open(&writer, scratch(names[n]), EM_F64, 2, 2, &err), &err);
        assert_ok(lab_writer_rows(writer, values, 2, &err), &err);
        assert_ok(lab_writer_close(&writer, &err), &err);
        unsigned char *bytes = file_bytes(scratch(names[n]), &count);
        assert_int_equal(count, strlen(wanted[n]));
        assert_memory_equal(bytes, wanted[n], count);
        free(bytes);
        assert_table(scratch(names[n]), NULL, 2, 2, 0.1, -2.5e-300, 0.1 + 0.2, 7);
    }
}

/* From a CSV to a model that is written and read back. */
static em_model *whole_way(const char *table, const char *name)
{
    em_error err = {0};
    em_shards *shards = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL, *read = NULL;
    em_data *data = open_table(table);
    em_graph *graph = make_graph("er:0.5");
    em_options options = emi_options_default();
    options.method = "dsa";
    options.checkpoint = scratch("fit.checkpoint");
    options.checkpoint_every = 0;
    assert_ok(em_options_set(&options, "components", "2", &err), &err);
    assert_ok(em_options_set(&options, "step", "0.05", &err), &err);
    assert_ok(em_options_set(&options, "iterations", "30", &err), &err);
    assert_ok(em_shards_split(&shards, data, NODES, "sizes:5,15,10,10,10,10", 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 2, &err), &err);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    assert_ok(em_model_save(model, scratch(name), &err), &err);
    assert_ok(em_model_load(&read, scratch(name), &err), &err);
    assert_same_model(model, read);
    em_model_free(&read);
    options.resume = 1;
    assert_ok(em_fit(&read, &options, mesh, shards, &err), &err);
    assert_same_model(model, read);
    assert_ok(em_checkpoint_remove(&options, mesh, &err), &err);
    em_model_free(&read);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return model;
}

static void a_fit_is_the_same(void **state)
{
    (void)state;
    char text[ROWS * COLUMNS * 12 + 1];
    size_t length = 0;
    for (int n = 0; n < ROWS * COLUMNS; n++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d.%03d%c", n * 7 % 5, n * n * 31 % 1000,
                                   n % COLUMNS == COLUMNS - 1 ? '\n' : ',');
    const char *table = scratch_file("table.csv", text, length);
    em_model *here = whole_way(table, "here.npz");
    locale_plain();
    em_model *plain = whole_way(table, "plain.npz");
    assert_true(locale_with_comma());
    assert_same_model(here, plain);
    em_model_free(&plain);
    em_model_free(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_points), cmocka_unit_test(topologies_have_points),
        cmocka_unit_test(tables_have_points),  cmocka_unit_test(writers_write_points),
        cmocka_unit_test(a_fit_is_the_same),
    };
    if (!locale_with_comma()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
