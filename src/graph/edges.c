#include "graph/edges.h"

#include "base/memory.h"

static em_status grow(emi_edges *edges, em_error *err)
{
    size_t capacity = edges->capacity ? 2 * edges->capacity : 64, bytes;
    if (emi_size_overflows(capacity, sizeof *edges->pair, &bytes))
        return emi_fail_memory_try(err, "graph", "fewer nodes");
    int(*pair)[2] = emi_realloc(edges->pair, bytes);
    if (!pair) return emi_fail_memory_try(err, "graph", "fewer nodes");
    edges->pair = pair;
    edges->capacity = capacity;
    return EM_OK;
}

em_status emi_edges_add(emi_edges *edges, int i, int j, em_error *err)
{
    if (edges->count == edges->capacity) {
        em_status status = grow(edges, err);
        if (status) return status;
    }
    edges->pair[edges->count][0] = i;
    edges->pair[edges->count][1] = j;
    edges->count++;
    return EM_OK;
}

em_status emi_edges_add_checked(emi_edges *edges, emi_pair_set *seen, int nodes, long i, long j, em_status code,
                                em_error *err)
{
    long outside = i < 0 || i >= nodes ? i : j;
    if (outside < 0 || outside >= nodes)
        return emi_fail(err, code, "node %ld is none of the nodes 0 to %d; try more nodes, or numbering them from 0",
                        outside, nodes - 1);
    if (i == j) return emi_fail(err, code, "node %ld has an edge to itself; try leaving it out", i);
    if (emi_pair_set_has(seen, (int)i, (int)j))
        return emi_fail(err, code, "the edge between %ld and %ld was there before; try naming each edge once", i, j);
    em_status status = emi_pair_set_add(seen, (int)i, (int)j, err);
    return status ? status : emi_edges_add(edges, (int)i, (int)j, err);
}

void emi_edges_free(emi_edges *edges)
{
    emi_free(edges->pair);
    *edges = (emi_edges){0};
}
