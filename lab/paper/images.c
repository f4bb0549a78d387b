/* MNIST and CIFAR-10 as the paper uses them, from the files that scripts/get-datasets leaves behind. */
#include "base/error.h"
#include "lab/paper/paper.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 500, CLASSES = 256, LABELS_HEAD = 8, FILES_MAX = 8 };

/* DIRECTORY/NAME, or the same with .gz. */
static em_status find(char *path, size_t room, const char *directory, const char *name, const record *data,
                      em_error *err)
{
    static const char *const endings[] = {"", ".gz"};
    for (int e = 0; e < 2; e++)
        if (snprintf(path, room, "%s/%s%s", directory, name, endings[e]) < (int)room && access(path, R_OK) == 0)
            return EM_OK;
    return emi_fail(err, EM_EIO, "%s/%s: is missing; try scripts/get-datasets %s, or --data DIR", directory, name,
                    record_text(data, "set"));
}

const record *setup_data(const setup *s, const records *plans)
{
    return records_find(plans, "data", record_text(s->plan, "data"));
}

/* The labels come last. */
em_status images_file(const record *data, const char *directory, int index, char *path, size_t room, em_error *err)
{
    char name[128] = "";
    const char *list = record_text(data, "files"), *labels = record_text(data, "labels");
    int n = 0;
    while (n <= index && next_word(&list, " ", name, sizeof name)) n++;
    *path = 0;
    if (n > index) return find(path, room, directory, name, data, err);
    return n == index && *labels ? find(path, room, directory, labels, data, err) : EM_OK;
}

/* ---- pixels --------------------------------------------------------------------------------------- */

/* The table's rows times the factor; row r goes where place[r] says, or in order. */
static em_status copy_rows(float *to, const em_data *table, double factor, const size_t *place, em_error *err)
{
    em_status status = EM_OK;
    size_t rows = em_data_rows(table), columns = em_data_columns(table), count;
    double *block = malloc(BLOCK * columns * sizeof *block);
    if (!block) TRY(emi_fail_memory(err, em_data_name(table)));
    for (size_t first = 0; first < rows; first += count) {
        count = rows - first < BLOCK ? rows - first : BLOCK;
        TRY(em_data_read(table, first, count, block, err));
        for (size_t r = 0; r < count; r++) {
            float *row = to + (place ? place[first + r] : first + r) * columns;
            for (size_t c = 0; c < columns; c++) row[c] = (float)(block[r * columns + c] * factor);
        }
    }
done:
    free(block);
    return status;
}

/* Labels are a list, which is no table: an IDX file of bytes, 8 of them before the list. */
static em_status open_labels(em_data **out, const char *directory, const record *data, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX], bytes[PATH_MAX + 16];
    double head[LABELS_HEAD] = {0};
    TRY(find(path, sizeof path, directory, record_text(data, "labels"), data, err));
    (void)snprintf(bytes, sizeof bytes, "raw:u8:1:%s", path);
    TRY(em_data_open(out, bytes, NULL, err));
    if (em_data_rows(*out) >= LABELS_HEAD) TRY(em_data_read(*out, 0, LABELS_HEAD, head, err));
    if (em_data_rows(*out) != rows + LABELS_HEAD || head[0] != 0 || head[1] != 0 || head[2] != 8 || head[3] != 1)
        TRY(emi_fail(err, EM_EDATA, "%s: is no list of %zu labels; try scripts/get-datasets", path, rows));
done:
    return status;
}

/* Where each row belongs when rows are sorted by class; within a class they stay in order. */
static em_status places_by_class(size_t **out, const em_data *labels, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    size_t before[CLASSES + 1] = {0};
    double *label = malloc((rows + 1) * sizeof *label);
    size_t *place = malloc((rows + 1) * sizeof *place);
    if (!label || !place) TRY(emi_fail_memory(err, em_data_name(labels)));
    TRY(em_data_read(labels, LABELS_HEAD, rows, label, err));
    for (size_t r = 0; r < rows; r++) before[(size_t)label[r] + 1]++; /* a byte */
    for (int c = 0; c < CLASSES; c++) before[c + 1] += before[c];
    for (size_t r = 0; r < rows; r++) place[r] = before[(size_t)label[r]]++;
    *out = place;
    place = NULL;
done:
    free(place);
    free(label);
    return status;
}

/* All tables of a set open at once; how many rows they have together. */
static em_status open_tables(em_data *tables[FILES_MAX], const record *data, const char *directory, size_t *rows,
                             em_error *err)
{
    em_status status = EM_OK;
    const char *columns = record_text(data, "columns"), *list = record_text(data, "files");
    const em_read_options how = {.size = sizeof how, .columns = *columns ? columns : NULL};
    char name[128], path[PATH_MAX];
    *rows = 0;
    for (int i = 0; i < FILES_MAX && next_word(&list, " ", name, sizeof name); i++) {
        TRY(find(path, sizeof path, directory, name, data, err));
        TRY(em_data_open(&tables[i], path, &how, err));
        if (em_data_columns(tables[i]) != em_data_columns(tables[0]))
            TRY(emi_fail(err, EM_EDATA, "%s: %zu columns, and the first file has %zu; try scripts/get-datasets",
                         em_data_name(tables[i]), em_data_columns(tables[i]), em_data_columns(tables[0])));
        *rows += em_data_rows(tables[i]);
    }
done:
    return status;
}

em_status images_open(images *out, const record *data, const char *directory, em_error *err)
{
    em_status status = EM_OK;
    em_data *tables[FILES_MAX] = {NULL}, *labels = NULL;
    size_t rows, first = 0, *place = NULL;
    if (out->of == data) return EM_OK;
    images_close(out);
    TRY(open_tables(tables, data, directory, &rows, err));
    if (*record_text(data, "labels")) {
        TRY(open_labels(&labels, directory, data, rows, err));
        TRY(places_by_class(&place, labels, rows, err));
    }
    size_t columns = em_data_columns(tables[0]);
    out->pixels = malloc((rows * columns + 1) * sizeof *out->pixels);
    if (!out->pixels) TRY(emi_fail_memory(err, data->key));
    for (int i = 0; i < FILES_MAX && tables[i]; i++) {
        TRY(copy_rows(out->pixels + first * columns, tables[i], 1 / record_number(data, "divide"), place, err));
        first += em_data_rows(tables[i]);
    }
    TRY(em_data_from_array(&out->table, out->pixels, EM_F32, rows, columns, 0, 0, err));
    out->of = data;
done:
    for (int i = 0; i < FILES_MAX; i++) em_data_free(&tables[i]);
    em_data_free(&labels);
    free(place);
    if (status != EM_OK) images_close(out);
    return status;
}

void images_close(images *set)
{
    em_data_free(&set->table);
    free(set->pixels);
    *set = (images){0};
}
