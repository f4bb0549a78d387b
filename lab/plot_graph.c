/* Drawing a network.  A grid lies as its name says; the hub of a star is in the middle.  Where some nodes have many more
 * neighbours than most, all lie on a disc, the larger and the nearer to its centre the more neighbours they have.  All
 * other nodes are on a circle. */
#include "base/error.h"
#include "lab/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_EDGES_MAX = 100000, LABELS_MAX = 64, FEW_NODES = 40 };

typedef struct layout {
    int rows, columns; /* of a grid or torus; 0 for the others */
    int star;          /* node 0 is in the middle */
    int nodes;
    int *degree; /* [nodes] */
    double mean; /* of it */
    int *rank;   /* [nodes] by degree, the largest first; NULL: not on a disc */
} layout;

/* ---- where the nodes are ------------------------------------------------------------------------------------ */

static void count_neighbours(layout *place, const em_graph *graph)
{
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        place->degree[i]++;
        place->degree[j]++;
    }
}

static int largest_degree(const layout *place)
{
    int largest = 0;
    for (int i = 0; i < place->nodes; i++)
        if (place->degree[i] > largest) largest = place->degree[i];
    return largest;
}

/* Nodes of one degree stay in order: how many have more, and how many of the same came before. */
static em_status rank_nodes(layout *place, int largest, em_error *err)
{
    em_status status = EM_OK;
    int *first = calloc((size_t)largest + 2, sizeof *first); /* the rank of the next node of a degree */
    place->rank = calloc((size_t)place->nodes, sizeof *place->rank);
    if (!first || !place->rank) TRY(emi_fail_memory(err, "--plot"));
    for (int i = 0; i < place->nodes; i++) first[place->degree[i]]++;
    for (int degree = largest, before = 0; degree >= 0; degree--) {
        int here = first[degree];
        first[degree] = before;
        before += here;
    }
    for (int i = 0; i < place->nodes; i++) place->rank[i] = first[place->degree[i]]++;
done:
    free(first);
    return status;
}

static em_status lay_out(layout *place, const em_graph *graph, const char *topology, em_error *err)
{
    enum { HUB = 3 }; /* so many times the mean degree makes one */
    int nodes = em_graph_nodes(graph);
    *place = (layout){.nodes = nodes, .star = strcmp(topology, "star") == 0};
    place->degree = calloc((size_t)nodes, sizeof *place->degree);
    if (!place->degree) return emi_fail_memory(err, "--plot");
    count_neighbours(place, graph);
    if (strncmp(topology, "grid:", 5) == 0 || strncmp(topology, "torus:", 6) == 0) {
        /* The graph exists, so that the text is RxC with R C = nodes. */
        place->rows = (int)strtol(strchr(topology, ':') + 1, NULL, 10);
        place->columns = nodes / (place->rows > 0 ? place->rows : 1);
        return EM_OK;
    }
    int largest = largest_degree(place);
    place->mean = 2 * (double)em_graph_edges(graph) / nodes;
    return largest > HUB * place->mean && !place->star ? rank_nodes(place, largest, err) : EM_OK;
}

static void layout_free(layout *place)
{
    free(place->degree);
    free(place->rank);
}

static void position(const layout *place, int node, double *x, double *y)
{
    const double pi = acos(-1.0);
    if (place->rows) {
        *x = node % place->columns;
        int row = node / place->columns;
        *y = -row;
        return;
    }
    int on_circle = place->nodes - place->star;
    double angle = 2 * pi * (node - place->star) / (on_circle > 1 ? on_circle : 1);
    double radius = (place->star && node == 0) || place->nodes == 1 ? 0 : 1;
    if (place->rank) { /* as the seeds of a sunflower, which lie evenly */
        angle = place->rank[node] * pi * (3 - sqrt(5.0));
        radius = sqrt((place->rank[node] + 0.5) / place->nodes);
    }
    *x = radius * sin(angle);
    *y = radius * cos(angle);
}

/* ---- edges and nodes --------------------------------------------------------------------------------------------- */

