#include "support/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

em_data *check_opens(const char *path, const char *file, int line)
{
    em_data *data = NULL;
    em_error err = {0};
    check_ok(em_data_open(&data, path, NULL, &err), &err, path, file, line);
    return data;
}

static void check_numbers(const em_data *data, size_t at_once, const double *wanted, const char *file, int line)
{
    size_t rows = em_data_rows(data), columns = em_data_columns(data), count;
    em_error err = {0};
    double *got = malloc(rows * columns * sizeof *got);
    if (!got) abort();
    for (size_t first = 0; first < rows; first += count) {
        count = rows - first < at_once ? rows - first : at_once;
        check_ok(em_data_read(data, first, count, got + first * columns, &err), &err, "em_data_read", file, line);
    }
    for (size_t n = 0; n < rows * columns; n++) {
        if (got[n] == wanted[n] || (isnan(got[n]) && isnan(wanted[n]))) continue;
        print_error("%s: row %zu, column %zu is %.17g, wanted %.17g\n", em_data_name(data), n / columns, n % columns,
                    got[n], wanted[n]);
        _fail(file, line);
    }
    free(got);
}

void check_table(const char *path, const em_read_options *options, size_t rows, size_t columns, const double *wanted,
                 const char *file, int line)
{
    em_data *data = NULL;
    em_error err = {0};
    check_ok(em_data_open(&data, path, options, &err), &err, path, file, line);
    _assert_int_equal(em_data_rows(data), rows, file, line);
    _assert_int_equal(em_data_columns(data), columns, file, line);
    _assert_string_equal(em_data_name(data), path, file, line);
    check_numbers(data, rows, wanted, file, line);
    check_numbers(data, 1, wanted, file, line);
    check_numbers(data, 2, wanted, file, line);
    em_data_free(&data);
    _assert_true(data == NULL, "em_data_free leaves NULL", file, line);
}

void check_refused(const char *path, const em_read_options *options, em_status code, const char *words,
                   const char *file, int line)
{
    em_data *data = (em_data *)&path; /* so that a pointer left alone is noticed */
    em_error err = {0};
    check_fails(em_data_open(&data, path, options, &err), code, words, &err, path, file, line);
    _assert_true(data == NULL, "nothing was opened", file, line);
    _assert_true(!strchr(err.msg, '\n'), "the message is one line", file, line);
}

void check_prefixes(const char *name, const void *bytes, size_t count, const char *file, int line)
{
    for (size_t length = 0; length < count; length++) {
        em_data *data = NULL;
        em_error err = {0};
        em_status status = em_data_open(&data, scratch_file(name, bytes, length), NULL, &err);
        if (status == EM_EDATA && !data && err.msg[0]) continue;
        print_error("%s: %zu of %zu bytes give status %d, \"%s\"\n", name, length, count, status, err.msg);
        em_data_free(&data);
        _fail(file, line);
    }
}

unsigned char *file_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) abort();
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || !bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) abort();
    (void)fclose(file);
    *count = (size_t)size;
    return bytes;
}

const char *scratch_text(const char *name, const char *text)
{
    return scratch_file(name, text, strlen(text));
}

const char *scratch_gz(const char *name, const void *bytes, size_t count)
{
    const char *path = scratch(name);
    gzFile file = gzopen(path, "wb1");
    if (!file || (count && gzwrite(file, bytes, (unsigned)count) != (int)count) || gzclose(file) != Z_OK) abort();
    return path;
}

const char *scratch_npy(const char *name, const char *header, const void *payload, size_t count)
{
    const char *path = scratch(name);
    size_t length = strlen(header);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite("\x93NUMPY\1", 1, 8, file) != 8) abort();
    if (putc((int)(length & 255), file) < 0 || putc((int)(length >> 8), file) < 0) abort();
    if (fwrite(header, 1, length, file) != length || fwrite(payload, 1, count, file) != count || fclose(file)) abort();
    return path;
}

const char *shared_file(const char *name)
{
    static char path[4096];
    const char *place = getenv("EIGENMESH_SHARED");
    (void)snprintf(path, sizeof path, "%s/%s", place ? place : EM_PROJECT "/../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}
