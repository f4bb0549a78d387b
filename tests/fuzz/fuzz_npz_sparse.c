/* Sparse matrices as SciPy saves them: archives that are whole, and in them arrays of any size, type and content. */
#include "fuzz.h"

#include "data/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recipe {
    const uint8_t *at, *end;
} recipe;

static unsigned next(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* An array of so many numbers, or of another number of them. */
static void add(emi_npz_writer *writer, recipe *r, const char *name, size_t count)
{
    static const char *const types[] = {"<i4", "<i8", "<f8", "<f4", "|u1", ">i4", "|S4", "<c8"};
    static const size_t sizes[] = {4, 8, 8, 4, 1, 4, 4, 8};
    unsigned how = next(r), type = how % 8;
    void *payload = NULL;
    if (how >= 240) return; /* it is not there */
    if (how >= 230) count = next(r);
    if (emi_npz_add(writer, name, types[type], 1, &count, count * sizes[type], &payload, NULL) != EM_OK) abort();
    memset(payload, 0, count * sizes[type]);
    for (size_t n = 0; n < count; n++) {
        unsigned char *to = (unsigned char *)payload + n * sizes[type];
        unsigned number = next(r);
        to[type == 5 ? 3 : 0] = (unsigned char)number;
        if (number >= 250) memset(to, 255 - (int)number, sizes[type]);
    }
}

static void add_format(emi_npz_writer *writer, recipe *r)
{
    static const char formats[] = "csrcsccoobsr???";
    void *payload = NULL;
    size_t shape = 0;
    if (emi_npz_add(writer, "format", "|S3", 0, &shape, 3, &payload, NULL) != EM_OK) abort();
    memcpy(payload, formats + 3 * (next(r) % 5), 3);
}

static size_t make_file(recipe *r, uint8_t *image, size_t room)
{
    emi_npz_writer *writer = NULL;
    if (emi_npz_create(&writer, NULL) != EM_OK) abort();
    size_t rows = next(r) % 16, count = next(r);
    add_format(writer, r);
    add(writer, r, "shape", 2);
    add(writer, r, "indptr", rows + 1);
    add(writer, r, "indices", count);
    add(writer, r, "row", count);
    add(writer, r, "col", count);
    add(writer, r, "data", count);
    FILE *file = fmemopen(image, room, "wb");
    if (!file || emi_npz_write(writer, file, NULL) != EM_OK) abort();
    long size = ftell(file);
    (void)fclose(file);
    emi_npz_writer_free(&writer);
    return (size_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t image[1 << 17];
    const em_read_options turned = {.size = sizeof turned, .transpose = 1},
                          some = {.size = sizeof some, .columns = "1,0"};
    recipe r = {bytes, bytes + size};
    const char *path = fuzz_file(image, make_file(&r, image, sizeof image));
    fuzz_table(path, NULL);
    fuzz_table(path, &turned);
    fuzz_table(path, &some);
    return 0;
}
