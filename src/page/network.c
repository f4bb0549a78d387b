/* Who took part: the network as a drawing, and what each node had. */
#include "base/error.h"
#include "base/memory.h"
#include "page/layout.h"
#include "page/parts.h"

#include <math.h>
#include <stdio.h>

enum {
    NAMED = 40,
    LISTED = 16,
    NAMED_LISTED = 64,
    DRAWN = 4000,
    EDGES_DRAWN = 6000,
    WIDTH = 440,
    HEIGHT = 330,
    MARGIN = 34
};

static const char *name_of(const em_page *page, int node, char room[32])
{
    if (page->node_names) return page->node_names[node];
    (void)snprintf(room, 32, "%d", node);
    return room;
}

/* ---- the drawing ------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const em_page *page;
    emi_html *to;
    int nodes;
    size_t edges;
    double *x, *y; /* in the picture */
    double radius;
} drawing;

static void put_edges(const drawing *d)
{
    int i, j;
    if (d->edges > EDGES_DRAWN) return;
    emi_put(d->to, "<path class=\"links%s\" d=\"", d->edges > 600 ? " many" : "");
    for (size_t e = 0; e < d->edges; e++) {
        em_graph_edge(d->page->graph, e, &i, &j);
        emi_put(d->to, "M%.1f %.1fL%.1f %.1f", d->x[i], d->y[i], d->x[j], d->y[j]);
    }
    emi_put(d->to, "\"/>");
}

static void put_nodes(const drawing *d)
{
    char room[32];
    const uint64_t *rows = d->page->node_rows;
    for (int i = 0; i < d->nodes; i++) {
        emi_put(d->to, "<circle class=\"node%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>",
                i + 1 == d->page->own_node ? " own" : "", d->x[i], d->y[i], d->radius);
        emi_put_cut(d->to, name_of(d->page, i, room), EMI_NAME_LETTERS);
        if (rows && rows[i]) emi_put(d->to, ": %llu row%s", (unsigned long long)rows[i], rows[i] == 1 ? "" : "s");
        emi_put(d->to, "</title></circle>");
    }
    /* Numbers within the nodes, names below them. */
    for (int i = 0; i < d->nodes && d->nodes <= NAMED; i++) {
        int named = d->page->node_names != NULL;
        if (!named && d->radius < 7) break;
        emi_put(d->to, "<text class=\"middle %s\" x=\"%.1f\" y=\"%.1f\">", named ? "name" : "number", d->x[i],
                d->y[i] + (named ? d->radius + 12 : 3.5));
        emi_put_cut(d->to, name_of(d->page, i, room), 16);
        emi_put(d->to, "</text>");
    }
}

static em_status draw(emi_html *to, const em_page *page, em_error *err)
{
    em_status status = EM_OK;
    drawing d = {.page = page, .to = to, .nodes = em_graph_nodes(page->graph), .edges = em_graph_edges(page->graph)};
    if (d.nodes > DRAWN) return EM_OK;
    double *places = emi_doubles(2 * (size_t)d.nodes);
    if (!places) return emi_fail_memory(err, "network");
    d.x = places, d.y = places + d.nodes;
    d.radius = d.nodes <= NAMED ? 9 : d.nodes <= 200 ? 4 : 2;
    TRY(emi_layout(page->graph, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN, d.x, d.y, err));
    for (int i = 0; i < d.nodes; i++) d.x[i] += MARGIN, d.y[i] += MARGIN;
    for (int i = 0; i < d.nodes && d.nodes <= NAMED; i++) /* none hides another */
        for (int j = 0; j < i; j++) d.radius = fmin(d.radius, 0.47 * hypot(d.x[i] - d.x[j], d.y[i] - d.y[j]));
    emi_put(to,
            "<figure><svg class=\"network\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%d nodes and %zu links "
            "between them\">",
            WIDTH, HEIGHT, d.nodes, d.edges);
    put_edges(&d);
    put_nodes(&d);
    emi_put(to, "</svg><figcaption>%d node%s, %zu link%s.", d.nodes, d.nodes == 1 ? "" : "s", d.edges,
            d.edges == 1 ? "" : "s");
    if (d.edges > EDGES_DRAWN) emi_put(to, " So many are not drawn.");
    if (page->own_node) emi_put(to, " The one with a rim is this site.");
    emi_put(to, "</figcaption></figure>\n");
done:
    emi_free(places);
    return status;
}

/* ---- the list -------------------------------------------------------------------------------------------------------- */

static int degree_of(const em_graph *graph, int node)
{
    int i, j, count = 0;
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        em_graph_edge(graph, e, &i, &j);
        count += i == node || j == node;
    }
    return count;
}

static void put_list(emi_html *to, const em_page *page, int nodes)
{
    char room[32];
    emi_put(to, "<div class=\"wide\"><table class=\"numbers\" id=\"nodes\"><thead><tr><th scope=\"col\">node</th>");
    if (page->node_rows) emi_put(to, "<th scope=\"col\">rows</th>");
    emi_put(to, "<th scope=\"col\">links</th></tr></thead><tbody>\n");
    for (int i = 0; i < nodes; i++) {
        emi_put(to, "<tr><th scope=\"row\">");
        emi_put_name(to, name_of(page, i, room), EMI_NAME_LETTERS);
        emi_put(to, "%s</th>", i + 1 == page->own_node ? " (this site)" : "");
        if (page->node_rows) emi_put(to, "<td>");
        if (page->node_rows && page->node_rows[i])
            emi_put_count(to, page->node_rows[i]);
        else if (page->node_rows)
            emi_put(to, "not told");
        if (page->node_rows) emi_put(to, "</td>");
        emi_put(to, "<td>%d</td></tr>\n", degree_of(page->graph, i));
    }
    emi_put(to, "</tbody></table></div>\n");
}

/* Of many nodes. */
static void put_range(emi_html *to, const em_page *page, int nodes)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; page->node_rows && i < nodes; i++) {
        if (page->node_rows[i] < least) least = page->node_rows[i];
        if (page->node_rows[i] > most) most = page->node_rows[i];
    }
    if (!most || !least) return;
    emi_put(to, "<p>Each holds ");
    if (least < most) {
        emi_put_count(to, least);
        emi_put(to, " to ");
    }
    emi_put_number_of(to, most, "row");
    emi_put(to, ".</p>\n");
}

em_status emi_page_network(emi_html *to, const em_page *page, em_error *err)
{
    em_status status = EM_OK;
    int nodes = em_model_info(page->model)->nodes;
    if (nodes == 1) {
        emi_put(to, "<p>One node, which has all rows.</p>\n");
        return EM_OK;
    }
    emi_put(to,
            "<p>The rows lie at <span id=\"node-count\">%d</span> nodes. Each talks to its neighbours alone, and none "
            "has sent its rows: "
            "what went between them are sums over rows, and products with them.%s</p>\n",
            nodes,
            page->masked
                ? " Every share of a node was hidden in random numbers that cancel when all shares are added (masks)."
                : "");
    if (!page->graph || em_graph_nodes(page->graph) != nodes) {
        emi_put(to, "<p class=\"soft\">Who was linked with whom, a model does not keep: the page of the fit itself has "
                    "it.</p>\n");
        return EM_OK;
    }
    if (page->topology) emi_put(to, "<p>The network: %s.</p>\n", page->topology);
    emi_put(to, "<div class=\"pair\">");
    TRY(draw(to, page, err));
    if (nodes <= (page->node_names ? NAMED_LISTED : LISTED))
        put_list(to, page, nodes);
    else
        put_range(to, page, nodes);
    emi_put(to, "</div>\n");
done:
    return status;
}