/* +1 or -1 where an edge runs around the torus, from the first to the last of a line. */
static int around(const layout *place, double from, double to)
{
    if (!place->rows || fabs(to - from) <= 1) return 0;
    return to > from ? 1 : -1;
}

static void put_edge(FILE *out, const layout *place, int i, int j)
{
    double xi, yi, xj, yj;
    position(place, i, &xi, &yi);
    position(place, j, &xj, &yj);
    double dx = 0.5 * around(place, xi, xj), dy = 0.5 * around(place, yi, yj);
    if (dx == 0 && dy == 0) {
        (void)fprintf(out, "%.6g %.6g %.6g %.6g\n", xi, yi, xj - xi, yj - yi);
        return;
    }
    /* It leaves the picture on one side and comes back on the other. */
    (void)fprintf(out, "%.6g %.6g %.6g %.6g\n", xi, yi, -dx, -dy);
    (void)fprintf(out, "%.6g %.6g %.6g %.6g\n", xj, yj, dx, dy);
}

/* On a disc, the area grows with the degree, as far as there is room. */
static double point_size(const layout *place, int node)
{
    double usual = place->nodes <= FEW_NODES ? 2.6 : place->nodes <= LABELS_MAX ? 1.8 : 0.5;
    if (!place->rank) return usual;
    double room = fmin(sqrt(400.0 / place->nodes), 1);
    double larger = 1.3 * sqrt(place->degree[node] / place->mean);
    return room * usual * fmin(fmax(larger, 1), place->nodes <= LABELS_MAX ? 1.6 : 6);
}

static void fill_data(fill *panel, const em_graph *graph, const layout *place)
{
    FILE *edges = fill_stream(panel, "edges"), *nodes = fill_stream(panel, "nodes");
    for (size_t e = 0; edges && e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        put_edge(edges, place, i, j);
    }
    for (int i = 0; nodes && i < place->nodes; i++) {
        double x, y;
        position(place, i, &x, &y);
        (void)fprintf(nodes, "%.6g %.6g %d %.3g\n", x, y, i, point_size(place, i));
    }
    if (edges) (void)fclose(edges);
    if (nodes) (void)fclose(nodes);
}

/* ---- the picture ---------------------------------------------------------------------------------------------------- */

static void fill_graph(fill *panel, const em_graph *graph, const layout *place, const char *topology)
{
    int grid = place->rows > 0;
    size_t edges = em_graph_edges(graph);
    double margin = grid ? 0.8 : 0.15;
    fill_text(panel, "title", "%s: %d node%s, %zu edge%s", topology, place->nodes, place->nodes == 1 ? "" : "s", edges,
              edges == 1 ? "" : "s");
    fill_text(panel, "x_from", "%g", (grid ? 0 : -1) - margin);
    fill_text(panel, "x_to", "%g", (grid ? place->columns - 1 : 1) + margin);
    fill_text(panel, "y_from", "%g", (grid ? 1 - place->rows : -1) - margin);
    fill_text(panel, "y_to", "%g", (grid ? 0 : 1) + margin);
    fill_text(panel, "edge_colour", "%s", edges > 2000 ? "#dde3e9" : "#b4c0cc");
    fill_text(panel, "edge_width", "%g", edges > 300 ? 0.6 : 1.3);
    if (place->nodes <= LABELS_MAX) fill_text(panel, "label_size", "%d", place->nodes <= FEW_NODES ? 13 : 9);
    fill_data(panel, graph, place);
}

em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err)
{
    em_status status = EM_OK;
    size_t edges = em_graph_edges(graph);
    layout place = {0};
    fill *with = NULL;
    if (edges > PICTURE_EDGES_MAX)
        return emi_fail(err, EM_ENOTSUP, "--plot: %zu edges are too many for a picture; try fewer nodes", edges);
    TRY(fill_open(&with, err));
    TRY(lay_out(&place, graph, topology, err));
    fill_graph(fill_add(with, "panels"), graph, &place, topology);
    TRY(gnuplot_draw(to, "plots/picture.gp", 720, 750, with, err));
done:
    fill_free(&with);
    layout_free(&place);
    return status;
}
