#include "support/place.h"

#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *new_place(void)
{
    static int number;
    char name[32];
    (void)snprintf(name, sizeof name, "place%d", number++);
    const char *path = scratch(name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

int entries_in(const char *directory)
{
    int count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
    (void)closedir(stream);
    return count;
}

void check_contents(const char *path, const char *wanted)
{
    char text[64] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    assert_string_equal(text, wanted);
}

emi_output *open_and_write(const char *path, const char *text)
{
    emi_output *output = NULL;
    em_error err = {0};
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_true(fputs(text, emi_output_stream(output)) >= 0);
    return output;
}

void inside(char *path, size_t room, const char *place, const char *name)
{
    (void)snprintf(path, room, "%s/%s", place, name);
}

void check_place_refused(const char *path, const char *words)
{
    em_error err = {0};
    emi_output *output = (emi_output *)&err; /* must be left NULL */
    assert_fails(emi_output_open(&output, path, &err), EM_EINVAL, words, &err);
    assert_null(output);
    assert_int_equal(emi_output_open(&output, path, NULL), EM_EINVAL);
}
