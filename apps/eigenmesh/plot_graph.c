/* Drawing a network.  A grid lies as its name says; the hub of a star is in the middle;
 * all other nodes are on a circle. */
#include "gnuplot.h"
#include "message.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_EDGES_MAX = 100000, LABELS_MAX = 64 };

typedef struct layout {
    int rows, columns; /* of a grid or torus; 0 for a circle */
    int hub;           /* node 0 is in the middle */
    int nodes;
} layout;

static layout layout_of(const char *topology, int nodes)
{
    layout place = {.nodes = nodes, .hub = strcmp(topology, "star") == 0};
    if (strncmp(topology, "grid:", 5) != 0 && strncmp(topology, "torus:", 6) != 0) return place;
    /* The graph exists, so that the text is RxC with R C = nodes. */
    place.rows = (int)strtol(strchr(topology, ':') + 1, NULL, 10);
    place.columns = nodes / (place.rows > 0 ? place.rows : 1);
    return place;
}

static void position(const layout *place, int node, double *x, double *y)
{
    if (place->rows) {
        *x = node % place->columns;
        int row = node / place->columns;
        *y = -row;
        return;
    }
    int on_circle = place->nodes - place->hub;
    double angle = 2 * acos(-1.0) * (node - place->hub) / (on_circle > 1 ? on_circle : 1);
    double radius = (place->hub && node == 0) || place->nodes == 1 ? 0 : 1;
    *x = radius * sin(angle);
    *y = radius * cos(angle);
}

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

static void put_blocks(FILE *script, const em_graph *graph, const layout *place)
{
    (void)fprintf(script, "$edges << end\n");
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        put_edge(script, place, i, j);
    }
    (void)fprintf(script, "end\n$nodes << end\n");
    for (int i = 0; i < em_graph_nodes(graph); i++) {
        double x, y;
        position(place, i, &x, &y);
        (void)fprintf(script, "%.6g %.6g %d\n", x, y, i);
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

em_status plot_graph(em_output *output, const em_graph *graph, const char *topology, em_error *err)
{
    int nodes = em_graph_nodes(graph);
    size_t edges = em_graph_edges(graph);
    if (edges > PICTURE_EDGES_MAX)
        return refuse(err, EM_ENOTSUP, "--plot: %zu edges are too many for a picture; try fewer nodes", edges);
    layout place = layout_of(topology, nodes);
    FILE *script = gnuplot_script(720, 750, err);
    if (!script) return err->code;
    put_blocks(script, graph, &place);
    put_title(script, graph, topology);
    double margin = place.rows ? 0.8 : 0.15;
    double right = place.rows ? place.columns - 1 : 1, bottom = place.rows ? 1 - place.rows : -1;
    double top = place.rows ? 0 : 1, left = place.rows ? 0 : -1;
    (void)fprintf(script,
                  "unset border\nunset tics\nunset key\nunset grid\n"
                  "set size ratio -1\nset margins 1, 1, 1, 3\n"
                  "set xrange [%g:%g]\nset yrange [%g:%g]\n",
                  left - margin, right + margin, bottom - margin, top + margin);
    (void)fprintf(script, "plot ");
    if (edges)
        (void)fprintf(script, "$edges with vectors nohead linecolor '%s' linewidth %g, ",
                      edges > 2000 ? "#dde3e9" : "#b4c0cc", edges > 300 ? 0.6 : 1.3);
    (void)fprintf(script, "$nodes with points pointtype 7 pointsize %g linecolor '#20639b'",
                  nodes <= 40           ? 2.6
                  : nodes <= LABELS_MAX ? 1.8
                                        : 0.5);
    if (nodes <= LABELS_MAX)
        (void)fprintf(script, ", $nodes using 1:2:3 with labels font 'Helvetica,%d' textcolor '#ffffff'",
                      nodes <= 40 ? 13 : 9);
    (void)fprintf(script, "\n");
    return gnuplot_draw(script, output, err);
}
