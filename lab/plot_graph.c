/* Drawing a network: network.gp places the nodes.  A grid lies as its name says; the hub of a star is in the middle.  Where
 * some nodes have many more neighbours than most, all lie on a disc, the larger and the nearer to its centre the more
 * neighbours they have.  All other nodes are on a circle. */
#include "lab/plot.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURE_EDGES_MAX = 100000 };

/* By degree, the largest first; nodes of one degree stay in order. */
static void place_on_disc(const int *degree, int *place, int nodes)
{
    int *next = place + nodes; /* the place of the next node of a degree */
    for (int i = 0; i < nodes; i++) next[degree[i]]++;
    for (int d = nodes - 1, before = 0; d >= 0; d--) {
        int here = next[d];
        next[d] = before;
        before += here;
    }
    for (int i = 0; i < nodes; i++) place[i] = next[degree[i]]++;
}

/* The edges, by the places of their nodes, and the nodes.  Some nodes may be hubs: with so many times the mean degree. */
static void fill_network(fill *panel, const em_graph *graph, int may_have_hubs)
{
    enum { HUB = 3 };
    int nodes = em_graph_nodes(graph), largest = 0, i, j;
    size_t edges = em_graph_edges(graph);
    int *degree = calloc(3 * (size_t)nodes, sizeof *degree);
    if (!degree) {
        fill_fail(panel);
        return;
    }
    int *place = degree + nodes;
    for (size_t e = 0; e < edges; e++) {
        em_graph_edge(graph, e, &i, &j);
        degree[i]++;
        degree[j]++;
    }
    for (i = 0; i < nodes; i++) {
        place[i] = i;
        if (degree[i] > largest) largest = degree[i];
    }
    int on_disc = may_have_hubs && largest * (double)nodes > HUB * 2 * (double)edges;
    if (on_disc) place_on_disc(degree, place, nodes);
    fill_flag(panel, "on_disc", on_disc);
    for (size_t e = 0; e < edges; e++) {
        em_graph_edge(graph, e, &i, &j);
        fill_more(panel, "edges", "%d %d\n", place[i], place[j]);
    }
    for (i = 0; i < nodes; i++) fill_more(panel, "nodes", "%d %d %d\n", place[i], i, degree[i]);
    free(degree);
}

em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err)
{
    int nodes = em_graph_nodes(graph), star = strcmp(topology, "star") == 0, rows = 0;
    size_t edges = em_graph_edges(graph);
    if (edges > PICTURE_EDGES_MAX)
        return emi_fail(err, EM_ENOTSUP, "--plot: %zu edges are too many for a picture; try fewer nodes", edges);
    /* The graph exists, so that the text is RxC with R C = nodes. */
    if (strncmp(topology, "grid:", 5) == 0 || strncmp(topology, "torus:", 6) == 0)
        rows = (int)strtol(strchr(topology, ':') + 1, NULL, 10);
    fill *with = fill_new(), *panel = fill_add(with, "panels");
    fill_text(panel, "title", "%s: %d node%s, %zu edge%s", topology, nodes, nodes == 1 ? "" : "s", edges,
              edges == 1 ? "" : "s");
    fill_numbers(panel, {"count", nodes}, {"edge_count", (double)edges}, {"star", star});
    if (rows > 0) fill_numbers(panel, {"grid", rows});
    fill_network(panel, graph, !star && !rows);
    return gnuplot_draw(to, 720, 750, with, err);
}
