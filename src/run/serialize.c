#include "run/serialize.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { VERSION = 7, HEAD = 2, WORD = sizeof(uint64_t), PIECE = 512 };

static const char magic[WORD + 1] = "EMCKPT\r\n"; /* a transfer that changes line ends is noticed at once */

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* The word as it is in the file, or back. */
static uint64_t lowest_first(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* ---- saving -------------------------------------------------------------------------------- */

static void put(emi_serializer *p, const void *bytes, size_t count)
{
    p->crc = (uint32_t)crc32(p->crc, bytes, (uInt)count);
    (void)fwrite(bytes, 1, count, p->stream); /* the stream remembers a failure */
}

void emi_serializer_begin(emi_serializer *p, FILE *stream)
{
    uint64_t version = VERSION;
    *p = (emi_serializer){.stream = stream};
    put(p, magic, WORD);
    emi_serialize_words(p, &version, 1);
}

void emi_serializer_end(emi_serializer *p)
{
    uint64_t crc = p->crc;
    emi_serialize_words(p, &crc, 1);
}

/* ---- loading ------------------------------------------------------------------------------- */

static em_status refuse(const char *path, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: %s", path, why);
}

static const char damaged[] = "damaged or cut short, its checksum is wrong; try removing it first";
static const char foreign[] = "not a checkpoint, and left as it is; try another FILE for option checkpoint";
static const char no_file[] = "not a file; try another FILE for option checkpoint";

int emi_serialized_is_at(const char *path)
{
    char head[WORD];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0; /* a pipe would make us wait */
    FILE *stream = fopen(path, "rb");
    int is = stream && fread(head, 1, WORD, stream) == WORD && memcmp(head, magic, WORD) == 0;
    if (stream) (void)fclose(stream);
    return is;
}

em_status emi_serialized_check_place(const char *path, em_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0) return EM_OK;
    if (S_ISFIFO(about.st_mode)) return refuse(path, no_file, err); /* which would make us wait for a reader */
    return !S_ISREG(about.st_mode) || emi_serialized_is_at(path) ? EM_OK : refuse(path, foreign, err);
}

