#include "support/genotypes.h"

#include "support/check.h"
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path_of(const char *name, const char *ending)
{
    static char room[4][64];
    static int next;
    char *file = room[next++ % 4];
    (void)snprintf(file, sizeof room[0], "%s%s", name, ending);
    return file;
}

/* `count` lines of this form, with the number of the line as often as it asks for it. */
static const char *write_lines(const char *file, const char *given, size_t count, int is_bim)
{
    enum { LINE = 64 };
    if (given) return scratch_text(file, given);
    char *text = malloc(count * LINE + 1), *at = text;
    assert_non_null(text);
    *at = 0;
    for (size_t n = 1; n <= count; n++)
        at += is_bim ? sprintf(at, "1\trs%zu\t0\t%zu\tA\tG\n", n, n) : sprintf(at, "f%zu i%zu 0 0 0 -9\n", n, n);
    const char *path = scratch_text(file, text);
    free(text);
    return path;
}

const char *genotypes_write(const genotype_files *files)
{
    static const unsigned char codes[] = {3, 2, 0, 1}; /* of 0, 1 and 2 copies, and of no call */
    size_t stride = (files->people + 3) / 4, size = 3 + stride * files->variants;
    unsigned char *bytes = calloc(size, 1);
    assert_non_null(bytes);
    memcpy(bytes, "\x6c\x1b\x01", 3);
    for (size_t p = 0; p < files->people; p++)
        for (size_t v = 0; v < files->variants; v++)
            bytes[3 + v * stride + p / 4] |=
                (unsigned char)(codes[files->copies[p * files->variants + v]] << (2 * (p % 4)));
    (void)write_lines(path_of(files->name, ".bim"), files->bim, files->variants, 1);
    (void)write_lines(path_of(files->name, ".fam"), files->fam, files->people, 0);
    const char *path = scratch_file(path_of(files->name, ".bed"), bytes, size);
    free(bytes);
    return path;
}

/* The minimal standard generator of Park and Miller. */
static double next_random(unsigned long long *state)
{
    *state = *state * 48271 % 2147483647;
    return (double)*state / 2147483647;
}

unsigned char *genotypes_draw(size_t people, size_t variants, unsigned seed)
{
    unsigned long long state = 12345 + seed;
    unsigned char *copies = malloc(people * variants);
    assert_non_null(copies);
    for (size_t v = 0; v < variants; v++) {
        double frequency = 0.05 + 0.9 * next_random(&state), other = 0.05 + 0.9 * next_random(&state);
        for (size_t p = 0; p < people; p++) {
            double of = p < people / 2 ? frequency : other;
            unsigned drawn = (next_random(&state) < of ? 1U : 0U) + (next_random(&state) < of ? 1U : 0U);
            copies[p * variants + v] = (unsigned char)(next_random(&state) < 0.05 ? NO_CALL : drawn);
        }
    }
    return copies;
}
