/* Pipes and standard input: read as they arrive, every format that has a sign of its own. */
#define _XOPEN_SOURCE 700
#include "support/tables.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES EM_TEST_DATA "/data/files/"

/* A process that writes these bytes to the file, a few at a time. */
static pid_t writer_of(const char *path, const void *bytes, size_t count)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    (void)signal(SIGPIPE, SIG_IGN);
    FILE *to = fopen(path, "wb");
    for (size_t n = 0; to && n < count; n++) {
        (void)putc(((const unsigned char *)bytes)[n], to);
        if (n % 50 == 0) (void)fflush(to);
    }
    if (to) (void)fclose(to);
    _exit(0);
}

static void gone(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
}

/* The bytes by a FIFO of this name. */
static em_status open_piped(em_data **out, const char *name, const void *bytes, size_t count, em_error *err)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s", scratch(name));
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = writer_of(path, bytes, count);
    em_status status = em_data_open(out, path, NULL, err);
    gone(child);
    return status;
}

static void check_piped(const char *path, size_t rows, size_t columns, const double *wanted)
{
    em_data *data = NULL;
    em_error err = {0};
    double got[64];
    size_t count;
    unsigned char *bytes = file_bytes(path, &count);
    assert_ok(open_piped(&data, "pipe", bytes, count, &err), &err);
    assert_int_equal(em_data_rows(data), rows);
    assert_int_equal(em_data_columns(data), columns);
    assert_ok(em_data_read(data, 0, rows, got, &err), &err);
    assert_memory_equal(got, wanted, rows * columns * sizeof *got);
    em_data_free(&data);
    free(bytes);
}

static void every_format_comes_through_a_pipe(void **state)
{
    (void)state;
    const double small[6] = {0, 255, 0, 1, 85, 100}, counted[6] = {0, 1, 2, 3, 4, 5};
    const unsigned char idx[] = {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1};
    size_t count;
    unsigned char *npy = file_bytes(FILES "u8-little-C.npy", &count);
    check_piped(FILES "u8-little-C.npy", 3, 2, small);
    check_piped(FILES "u8-little-F.npy", 3, 2, small);
    check_piped(scratch_gz("small.npy.gz", npy, count), 3, 2, small);
    check_piped(FILES "stored.npz", 3, 2, counted);
    check_piped(FILES "deflated.npz", 3, 2, counted);
    check_piped(scratch_file("t.idx", idx, sizeof idx), 1, 2, counted);
    check_piped(scratch_text("t.csv", "a,b\n0,1\n2,3\n4,5\n"), 3, 2, counted);
    check_piped(scratch_gz("t.csv.gz", "0,1\n2,3\n4,5\n", 12), 3, 2, counted);
    free(npy);
}

static void what_comes_through_a_pipe_is_checked_alike(void **state)
{
    (void)state;
    em_data *data = NULL;
    em_error err = {0};
    size_t count;
    unsigned char *npy = file_bytes(FILES "u8-little-C.npy", &count);
    assert_fails(open_piped(&data, "cut", npy, count - 1, &err), EM_EDATA, "cut short", &err);
    assert_fails(open_piped(&data, "none", "", 0, &err), EM_EDATA, "is empty", &err);
    assert_fails(open_piped(&data, "junk", "\1\2\3", 3, &err), EM_EDATA, "of no format that is understood", &err);
    assert_fails(open_piped(&data, "half", "\x1f\x8b\x08", 3, &err), EM_EDATA, "it ends too early", &err);
    static const char huge[] =
        "\x93NUMPY\1\0\x46\0{'descr': '<f8', 'fortran_order': False, 'shape': (100000000, 1000)}   ";
    assert_fails(open_piped(&data, "huge", huge, sizeof huge - 1, &err), EM_EDATA, "promises 800000000080", &err);
    assert_null(data);
    free(npy);
}

/* Run by a child whose standard input is the file, from `offset` on. */
static int opens_as(const char *path, long offset, const char *input, const char *name)
{
    int how;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        em_data *data = NULL;
        FILE *from = fopen(path, "rb");
        int ready = from && lseek(fileno(from), offset, SEEK_SET) == offset && dup2(fileno(from), 0) == 0;
        int good = ready && em_data_open(&data, input, NULL, NULL) == EM_OK && em_data_rows(data) == 3 &&
                   em_data_columns(data) == 2 && strcmp(em_data_name(data), name) == 0;
        em_data_free(&data);
        if (from) (void)fclose(from);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    assert_true(opens_as(FILES "u8-little-C.npy", 0, "-", "standard input"));
    assert_true(opens_as(FILES "several.npz", 0, "-:x", "standard input:x"));
    assert_true(opens_as(scratch_text("rows.csv", "junk;\"\n1,2\n3,4\n5,6\n"), 7, "-", "standard input"));
    assert_true(opens_as(scratch_file("rows.raw", "123456", 6), 0, "raw:u8:2:-", "standard input"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_comes_through_a_pipe),
        cmocka_unit_test(what_comes_through_a_pipe_is_checked_alike),
        cmocka_unit_test(a_dash_is_standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
