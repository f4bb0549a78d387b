/* Output files appear whole or not at all. */
#include "base/output.h"
#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new directory inside the scratch directory. */
static const char *new_place(void)
{
    static int number;
    char name[32];
    (void)snprintf(name, sizeof name, "place%d", number++);
    const char *path = scratch(name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static int entries_in(const char *directory)
{
    int count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
    (void)closedir(stream);
    return count;
}

static void check_contents(const char *path, const char *wanted)
{
    char text[64] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    assert_string_equal(text, wanted);
}

static emi_output *open_and_write(const char *path, const char *text)
{
    emi_output *output = NULL;
    em_error err = {0};
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_true(fputs(text, emi_output_stream(output)) >= 0);
    return output;
}

static void inside(char *path, size_t room, const char *place, const char *name)
{
    (void)snprintf(path, room, "%s/%s", place, name);
}

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

static void check_refused(const char *path, const char *words)
{
    em_error err = {0};
    emi_output *output = (emi_output *)&err; /* must be left NULL */
    assert_fails(emi_output_open(&output, path, &err), EM_EINVAL, words, &err);
    assert_null(output);
    assert_int_equal(emi_output_open(&output, path, NULL), EM_EINVAL);
}

static void refuses_at_once_what_cannot_be_written(void **state)
{
    (void)state;
    const char *place = new_place();
    char path[600];
    inside(path, sizeof path, place, "missing/a.txt");
    check_refused(path, "missing/a.txt: cannot be written (No such file or directory); try ");
    check_refused(place, ": cannot be written (Is a directory)");
    check_refused("", ": cannot be written (No such file or directory)");
    inside(path, sizeof path, scratch_file("plain", "x", 1), "a.txt");
    check_refused(path, "a.txt: cannot be written (Not a directory)");
    assert_int_equal(entries_in(place), 0);

    char longest[900];
    inside(path, sizeof path, place, "");
    (void)snprintf(longest, sizeof longest, "%s%0*d", path, 256, 0); /* a letter more than a name may have */
    check_refused(longest, "cannot be written (File name too long)");
    static char endless[9000];
    memset(endless, 'n', sizeof endless - 1);
    check_refused(endless, "nnn");
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
    check_refused(link, "cannot be written (Too many levels of symbolic links)");
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
    check_refused("/dev/fd/999", "/dev/fd/999: cannot be written (Bad file descriptor)");
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
        cmocka_unit_test(commit_makes_it_appear),
        cmocka_unit_test(discard_leaves_nothing),
        cmocka_unit_test(what_was_there_stays_until_commit),
        cmocka_unit_test(permissions_follow_umask),
        cmocka_unit_test(permissions_stay),
        cmocka_unit_test(owner_and_group_stay_where_they_can),
        cmocka_unit_test(another_group_gets_no_more_than_everyone),
        cmocka_unit_test(refuses_at_once_what_cannot_be_written),
        cmocka_unit_test(the_longest_name_is_written),
        cmocka_unit_test(a_full_device_is_reported),
        cmocka_unit_test(a_device_is_written_directly),
        cmocka_unit_test(a_commit_that_fails_leaves_nothing),
        cmocka_unit_test(a_bare_name_is_in_the_working_directory),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(a_link_to_nothing_is_followed),
        cmocka_unit_test(a_circle_of_links_is_refused),
        cmocka_unit_test(a_stream_is_written_directly),
        cmocka_unit_test(a_stream_is_appended_to),
        cmocka_unit_test(two_writers_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
