/* Topologies without chance. */
#include "graph/topology.h"

em_status emi_draw_path(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status = EM_OK;
    for (int i = 1; i < request->nodes && !status; i++) status = emi_edges_add(edges, i - 1, i, err);
    return status;
}

em_status emi_draw_cycle(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status = emi_draw_path(request, edges, err);
    if (status || request->nodes < 3) return status; /* two nodes share one edge, not two */
    return emi_edges_add(edges, 0, request->nodes - 1, err);
}

em_status emi_draw_star(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status = EM_OK;
    for (int i = 1; i < request->nodes && !status; i++) status = emi_edges_add(edges, 0, i, err);
    return status;
}

em_status emi_draw_complete(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status = EM_OK;
    for (int i = 0; i < request->nodes && !status; i++)
        for (int j = i + 1; j < request->nodes && !status; j++) status = emi_edges_add(edges, i, j, err);
    return status;
}

/* The edge from position `at` to the next along a line of `length` nodes that lie `stride` apart, if there is one;
 * `wrap` closes the line, unless the two ends are neighbours already. */
static em_status add_along(emi_edges *edges, int node, int at, int length, int stride, int wrap, em_error *err)
{
    if (at + 1 < length) return emi_edges_add(edges, node, node + stride, err);
    if (wrap && length > 2) return emi_edges_add(edges, node, node - at * stride, err);
    return EM_OK;
}

static em_status draw_rectangle(const emi_topology_request *request, int wrap, emi_edges *edges, em_error *err)
{
    em_status status;
    int rows, columns;
    TRY(emi_argument_sides(request, &rows, &columns, err));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int node = r * columns + c;
            TRY(add_along(edges, node, c, columns, 1, wrap, err));
            TRY(add_along(edges, node, r, rows, columns, wrap, err));
        }
done:
    return status;
}

em_status emi_draw_grid(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    return draw_rectangle(request, 0, edges, err);
}

em_status emi_draw_torus(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    return draw_rectangle(request, 1, edges, err);
}
