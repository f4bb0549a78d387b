#include "data/operator.h"

#include "base/memory.h"
#include "data/by_rows.h"
#include "data/row_kind.h"

const emi_row_kind *emi_rows_of(const emi_shard *shard)
{
    return shard->data->source->rows;
}

int emi_is_moments(const emi_shard *shard)
{
    return emi_rows_of(shard) == &emi_moment_rows;
}

double emi_shard_weight(const emi_shard *shard, double *squared)
{
    *squared = (double)shard->count;
    return emi_is_moments(shard) ? emi_moment_rows.weight(shard->data, squared) : (double)shard->count;
}

double emi_operator_cost(const emi_operator *C, int K)
{
    return C->kind->cost(C->shard ? (double)C->shard->count : 0, C->d, K);
}

size_t emi_operator_needs(int d, int K)
{
    return emi_by_rows_needs(d, K); /* matrices need none */
}

void emi_operator_free(emi_operator *C)
{
    emi_free(C->packed);
    emi_free(C->gram);
    emi_free(C->dense);
    C->packed = C->gram = C->dense = NULL;
}
