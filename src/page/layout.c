/* A network with few links is drawn so that nodes are as far apart on the paper as they are in links: stress majorization (Gansner,
 * Koren and North, Graph Drawing by Stress Majorization, 2004), one node after the other.  One with many, which would be a ball of wool
 * wherever the nodes are, is a circle; where one node has links to all, it is in the middle. */
#include "page/layout.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { NODES_MOST = 1200, SWEEPS = 80, PAIRS = 40000000, LINKS_EACH = 3 };

typedef struct layout {
    const em_graph *graph;
    int nodes;
    double *x, *y;
    int *first, *other; /* the neighbours of i are other[first[i] .. first[i + 1] - 1] */
    int *distance;      /* [nodes][nodes], in links */
    int *queue;
} layout;

static void find_neighbours(layout *l)
{
    int i, j;
    size_t edges = em_graph_edges(l->graph);
    for (size_t e = 0; e < edges; e++) {
        em_graph_edge(l->graph, e, &i, &j);
        l->first[i + 1]++;
        l->first[j + 1]++;
    }
    for (i = 0; i < l->nodes; i++) l->first[i + 1] += l->first[i];
    memcpy(l->queue, l->first, (size_t)l->nodes * sizeof *l->queue); /* where the next one goes */
    for (size_t e = 0; e < edges; e++) {
        em_graph_edge(l->graph, e, &i, &j);
        l->other[l->queue[i]++] = j;
        l->other[l->queue[j]++] = i;
    }
}

/* Breadth first from a node. */
static void measure_from(layout *l, int node)
{
    int *distance = l->distance + (size_t)node * (size_t)l->nodes, end = 1;
    for (int i = 0; i < l->nodes; i++) distance[i] = -1;
    distance[node] = 0;
    l->queue[0] = node;
    for (int at = 0; at < end; at++)
        for (int n = l->first[l->queue[at]]; n < l->first[l->queue[at] + 1]; n++) {
            int next = l->other[n];
            if (distance[next] >= 0) continue;
            distance[next] = distance[l->queue[at]] + 1;
            l->queue[end++] = next;
        }
}

/* The node goes where the others, each weighing 1 / distance^2, would have it. */
static void move(layout *l, int i)
{
    const int *distance = l->distance + (size_t)i * (size_t)l->nodes;
    double x = 0, y = 0, weights = 0;
    for (int j = 0; j < l->nodes; j++) {
        if (j == i || distance[j] <= 0) continue;
        double d = distance[j], w = 1 / (d * d), dx = l->x[i] - l->x[j], dy = l->y[i] - l->y[j],
               length = sqrt(dx * dx + dy * dy);
        double pull = length > 1e-9 ? d / length : 0;
        x += w * (l->x[j] + pull * dx);
        y += w * (l->y[j] + pull * dy);
        weights += w;
    }
    if (weights > 0) l->x[i] = x / weights, l->y[i] = y / weights;
}

/* At the same distance from each other, and one in the middle; -1: none. */
static void place_on_circle(layout *l, int middle)
{
    int around = l->nodes - (middle >= 0), n = 0;
    for (int i = 0; i < l->nodes; i++) {
        double turn = l->nodes == 2 ? 0.25 : 0, angle = 2 * acos(-1) * (n / (double)(around > 0 ? around : 1) - turn),
               r = i == middle || l->nodes == 1 ? 0 : 1;
        l->x[i] = r * sin(angle);
        l->y[i] = -r * cos(angle);
        n += i != middle;
    }
}

static int farthest_from(const layout *l, int one, int other)
{
    const int *a = l->distance + (size_t)one * (size_t)l->nodes, *b = l->distance + (size_t)other * (size_t)l->nodes;
    int best = 0, most = -1;
    for (int i = 0; i < l->nodes; i++) {
        int nearer = a[i] < b[i] ? a[i] : b[i];
        if (nearer > most) best = i, most = nearer;
    }
    return best;
}

/* Between two nodes that are far apart, and between two others that are far from these: so a grid begins unfolded.  Nodes at the
 * same distances begin beside each other. */
static void begin(layout *l)
{
    int ends[4];
    ends[0] = farthest_from(l, 0, 0);
    ends[1] = farthest_from(l, ends[0], ends[0]);
    ends[2] = farthest_from(l, ends[0], ends[1]);
    ends[3] = farthest_from(l, ends[2], ends[2]);
    for (int i = 0; i < l->nodes; i++) {
        const int *to = l->distance + (size_t)i * (size_t)l->nodes;
        l->x[i] = (to[ends[0]] - to[ends[1]]) / 2.0 + 0.1 * cos(i);
        l->y[i] = (to[ends[2]] - to[ends[3]]) / 2.0 + 0.1 * sin(i);
    }
}

static em_status spread(layout *l, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)l->nodes, edges = em_graph_edges(l->graph);
    l->first = emi_calloc(nodes + 1, sizeof *l->first);
    l->other = emi_calloc(2 * edges + 1, sizeof *l->other);
    l->queue = emi_calloc(nodes, sizeof *l->queue);
    l->distance = emi_calloc(nodes * nodes, sizeof *l->distance);
    if (!l->first || !l->other || !l->queue || !l->distance) TRY(emi_fail_memory(err, "network"));
    find_neighbours(l);
    for (int i = 0; i < l->nodes; i++) measure_from(l, i);
    begin(l);
    /* Of many nodes fewer, so that it takes no longer than a moment. */
    int sweeps = nodes * nodes * SWEEPS > PAIRS ? (int)(PAIRS / (nodes * nodes)) : SWEEPS;
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int i = 0; i < l->nodes; i++) move(l, i);
done:
    emi_free(l->distance);
    emi_free(l->queue);
    emi_free(l->other);
    emi_free(l->first);
    return status;
}

/* Into the middle of the paper, as large as it goes without another form. */
static void fit_paper(layout *l, double width, double height)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < l->nodes; i++) {
        least[0] = fmin(least[0], l->x[i]), most[0] = fmax(most[0], l->x[i]);
        least[1] = fmin(least[1], l->y[i]), most[1] = fmax(most[1], l->y[i]);
    }
    double size = fmax(fmax((most[0] - least[0]) / width, (most[1] - least[1]) / height), 1e-9);
    for (int i = 0; i < l->nodes; i++) {
        l->x[i] = width / 2 + (l->x[i] - (least[0] + most[0]) / 2) / size;
        l->y[i] = height / 2 + (l->y[i] - (least[1] + most[1]) / 2) / size;
    }
}

/* The only node that has links to all others, and there are no other links; -1: none. */
static int hub_of(const em_graph *graph, int nodes)
{
    int i = 0, j = 0, k, m;
    if (nodes < 4 || em_graph_edges(graph) != (size_t)nodes - 1) return -1;
    em_graph_edge(graph, 0, &i, &j);
    for (size_t e = 1; e + 1 < (size_t)nodes; e++) {
        em_graph_edge(graph, e, &k, &m);
        if (e == 1 && (j == k || j == m)) i = j;
        if (i != k && i != m) return -1;
    }
    return i;
}

em_status emi_layout(const em_graph *graph, double width, double height, double *x, double *y, em_error *err)
{
    layout l = {.graph = graph, .nodes = em_graph_nodes(graph), .x = x, .y = y};
    int hub = hub_of(graph, l.nodes);
    em_status status = EM_OK;
    if (hub >= 0 || l.nodes < 4 || l.nodes > NODES_MOST || em_graph_edges(graph) > LINKS_EACH * (size_t)l.nodes)
        place_on_circle(&l, hub);
    else
        status = spread(&l, err);
    fit_paper(&l, width, height);
    return status;
}
