/* Output files appear whole or not at all. */
#include "base/output.h"
#include "support/check.h"
#include "support/place.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void commit_makes_it_appear(void **state)
{
    (void)state;
    char path[600];
    const char *place = new_place();
    inside(path, sizeof path, place, "a.txt");
    emi_output *output = open_and_write(path, "whole");
    assert_int_equal(fflush(emi_output_stream(output)), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    em_error err = {0};
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_null(output);
    check_contents(path, "whole");
    assert_int_equal(entries_in(place), 1);
}

static void discard_leaves_nothing(void **state)
{
    (void)state;
    char path[600];
    const char *place = new_place();
    inside(path, sizeof path, place, "a.txt");
    emi_output *output = open_and_write(path, "half");
    emi_output_discard(&output);
    assert_null(output);
    assert_int_equal(entries_in(place), 0);
    emi_output_discard(&output); /* nothing to discard is harmless */
}

static void what_was_there_stays_until_commit(void **state)
{
    (void)state;
    const char *path = scratch_file("kept.txt", "before", 6);
    emi_output *output = open_and_write(path, "after");
    assert_int_equal(fflush(emi_output_stream(output)), 0);
    check_contents(path, "before");
    emi_output_discard(&output);
    check_contents(path, "before");

    em_error err = {0};
    output = open_and_write(path, "after");
    assert_ok(emi_output_commit(&output, &err), &err);
    check_contents(path, "after");
}

static void permissions_follow_umask(void **state)
{
    (void)state;
    const mode_t masks[] = {022, 027, 077, 0};
    mode_t before = umask(0);
    for (int n = 0; n < 4; n++) {
        const char *path = scratch("mode.txt");
        struct stat about;
        em_error err = {0};
        (void)umask(masks[n]);
        emi_output *output = open_and_write(path, "x");
        assert_ok(emi_output_commit(&output, &err), &err);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0666 & ~masks[n]);
        assert_int_equal(unlink(path), 0);
    }
    (void)umask(before);
}

/* A file that replaces another, under a mask that would give it other permissions. */
static void permissions_stay(void **state)
{
    (void)state;
    const mode_t modes[] = {0600, 0640, 0664, 0666, 0755, 0200};
    mode_t before = umask(022);
    for (size_t n = 0; n < sizeof modes / sizeof *modes; n++) {
        const char *path = scratch_file("kept-mode.txt", "old", 3);
        struct stat about;
        em_error err = {0};
        assert_int_equal(chmod(path, modes[n]), 0);
        emi_output *output = open_and_write(path, "new");
        assert_ok(emi_output_commit(&output, &err), &err);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, modes[n]);
        assert_int_equal(unlink(path), 0);
    }
    (void)umask(before);
}

/* New, or in the place of a file that others can read. */
static void what_is_private_is_the_owners_alone(void **state)
{
    (void)state;
    mode_t before = umask(0);
    for (int exists = 0; exists < 2; exists++) {
        const char *path = exists ? scratch_file("private.txt", "old", 3) : scratch("new-private.txt");
        struct stat about;
        em_error err = {0};
        emi_output *output = NULL;
        if (exists) assert_int_equal(chmod(path, 0666), 0);
        assert_ok(emi_output_open_private(&output, path, &err), &err);
        assert_ok(emi_output_commit(&output, &err), &err);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0600);
        assert_int_equal(unlink(path), 0);
    }
    (void)umask(before);
}

/* Only the superuser can give files away, and so see that they are given back. */
static void owner_and_group_stay_where_they_can(void **state)
{
    (void)state;
    if (geteuid() != 0) skip();
    const char *path = scratch_file("kept-owner.txt", "old", 3);
    struct stat about;
    em_error err = {0};
    assert_int_equal(chown(path, 1234, 2345), 0);
    assert_int_equal(chmod(path, 0640), 0);
    emi_output *output = open_and_write(path, "new");
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_uid, 1234);
    assert_int_equal(about.st_gid, 2345);
    assert_int_equal(about.st_mode & 07777, 0640);
}

/* Whoever may write a file of a group that he is not in: his own group must not read what that one may. */
static void another_group_gets_no_more_than_everyone(void **state)
{
    (void)state;
    if (geteuid() != 0) skip();
    char path[600];
    const char *place = new_place();
    inside(path, sizeof path, place, "a.txt");
    em_error err = {0};
    emi_output *output = open_and_write(path, "old");
    assert_ok(emi_output_commit(&output, &err), &err);
    struct stat about;
    assert_int_equal(chown(place, 1234, 1234), 0);
    assert_int_equal(chown(path, 1234, 2345), 0);
    assert_int_equal(chmod(path, 0664), 0);
    char above[600];
    inside(above, sizeof above, place, "..");
    assert_int_equal(chmod(above, 0755), 0); /* so that user 1234 gets there */
    assert_int_equal(setegid(1234) || seteuid(1234), 0);
    em_status status = emi_output_open(&output, path, &err);
    if (status == EM_OK) status = emi_output_commit(&output, &err);
    assert_int_equal(seteuid(0) || setegid(0), 0);
    assert_ok(status, &err);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_gid, 1234);
    assert_int_equal(about.st_mode & 07777, 0644);
}

