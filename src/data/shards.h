/* Which rows each node holds. */
#ifndef EMI_DATA_SHARDS_H
#define EMI_DATA_SHARDS_H

#include "data/data.h"

/* One node's rows: `count` rows of the table from `first` on, or, where `order` is given, the rows
 * order[first] .. order[first + count - 1]. */
typedef struct emi_shard {
    const em_data *data;
    size_t first, count;
    const size_t *order;
} emi_shard;

struct em_shards {
    int count;
    size_t columns;
    size_t *order; /* owned; shared by the shards of a shuffled split */
    emi_shard *shard;
};

/* Rows first .. first + count - 1 of the shard, as doubles. */
em_status emi_shard_read(const emi_shard *shard, size_t first, size_t count, double *out, em_error *err);

/* Those rows will not be needed soon. */
void emi_shard_forget(const emi_shard *shard, size_t first, size_t count);

/* As emi_data_check_finite. */
em_status emi_shard_check_finite(const emi_shard *shard, size_t first, size_t count, const double *rows, em_error *err);

#endif
