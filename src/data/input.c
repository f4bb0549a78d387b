#include "data/input.h"

#include "base/memory.h"
#include "data/map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

void emi_bytes_release(emi_bytes *bytes)
{
    if (bytes->at && bytes->kind == EMI_MAPPED) emi_map_close(bytes->at);
    if (bytes->at && bytes->kind == EMI_HELD) emi_free(bytes->at);
    *bytes = (emi_bytes){0};
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static int is_standard_input(const char *path)
{
    return strcmp(path, EMI_STANDARD_INPUT) == 0;
}

static const char *name_of(const emi_input *input)
{
    return is_standard_input(input->path) ? "standard input" : input->path;
}

static em_status unreadable(const emi_input *input, const char *why, em_error *err)
{
    return emi_fail(err, EM_EIO, "%s: cannot be read (%s); try another path", name_of(input), why);
}

static em_status damaged(const emi_input *input, em_error *err)
{
    int code, number = errno;
    const char *why = gzerror(input->stream, &code);
    if (code == Z_ERRNO) return unreadable(input, strerror(number), err);
    if (code == Z_MEM_ERROR) return emi_fail_memory(err, name_of(input));
    return emi_fail(err, EM_EDATA, "%s: damaged gzip data (%s); try unpacking it with gunzip", name_of(input),
                    code == Z_BUF_ERROR ? "it ends too early" : why);
}

static em_status gz_read(const emi_input *input, unsigned char *to, size_t count, size_t *got, em_error *err)
{
    enum { AT_ONCE = 1 << 24 };
    int n = gzread(input->stream, to, (unsigned)(count < AT_ONCE ? count : AT_ONCE));
    int code = Z_OK;
    if (n >= 0) (void)gzerror(input->stream, &code); /* a stream that stops short is told only here */
    if (n < 0 || code == Z_BUF_ERROR) return damaged(input, err);
    *got = (size_t)n;
    return EM_OK;
}

static void gz_close(void *stream)
{
    (void)gzclose(stream);
}

static em_status open_stream(emi_input *input, int file, em_error *err)
{
    int own = fcntl(file, F_DUPFD_CLOEXEC, 0); /* gzclose closes it */
    if (own >= 0) input->stream = gzdopen(own, "rb");
    if (!input->stream) {
        if (own >= 0) (void)close(own);
        return emi_fail_memory(err, name_of(input));
    }
    (void)gzbuffer(input->stream, 1 << 17);
    input->bytes.kind = EMI_HELD;
    input->read = gz_read;
    input->close = gz_close;
    return EM_OK;
}

/* A plain file; what is packed, and what no map can be made of, is read. */
static em_status open_file(emi_input *input, int file, size_t size, em_error *err)
{
    em_status status = EM_OK;
    unsigned char magic[2] = {0, 0};
    void *at = NULL;
    if (size == 0) return emi_fail(err, EM_EDATA, "%s: is empty; try another file", input->path);
    if (pread(file, magic, 2, 0) < 0) return unreadable(input, strerror(errno), err);
    if (magic[0] != 0x1f || magic[1] != 0x8b) TRY(emi_map_open(&at, input->path, file, size, err));
    if (!at) return open_stream(input, file, err);
    input->bytes = (emi_bytes){at, size, EMI_MAPPED};
done:
    return status;
}

/* Pipes and terminals end; of a device nobody knows. */
static em_status open_kind(emi_input *input, int file, em_error *err)
{
    struct stat about;
    if (fstat(file, &about) != 0) return unreadable(input, strerror(errno), err);
    if (S_ISDIR(about.st_mode)) return unreadable(input, "it is a directory", err);
    if (S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && !isatty(file)))
        return unreadable(input, "it is a device, neither a file nor a pipe", err);
    if (S_ISREG(about.st_mode) && !is_standard_input(input->path))
        return open_file(input, file, (size_t)about.st_size, err);
    return open_stream(input, file, err);
}

em_status emi_input_open(emi_input *input, const char *path, em_error *err)
{
    *input = (emi_input){.path = path};
    if (is_standard_input(path)) return open_kind(input, STDIN_FILENO, err);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY); /* of a FIFO, waits for a writer */
    if (file < 0) return unreadable(input, strerror(errno), err);
    em_status status = open_kind(input, file, err);
    (void)close(file);
    if (status != EM_OK) emi_input_close(input);
    return status;
}

void emi_input_close(emi_input *input)
{
    if (input->stream) input->close(input->stream);
    emi_bytes_release(&input->bytes);
    *input = (emi_input){0};
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Twice as much room as there is, and `most` at most. */
static em_status grow(emi_input *input, size_t most, em_error *err)
{
    enum { FIRST = 1 << 16 };
    size_t wanted = input->room > SIZE_MAX / 2 ? SIZE_MAX : input->room ? 2 * input->room : FIRST;
    if (wanted > most) wanted = most;
    unsigned char *at = emi_realloc(input->bytes.at, wanted);
    if (!at) return emi_fail_memory(err, name_of(input));
    input->bytes.at = at;
    input->room = wanted;
    return EM_OK;
}

em_status emi_input_need(emi_input *input, size_t count, em_error *err)
{
    em_status status = EM_OK;
    emi_bytes *bytes = &input->bytes;
    while (input->stream && bytes->size < count) {
        size_t got = 0;
        if (bytes->size == input->room) TRY(grow(input, count, err));
        TRY(input->read(input, bytes->at + bytes->size, input->room - bytes->size, &got, err));
        if (got == 0) break;
        bytes->size += got;
    }
done:
    return status;
}

em_status emi_input_need_all(emi_input *input, em_error *err)
{
    return emi_input_need(input, SIZE_MAX, err);
}

em_status emi_input_exactly(emi_input *input, size_t count, em_error *err)
{
    em_status status = EM_OK;
    size_t more = 0;
    unsigned char beyond;
    TRY(emi_input_need(input, count, err));
    if (input->bytes.size < count)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: cut short, its header promises %zu bytes and it has %zu; try fetching it again",
                     name_of(input), count, input->bytes.size));
    if (input->stream && input->bytes.size == count) TRY(input->read(input, &beyond, 1, &more, err));
    if (input->bytes.size > count || more)
        TRY(emi_fail(err, EM_EDATA, "%s: holds more than the %zu bytes its header promises; try fetching it again",
                     name_of(input), count));
done:
    return status;
}

em_status emi_fail_shorter(em_error *err, const char *name)
{
    return emi_fail(err, EM_EIO,
                    "%s: got shorter, or its disk failed, while it was read; try again when nobody writes to it", name);
}

em_status emi_input_verdict(const emi_input *input, em_status status, em_error *err)
{
    int mapped = input->bytes.at && input->bytes.kind == EMI_MAPPED;
    return mapped && !emi_map_is_whole(input->bytes.at) ? emi_fail_shorter(err, input->path) : status;
}

emi_bytes emi_input_take(emi_input *input)
{
    emi_bytes bytes = input->bytes;
    input->bytes = (emi_bytes){0};
    return bytes;
}
