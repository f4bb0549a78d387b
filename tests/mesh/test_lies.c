/* What a node says of its place in the tree is not believed: a neighbour that is broken, or not the same program, must not
 * reach into this one's memory. */
#include "base/random.h"
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

/* How many rounds the flood takes where nobody lies. */
static int rounds_of(const em_graph *graph)
{
    em_error err = {0};
    em_mesh *mesh = NULL;
    engine_fault fault = {.at = FAULT_NEVER, .alter = alter};
    told = (lie){.from = 1 << 30};
    assert_ok(faulty_engine_open(&mesh, &fault, graph, &err), &err);
    em_mesh_close(&mesh);
    return told.rounds;
}

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
        int rounds = rounds_of(graph);
        assert_true(rounds >= 4);
        for (int node = 0; node < NODES; node++)
            for (size_t word = 0; word < WORDS; word++)
                for (int v = 0; v < count; v++)
                    for (int from = 1; from <= rounds; from++)
                        tell(graph, (lie){node, word, values[v], from, 0, {0}}, impossible);
        em_graph_free(&graph);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    const double values[] = {NAN, -5, -0.5, 0.5, 1.5, 1e8, 1e9, 1e300, -1e300, INFINITY, -INFINITY, 2147483648.0, 100};
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

/* ---- a process among liars ---------------------------------------------------------------------------------------- */

/* An engine whose blocks from elsewhere are made up, all words of them, anew in every round. */
typedef struct liars {
    int first, hosted;
    const void *const *blocks;
    double said[NODES][WORDS];
    emi_random random;
} liars;

static double make_up(emi_random *random)
{
    static const double wild[] = {NAN, -2, 0.5, 1e8, 1e300, -INFINITY};
    uint64_t drawn = emi_random_bits(random);
    if (drawn % 256 < sizeof wild / sizeof *wild) return wild[drawn % 256];
    return drawn % 4 ? -1 : (double)(drawn >> 8 & 15); /* what a node of so small a network might say */
}

static em_status liars_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                             em_error *err)
{
    (void)links, (void)count, (void)err;
    assert_int_equal(bytes, WORDS * sizeof(double)); /* nothing follows the flood of a mesh that is only opened */
    ((liars *)state)->blocks = blocks;
    return EM_OK;
}

static em_status liars_end(void *state, const void **inbox, em_error *err)
{
    liars *l = state;
    (void)err;
    for (int i = 0; i < NODES; i++) {
        for (int w = 0; w < WORDS; w++) l->said[i][w] = make_up(&l->random);
        inbox[i] = i >= l->first && i < l->first + l->hosted ? l->blocks[i - l->first] : l->said[i];
    }
    return EM_OK;
}

static void liars_close(void *state)
{
    (void)state;
}

static void among_liars_nothing_is_believed(void **state)
{
    static const em_engine engine = {
        .size = sizeof engine, .name = "liars", .begin = liars_begin, .end = liars_end, .close = liars_close};
    static const int places[][2] = {{0, 1}, {0, 4}, {3, 1}, {5, 4}}; /* with the root, and without */
    (void)state;
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        em_graph *graph = make_graph(topologies[t]);
        for (uint64_t seed = 0; seed < 4000; seed++) {
            em_error err = {0};
            em_mesh *mesh = NULL;
            const int *place = places[seed % 4];
            liars l = {.first = place[0], .hosted = place[1], .random = emi_random_seed(seed, EMI_STREAM_INIT)};
            em_status status = em_mesh_open_on(&mesh, &engine, &l, place[0], place[1], graph, 1, &err);
            if (status != EM_OK) assert_fails(status, EM_ENET, "; try ", &err);
            em_mesh_close(&mesh);
        }
        em_graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_might_be_does_no_harm),
        cmocka_unit_test(among_liars_nothing_is_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
