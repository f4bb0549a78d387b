/* Output files through links and into streams. */
#include "base/output.h"
#include "support/check.h"
#include "support/place.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_link_stays_a_link(void **state)
{
    (void)state;
    em_error err = {0};
    emi_output *output = NULL;
    char link[512], target[512];
    struct stat about;
    (void)snprintf(target, sizeof target, "%s", scratch_file("pointed-to", "old", 3));
    (void)snprintf(link, sizeof link, "%s", scratch("link"));
    assert_int_equal(symlink(target, link), 0);
    assert_ok(emi_output_open(&output, link, &err), &err);
    assert_true(fputs("new", emi_output_stream(output)) >= 0);
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    check_contents(target, "new");
}

/* Link after link, from one directory into another, to where nothing is yet. */
static void a_link_to_nothing_is_followed(void **state)
{
    (void)state;
    em_error err = {0};
    char first[600], second[600], target[600], found[600];
    struct stat about;
    const char *place = new_place();
    inside(second, sizeof second, place, "sub");
    assert_int_equal(mkdir(second, 0777), 0);
    inside(first, sizeof first, place, "first");
    inside(second, sizeof second, place, "sub/second");
    inside(target, sizeof target, place, "target");
    assert_int_equal(symlink("sub/second", first), 0);
    assert_int_equal(symlink("../target", second), 0);
    assert_ok(emi_output_target(first, found, sizeof found, &err), &err);
    emi_output *output = open_and_write(first, "new");
    assert_int_not_equal(access(target, F_OK), 0);
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_int_equal(lstat(first, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat(target, &about), 0);
    assert_true(S_ISREG(about.st_mode));
    check_contents(target, "new");
    check_contents(found, "new");
    assert_fails(emi_output_target(first, found, 5, &err), EM_EINVAL, "cannot be written (File name too long)", &err);
}

static void a_circle_of_links_is_refused(void **state)
{
    (void)state;
    em_error err = {0};
    char link[600], found[600];
    inside(link, sizeof link, new_place(), "round");
    assert_int_equal(symlink("round", link), 0);
    check_place_refused(link, "cannot be written (Too many levels of symbolic links)");
    assert_fails(emi_output_target(link, found, sizeof found, &err), EM_EINVAL, "Too many levels", &err);
}

/* A file that this process has open, by the name of its descriptor: the stream must go on, not be cut off. */
static void a_stream_is_written_directly(void **state)
{
    (void)state;
    em_error err = {0};
    emi_output *output = NULL;
    char path[512], name[64];
    (void)snprintf(path, sizeof path, "%s", scratch("stream"));
    FILE *open_file = fopen(path, "wb");
    assert_non_null(open_file);
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(open_file));
    assert_ok(emi_output_open(&output, name, &err), &err);
    assert_true(fputs("through", emi_output_stream(output)) >= 0);
    assert_ok(emi_output_commit(&output, &err), &err);
    struct stat by_name, by_stream;
    assert_int_equal(stat(path, &by_name), 0);
    assert_int_equal(fstat(fileno(open_file), &by_stream), 0);
    assert_true(by_name.st_ino == by_stream.st_ino);
    assert_int_equal(fclose(open_file), 0);
    check_contents(path, "through");
}

/* What is there stays, as with a shell's >>. */
static void a_stream_is_appended_to(void **state)
{
    (void)state;
    em_error err = {0};
    const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    const char *path = scratch_file("appended", "before ", 7);
    FILE *open_file = fopen(path, "ab");
    assert_non_null(open_file);
    (void)fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0 && dup2(fileno(open_file), STDOUT_FILENO) == STDOUT_FILENO);
    em_status status = EM_OK;
    for (int n = 0; n < 4 && status == EM_OK; n++) {
        emi_output *output = NULL;
        status = emi_output_open(&output, names[n], &err);
        if (status == EM_OK) (void)fprintf(emi_output_stream(output), "%d", n);
        if (status == EM_OK) status = emi_output_commit(&output, &err);
    }
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(close(kept), 0);
    assert_int_equal(fclose(open_file), 0);
    assert_ok(status, &err);
    check_contents(path, "before 0123");
    check_place_refused("/dev/fd/999", "/dev/fd/999: cannot be written (Bad file descriptor)");
}

/* Two at once for the same path: the last commit stays, and neither disturbs the other. */
static void two_writers_do_not_mix(void **state)
{
    (void)state;
    char path[600];
    const char *place = new_place();
    inside(path, sizeof path, place, "a.txt");
    em_error err = {0};
    emi_output *first = open_and_write(path, "first"), *second = open_and_write(path, "second");
    assert_ok(emi_output_commit(&first, &err), &err);
    check_contents(path, "first");
    assert_ok(emi_output_commit(&second, &err), &err);
    check_contents(path, "second");
    assert_int_equal(entries_in(place), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_stays_a_link),          cmocka_unit_test(a_link_to_nothing_is_followed),
        cmocka_unit_test(a_circle_of_links_is_refused), cmocka_unit_test(a_stream_is_written_directly),
        cmocka_unit_test(a_stream_is_appended_to),      cmocka_unit_test(two_writers_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
