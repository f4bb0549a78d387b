#include "data/shards.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "data/columns.h"
#include "data/row_kind.h"

#include <limits.h>
#include <string.h>

static em_status alloc_shards(em_shards **out, int nodes, em_error *err)
{
    em_shards *shards = emi_calloc(1, sizeof *shards);
    if (shards) shards->shard = emi_calloc((size_t)nodes, sizeof *shards->shard);
    if (!shards || !shards->shard) {
        em_shards_free(&shards);
        return emi_fail_memory(err, "shards");
    }
    shards->count = nodes;
    *out = shards;
    return EM_OK;
}

/* ---- one table over several nodes: each way sets every shard's `count` -------------- */

static void even_sizes(em_shards *shards, size_t rows)
{
    size_t nodes = (size_t)shards->count, share = rows / nodes, extra = rows % nodes;
    for (size_t i = 0; i < nodes; i++) shards->shard[i].count = share + (i < extra);
}

static em_status shuffled_order(em_shards *shards, size_t rows, uint64_t seed, em_error *err)
{
    shards->order = emi_calloc(rows, sizeof *shards->order);
    if (!shards->order) return emi_fail_memory(err, "split shuffle");
    for (size_t r = 0; r < rows; r++) shards->order[r] = r;
    emi_random random = emi_random_seed(seed, EMI_STREAM_SPLIT);
    emi_random_shuffle(&random, shards->order, rows);
    return EM_OK;
}

static em_status given_sizes(em_shards *shards, const char *list, size_t rows, em_error *err)
{
    size_t left = rows;
    for (int i = 0; i < shards->count; i++) {
        size_t length = strcspn(list, ","), *size = &shards->shard[i].count;
        if (length == 0)
            return emi_fail(err, EM_EINVAL, "split: %d sizes for %d nodes; try one size a node", i, shards->count);
        if (length >= EMI_NUMBER_TEXT)
            return emi_fail(err, EM_EINVAL, "split: size %d is no number; try sizes:A,B,...", i);
        if (emi_text_size_in(list, length, size))
            return emi_fail(err, EM_EINVAL, "split: size '%.*s' is no number; try sizes:A,B,...", (int)length, list);
        if (*size > left)
            return emi_fail(err, EM_EINVAL, "split: the sizes add up to more than the %zu rows; try smaller ones",
                            rows);
        left -= *size;
        list += length;
        if (i + 1 < shards->count && *list == ',') list++;
    }
    if (*list)
        return emi_fail(err, EM_EINVAL, "split: more than %d sizes for %d nodes; try one size a node", shards->count,
                        shards->count);
    if (left)
        return emi_fail(err, EM_EINVAL, "split: the sizes leave %zu of %zu rows over; try sizes that add up", left,
                        rows);
    return EM_OK;
}

static em_status choose_sizes(em_shards *shards, size_t rows, const char *how, uint64_t seed, em_error *err)
{
    const char *list = emi_text_after(how, "sizes:");
    int shuffle = strcmp(how, "shuffle") == 0;
    if (list) return given_sizes(shards, list, rows, err);
    if (!shuffle && strcmp(how, "contiguous") != 0)
        return emi_fail(err, EM_EINVAL, "split %s: no such way; try contiguous, shuffle or sizes:A,B,...", how);
    even_sizes(shards, rows);
    return shuffle ? shuffled_order(shards, rows, seed, err) : EM_OK;
}

static em_status refuse_empty(const em_data *data, int node, int nodes, em_error *err)
{
    return emi_fail_at(err, EM_EINVAL, node,
                       "%s: node %d would hold no row (%zu rows, %d nodes); try fewer nodes or another split",
                       data->name, node, data->rows, nodes);
}

