/* Drawing a network: network.gp places the nodes.  A grid lies as its name says; the hub of a star is in the middle.  Where
 * some nodes have many more neighbours than most, all lie on a disc, the larger and the nearer to its centre the more
 * neighbours they have.  All other nodes are on a circle. */
#include "lab/plot.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURE_EDGES_MAX = 100000 };

typedef struct layout {
    int nodes, *degree; /* [nodes] */
    int *place;         /* [nodes] by degree, the largest first; NULL: not on a disc */
} layout;

static int count_neighbours(layout *l, const em_graph *graph)
{
    int largest = 0;
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        l->degree[i]++;
        l->degree[j]++;
    }
    for (int i = 0; i < l->nodes; i++)
        if (l->degree[i] > largest) largest = l->degree[i];
    return largest;
}

/* Nodes of one degree stay in order: how many have more, and how many of the same came before. */
static em_status place_on_disc(layout *l, int largest, em_error *err)
{
    em_status status = EM_OK;
    int *first = calloc((size_t)largest + 2, sizeof *first); /* the place of the next node of a degree */
    l->place = calloc((size_t)l->nodes, sizeof *l->place);
    if (!first || !l->place) TRY(emi_fail_memory(err, "--plot"));
    for (int i = 0; i < l->nodes; i++) first[l->degree[i]]++;
    for (int degree = largest, before = 0; degree >= 0; degree--) {
        int here = first[degree];
        first[degree] = before;
        before += here;
    }
    for (int i = 0; i < l->nodes; i++) l->place[i] = first[l->degree[i]]++;
done:
    free(first);
    return status;
}

static void fill_data(fill *panel, const em_graph *graph, const layout *l)
{
    FILE *edges = fill_stream(panel, "edges"), *nodes = fill_stream(panel, "nodes");
    for (size_t e = 0; edges && e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        (void)fprintf(edges, "%d %d\n", l->place ? l->place[i] : i, l->place ? l->place[j] : j);
    }
    for (int i = 0; nodes && i < l->nodes; i++)
        (void)fprintf(nodes, "%d %d %d\n", l->place ? l->place[i] : i, i, l->degree[i]);
    if (edges) (void)fclose(edges);
    if (nodes) (void)fclose(nodes);
}

em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err)
{
    enum { HUB = 3 }; /* so many times the mean degree makes one */
    em_status status = EM_OK;
    size_t edges = em_graph_edges(graph);
    layout l = {.nodes = em_graph_nodes(graph)};
    fill *with = NULL;
    if (edges > PICTURE_EDGES_MAX)
        return emi_fail(err, EM_ENOTSUP, "--plot: %zu edges are too many for a picture; try fewer nodes", edges);
    int star = strcmp(topology, "star") == 0, rows = 0;
    /* The graph exists, so that the text is RxC with R C = nodes. */
    if (strncmp(topology, "grid:", 5) == 0 || strncmp(topology, "torus:", 6) == 0)
        rows = (int)strtol(strchr(topology, ':') + 1, NULL, 10);
    TRY(fill_open(&with, err));
    l.degree = calloc((size_t)l.nodes, sizeof *l.degree);
    if (!l.degree) TRY(emi_fail_memory(err, "--plot"));
    int largest = count_neighbours(&l, graph);
    if (largest * (double)l.nodes > HUB * 2 * (double)edges && !star && !rows) TRY(place_on_disc(&l, largest, err));
    fill *panel = fill_add(with, "panels");
    fill_text(panel, "title", "%s: %d node%s, %zu edge%s", topology, l.nodes, l.nodes == 1 ? "" : "s", edges,
              edges == 1 ? "" : "s");
    fill_text(panel, "count", "%d", l.nodes);
    fill_text(panel, "edge_count", "%zu", edges);
    fill_text(panel, "star", "%d", star);
    fill_flag(panel, "on_disc", l.place != NULL);
    if (rows > 0) fill_text(panel, "grid", "%d", rows);
    fill_data(panel, graph, &l);
    TRY(gnuplot_draw(to, "plots/picture.gp", 720, 750, with, err));
done:
    fill_free(&with);
    free(l.degree);
    free(l.place);
    return status;
}