static void refuses_at_once_what_cannot_be_written(void **state)
{
    (void)state;
    const char *place = new_place();
    char path[600];
    inside(path, sizeof path, place, "missing/a.txt");
    check_place_refused(path, "missing/a.txt: cannot be written (No such file or directory); try ");
    check_place_refused(place, ": cannot be written (Is a directory)");
    check_place_refused("", ": cannot be written (No such file or directory)");
    inside(path, sizeof path, scratch_file("plain", "x", 1), "a.txt");
    check_place_refused(path, "a.txt: cannot be written (Not a directory)");
    assert_int_equal(entries_in(place), 0);

    char longest[900];
    inside(path, sizeof path, place, "");
    (void)snprintf(longest, sizeof longest, "%s%0*d", path, 256, 0); /* a letter more than a name may have */
    check_place_refused(longest, "cannot be written (File name too long)");
    static char endless[9000];
    memset(endless, 'n', sizeof endless - 1);
    check_place_refused(endless, "nnn");
}

/* As long as a name may be: the temporary one beside it is no longer. */
static void the_longest_name_is_written(void **state)
{
    (void)state;
    char path[900];
    em_error err = {0};
    (void)snprintf(path, sizeof path, "%s/%0*d", new_place(), 255, 0);
    emi_output *output = open_and_write(path, "whole");
    assert_ok(emi_output_commit(&output, &err), &err);
    check_contents(path, "whole");
}

static void a_full_device_is_reported(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip_for("no /dev/full");
    em_error err = {0};
    emi_output *output = open_and_write("/dev/full", "one line");
    assert_fails(emi_output_commit(&output, &err), EM_EOUTPUT, "/dev/full: cannot be written (No space left on device)",
                 &err);
    assert_null(output);

    output = open_and_write("/dev/full", "");
    for (int n = 0; n < 100000; n++) (void)fputs("more than a buffer holds\n", emi_output_stream(output));
    assert_int_equal(emi_output_commit(&output, NULL), EM_EOUTPUT);
    assert_null(output);
}

static void a_device_is_written_directly(void **state)
{
    (void)state;
    em_error err = {0};
    emi_output *output = open_and_write("/dev/null", "gone");
    assert_ok(emi_output_commit(&output, &err), &err);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

/* What takes the path's place meanwhile makes the commit fail, and nothing is left beside it. */
static void a_commit_that_fails_leaves_nothing(void **state)
{
    (void)state;
    char path[600];
    const char *place = new_place();
    inside(path, sizeof path, place, "a.txt");
    emi_output *output = open_and_write(path, "whole");
    assert_int_equal(mkdir(path, 0777), 0);
    em_error err = {0};
    assert_fails(emi_output_commit(&output, &err), EM_EOUTPUT, "a.txt: cannot be written (Is a directory)", &err);
    assert_null(output);
    assert_int_equal(entries_in(place), 1);
    assert_int_equal(rmdir(path), 0);

    output = open_and_write(path, "whole");
    assert_int_equal(rmdir(place), 0);
    assert_fails(emi_output_commit(&output, &err), EM_EOUTPUT, "cannot be written", &err);
    assert_null(output);
}

static void a_bare_name_is_in_the_working_directory(void **state)
{
    (void)state;
    char before[4096];
    const char *place = new_place();
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(place), 0);
    em_error err = {0};
    emi_output *output = open_and_write("bare.txt", "bare");
    em_status status = emi_output_commit(&output, &err);
    assert_int_equal(chdir(before), 0);
    assert_ok(status, &err);
    assert_int_equal(entries_in(place), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_makes_it_appear),
        cmocka_unit_test(discard_leaves_nothing),
        cmocka_unit_test(what_was_there_stays_until_commit),
        cmocka_unit_test(permissions_follow_umask),
        cmocka_unit_test(permissions_stay),
        cmocka_unit_test(what_is_private_is_the_owners_alone),
        cmocka_unit_test(owner_and_group_stay_where_they_can),
        cmocka_unit_test(another_group_gets_no_more_than_everyone),
        cmocka_unit_test(refuses_at_once_what_cannot_be_written),
        cmocka_unit_test(the_longest_name_is_written),
        cmocka_unit_test(a_full_device_is_reported),
        cmocka_unit_test(a_device_is_written_directly),
        cmocka_unit_test(a_commit_that_fails_leaves_nothing),
        cmocka_unit_test(a_bare_name_is_in_the_working_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
