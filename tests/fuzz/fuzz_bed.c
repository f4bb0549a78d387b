/* PLINK's three files from one input, with a byte of zero after the .bim and after the .fam: all variants, some of them, and those
 * of another table; and products with what opens. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char stem[4000];

static const char *put(const char *ending, const uint8_t *bytes, size_t size)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s%s", stem, ending);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
    return path;
}

/* Up to the next zero, which is passed. */
static size_t cut(const uint8_t **at, size_t *left)
{
    const uint8_t *end = memchr(*at, 0, *left);
    size_t size = end ? (size_t)(end - *at) : *left, passed = end ? size + 1 : size;
    *at += passed, *left -= passed;
    return size;
}

static void score_all(const char *path)
{
    enum { MANY = 1 << 16 };
    em_data *data = NULL;
    em_error err = {0};
    if (em_data_open(&data, path, NULL, &err) != EM_OK) return;
    size_t columns = em_data_columns(data), rows = em_data_rows(data);
    double *weights = columns < MANY && rows < MANY ? calloc(columns + rows, sizeof *weights) : NULL;
    if (weights) {
        fuzz_check_error(em_project(data, weights, NULL, weights, 1, EM_F64, weights + columns, 1, &err), &err);
        int is_bed = strcmp(em_data_format(data), "bed") == 0; /* and no text of that name */
        if (is_bed && (!em_data_label(data, rows - 1) || !em_data_column_name(data, columns - 1))) abort();
    }
    free(weights);
    em_data_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const wanted[] = {"rs2 1 20 A G", "rs1 1 10 C T"};
    const em_read_options some = {.size = sizeof(em_read_options), .columns = "1,0", .label = "SEX"},
                          same = {.size = sizeof(em_read_options),
                                  .features = wanted,
                                  .feature_count = 2,
                                  .features_of = "another"};
    const char *place = getenv("TMPDIR");
    const uint8_t *at = bytes;
    (void)snprintf(stem, sizeof stem, "%s/fuzz-%ld", place ? place : "/tmp", (long)getpid());
    const uint8_t *bim = at;
    size_t length = cut(&at, &size);
    (void)put(".bim", bim, length);
    const uint8_t *fam = at;
    length = cut(&at, &size);
    (void)put(".fam", fam, length);
    const char *path = put(".bed", at, size);
    fuzz_table(path, NULL);
    fuzz_table(path, &some);
    fuzz_table(path, &same);
    score_all(path);
    return 0;
}
