/* Random graphs in which all nodes have the same degree. */
#include "base/memory.h"
#include "graph/topology.h"

/* Give every node `degree` points and pair points at random, but never two of one node nor two nodes twice: Steger and
 * Wormald, "Generating random regular graphs quickly", Combinatorics, Probability and Computing 8, 1999.  Now and
 * then the last points left cannot be paired; *left then says how many, and the draw is void. */
static em_status pair_points(const emi_topology_request *request, int degree, emi_edges *edges, emi_pair_set *paired,
                             size_t *left, em_error *err)
{
    enum { PATIENCE = 30 }; /* shuffles in a row that may pair nothing */
    em_status status = EM_OK;
    size_t nodes = (size_t)request->nodes, count = nodes * (size_t)degree;
    size_t *point = emi_calloc(count, sizeof *point); /* [left] whose it is */
    if (!point) return emi_fail_memory_try(err, "topology", "fewer nodes");
    for (size_t p = 0; p < count; p++) point[p] = p % nodes;

    *left = count;
    for (int fruitless = 0; *left && fruitless < PATIENCE;) {
        size_t kept = 0;
        emi_random_shuffle(request->random, point, *left);
        for (size_t p = 0; p < *left; p += 2) {
            size_t i = point[p], j = point[p + 1];
            if (i != j && !emi_pair_set_has(paired, (int)i, (int)j)) {
                TRY(emi_edges_add(edges, (int)i, (int)j, err));
                TRY(emi_pair_set_add(paired, (int)i, (int)j, err));
            } else {
                point[kept++] = i;
                point[kept++] = j;
            }
        }
        fruitless = kept < *left ? 0 : fruitless + 1;
        *left = kept;
    }
done:
    emi_free(point);
    return status;
}

/* All pairs but these. */
static em_status add_complement(const emi_topology_request *request, const emi_pair_set *pairs, emi_edges *edges,
                                em_error *err)
{
    em_status status = EM_OK;
    for (int i = 0; i < request->nodes; i++)
        for (int j = i + 1; j < request->nodes; j++)
            if (!emi_pair_set_has(pairs, i, j)) TRY(emi_edges_add(edges, i, j, err));
done:
    return status;
}

static em_status check_degree(const emi_topology_request *request, int D, em_error *err)
{
    if (request->nodes % 2 && D % 2)
        return emi_fail(err, EM_EINVAL,
                        "topology %s: %d nodes of degree %d would need half an edge; try an even D or one node more",
                        request->spec, request->nodes, D);
    if (D == 1 && request->nodes > 2)
        return emi_fail(err, EM_EINVAL, "topology %s: degree 1 connects nodes in pairs only; try a larger D",
                        request->spec);
    return EM_OK;
}

em_status emi_draw_regular(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status;
    emi_edges lacked = {0};
    emi_pair_set paired = {0};
    size_t left = 0;
    int D;
    TRY(emi_argument_degree(request, 0, 'D', &D, err));
    TRY(check_degree(request, D, err));

    /* Points run out of partners in dense graphs, so those are drawn by the edges they lack. */
    int lacking = request->nodes - 1 - D, dense = lacking < D;
    if (dense) {
        TRY(pair_points(request, lacking, &lacked, &paired, &left, err));
        if (!left) TRY(add_complement(request, &paired, edges, err));
    } else {
        TRY(pair_points(request, D, edges, &paired, &left, err));
        if (left) edges->count = 0;
    }
done:
    emi_edges_free(&lacked);
    emi_pair_set_free(&paired);
    return status;
}
