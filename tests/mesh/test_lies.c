/* What a node says of its place in the tree is not believed: a neighbour that is broken, or not the same program, must not
 * reach into this one's memory. */
#include "support/check.h"
#include "support/faulty_engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 9, WORDS = 5 }; /* depth, parent, height, last round, the tree's depth */

static const char *const topologies[] = {"path", "star", "cycle", "complete", "grid:3x3"};

static em_graph *make_graph(const char *topology)
{
    em_error err;
    em_graph *graph;
    assert_ok(em_graph_create(&graph, topology, NODES, 1, &err), &err);
    return graph;
}

/* Of the blocks of a flood, one number of one node arrives as another. */
typedef struct lie {
    int node;
    size_t word;
    double value;
    int from;   /* the first round in which it does, counted from 1 */
    int rounds; /* so far */
    double block[WORDS];
} lie;

static lie told;

static void alter(engine_fault *fault, const void **inbox)
{
    if (fault->bytes != sizeof told.block || ++told.rounds < told.from) return;
    memcpy(told.block, inbox[told.node], sizeof told.block);
    told.block[told.word] = told.value;
    inbox[told.node] = told.block;
}

/* From any round on; the flood of the smallest of these networks takes four. */
static void tell(const em_graph *graph, lie what, int impossible)
{
    em_error err = {0};
    em_mesh *mesh = NULL;
    char name[32];
    engine_fault fault = {.at = FAULT_NEVER, .alter = alter};
    told = what;
    em_status status = faulty_engine_open(&mesh, &fault, graph, &err);
    (void)snprintf(name, sizeof name, "node %d: says that its ", what.node);
    if (impossible) assert_fails(status, EM_ENET, name, &err);
    if (status != EM_OK) assert_fails(status, EM_ENET, "; try ", &err);
    if (status != EM_OK) assert_null(mesh);
    em_mesh_close(&mesh);
}

static void on_every_node_and_word(const double *values, int count, int impossible)
{
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        em_graph *graph = make_graph(topologies[t]);
        for (int node = 0; node < NODES; node++)
            for (size_t word = 0; word < WORDS; word++)
                for (int v = 0; v < count; v++)
                    for (int from = 1; from <= 4; from++)
                        tell(graph, (lie){node, word, values[v], from, 0, {0}}, impossible);
        em_graph_free(&graph);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    const double values[] = {NAN, -5, -0.5, 0.5, 1.5, 1e9, 1e300, -1e300, INFINITY, -INFINITY, 2147483648.0, 100};
    (void)state;
    on_every_node_and_word(values, sizeof values / sizeof *values, 1);
}

/* Some of these are even true; whatever comes of the others, it comes to an end, and within bounds. */
static void what_might_be_does_no_harm(void **state)
{
    double values[34];
    int count = 0;
    (void)state;
    for (int v = -1; v < 33; v++) values[count++] = v;
    on_every_node_and_word(values, count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_might_be_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
