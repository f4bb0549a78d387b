#include "images.h"
#include "message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 500, CLASSES = 256, LABELS_HEAD = 8, FILES_MAX = 6 };

typedef struct file_set {
    const char *name;
    const char *files[FILES_MAX + 1]; /* NULL ends them */
    const char *labels;
    const char *columns; /* NULL: all */
    double factor;
} file_set;

static const file_set mnist_files = {.name = "mnist",
                                     .files = {"mnist/train-images-idx3-ubyte", NULL},
                                     .labels = "mnist/train-labels-idx1-ubyte",
                                     .factor = 1.0 / 255};

static const file_set cifar_files = {.name = "cifar10",
                                     .files = {"cifar10/data_batch_1.bin", "cifar10/data_batch_2.bin",
                                               "cifar10/data_batch_3.bin", "cifar10/data_batch_4.bin",
                                               "cifar10/data_batch_5.bin", "cifar10/test_batch.bin", NULL},
                                     .columns = "0-1023",
                                     .factor = 1};

static const file_set *files_of(source from)
{
    return from == CIFAR ? &cifar_files : &mnist_files;
}

/* DIRECTORY/NAME, or the same with .gz. */
static em_status find(char path[PATH_MAX], const char *directory, const char *name, const char *set, em_error *err)
{
    static const char *const endings[] = {"", ".gz"};
    for (int e = 0; e < 2; e++)
        if (snprintf(path, PATH_MAX, "%s/%s%s", directory, name, endings[e]) < PATH_MAX && access(path, R_OK) == 0)
            return EM_OK;
    return refuse(err, EM_EIO, "%s/%s: is missing; try scripts/get-datasets %s, or --data DIR", directory, name, set);
}

em_status images_check(source from, const char *directory, const collisions *written, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX];
    const file_set *set = files_of(from);
    for (int i = 0; set->files[i]; i++) {
        TRY(find(path, directory, set->files[i], set->name, err));
        TRY(collisions_read(written, "--data", path, err));
    }
    if (from != MNIST_SORTED) return EM_OK;
    TRY(find(path, directory, set->labels, set->name, err));
    TRY(collisions_read(written, "--data", path, err));
done:
    return status;
}

/* ---- pixels --------------------------------------------------------------------------------------- */

static em_status open_file(em_data **out, const char *directory, const char *name, const file_set *set,
                           const char *columns, em_error *err)
{
    char path[PATH_MAX];
    em_status status = find(path, directory, name, set->name, err);
    if (status != EM_OK) return status;
    return em_data_open(out, path, &(em_read_options){.size = sizeof(em_read_options), .columns = columns}, err);
}

/* The table's rows times the factor; row r goes where place[r] says, or in order. */
static em_status copy_rows(float *to, const em_data *table, double factor, const size_t *place, em_error *err)
{
    em_status status = EM_OK;
    size_t rows = em_data_rows(table), columns = em_data_columns(table), count;
    double *block = malloc(BLOCK * columns * sizeof *block);
    if (!block) TRY(refuse_memory(err, em_data_name(table)));
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
static em_status open_labels(em_data **out, const char *directory, const file_set *set, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX], bytes[PATH_MAX + 16];
    double head[LABELS_HEAD] = {0};
    TRY(find(path, directory, set->labels, set->name, err));
    (void)snprintf(bytes, sizeof bytes, "raw:u8:1:%s", path);
    TRY(em_data_open(out, bytes, NULL, err));
    if (em_data_rows(*out) >= LABELS_HEAD) TRY(em_data_read(*out, 0, LABELS_HEAD, head, err));
    if (em_data_rows(*out) != rows + LABELS_HEAD || head[0] != 0 || head[1] != 0 || head[2] != 8 || head[3] != 1)
        TRY(refuse(err, EM_EDATA, "%s: is no list of %zu labels; try scripts/get-datasets", path, rows));
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
    if (!label || !place) TRY(refuse_memory(err, em_data_name(labels)));
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
static em_status open_tables(em_data *tables[FILES_MAX], const file_set *set, const char *directory, size_t *rows,
                             em_error *err)
{
    em_status status = EM_OK;
    *rows = 0;
    for (int i = 0; set->files[i]; i++) {
        TRY(open_file(&tables[i], directory, set->files[i], set, set->columns, err));
        if (em_data_columns(tables[i]) != em_data_columns(tables[0]))
            TRY(refuse(err, EM_EDATA, "%s: %zu columns, and the first file has %zu; try scripts/get-datasets",
                       em_data_name(tables[i]), em_data_columns(tables[i]), em_data_columns(tables[0])));
        *rows += em_data_rows(tables[i]);
    }
done:
    return status;
}

em_status images_open(images *out, source from, const char *directory, em_error *err)
{
    em_status status = EM_OK;
    const file_set *set = files_of(from);
    em_data *tables[FILES_MAX] = {NULL}, *labels = NULL;
    size_t rows, first = 0, *place = NULL;
    *out = (images){0};
    TRY(open_tables(tables, set, directory, &rows, err));
    if (from == MNIST_SORTED) {
        TRY(open_labels(&labels, directory, set, rows, err));
        TRY(places_by_class(&place, labels, rows, err));
    }
    size_t columns = em_data_columns(tables[0]);
    out->pixels = malloc((rows * columns + 1) * sizeof *out->pixels);
    if (!out->pixels) TRY(refuse_memory(err, set->name));
    for (int i = 0; set->files[i]; i++) {
        TRY(copy_rows(out->pixels + first * columns, tables[i], set->factor, place, err));
        first += em_data_rows(tables[i]);
    }
    TRY(em_data_from_array(&out->table, out->pixels, EM_F32, rows, columns, 0, 0, err));
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
