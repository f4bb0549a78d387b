#include "page/points.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void emi_points_free(emi_points *p)
{
    emi_free(p->scores);
    emi_free(p->labels);
    *p = (emi_points){0};
}

/* A table's part of all rows. */
typedef struct part {
    const em_data *data;
    size_t first; /* its first row, among those of all tables */
} part;

/* Which rows are drawn: all, or so many of them, each as likely as any other (selection sampling: Knuth, volume 2, 3.4.2). */
typedef struct chooser {
    emi_random chance;
    size_t seen, chosen, rows, wanted;
} chooser;

static int takes(chooser *c)
{
    double left = (double)(c->rows - c->seen++), needed = (double)(c->wanted - c->chosen);
    int take = c->rows == c->wanted || emi_random_uniform(&c->chance) * left < needed;
    c->chosen += (size_t)take;
    return take;
}

/* A value that is missing is the mean, as in the fit; it then says nothing. */
static size_t fill(double *row, size_t columns, const double *mean)
{
    size_t filled = 0;
    for (size_t f = 0; f < columns; f++)
        if (isnan(row[f])) row[f] = mean[f], filled++;
    return filled;
}

/* The scores of rows that lie in memory, one after the other. */
static em_status project(emi_points *p, const em_model *model, const double *rows, size_t first, size_t count,
                         em_error *err)
{
    em_data *data = NULL;
    em_status status = em_data_from_array(&data, rows, EM_F64, count, (size_t)em_model_features(model), 0, 0, err);
    if (status == EM_OK)
        status = em_project(data, em_model_mean(model), em_model_scale(model), em_model_components(model), p->columns,
                            EM_F64, p->scores + first * (size_t)p->columns, 1, err);
    em_data_free(&data);
    return status;
}

/* Rows are read singly, as few of many are wanted, and multiplied a block at a time. */
static em_status read_part(emi_points *p, const em_page *page, const part *from, chooser *choice, double *block,
                           size_t room, em_error *err)
{
    em_status status = EM_OK;
    size_t columns = em_data_columns(from->data), held = 0;
    for (size_t row = 0; row < em_data_rows(from->data); row++) {
        size_t at = choice->chosen;
        if (!takes(choice)) continue;
        TRY(em_data_read(from->data, row, 1, block + held * columns, err));
        p->missing += fill(block + held * columns, columns, em_model_mean(page->model));
        if (p->labels) p->labels[at] = page->labels ? page->labels[from->first + row] : em_data_label(from->data, row);
        if (++held == room) {
            TRY(project(p, page->model, block, at + 1 - held, held, err));
            held = 0;
        }
    }
    if (held) TRY(project(p, page->model, block, choice->chosen - held, held, err));
done:
    return status;
}

/* Of components without variance scores are rounding alone. */
static int count_columns(const em_model *model)
{
    int K = em_model_components_count(model), has = em_model_info(model)->rank;
    int drawn = has < 1 ? 1 : has < K ? has : K;
    return drawn < EMI_POINT_COLUMNS ? drawn : EMI_POINT_COLUMNS;
}

em_status emi_points_find(emi_points *p, const em_page *page, em_error *err)
{
    enum { BLOCK_NUMBERS = 1 << 18 };
    em_status status = EM_OK;
    double *block = NULL;
    size_t features = (size_t)em_model_features(page->model), room = BLOCK_NUMBERS / features + 1, first = 0;
    *p = (emi_points){.columns = count_columns(page->model)};
    for (int t = 0; t < page->table_count; t++) {
        p->rows += em_data_rows(page->tables[t]);
        if (em_data_columns(page->tables[t]) != features)
            return emi_fail(err, EM_EINVAL,
                            "%s: has %zu columns, but the model has %zu features; try the data it was fitted to",
                            em_data_name(page->tables[t]), em_data_columns(page->tables[t]), features);
    }
    p->count = p->rows < EMI_POINTS_MOST ? p->rows : EMI_POINTS_MOST;
    p->scores = emi_doubles(p->count * (size_t)p->columns + 1);
    block = emi_doubles(room * features);
    if (page->label) p->labels = emi_calloc(p->count + 1, sizeof *p->labels);
    if (!p->scores || !block || (page->label && !p->labels)) TRY(emi_fail_memory(err, "scores"));
    chooser choice = {.chance = emi_random_seed(1, EMI_STREAM_SPLIT), .rows = p->rows, .wanted = p->count};
    for (int t = 0; t < page->table_count; t++) {
        TRY(read_part(p, page, &(part){page->tables[t], first}, &choice, block, room, err));
        first += em_data_rows(page->tables[t]);
    }
done:
    emi_free(block);
    if (status != EM_OK) emi_points_free(p);
    return status;
}
