/* MNIST and CIFAR-10 as the paper uses them, from the files that scripts/get-datasets leaves behind. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/paper/paper.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

const record *setup_data(const setup *s, const records *plans)
{
    return records_find(plans, "data", record_text(s->plan, "data"));
}

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

/* Labels are a list, which is no table: an IDX file of bytes, 8 of them before the list.  NULL: there are none. */
static em_status read_labels(double **out, const record *data, const char *directory, size_t rows, em_error *err)
{
    enum { HEAD = 8 };
    em_status status = EM_OK;
    em_data *list = NULL;
    char path[PATH_MAX], bytes[PATH_MAX + 16];
    double head[HEAD] = {0};
    if (!*record_text(data, "labels")) return EM_OK;
    TRY(find(path, sizeof path, directory, record_text(data, "labels"), data, err));
    (void)snprintf(bytes, sizeof bytes, "raw:u8:1:%s", path);
    TRY(em_data_open(&list, bytes, NULL, err));
    if (em_data_rows(list) >= HEAD) TRY(em_data_read(list, 0, HEAD, head, err));
    if (em_data_rows(list) != rows + HEAD || head[0] != 0 || head[1] != 0 || head[2] != 8 || head[3] != 1)
        TRY(emi_fail(err, EM_EDATA, "%s: is no list of %zu labels; try scripts/get-datasets", path, rows));
    *out = malloc((rows + 1) * sizeof **out);
    if (!*out) TRY(emi_fail_memory(err, path));
    TRY(em_data_read(list, HEAD, rows, *out, err));
done:
    em_data_free(&list);
    return status;
}

/* The table's rows times the factor, as they come or, with labels, a class after another. */
static em_status copy_rows(float *to, const em_data *table, double factor, const double *labels, em_error *err)
{
    enum { CLASSES = 256 }; /* a label is a byte */
    em_status status = EM_OK;
    size_t rows = em_data_rows(table), columns = em_data_columns(table);
    double *row = malloc((columns + 1) * sizeof *row);
    if (!row) TRY(emi_fail_memory(err, em_data_name(table)));
    for (int kind = 0; kind < (labels ? CLASSES : 1); kind++)
        for (size_t r = 0; r < rows; r++) {
            if (labels && labels[r] != kind) continue;
            TRY(em_data_read(table, r, 1, row, err));
            for (size_t c = 0; c < columns; c++) *to++ = (float)(row[c] * factor);
        }
done:
    free(row);
    return status;
}

/* One more file, after those that are there. */
static em_status add_file(images *set, const record *data, const char *directory, const char *name, em_error *err)
{
    em_status status = EM_OK;
    const char *columns = record_text(data, "columns");
    const em_read_options how = {.size = sizeof how, .columns = *columns ? columns : NULL};
    char path[PATH_MAX];
    em_data *table = NULL;
    double *labels = NULL;
    TRY(find(path, sizeof path, directory, name, data, err));
    TRY(em_data_open(&table, path, &how, err));
    size_t rows = em_data_rows(table), held = set->rows * set->columns;
    if (set->rows && em_data_columns(table) != set->columns)
        TRY(emi_fail(err, EM_EDATA, "%s: %zu columns, and the first file has %zu; try scripts/get-datasets", path,
                     em_data_columns(table), set->columns));
    TRY(read_labels(&labels, data, directory, rows, err));
    set->columns = em_data_columns(table);
    set->rows += rows;
    float *pixels = emi_realloc(set->pixels, (set->rows * set->columns + 1) * sizeof *pixels);
    if (!pixels) TRY(emi_fail_memory(err, data->key));
    set->pixels = pixels;
    TRY(copy_rows(pixels + held, table, 1 / record_number(data, "divide"), labels, err));
done:
    free(labels);
    em_data_free(&table);
    return status;
}

em_status images_open(images *set, const record *data, const char *directory, em_error *err)
{
    em_status status = EM_OK;
    const char *list = record_text(data, "files");
    char name[128];
    if (set->of == data) return EM_OK;
    images_close(set);
    while (next_word(&list, " ", name, sizeof name)) TRY(add_file(set, data, directory, name, err));
    TRY(em_data_from_array(&set->table, set->pixels, EM_F32, set->rows, set->columns, 0, 0, err));
    set->of = data;
done:
    if (status != EM_OK) images_close(set);
    return status;
}

void images_close(images *set)
{
    em_data_free(&set->table);
    emi_free(set->pixels);
    *set = (images){0};
}
