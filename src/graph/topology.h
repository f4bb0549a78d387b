/* The networks that have a name.
 *
 * A new topology is one function emi_draw_NAME, in a file of its own or beside its kin, and one line in the list
 * below. */
#ifndef EMI_GRAPH_TOPOLOGY_H
#define EMI_GRAPH_TOPOLOGY_H

#include "base/random.h"
#include "graph/edges.h"

/* X(name, form, example, arguments, what stands between them, rescue).  Where a draw may come out disconnected,
 * `rescue` says what makes that less likely; the others have NULL and are drawn once. */
#define EMI_TOPOLOGIES(X)                                                                                              \
    X(er, "er:P", "er:0.5", 1, 0, "a larger P")                                                                        \
    X(cycle, "cycle", "cycle", 0, 0, NULL)                                                                             \
    X(star, "star", "star", 0, 0, NULL)                                                                                \
    X(path, "path", "path", 0, 0, NULL)                                                                                \
    X(complete, "complete", "complete", 0, 0, NULL)                                                                    \
    X(grid, "grid:RxC", "grid:3x4", 2, 'x', NULL)                                                                      \
    X(torus, "torus:RxC", "torus:3x4", 2, 'x', NULL)                                                                   \
    X(regular, "regular:D", "regular:4", 1, 0, "a larger D")                                                           \
    X(smallworld, "smallworld:D:P", "smallworld:4:0.1", 2, ':', "a larger D or a smaller P")                           \
    X(scalefree, "scalefree:A", "scalefree:2", 1, 0, NULL)                                                             \
    X(file, "file:EDGES", "file:edges.txt", 1, 0, NULL)

/* What is asked for. */
typedef struct emi_topology_request {
    const char *spec;        /* as given, for messages */
    const char *example;     /* of a right one */
    const char *argument[2]; /* the texts after the name */
    int nodes;               /* 1 or more */
    emi_random *random;
} emi_topology_request;

/* Append the edges of one draw, none of them twice.  A random topology may leave the list empty to be drawn again. */
typedef em_status emi_draw(const emi_topology_request *request, emi_edges *edges, em_error *err);

#define X(name, ...) emi_draw emi_draw_##name;
EMI_TOPOLOGIES(X)
#undef X

/* An argument read as a probability, or as a whole number that is at least 1 and below the number of nodes; `letter`
 * is its name in the form. */
em_status emi_argument_probability(const emi_topology_request *request, int index, char letter, double *out,
                                   em_error *err);
em_status emi_argument_degree(const emi_topology_request *request, int index, char letter, int *out, em_error *err);

/* Both arguments read as sides of a rectangle of exactly the network's nodes. */
em_status emi_argument_sides(const emi_topology_request *request, int *rows, int *columns, em_error *err);

#endif
