/* Mapped files that get shorter while they are open: an error for who is guarded, and only then. */
#define _XOPEN_SOURCE 700
#include "data/data.h"
#include "fit/options.h"
#include "lab/tables/writer.h"
#include "support/tables.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 4096, COLUMNS = 8, HEADER = 128 };

/* A table of doubles over 64 pages; `name` is in the scratch directory. */
static const char *new_table(const char *name)
{
    static double values[ROWS * COLUMNS];
    lab_writer *writer = NULL;
    em_error err = {0};
    for (size_t n = 0; n < ROWS * COLUMNS; n++) values[n] = (double)(n % 1000) + 1;
    assert_ok(lab_writer_open(&writer, scratch(name), EM_F64, ROWS, COLUMNS, &err), &err);
    assert_ok(lab_writer_rows(writer, values, ROWS, &err), &err);
    assert_ok(lab_writer_close(&writer, &err), &err);
    return scratch(name);
}

static em_status read_all(const em_data *data, em_error *err)
{
    static double out[ROWS * COLUMNS];
    return em_data_read(data, 0, em_data_rows(data), out, err);
}

/* ---- without the guard, which comes first, as nothing takes it away again ------------------------------------- */

static void without_the_guard_the_process_ends(void **state)
{
    (void)state;
    em_data *data = open_table(new_table("bare.npy"));
    assert_int_equal(truncate(scratch("bare.npy"), HEADER), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGBUS, SIG_DFL); /* whatever a sanitizer has put there */
        (void)read_all(data, NULL);
        _exit(0);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGBUS);
    em_data_free(&data);
}

/* ---- with it ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t passed_on;

static void on_bus_error(int number)
{
    (void)number;
    passed_on++;
}

/* cmocka has a handler of its own around every test. */
static void be_guarded(void)
{
    static struct sigaction guard;
    static int known;
    if (!known) {
        (void)signal(SIGBUS, on_bus_error);
        em_guard_files();
        assert_int_equal(sigaction(SIGBUS, NULL, &guard), 0);
        em_guard_files(); /* again changes nothing */
    }
    known = 1;
    passed_on = 0;
    assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
}

static void a_file_that_gets_shorter_is_an_error(void **state)
{
    (void)state;
    be_guarded();
    static const long sizes[] = {0, HEADER, 5000, 100000, HEADER + 8 * ROWS * COLUMNS - 1};
    em_error err = {0};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        em_data *data = open_table(new_table("shorter.npy"));
        assert_ok(read_all(data, &err), &err);
        assert_int_equal(truncate(scratch("shorter.npy"), sizes[n]), 0);
        assert_fails(read_all(data, &err), EM_EIO, "shorter.npy: got shorter", &err);
        assert_fails(read_all(data, &err), EM_EIO, "shorter.npy: got shorter", &err); /* and stays so */
        em_data_free(&data);
    }
    assert_int_equal(passed_on, 0);
}

/* The last row alone is where fewer bytes than a page are missed. */
static void rows_alone_are_looked_at_too(void **state)
{
    (void)state;
    be_guarded();
    double row[COLUMNS];
    em_error err = {0};
    em_data *data = open_table(new_table("alone.npy"));
    assert_int_equal(truncate(scratch("alone.npy"), HEADER + 8 * ROWS * COLUMNS - 8), 0);
    assert_ok(em_data_read(data, 0, 1, row, &err), &err);
    assert_fails(em_data_read(data, ROWS - 1, 1, row, &err), EM_EIO, "got shorter", &err);
    em_data_free(&data);
}

/* Rows used where they lie, as a fit does: it ends with the error, on one node or several. */
static void a_fit_ends_with_the_error(void **state)
{
    (void)state;
    be_guarded();
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        em_error err = {0};
        em_graph *graph = NULL;
        em_mesh *mesh = NULL;
        em_shards *shards = NULL;
        em_model *model = NULL;
        em_options options = emi_options_default();
        em_data *data = open_table(new_table("fit.npy"));
        options.components = 2;
        options.method = "krylov";
        assert_ok(em_graph_create(&graph, "complete", nodes, 0, &err), &err);
        assert_ok(em_mesh_open(&mesh, NULL, graph, 2, &err), &err);
        assert_ok(em_shards_split(&shards, data, nodes, NULL, 0, &err), &err);
        assert_int_equal(truncate(scratch("fit.npy"), 5000), 0);
        assert_fails(em_fit(&model, &options, mesh, shards, &err), EM_EIO, "fit.npy: got shorter", &err);
        assert_null(model);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
        em_shards_free(&shards);
        em_data_free(&data);
    }
}

static void rows_in_place_are_checked_when_asked(void **state)
{
    (void)state;
    be_guarded();
    em_error err = {0};
    em_data *data = open_table(new_table("place.npy"));
    const double *rows = emi_data_in_place(data, 0);
    assert_non_null(rows);
    assert_true(rows[0] == 1 && rows[ROWS * COLUMNS - 1] > 0);
    assert_ok(emi_data_check(data, 0, ROWS, &err), &err);
    assert_int_equal(truncate(scratch("place.npy"), 5000), 0);
    assert_true(rows[ROWS * COLUMNS - 1] == 0); /* a page of zeros, and no signal */
    assert_fails(emi_data_check(data, 0, ROWS, &err), EM_EIO, "got shorter", &err);
    em_data_free(&data);
}

static void a_file_replaced_by_its_name_is_safe(void **state)
{
    (void)state;
    be_guarded();
    char other[512];
    double row[COLUMNS];
    em_error err = {0};
    em_data *data = open_table(new_table("old.npy"));
    (void)snprintf(other, sizeof other, "%s", scratch_text("new.npy", "short"));
    assert_int_equal(rename(other, scratch("old.npy")), 0);
    assert_ok(read_all(data, &err), &err);
    assert_ok(em_data_read(data, ROWS - 1, 1, row, &err), &err);
    assert_int_equal(unlink(scratch("old.npy")), 0);
    assert_ok(read_all(data, &err), &err);
    em_data_free(&data);
}

static void other_bus_errors_are_passed_on(void **state)
{
    (void)state;
    be_guarded();
    assert_int_equal(raise(SIGBUS), 0);
    assert_int_equal(passed_on, 1);
}

/* One map more than there is room for is read instead. */
static void more_files_than_there_is_room_for_are_read(void **state)
{
    (void)state;
    enum { MANY = 4100 };
    static em_data *tables[MANY];
    double row[COLUMNS];
    em_error err = {0};
    char path[512];
    (void)snprintf(path, sizeof path, "%s", new_table("many.npy"));
    for (int n = 0; n < MANY; n++) tables[n] = open_table(path);
    for (int n = 0; n < MANY; n += 4099) {
        assert_ok(em_data_read(tables[n], 1, 1, row, &err), &err);
        assert_true(row[0] == COLUMNS + 1);
    }
    for (int n = 0; n < MANY; n++) em_data_free(&tables[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_guard_the_process_ends),
        cmocka_unit_test(a_file_that_gets_shorter_is_an_error),
        cmocka_unit_test(rows_alone_are_looked_at_too),
        cmocka_unit_test(a_fit_ends_with_the_error),
        cmocka_unit_test(rows_in_place_are_checked_when_asked),
        cmocka_unit_test(a_file_replaced_by_its_name_is_safe),
        cmocka_unit_test(other_bus_errors_are_passed_on),
        cmocka_unit_test(more_files_than_there_is_room_for_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
