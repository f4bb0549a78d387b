/* Who took part: the network as a drawing, and what each node had. */
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
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
    MARGIN = 34,
    NUMBER_RADIUS = 7, /* of a node that has room for a number */
    NAME_LETTERS = 16, /* below a node */
    NAME_BELOW = 12,
    TYPE_SIZE = 13 /* of the style, and not less */
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
    int shows_names;
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
}

/* Where the name of a node is, below it and within the picture. */
static double name_place(const drawing *d, int node, double *width, double *y)
{
    char room[32];
    *width = emi_text_width(name_of(d->page, node, room), NAME_LETTERS + 1, TYPE_SIZE);
    *y = d->y[node] + d->radius + NAME_BELOW;
    return fmax(fmin(d->x[node], WIDTH - *width / 2), *width / 2);
}

/* Is every name short, and beside all other names and all circles? */
static int names_fit(const drawing *d)
{
    for (int i = 0; i < d->nodes; i++) {
        double width, y, x = name_place(d, i, &width, &y);
        if (emi_utf8_length(d->page->node_names[i]) > NAME_LETTERS) return 0;
        for (int j = 0; j < d->nodes; j++) {
            double other_width, other_y, other_x = name_place(d, j, &other_width, &other_y);
            if (i == j) continue;
            if (fabs(x - other_x) < (width + other_width) / 2 + 3 && fabs(y - other_y) < TYPE_SIZE) return 0;
            if (fabs(x - d->x[j]) < width / 2 + d->radius && fabs(y - 4 - d->y[j]) < 6 + d->radius) return 0;
        }
    }
    return 1;
}

/* Names below the nodes where there is room for all, and else numbers within, which the list explains where nodes have names. */
static void put_texts(const drawing *d)
{
    char room[32];
    int named = d->page->node_names != NULL;
    if (d->nodes > NAMED || (!d->shows_names && d->radius < NUMBER_RADIUS)) return;
    for (int i = 0; i < d->nodes; i++) {
        double width, y, x = name_place(d, i, &width, &y);
        if (d->shows_names) {
            emi_put(d->to, "<text class=\"middle name\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, y,
                    name_of(d->page, i, room));
        } else {
            emi_put(d->to, "<text class=\"middle number\" x=\"%.1f\" y=\"%.1f\">%d</text>", d->x[i], d->y[i] + 3.5,
                    i + named);
        }
    }
}

/* *numbered: nodes that have names were given numbers. */
static em_status draw(emi_html *to, const em_page *page, int *numbered, em_error *err)
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
    d.shows_names = page->node_names && d.nodes <= NAMED && names_fit(&d);
    *numbered = page->node_names && d.nodes <= NAMED && !d.shows_names && d.radius >= NUMBER_RADIUS;
    emi_put(to,
            "<figure><svg class=\"network\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%d nodes and %zu links "
            "between them\">",
            WIDTH, HEIGHT, d.nodes, d.edges);
    put_edges(&d);
    put_nodes(&d);
    put_texts(&d);
    emi_put(to, "</svg><figcaption>%d node%s, %zu link%s.", d.nodes, d.nodes == 1 ? "" : "s", d.edges,
            d.edges == 1 ? "" : "s");
    if (d.edges > EDGES_DRAWN) emi_put(to, " So many are not drawn.");
    if (*numbered) emi_put(to, " The list has the names that belong to the numbers.");
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

static void put_list(emi_html *to, const em_page *page, int nodes, int numbered)
{
    char room[32];
    emi_put(to, "<div class=\"wide\"><table class=\"numbers\" id=\"nodes\"><thead><tr><th scope=\"col\">node</th>");
    if (page->node_rows) emi_put(to, "<th scope=\"col\">rows</th>");
    emi_put(to, "<th scope=\"col\">links</th></tr></thead><tbody>\n");
    for (int i = 0; i < nodes; i++) {
        emi_put(to, "<tr><th scope=\"row\">");
        if (numbered) emi_put(to, "%d. ", i + 1);
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

/* Where the data lay, which may be moments and no rows, and what left that place: who reads it may not know that a network can be played
 * through on one machine, which tells nothing of what is private. */
static void put_places(emi_html *to, const em_page *page, int nodes)
{
    static const char *const sums = "what went between them are sums over rows, and products with them.";
    static const char *const masks =
        " Every share of a node was hidden in random numbers that cancel when all shares are added (masks).";
    if (page->processes == 1)
        emi_put(
            to,
            "<p>This is a <strong>simulation on one machine</strong>, which had the data of all nodes. In it the data "
            "lies at <span id=\"node-count\">%d</span> nodes, each of which talks to its neighbours alone and sends "
            "them no rows, only sums over rows, and products with them; nothing left the machine.%s</p>\n",
            nodes, page->masked ? " Masks were simulated too, and hide nothing here." : "");
    else if (page->processes == 0)
        emi_put(to,
                "<p>The data lay at <span id=\"node-count\">%d</span> nodes, on as many machines or simulated on one: "
                "the model does not tell. Each talked to its neighbours alone, and none has sent its rows: %s</p>\n",
                nodes, sums);
    else
        emi_put(to,
                "<p>The data lies at <span id=\"node-count\">%d</span> nodes. Each talks to its neighbours alone, and "
                "none has sent its rows: %s%s</p>\n",
                nodes, sums, page->masked ? masks : "");
}

em_status emi_page_network(emi_html *to, const em_page *page, em_error *err)
{
    em_status status = EM_OK;
    int nodes = em_model_info(page->model)->nodes, numbered = 0;
    if (nodes == 1) {
        emi_put(to, "<p>One node, which has all of the data.</p>\n");
        return EM_OK;
    }
    put_places(to, page, nodes);
    if (!page->graph || em_graph_nodes(page->graph) != nodes) {
        emi_put(to, "<p class=\"soft\">Who was linked with whom, %s</p>\n",
                emi_page_is_own(page) ? "could not be found out again." : EMI_NOT_KEPT);
        return EM_OK;
    }
    if (page->topology) emi_put(to, "<p>The network: %s.</p>\n", page->topology);
    emi_put(to, "<div class=\"pair\">");
    TRY(draw(to, page, &numbered, err));
    if (nodes <= (page->node_names ? NAMED_LISTED : LISTED))
        put_list(to, page, nodes, numbered);
    else
        put_range(to, page, nodes);
    emi_put(to, "</div>\n");
done:
    return status;
}
