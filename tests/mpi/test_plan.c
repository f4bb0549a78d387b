/* Who hosts which nodes, and which blocks travel between ranks; no MPI runs here. */
#include "mpi/plan.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 12 };

static void ranks_host_all_nodes_in_order(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= MOST_NODES; nodes++)
        for (int ranks = 1; ranks <= nodes; ranks++) {
            emi_mpi_layout l = {.nodes = nodes, .ranks = ranks};
            assert_int_equal(emi_mpi_layout_first(&l, 0), 0);
            assert_int_equal(emi_mpi_layout_first(&l, ranks), nodes);
            for (int r = 0; r < ranks; r++) {
                int first = emi_mpi_layout_first(&l, r), next = emi_mpi_layout_first(&l, r + 1);
                assert_in_range(next - first, nodes / ranks, (nodes + ranks - 1) / ranks);
                l.rank = r;
                for (int node = 0; node < nodes; node++) {
                    assert_int_equal(emi_mpi_layout_hosts(&l, node), node >= first && node < next);
                    if (node >= first && node < next) assert_int_equal(emi_mpi_layout_rank_of(&l, node), r);
                }
            }
        }
}

/* ---- plans on graphs ------------------------------------------------------------------------------------------ */

typedef struct all_plans {
    emi_mpi_layout layout;
    em_link *links;
    size_t count;
    emi_mpi_plan plan[MOST_NODES]; /* by rank */
} all_plans;

static void make_all(all_plans *all, const char *topology, int nodes, int ranks)
{
    em_error err;
    em_graph *graph;
    assert_ok(em_graph_create(&graph, topology, nodes, 5, &err), &err);
    *all = (all_plans){.layout = {.nodes = nodes, .ranks = ranks}, .count = 2 * em_graph_edges(graph)};
    all->links = calloc(all->count + 1, sizeof *all->links);
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        all->links[2 * e] = (em_link){i, j};
        all->links[2 * e + 1] = (em_link){j, i};
    }
    em_graph_free(&graph);
    for (int r = 0; r < ranks; r++) {
        emi_mpi_layout l = all->layout;
        l.rank = r;
        assert_ok(emi_mpi_plan_make(&all->plan[r], &l, all->links, all->count, &err), &err);
    }
}

static void free_all(all_plans *all)
{
    for (int r = 0; r < all->layout.ranks; r++) emi_mpi_plan_free(&all->plan[r]);
    free(all->links);
}

static const emi_peer *peer_of(const emi_mpi_plan *p, int rank)
{
    const emi_peer *found = NULL;
    for (int i = 0; i < p->peer_count; i++) {
        if (p->peers[i].rank != rank) continue;
        assert_null(found); /* one message a neighbour */
        found = &p->peers[i];
    }
    return found;
}

/* Is the node's block needed on that rank, which does not host it? */
static int is_needed(const all_plans *all, int node, int rank)
{
    for (size_t k = 0; k < all->count; k++)
        if (all->links[k].from == node && emi_mpi_layout_rank_of(&all->layout, all->links[k].to) == rank) return 1;
    return 0;
}

/* What rank a sends to rank b: what b expects, in the same rising order, each needed block once and no other. */
static void check_pair(const all_plans *all, int a, int b)
{
    const emi_peer *sender = peer_of(&all->plan[a], b), *receiver = peer_of(&all->plan[b], a);
    int sent = sender ? sender->send_count : 0, received = receiver ? receiver->receive_count : 0, next = 0;
    assert_int_equal(sent, received);
    for (int node = emi_mpi_layout_first(&all->layout, a); node < emi_mpi_layout_first(&all->layout, a + 1); node++) {
        if (!is_needed(all, node, b)) continue;
        assert_true(next < sent);
        assert_int_equal(sender->send[next], node);
        assert_int_equal(receiver->receive[next], node);
        next++;
    }
    assert_int_equal(next, sent);
}

static void check_topology(const char *topology, int nodes)
{
    for (int ranks = 1; ranks <= nodes; ranks++) {
        all_plans all;
        make_all(&all, topology, nodes, ranks);
        for (int a = 0; a < ranks; a++) {
            assert_null(peer_of(&all.plan[a], a));
            for (int b = 0; b < ranks; b++)
                if (a != b) check_pair(&all, a, b);
        }
        free_all(&all);
    }
}

static void both_sides_agree(void **state)
{
    static const char *const topologies[] = {"er:0.5", "cycle", "star", "path", "complete"};
    (void)state;
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (int nodes = 3; nodes <= MOST_NODES; nodes++) check_topology(topologies[t], nodes);
    check_topology("grid:3x4", 12);
}

/* Towards a tree's root only some send, and only some receive. */
static void one_way_links(void **state)
{
    const em_link links[] = {{1, 0}, {2, 0}, {3, 1}};
    const emi_mpi_layout leaf = {.rank = 1, .ranks = 2, .nodes = 4}, root = {.rank = 0, .ranks = 2, .nodes = 4};
    em_error err;
    emi_mpi_plan up;
    (void)state;
    assert_ok(emi_mpi_plan_make(&up, &leaf, links, 3, &err), &err);
    assert_int_equal(up.peer_count, 1);
    assert_int_equal(up.peers[0].send_count, 2);
    assert_int_equal(up.peers[0].receive_count, 0);
    emi_mpi_plan_free(&up);
    assert_ok(emi_mpi_plan_make(&up, &root, links, 3, &err), &err);
    assert_int_equal(up.peer_count, 1);
    assert_int_equal(up.peers[0].send_count, 0);
    assert_int_equal(up.peers[0].receive_count, 2);
    emi_mpi_plan_free(&up);
    assert_ok(emi_mpi_plan_make(&up, &root, links, 1, &err), &err); /* between nodes of one rank: nothing travels */
    assert_int_equal(up.peer_count, 0);
    emi_mpi_plan_free(&up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_host_all_nodes_in_order),
        cmocka_unit_test(both_sides_agree),
        cmocka_unit_test(one_way_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
