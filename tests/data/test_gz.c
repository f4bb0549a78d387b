/* gzip around every format: damage, bombs, and files that are no files. */
#define _XOPEN_SOURCE 700
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SMALL_NPY EM_TEST_DATA "/data/files/u8-little-C.npy"

static void every_format_is_unpacked(void **state)
{
    (void)state;
    const unsigned char idx[] = {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6};
    unsigned char cifar[3073] = {3};
    size_t count;
    unsigned char *npy = file_bytes(SMALL_NPY, &count);
    assert_table(scratch_gz("a.npy.gz", npy, count), NULL, 3, 2, 0, 255, 0, 1, 85, 100);
    assert_table(scratch_gz("nameless", npy, count), NULL, 3, 2, 0, 255, 0, 1, 85, 100);
    assert_table(scratch_gz("a.csv.gz", "a,b\n1,2\n", 8), NULL, 1, 2, 1, 2);
    assert_table(scratch_gz("a.tsv.gz", "1\t2\n", 4), NULL, 1, 2, 1, 2);
    assert_table(scratch_gz("a.idx.gz", idx, sizeof idx), NULL, 1, 2, 5, 6);
    em_data *data = open_table(scratch_gz("a.bin.gz", cifar, sizeof cifar));
    assert_string_equal(em_data_format(data), "cifar10");
    em_data_free(&data);
    free(npy);
}

/* Numbers enough that the content does not come in one piece. */
static void large_content_comes_whole(void **state)
{
    (void)state;
    enum { ROWS = 300000 };
    double *wanted = malloc(ROWS * sizeof *wanted);
    char *text = malloc(ROWS * 8), path[512];
    size_t length = 0;
    assert_non_null(wanted);
    assert_non_null(text);
    for (size_t r = 0; r < ROWS; r++) {
        wanted[r] = (double)(r * 7919 % 100003);
        length += (size_t)sprintf(text + length, "%.0f\n", wanted[r]);
    }
    (void)snprintf(path, sizeof path, "%s", scratch_gz("large.csv.gz", text, length));
    em_data *data = open_table(path);
    em_error err = {0};
    double *got = malloc(ROWS * sizeof *got);
    assert_non_null(got);
    assert_int_equal(em_data_rows(data), ROWS);
    assert_ok(em_data_read(data, 0, ROWS, got, &err), &err);
    assert_memory_equal(got, wanted, ROWS * sizeof *got);
    em_data_free(&data);
    free(got);
    free(text);
    free(wanted);
}

static void members_follow_each_other(void **state)
{
    (void)state;
    size_t first, second;
    unsigned char *one = file_bytes(scratch_gz("one.gz", "1,2\n", 4), &first);
    unsigned char *two = file_bytes(scratch_gz("two.gz", "3,4\n", 4), &second), both[256];
    assert_true(first + second <= sizeof both);
    memcpy(both, one, first);
    memcpy(both + first, two, second);
    assert_table(scratch_file("both.csv.gz", both, first + second), NULL, 2, 2, 1, 2, 3, 4);
    free(two);
    free(one);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    size_t count, packed;
    unsigned char *npy = file_bytes(SMALL_NPY, &count), *gz = file_bytes(scratch_gz("a.npy.gz", npy, count), &packed);
    assert_no_prefix_opens("cut.npy.gz", gz, packed);
    gz[packed - 8] ^= 1; /* the checksum */
    assert_refused(scratch_file("checksum.npy.gz", gz, packed), NULL, EM_EDATA, "damaged gzip data");
    gz[packed - 8] ^= 1;
    gz[packed - 1] ^= 1; /* the length */
    assert_refused(scratch_file("length.npy.gz", gz, packed), NULL, EM_EDATA, "damaged gzip data");
    gz[packed - 1] ^= 1;
    gz[2] = 7; /* no such method */
    assert_refused(scratch_file("method.npy.gz", gz, packed), NULL, EM_EDATA, "damaged gzip data");
    assert_refused(scratch_gz("empty.npy.gz", "", 0), NULL, EM_EDATA, "is empty");
    assert_refused(scratch_gz("longer.npy.gz", "\x93NUMPY\1\0", 8), NULL, EM_EDATA, "no .npy data");
    unsigned char *longer = calloc(1, count + 1);
    assert_non_null(longer);
    memcpy(longer, npy, count);
    assert_refused(scratch_gz("longer.npy.gz", longer, count + 1), NULL, EM_EDATA, "holds more than");
    free(longer);
    free(gz);
    free(npy);
}

