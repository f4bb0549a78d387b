#include "feature_names.h"
#include "cluster.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

void features_free(features *f)
{
    free(f->names);
    free(f->text);
    *f = (features){0};
}

/* Where the names are in the text, behind their owner's. */
static em_status point(features *f, em_error *err)
{
    size_t count = 0;
    for (size_t n = 0; n < f->size; n++) count += f->text[n] == 0;
    f->names = calloc(count + 1, sizeof *f->names);
    if (!f->names) return refuse_memory(err, "names of columns");
    const char *at = f->text + strlen(f->text) + 1;
    for (f->count = 0; at < f->text + f->size; at += strlen(at) + 1) f->names[f->count++] = at;
    return EM_OK;
}

/* The k-th name of a table or a model. */
typedef const char *name_fn(const void *from, size_t k);

static em_status keep(features *f, const char *owner, name_fn *name, const void *from, size_t count, em_error *err)
{
    if (!name(from, 0)) count = 0;
    f->size = strlen(owner) + 1;
    for (size_t k = 0; k < count; k++) f->size += strlen(name(from, k)) + 1;
    f->text = calloc(f->size, 1);
    if (!f->text) return refuse_memory(err, "names of columns");
    char *at = f->text + strlen(owner) + 1;
    memcpy(f->text, owner, strlen(owner));
    for (size_t k = 0; k < count; k++) {
        memcpy(at, name(from, k), strlen(name(from, k)));
        at += strlen(at) + 1;
    }
    return point(f, err);
}

static const char *name_in_table(const void *from, size_t k)
{
    return em_data_column_name(from, k);
}

em_status features_of_table(features *f, const em_data *table, em_error *err)
{
    return keep(f, em_data_name(table), name_in_table, table, em_data_columns(table), err);
}

static const char *name_in_model(const void *from, size_t k)
{
    return em_model_feature_name(from, (int)k);
}

em_status features_of_model(features *f, const em_model *model, const char *path, em_error *err)
{
    if (!em_model_feature_name(model, 0)) return EM_OK;
    return keep(f, path, name_in_model, model, (size_t)em_model_features(model), err);
}

em_status features_share(features *f, em_error *err)
{
    em_status status = EM_OK;
    size_t size = f->size;
    TRY(cluster_share(&size, sizeof size, err));
    if (size == 0) goto done;
    if (cluster_rank() != 0) {
        features_free(f);
        f->text = calloc(size, 1);
        f->size = size;
    }
    TRY(cluster_agree(f->text ? EM_OK : refuse_memory(err, "names of columns"), err));
    TRY(cluster_share(f->text, size, err));
    if (cluster_rank() != 0) status = point(f, err);
    TRY(cluster_agree(status, err));
done:
    return status;
}

void features_ask(const features *f, em_read_options *options)
{
    if (f->count == 0) return;
    options->features = f->names;
    options->feature_count = f->count;
    options->features_of = f->text;
}

em_status features_settle(const features *f, em_data *table, const char **by_position, em_error *err)
{
    const char *own = em_data_column_name(table, 0);
    if (f->size == 0 || (f->count == 0) == (own == NULL)) return EM_OK;
    if (f->count == 0)
        return refuse(err, EM_EDATA,
                      "%s: has names of columns, where %s, the first, has none; try one with names first",
                      em_data_name(table), f->text);
    if (em_data_columns(table) != f->count)
        return refuse(err, EM_EDATA, "%s: has %zu columns, where %s has %zu features; try the same ones, or --columns",
                      em_data_name(table), em_data_columns(table), f->text, f->count);
    *by_position = em_data_name(table);
    return em_data_set_column_names(table, f->names, err);
}
