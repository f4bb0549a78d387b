/* Output files where the file system knows no files without a name: they wait under a temporary one.  This program has its
 * own open(), which refuses O_TMPFILE as such a file system does. */
#define _GNU_SOURCE
#include "base/output.h"
#include "support/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* How many there are, and the name of the last. */
static int entries_in(const char *directory, char *name)
{
    int count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        (void)strcpy(name, entry->d_name);
    }
    (void)closedir(stream);
    return count;
}

static void it_waits_under_another_name(void **state)
{
    (void)state;
    char path[600], name[256] = "";
    em_error err = {0};
    emi_output *output = NULL;
    const char *place = scratch("beside");
    assert_int_equal(mkdir(place, 0777), 0);
    (void)snprintf(path, sizeof path, "%s/a.txt", place);
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_int_equal(entries_in(place, name), 1);
    assert_ptr_equal(strstr(name, ".eigenmesh-"), name);
    emi_output_discard(&output);
    assert_int_equal(entries_in(place, name), 0);
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_int_equal(entries_in(place, name), 1);
    assert_string_equal(name, "a.txt");
}

static void permissions_are_the_same(void **state)
{
    (void)state;
    const mode_t masks[] = {022, 077, 0};
    mode_t before = umask(0);
    for (int n = 0; n < 3; n++) {
        struct stat about;
        em_error err = {0};
        emi_output *output = NULL;
        const char *path = scratch("mode.txt");
        (void)umask(masks[n]);
        assert_ok(emi_output_open(&output, path, &err), &err);
        assert_ok(emi_output_commit(&output, &err), &err);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0666 & ~masks[n]);
        assert_int_equal(chmod(path, 0604), 0);
        assert_ok(emi_output_open(&output, path, &err), &err);
        assert_ok(emi_output_commit(&output, &err), &err);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0604);
        assert_int_equal(unlink(path), 0);
    }
    (void)umask(before);
}

static void a_directory_that_is_missing_is_told(void **state)
{
    (void)state;
    em_error err = {0};
    emi_output *output = NULL;
    assert_fails(emi_output_open(&output, scratch("none/a.txt"), &err), EM_EINVAL,
                 "cannot be written (No such file or directory)", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_waits_under_another_name),
        cmocka_unit_test(permissions_are_the_same),
        cmocka_unit_test(a_directory_that_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
