#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* Something that must hold does not: libFuzzer keeps the input. */
static void require(int holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void fill(int file, const uint8_t *bytes, size_t size)
{
    require(file >= 0, "a file can be made");
    require(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size, "the file can be written");
}

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) file = memfd_create("fuzz", MFD_CLOEXEC);
    fill(file, bytes, size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

const char *fuzz_file_named(const uint8_t *bytes, size_t size, const char *suffix)
{
    static char path[4096];
    static int file = -1;
    const char *place = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%s/fuzz-%ld%s", place ? place : "/tmp", (long)getpid(), suffix);
    if (file < 0) file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fill(file, bytes, size);
    return path;
}

size_t fuzz_pack(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    enum { GZIP_WINDOW = 15 + 16 };
    z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)room};
    if (deflateInit2(&z, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
    (void)deflateEnd(&z);
    return z.total_out;
}

void fuzz_check_error(em_status status, const em_error *err)
{
    if (status == EM_OK) return;
    require(err->code == status, "the error has the status as its code");
    require(err->msg[0] && !strpbrk(err->msg, "\n\r"), "the message is one line");
}

/* A file may claim more rows than anyone would wait for: the first blocks and the last row are enough. */
static void read_rows(const em_data *data)
{
    enum { AT_ONCE = 1 << 16, BLOCKS = 16 };
    size_t rows = em_data_rows(data), columns = em_data_columns(data), step = AT_ONCE / columns, count;
    em_error err = {0};
    if (step == 0) return;
    double *out = malloc(AT_ONCE * sizeof *out);
    require(out != NULL, "memory for a block of rows");
    for (size_t first = 0, block = 0; first < rows && block < BLOCKS; first += count, block++) {
        count = rows - first < step ? rows - first : step;
        fuzz_check_error(em_data_read(data, first, count, out, &err), &err);
    }
    fuzz_check_error(em_data_read(data, rows - 1, 1, out, &err), &err);
    require(em_data_read(data, rows, 1, out, &err) == EM_EINVAL, "no row is read beyond the last");
    free(out);
}

void fuzz_table(const char *path, const em_read_options *options)
{
    em_data *data = NULL;
    em_error err = {0};
    em_status status = em_data_open(&data, path, options, &err);
    fuzz_check_error(status, &err);
    require((status == EM_OK) == (data != NULL), "a table comes with success alone");
    if (!data) return;
    require(em_data_rows(data) > 0 && em_data_columns(data) > 0, "a table has rows and columns");
    read_rows(data);
    em_data_free(&data);
}
