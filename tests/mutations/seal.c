#include "seal.h"
#include "mutate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

/* ---- gzip ------------------------------------------------------------------------------------------------------- */

enum { GZIP = 16 + MAX_WBITS };

static bytes inflated(const bytes *b)
{
    static unsigned char room[1 << 20];
    z_stream z = {.next_in = b->at, .avail_in = (uInt)b->size, .next_out = room, .avail_out = sizeof room};
    if (inflateInit2(&z, GZIP) != Z_OK || inflate(&z, Z_FINISH) != Z_STREAM_END) die("gzip", "cannot be inflated");
    bytes out = bytes_of(room, z.total_out);
    (void)inflateEnd(&z);
    return out;
}

static bytes deflated(const bytes *b)
{
    static unsigned char room[1 << 20];
    z_stream z = {.next_in = b->at, .avail_in = (uInt)b->size, .next_out = room, .avail_out = sizeof room};
    if (deflateInit2(&z, 1, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK || deflate(&z, Z_FINISH) != Z_STREAM_END)
        die("gzip", "cannot be deflated");
    bytes out = bytes_of(room, z.total_out);
    (void)deflateEnd(&z);
    return out;
}

void seal_break_gzip(bytes *b, dice *d)
{
    bytes plain = inflated(b);
    mutate(&plain, 1, d);
    bytes_free(b);
    *b = deflated(&plain);
    bytes_free(&plain);
}

/* ---- ZIP -------------------------------------------------------------------------------------------------------- */

/* An archive in memory: over the bytes, or, where there are none, one to fill. */
static zip_t *archive_over(const bytes *b, zip_source_t **source)
{
    zip_error_t error;
    *source = zip_source_buffer_create(b ? b->at : NULL, b ? b->size : 0, 0, &error);
    zip_t *archive = *source ? zip_open_from_source(*source, b ? ZIP_RDONLY : ZIP_TRUNCATE, &error) : NULL;
    if (!archive) die("zip", zip_error_strerror(&error));
    return archive;
}

static bytes entry_of(zip_t *archive, zip_uint64_t index)
{
    zip_stat_t about;
    if (zip_stat_index(archive, index, 0, &about) != 0) die("zip", zip_strerror(archive));
    zip_file_t *file = zip_fopen_index(archive, index, 0);
    bytes out = {calloc(1, about.size + 1), (size_t)about.size};
    if (!file || !out.at || zip_fread(file, out.at, about.size) != (zip_int64_t)about.size)
        die("zip", zip_strerror(archive));
    (void)zip_fclose(file);
    return out;
}

/* The archive takes the content. */
static void add_entry(zip_t *archive, const char *name, bytes content)
{
    if (content.size == 0) bytes_free(&content); /* libzip does not free what has no bytes */
    zip_source_t *source = zip_source_buffer(archive, content.at, content.size, 1);
    if (!source || zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8) < 0) die("zip", zip_strerror(archive));
}

/* Close an archive that was filled, and what its bytes are. */
static bytes archive_bytes(zip_t *archive, zip_source_t *source)
{
    zip_stat_t about;
    zip_source_keep(source);
    if (zip_close(archive) != 0) die("zip", zip_strerror(archive));
    if (zip_source_open(source) != 0 || zip_source_stat(source, &about) != 0) die("zip", "has no size");
    bytes out = {calloc(1, about.size + 1), (size_t)about.size};
    if (!out.at || zip_source_read(source, out.at, about.size) != (zip_int64_t)about.size) die("zip", "cannot be read");
    (void)zip_source_close(source);
    zip_source_free(source);
    return out;
}

void seal_break_zip(bytes *b, dice *d)
{
    zip_source_t *from_source, *to_source;
    zip_t *from = archive_over(b, &from_source), *to = archive_over(NULL, &to_source);
    zip_uint64_t count = (zip_uint64_t)zip_get_num_entries(from, 0), chosen = dice_below(d, count);
    for (zip_uint64_t index = 0; index < count; index++) {
        bytes content = entry_of(from, index);
        if (index == chosen) mutate(&content, 1, d);
        add_entry(to, zip_get_name(from, index, 0), content);
    }
    zip_discard(from);
    bytes_free(b);
    *b = archive_bytes(to, to_source);
}

bytes zip_of(const char *entry, const bytes *content)
{
    zip_source_t *source;
    zip_t *archive = archive_over(NULL, &source);
    add_entry(archive, entry, bytes_of(content->at, content->size));
    return archive_bytes(archive, source);
}

/* ---- a checkpoint: 64-bit words, the last one the CRC-32 of the others ------------------------------------------------ */

void seal_break_checkpoint(bytes *b, dice *d)
{
    enum { WORD = 8 };
    mutate(b, 0, d);
    b->size -= b->size % WORD;
    if (b->size < 2 * WORD) return;
    size_t sealed = b->size - WORD;
    uint64_t sum = crc32(0, b->at, (uInt)sealed);
    for (int n = 0; n < WORD; n++) b->at[sealed + (size_t)n] = (unsigned char)(sum >> (8 * n));
}

/* ---- the numbers of a model ------------------------------------------------------------------------------------------- */

/* Whether a .npy of float64 has another number than finite ones; -1 when it is no such .npy. */
static int has_other_numbers(const bytes *npy)
{
    static const char magic[] = "\x93NUMPY\x01";
    double number;
    if (npy->size < 10 || memcmp(npy->at, magic, sizeof magic - 1) != 0) return -1;
    size_t at = 10 + npy->at[8] + 256u * npy->at[9];
    if (at > npy->size || (npy->size - at) % sizeof number || npy->size == at) return -1;
    for (; at < npy->size; at += sizeof number) {
        memcpy(&number, npy->at + at, sizeof number);
        if (!isfinite(number)) return 1;
    }
    return 0;
}

const char *npz_not_finite(const char *path)
{
    static const char *const entries[] = {
        "components",      "mean",      "scale",         "explained_variance", "explained_variance_ratio",
        "singular_values", "residuals", "noise_variance"};
    const char *found = "";
    zip_t *archive = zip_open(path, ZIP_RDONLY, NULL);
    if (!archive) return "?";
    for (size_t n = 0; n < sizeof entries / sizeof *entries && !*found; n++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s.npy", entries[n]);
        zip_int64_t index = zip_name_locate(archive, name, 0);
        bytes npy = index < 0 ? bytes_of("", 0) : entry_of(archive, (zip_uint64_t)index);
        if (has_other_numbers(&npy)) found = entries[n];
        bytes_free(&npy);
    }
    zip_discard(archive);
    return found;
}
