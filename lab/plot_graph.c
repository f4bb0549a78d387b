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

static void put_edge(FILE *script, const layout *place, int i, int j)
{
    double xi, yi, xj, yj;
    position(place, i, &xi, &yi);
    position(place, j, &xj, &yj);
    double dx = 0.5 * around(place, xi, xj), dy = 0.5 * around(place, yi, yj);
    if (dx == 0 && dy == 0) {
        (void)fprintf(script, "%.6g %.6g %.6g %.6g\n", xi, yi, xj - xi, yj - yi);
        return;
    }
    /* It leaves the picture on one side and comes back on the other. */
    (void)fprintf(script, "%.6g %.6g %.6g %.6g\n", xi, yi, -dx, -dy);
    (void)fprintf(script, "%.6g %.6g %.6g %.6g\n", xj, yj, dx, dy);
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

static void put_blocks(FILE *script, const em_graph *graph, const layout *place)
{
    (void)fprintf(script, "$edges << end\n");
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        put_edge(script, place, i, j);
    }
    (void)fprintf(script, "end\n$nodes << end\n");
    for (int i = 0; i < place->nodes; i++) {
        double x, y;
        position(place, i, &x, &y);
        (void)fprintf(script, "%.6g %.6g %d %.3g\n", x, y, i, point_size(place, i));
    }
    (void)fprintf(script, "end\n");
}

static void put_title(FILE *script, const em_graph *graph, const char *topology)
{
    char title[512];
    int nodes = em_graph_nodes(graph);
    size_t edges = em_graph_edges(graph);
    (void)snprintf(title, sizeof title, "%s: %d node%s, %zu edge%s", topology, nodes, nodes == 1 ? "" : "s", edges,
                   edges == 1 ? "" : "s");
    (void)fprintf(script, "set title ");
    gnuplot_quote(script, title);
    (void)fprintf(script, "\n");
}

/* ---- the picture ---------------------------------------------------------------------------------------------------- */

static void put_graph(FILE *script, const layout *place, size_t edges)
{
    double margin = place->rows ? 0.8 : 0.15;
    double right = place->rows ? place->columns - 1 : 1, bottom = place->rows ? 1 - place->rows : -1;
    double top = place->rows ? 0 : 1, left = place->rows ? 0 : -1;
    (void)fprintf(script,
                  "unset border\nunset tics\nunset key\nunset grid\n"
                  "set size ratio -1\nset margins 1, 1, 1, 3\n"
                  "set xrange [%g:%g]\nset yrange [%g:%g]\n"
                  "plot ",
                  left - margin, right + margin, bottom - margin, top + margin);
    if (edges)
        (void)fprintf(script, "$edges with vectors nohead linecolor '%s' linewidth %g, ",
                      edges > 2000 ? "#dde3e9" : "#b4c0cc", edges > 300 ? 0.6 : 1.3);
    (void)fprintf(script, "$nodes using 1:2:4 with points pointtype 7 pointsize variable linecolor '#20639b'");
    if (place->nodes <= LABELS_MAX)
        (void)fprintf(script, ", $nodes using 1:2:3 with labels font 'Helvetica,%d' textcolor '#ffffff'",
                      place->nodes <= FEW_NODES ? 13 : 9);
    (void)fprintf(script, "\n");
}

em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err)
{
    em_status status = EM_OK;
    size_t edges = em_graph_edges(graph);
    layout place = {0};
    if (edges > PICTURE_EDGES_MAX)
        return emi_fail(err, EM_ENOTSUP, "--plot: %zu edges are too many for a picture; try fewer nodes", edges);
    TRY(lay_out(&place, graph, topology, err));
    FILE *script = gnuplot_script(to, 720, 750, err);
    if (!script) TRY(err->code);
    put_blocks(script, graph, &place);
    put_title(script, graph, topology);
    put_graph(script, &place, edges);
    TRY(gnuplot_draw(script, to, err));
done:
    layout_free(&place);
    return status;
}