static em_status open_file(emi_serializer *p, const char *path, em_error *err)
{
    struct stat about;
    p->stream = fopen(path, "rb");
    if (!p->stream || fstat(fileno(p->stream), &about) != 0)
        return emi_fail(
            err, EM_EIO,
            "%s: no checkpoint to resume from (%s); try without option resume, or with as many processes as wrote it",
            path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return refuse(path, no_file, err);
    p->left = (uint64_t)about.st_size / WORD;
    p->spoiled = about.st_size % WORD != 0;
    return EM_OK;
}

static em_status check_head(emi_serializer *p, const char *path, em_error *err)
{
    uint64_t head[HEAD];
    if (fread(head, WORD, HEAD, p->stream) != HEAD || memcmp(head, magic, WORD) != 0) return refuse(path, foreign, err);
    uint64_t version = lowest_first(head[1]);
    if (version != VERSION)
        return emi_fail(err, EM_EDATA,
                        "%s: a checkpoint of version %llu, and this program knows %d; try the program that wrote it, "
                        "or removing it first",
                        path, (unsigned long long)version, VERSION);
    return p->left > HEAD && !p->spoiled ? EM_OK : refuse(path, damaged, err);
}

/* Read it all once; then back to what follows the head. */
static em_status check_sum(emi_serializer *p, const char *path, em_error *err)
{
    uint64_t piece[PIECE], sum = 0;
    uLong crc = 0;
    rewind(p->stream);
    for (uint64_t left = p->left - 1; left > 0;) {
        size_t count = smaller(left, PIECE);
        if (fread(piece, WORD, count, p->stream) != count) return refuse(path, damaged, err);
        crc = crc32(crc, (const Bytef *)piece, (uInt)(count * WORD));
        left -= count;
    }
    if (fread(&sum, WORD, 1, p->stream) != 1 || lowest_first(sum) != crc) return refuse(path, damaged, err);
    p->left -= HEAD + 1;
    return fseek(p->stream, (long)HEAD * WORD, SEEK_SET) == 0 ? EM_OK : refuse(path, damaged, err);
}

em_status emi_serializer_open(emi_serializer *p, const char *path, em_error *err)
{
    em_status status = EM_OK;
    *p = (emi_serializer){.loading = 1};
    TRY(open_file(p, path, err));
    TRY(check_head(p, path, err));
    TRY(check_sum(p, path, err));
done:
    if (status != EM_OK) emi_serializer_close(p);
    return status;
}

void emi_serializer_close(emi_serializer *p)
{
    if (p->stream) (void)fclose(p->stream);
    *p = (emi_serializer){0};
}

/* ---- telling ------------------------------------------------------------------------------- */

emi_serializer emi_serializer_tell(em_mesh *mesh)
{
    return (emi_serializer){.mesh = mesh, .loading = !emi_mesh_has_root(mesh)};
}

/* Bit by bit: the mesh does not look at what it gives. */
static void tell(emi_serializer *p, void *piece, size_t count)
{
    double block[PIECE];
    int phase = p->mesh->phase;
    memcpy(block, piece, count * WORD);
    p->mesh->phase = EMI_OBSERVING;
    emi_tree_give(p->mesh, block, count);
    p->mesh->phase = phase;
    if (emi_mesh_failed(p->mesh)) p->spoiled = 1;
    if (!p->spoiled) memcpy(piece, block, count * WORD);
}

/* ---- all ways ------------------------------------------------------------------------------ */

static int take(emi_serializer *p, uint64_t *piece, size_t count)
{
    if (count > p->left || fread(piece, WORD, count, p->stream) != count) p->spoiled = 1;
    if (p->spoiled) return 0;
    p->left -= count;
    return 1;
}

void emi_serialize_words(emi_serializer *p, void *words, size_t count)
{
    uint64_t piece[PIECE];
    unsigned char *at = words;
    for (size_t n; count > 0 && !p->spoiled; count -= n, at += n * WORD) {
        n = smaller(count, PIECE);
        if (p->mesh) {
            tell(p, at, n);
            continue;
        }
        if (p->loading && !take(p, piece, n)) return;
        if (!p->loading) memcpy(piece, at, n * WORD);
        for (size_t t = 0; t < n; t++) piece[t] = lowest_first(piece[t]);
        if (p->loading)
            memcpy(at, piece, n * WORD);
        else
            put(p, piece, n * WORD);
    }
}

void emi_serialize_long(emi_serializer *p, long *value)
{
    int64_t number = *value;
    emi_serialize_words(p, &number, 1);
    *value = (long)number;
    if (*value != number) p->spoiled = 1; /* where a long is shorter */
}

void emi_serialize_int(emi_serializer *p, int *value)
{
    long number = *value;
    emi_serialize_long(p, &number);
    if (number < INT_MIN || number > INT_MAX)
        p->spoiled = 1;
    else
        *value = (int)number;
}

/* Eight bytes a word, the first lowest, whatever the machine. */
void emi_serialize_text(emi_serializer *p, char *text, size_t room)
{
    enum { LONGEST = 256 };
    uint64_t words[LONGEST / WORD] = {0};
    for (size_t n = 0; n < room; n++) words[n / WORD] |= (uint64_t)(unsigned char)text[n] << 8 * (n % WORD);
    emi_serialize_words(p, words, (room + WORD - 1) / WORD);
    for (size_t n = 0; n < room; n++) text[n] = (char)(words[n / WORD] >> 8 * (n % WORD) & 0xff);
    text[room - 1] = 0;
    for (; *text && p->loading; text++)
        if (*text < ' ' || *text > '~') p->spoiled = 1; /* as it may be shown */
}