/* Content longer than what is looked at to recognise it: its end is noticed too. */
static void the_end_of_long_content_is_checked(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (100, 100), }";
    static const unsigned char zeros[10001];
    size_t count, packed;
    unsigned char *npy = file_bytes(scratch_npy("long.npy", header, zeros, 10000), &count);
    unsigned char *gz = file_bytes(scratch_gz("long.npy.gz", npy, count), &packed);
    em_data *data = open_table(scratch("long.npy.gz"));
    em_data_free(&data);
    gz[packed - 8] ^= 1; /* the checksum */
    assert_refused(scratch_file("long.npy.gz", gz, packed), NULL, EM_EDATA, "damaged gzip data");
    free(gz);
    free(npy);
    npy = file_bytes(scratch_npy("long.npy", header, zeros, 10001), &count);
    assert_refused(scratch_gz("long.npy.gz", npy, count), NULL, EM_EDATA, "holds more than");
    assert_refused(scratch_gz("long.npy.gz", npy, count - 2), NULL, EM_EDATA, "cut short");
    free(npy);
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* A gigabyte of zeros, 16 megabytes a member, after `head`. */
static const char *bomb(const char *name, const void *head, size_t size)
{
    enum { MEMBER = 1 << 24, MEMBERS = 64 };
    size_t first, count;
    unsigned char *zeros = calloc(MEMBER, 1);
    assert_non_null(zeros);
    unsigned char *start = file_bytes(scratch_gz("head.gz", head, size), &first);
    unsigned char *member = file_bytes(scratch_gz("zeros.gz", zeros, MEMBER), &count);
    const char *path = scratch(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(start, 1, first, file), first);
    for (int m = 0; m < MEMBERS; m++) assert_int_equal(fwrite(member, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    free(member);
    free(start);
    free(zeros);
    return path;
}

static void a_bomb_is_refused_before_it_grows(void **state)
{
    (void)state;
    const unsigned char idx[] = {0, 0, 8, 2, 0, 0, 0, 10, 0, 0, 0, 8}; /* promises 80 bytes */
    size_t count;
    unsigned char *npy = file_bytes(SMALL_NPY, &count);
    const char *paths[] = {bomb("bomb.npy.gz", npy, count), bomb("bomb.idx.gz", idx, sizeof idx)};
    long before = peak_kilobytes();
    clock_t start = clock();
    for (int n = 0; n < 2; n++) assert_refused(paths[n], NULL, EM_EDATA, "holds more than");
    assert_true(peak_kilobytes() - before < 8 << 10);
    assert_true(clock() - start < CLOCKS_PER_SEC);
    free(npy);
}

/* ---- paths that lead to no file ---------------------------------------------------------------------- */

static void what_is_no_file_cannot_be_read(void **state)
{
    (void)state;
    assert_refused("/dev/null", NULL, EM_EIO, "it is a device");
    assert_refused("/dev/zero", NULL, EM_EIO, "it is a device");
    assert_refused("raw:f64:2:/dev/zero", NULL, EM_EIO, "it is a device"); /* which has no end */
    assert_refused("/tmp", NULL, EM_EIO, "it is a directory");
    assert_refused("", NULL, EM_EIO, "cannot be read");
    assert_refused(scratch("missing.npy"), NULL, EM_EIO, "No such file");
    assert_refused(scratch("missing/inner.npy"), NULL, EM_EIO, "No such file");
    assert_refused(scratch("missing.h5:/data"), NULL, EM_EIO, "No such file");
    assert_refused(scratch_text("empty.gz", ""), NULL, EM_EDATA, "is empty");
}

static void a_file_without_permission_cannot_be_read(void **state)
{
    (void)state;
    const char *path = scratch_text("secret.csv", "1,2\n");
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) == 0) skip_for("root reads everything");
    assert_refused(path, NULL, EM_EIO, "Permission denied");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_unpacked),
        cmocka_unit_test(large_content_comes_whole),
        cmocka_unit_test(members_follow_each_other),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(the_end_of_long_content_is_checked),
        cmocka_unit_test(a_bomb_is_refused_before_it_grows),
        cmocka_unit_test(what_is_no_file_cannot_be_read),
        cmocka_unit_test(a_file_without_permission_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
