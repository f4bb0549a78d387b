#include "mpi/plan.h"

#include <stdlib.h>

int emi_mpi_layout_first(const emi_mpi_layout *l, int rank)
{
    return (int)((long long)rank * l->nodes / l->ranks);
}

int emi_mpi_layout_rank_of(const emi_mpi_layout *l, int node)
{
    return (int)(((long long)(node + 1) * l->ranks - 1) / l->nodes);
}

int emi_mpi_layout_hosts(const emi_mpi_layout *l, int node)
{
    return node >= emi_mpi_layout_first(l, l->rank) && node < emi_mpi_layout_first(l, l->rank + 1);
}

/* ---- a block that crosses between two ranks, however many links need it ------------------------------------- */

typedef struct crossing {
    int rank; /* the other one */
    int node; /* whose block */
} crossing;

static int by_rank_and_node(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sorted, each once; returns how many. */
static int tidy(crossing *list, int count)
{
    int kept = 0;
    qsort(list, (size_t)count, sizeof *list, by_rank_and_node);
    for (int i = 0; i < count; i++)
        if (!kept || by_rank_and_node(&list[i], &list[kept - 1]) != 0) list[kept++] = list[i];
    return kept;
}

/* What leaves, or what arrives, along the links. */
static int crossings(crossing *list, const emi_mpi_layout *l, const em_link *links, size_t count, int leaving)
{
    int found = 0;
    for (size_t k = 0; k < count; k++) {
        int here = leaving ? links[k].from : links[k].to, there = leaving ? links[k].to : links[k].from;
        if (emi_mpi_layout_hosts(l, here) && !emi_mpi_layout_hosts(l, there))
            list[found++] = (crossing){emi_mpi_layout_rank_of(l, there), links[k].from};
    }
    return tidy(list, found);
}

/* ---- the plan ------------------------------------------------------------------------------------------------- */

static emi_peer *peer_of(emi_mpi_plan *p, int rank)
{
    for (int i = 0; i < p->peer_count; i++)
        if (p->peers[i].rank == rank) return &p->peers[i];
    p->peers[p->peer_count] = (emi_peer){.rank = rank};
    return &p->peers[p->peer_count++];
}

static em_status add_nodes(emi_mpi_plan *p, const crossing *list, int count, int leaving, em_error *err)
{
    for (int from = 0, to; from < count; from = to) {
        for (to = from; to < count && list[to].rank == list[from].rank;) to++;
        emi_peer *one = peer_of(p, list[from].rank);
        int *nodes = malloc((size_t)(to - from) * sizeof *nodes);
        if (!nodes) return em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer nodes");
        for (int i = from; i < to; i++) nodes[i - from] = list[i].node;
        *(leaving ? &one->send : &one->receive) = nodes;
        *(leaving ? &one->send_count : &one->receive_count) = to - from;
    }
    return EM_OK;
}

em_status emi_mpi_plan_make(emi_mpi_plan *out, const emi_mpi_layout *l, const em_link *links, size_t count,
                            em_error *err)
{
    *out = (emi_mpi_plan){.links = links, .count = count};
    crossing *list = malloc((count + 1) * sizeof *list);
    out->peers = calloc((size_t)l->ranks, sizeof *out->peers);
    em_status status = list && out->peers ? EM_OK : em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer nodes");
    for (int leaving = 0; leaving < 2 && status == EM_OK; leaving++)
        status = add_nodes(out, list, crossings(list, l, links, count, leaving), leaving, err);
    free(list);
    if (status != EM_OK) emi_mpi_plan_free(out);
    return status;
}

void emi_mpi_plan_free(emi_mpi_plan *p)
{
    for (int i = 0; p->peers && i < p->peer_count; i++) {
        free(p->peers[i].send);
        free(p->peers[i].receive);
        free(p->peers[i].packed.bytes);
        free(p->peers[i].got.bytes);
    }
    free(p->peers);
    *p = (emi_mpi_plan){0};
}