em_status em_shards_split(em_shards **out, const em_data *data, int nodes, const char *how, uint64_t seed,
                          em_error *err)
{
    em_status status = EM_OK;
    em_shards *shards = NULL;
    *out = NULL;
    if (nodes < 1) return emi_fail(err, EM_EINVAL, "nodes: %d of them; try 1 or more", nodes);
    if (nodes > 1 && data->source->rows == &emi_moment_rows)
        return emi_fail(
            err, EM_EINVAL,
            "%s: moments are one node's, whole, and these are to be of %d; try nodes=1, or a file of moments a node",
            data->name, nodes);
    if ((size_t)nodes > data->rows) return refuse_empty(data, (int)data->rows, nodes, err);
    TRY(alloc_shards(&shards, nodes, err));
    shards->columns = data->columns;
    TRY(choose_sizes(shards, data->rows, how ? how : "contiguous", seed, err));
    size_t first = 0;
    for (int i = 0; i < nodes; i++) {
        emi_shard *shard = &shards->shard[i];
        if (shard->count == 0) TRY(refuse_empty(data, i, nodes, err));
        *shard = (emi_shard){.data = data, .first = first, .count = shard->count, .order = shards->order};
        first += shard->count;
    }
    *out = shards;
    shards = NULL;
done:
    em_shards_free(&shards);
    return status;
}

/* ---- one table a node ---------------------------------------------------------------- */

em_status em_shards_of(em_shards **out, const em_data *const *tables, int nodes, em_error *err)
{
    em_status status = EM_OK;
    em_shards *shards = NULL;
    *out = NULL;
    if (nodes < 1) return emi_fail(err, EM_EINVAL, "inputs: none; try one file a node");
    TRY(alloc_shards(&shards, nodes, err));
    shards->columns = tables[0]->columns;
    for (int i = 0; i < nodes; i++) {
        if (tables[i]->columns != shards->columns)
            TRY(emi_fail_at(err, EM_EDATA, i,
                            "%s: has %zu columns, where %s has %zu; try inputs with the same features", tables[i]->name,
                            tables[i]->columns, tables[0]->name, shards->columns));
        if (!emi_names_agree(tables[0], tables[i]))
            TRY(emi_fail_at(err, EM_EDATA, i,
                            "%s: its columns are called otherwise than those of %s, or are in another order; try the "
                            "same names",
                            tables[i]->name, tables[0]->name));
        shards->shard[i] = (emi_shard){.data = tables[i], .count = tables[i]->rows};
    }
    *out = shards;
    shards = NULL;
done:
    em_shards_free(&shards);
    return status;
}

EMI_GETTER(int, em_shards_count, em_shards *shards, shards->count)

size_t em_shards_rows(const em_shards *shards, int node)
{
    return shards->shard[node].count;
}

EMI_GETTER(size_t, em_shards_columns, em_shards *shards, shards->columns)

void em_shards_free(em_shards **handle)
{
    if (!*handle) return;
    emi_free((*handle)->order);
    emi_free((*handle)->shard);
    emi_free(*handle);
    *handle = NULL;
}

/* ---- rows ------------------------------------------------------------------------------ */

em_status emi_shard_read(const emi_shard *shard, size_t first, size_t count, double *out, em_error *err)
{
    if (!shard->order) return em_data_read(shard->data, shard->first + first, count, out, err);
    for (size_t r = 0; r < count; r++) {
        size_t row = shard->order[shard->first + first + r];
        em_status status = em_data_read(shard->data, row, 1, out + r * shard->data->columns, err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

void emi_shard_forget(const emi_shard *shard, size_t first, size_t count)
{
    if (!shard->order) emi_data_forget(shard->data, shard->first + first, count);
}

em_status emi_shard_check_finite(const emi_shard *shard, size_t first, size_t count, const double *rows, em_error *err)
{
    if (!shard->order) return emi_data_check_finite(shard->data, shard->first + first, count, rows, err);
    em_status status = EM_OK;
    for (size_t r = 0; r < count && status == EM_OK; r++)
        status = emi_data_check_finite(shard->data, shard->order[shard->first + first + r], 1,
                                       rows + r * shard->data->columns, err);
    return status;
}
