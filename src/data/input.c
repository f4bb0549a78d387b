#include "data/input.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

void emi_bytes_release(emi_bytes *bytes)
{
    if (bytes->at && bytes->kind == EMI_MAPPED) (void)munmap(bytes->at, bytes->size);
    if (bytes->at && bytes->kind == EMI_HELD) emi_free(bytes->at);
    *bytes = (emi_bytes){0};
}

static em_status unreadable(const char *path, const char *why, em_error *err)
{
    return emi_fail(err, EM_EIO, "%s: cannot be read (%s); try another path", path, why);
}

static em_status map_file(emi_input *input, int file, size_t size, em_error *err)
{
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) return unreadable(input->path, strerror(errno), err);
    input->bytes = (emi_bytes){at, size, EMI_MAPPED};
    return EM_OK;
}

static em_status open_gz(emi_input *input, int file, em_error *err)
{
    int own = dup(file); /* gzclose closes it */
    if (own >= 0) input->gz = gzdopen(own, "rb");
    if (!input->gz) {
        if (own >= 0) (void)close(own);
        return emi_fail_memory(err, input->path);
    }
    (void)gzbuffer(input->gz, 1 << 17);
    input->bytes.kind = EMI_HELD;
    return EM_OK;
}

static em_status open_regular(emi_input *input, int file, em_error *err)
{
    struct stat about;
    unsigned char magic[2] = {0, 0};
    if (fstat(file, &about) != 0) return unreadable(input->path, strerror(errno), err);
    if (S_ISDIR(about.st_mode)) return unreadable(input->path, "it is a directory", err);
    if (!S_ISREG(about.st_mode)) return unreadable(input->path, "it is no regular file", err);
    if (about.st_size == 0) return emi_fail(err, EM_EDATA, "%s: is empty; try another file", input->path);
    if (pread(file, magic, 2, 0) < 0) return unreadable(input->path, strerror(errno), err);
    if (magic[0] == 0x1f && magic[1] == 0x8b) return open_gz(input, file, err);
    return map_file(input, file, (size_t)about.st_size, err);
}

em_status emi_input_open(emi_input *input, const char *path, em_error *err)
{
    *input = (emi_input){.path = path};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO must not hang us */
    if (file < 0) return unreadable(path, strerror(errno), err);
    em_status status = open_regular(input, file, err);
    (void)close(file);
    if (status != EM_OK) emi_input_close(input);
    return status;
}

void emi_input_close(emi_input *input)
{
    if (input->gz) (void)gzclose(input->gz);
    emi_bytes_release(&input->bytes);
    *input = (emi_input){0};
}

/* ---- inflating ---------------------------------------------------------------------------------- */

static em_status damaged(const emi_input *input, em_error *err)
{
    int code;
    const char *why = gzerror(input->gz, &code);
    return emi_fail(err, EM_EDATA, "%s: damaged gzip data (%s); try unpacking it with gunzip", input->path,
                    code == Z_BUF_ERROR ? "it ends too early" : why);
}

static em_status grow(emi_input *input, size_t count, em_error *err)
{
    enum { FIRST = 1 << 16 };
    size_t room = input->room > SIZE_MAX / 2 ? SIZE_MAX : input->room ? 2 * input->room : FIRST;
    if (room > count) room = count;
    unsigned char *at = emi_realloc(input->bytes.at, room);
    if (!at) return emi_fail_memory(err, input->path);
    input->bytes.at = at;
    input->room = room;
    return EM_OK;
}

/* One read; *got 0 at the end. */
static em_status inflate_some(emi_input *input, unsigned char *to, size_t count, size_t *got, em_error *err)
{
    enum { AT_ONCE = 1 << 24 };
    int n = gzread(input->gz, to, (unsigned)(count < AT_ONCE ? count : AT_ONCE));
    int code = Z_OK;
    if (n >= 0) (void)gzerror(input->gz, &code); /* a stream that stops short is told only here */
    if (n < 0 || code == Z_BUF_ERROR) return damaged(input, err);
    *got = (size_t)n;
    return EM_OK;
}

em_status emi_input_need(emi_input *input, size_t count, em_error *err)
{
    em_status status = EM_OK;
    while (input->gz && input->bytes.size < count) {
        size_t got = 0;
        if (input->bytes.size == input->room) TRY(grow(input, count, err));
        TRY(inflate_some(input, input->bytes.at + input->bytes.size, input->room - input->bytes.size, &got, err));
        if (got == 0) break;
        input->bytes.size += got;
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
                     "%s: cut short, its header promises %zu bytes and it has %zu; try fetching it again", input->path,
                     count, input->bytes.size));
    if (input->gz && input->bytes.size == count) TRY(inflate_some(input, &beyond, 1, &more, err));
    if (input->bytes.size > count || more)
        TRY(emi_fail(err, EM_EDATA, "%s: holds more than the %zu bytes its header promises; try fetching it again",
                     input->path, count));
done:
    return status;
}

emi_bytes emi_input_take(emi_input *input)
{
    emi_bytes bytes = input->bytes;
    input->bytes = (emi_bytes){0};
    return bytes;
}
