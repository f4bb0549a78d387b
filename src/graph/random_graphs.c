/* Random topologies whose draw is a few lines: Erdos-Renyi, scale-free and small-world. */
#include <math.h>

#include "base/memory.h"
#include "graph/topology.h"

/* G(n, P): every pair is an edge with probability P.  The gaps between edges are geometric, so that a sparse graph
 * costs what it has in edges (Batagelj and Brandes, "Efficient generation of large random networks", Physical Review
 * E 71, 2005).  Pairs are counted (0,1), (0,2), (1,2), (0,3), ... */
em_status emi_draw_er(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    double P;
    em_status status = emi_argument_probability(request, 0, 'P', &P, err);
    if (status || P == 0) return status;
    if (P == 1) return emi_draw_complete(request, edges, err);

    double pairs_left = (double)request->nodes * (request->nodes - 1) / 2;
    int64_t i = -1, j = 1;
    while (!status) {
        double gap = 1 + floor(log1p(-emi_random_uniform(request->random)) / log1p(-P));
        if (gap > pairs_left) return EM_OK;
        pairs_left -= gap;
        for (i += (int64_t)gap; i >= j; j++) i -= j;
        status = emi_edges_add(edges, (int)i, (int)j, err);
    }
    return status;
}

/* Barabasi and Albert, "Emergence of scaling in random networks", Science 286, 1999: each newcomer attaches to A of
 * those before it, chosen in proportion to their degree.  The first A nodes meet through the first newcomer. */
em_status emi_draw_scalefree(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    int A;
    em_status status = emi_argument_degree(request, 0, 'A', &A, err);
    if (status) return status;
    int *chosen_by = emi_calloc((size_t)request->nodes, sizeof *chosen_by); /* the last newcomer that chose it */
    if (!chosen_by) return emi_fail_memory_try(err, "topology", "fewer nodes");

    for (int i = 0; i < A; i++) TRY(emi_edges_add(edges, i, A, err));
    for (int newcomer = A + 1; newcomer < request->nodes; newcomer++) {
        size_t ends = 2 * edges->count; /* a node is as often the end of an edge as its degree */
        for (int chosen = 0; chosen < A;) {
            size_t end = emi_random_below(request->random, ends);
            int node = edges->pair[end / 2][end % 2];
            if (chosen_by[node] == newcomer) continue;
            chosen_by[node] = newcomer;
            TRY(emi_edges_add(edges, node, newcomer, err));
            chosen++;
        }
    }
done:
    emi_free(chosen_by);
    return status;
}

/* A ring where each node knows the D / 2 next on either side. */
static em_status draw_ring(const emi_topology_request *request, int D, emi_edges *edges, emi_pair_set *pairs,
                           em_error *err)
{
    em_status status = EM_OK;
    for (int reach = 1; reach <= D / 2; reach++)
        for (int i = 0; i < request->nodes; i++) {
            int j = (int)(((int64_t)i + reach) % request->nodes);
            TRY(emi_edges_add(edges, i, j, err));
            TRY(emi_pair_set_add(pairs, i, j, err));
        }
done:
    return status;
}

/* Give the edge (i, j) another end, any node that i does not know yet; degrees follow. */
static em_status rewire(const emi_topology_request *request, int *pair, emi_pair_set *pairs, int *degree, em_error *err)
{
    int i = pair[0], j = pair[1], other;
    if (degree[i] == request->nodes - 1) return EM_OK; /* i knows everyone */
    do other = (int)emi_random_below(request->random, (size_t)request->nodes);
    while (other == i || emi_pair_set_has(pairs, i, other));
    emi_pair_set_remove(pairs, i, j);
    degree[j]--;
    degree[other]++;
    pair[1] = other;
    return emi_pair_set_add(pairs, i, other, err);
}

/* Watts and Strogatz, "Collective dynamics of 'small-world' networks", Nature 393, 1998: the ring, each edge rewired
 * with probability P. */
em_status emi_draw_smallworld(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status;
    emi_pair_set pairs = {0};
    int *degree = NULL;
    int D;
    double P;
    TRY(emi_argument_degree(request, 0, 'D', &D, err));
    TRY(emi_argument_probability(request, 1, 'P', &P, err));
    if (D % 2)
        TRY(emi_fail(err, EM_EINVAL, "topology %s: a ring has as many neighbours on either side; try an even D",
                     request->spec));
    degree = emi_calloc((size_t)request->nodes, sizeof *degree);
    if (!degree) TRY(emi_fail_memory_try(err, "topology", "fewer nodes"));

    TRY(draw_ring(request, D, edges, &pairs, err));
    for (int i = 0; i < request->nodes; i++) degree[i] = D;
    for (size_t k = 0; k < edges->count; k++)
        if (emi_random_uniform(request->random) < P) TRY(rewire(request, edges->pair[k], &pairs, degree, err));
done:
    emi_free(degree);
    emi_pair_set_free(&pairs);
    return status;
}
