/* The spanning tree that the nodes find by flooding, against the one that sees the whole graph. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/faulty_engine.h"
#include "support/topologies.h"

static void check_tree(em_mesh *mesh)
{
    emi_tree wanted = {0};
    em_error err = {0};
    size_t bytes = sizeof(int) * (size_t)em_mesh_nodes(mesh);
    assert_ok(emi_tree_build(&wanted, mesh->graph, &err), &err);
    assert_int_equal(mesh->tree.nodes, wanted.nodes);
    assert_int_equal(mesh->tree.depth, wanted.depth);
    assert_memory_equal(mesh->tree.parent, wanted.parent, bytes);
    assert_memory_equal(mesh->tree.depth_of, wanted.depth_of, bytes);
    emi_tree_free(&wanted);
}

/* Down, up and down again, with a round or two at every turn; five numbers a message.  It is no one's but set-up's. */
static void check_cost(em_mesh *mesh)
{
    const emi_count *cost = &mesh->tree_count;
    uint64_t depth = (uint64_t)mesh->tree.depth, links = 2 * em_graph_edges(mesh->graph);
    if (depth == 0) {
        assert_int_equal(cost->messages, 0);
        return;
    }
    assert_true(cost->rounds >= 3 * depth && cost->rounds <= 3 * depth + 4);
    assert_int_equal(cost->messages, cost->rounds * links);
    assert_int_equal(cost->scalars, cost->messages * 5);
    for (int phase = 0; phase < EMI_PHASES; phase++) assert_int_equal(mesh->count[phase].messages, 0);
}

static void check_mesh(em_mesh *mesh)
{
    check_tree(mesh);
    check_cost(mesh);
}

static void the_tree_is_breadth_first(void **state)
{
    (void)state;
    on_every_topology(check_mesh);
}

static void on_larger_networks_of_many_seeds(void **state)
{
    (void)state;
    const char *const specs[] = {"er:0.05",   "er:0.2",           "cycle",       "path",       "star", "grid:10x12",
                                 "regular:3", "smallworld:4:0.1", "scalefree:1", "torus:10x12"};
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            em_graph *graph = NULL;
            em_mesh *mesh = NULL;
            em_error err = {0};
            assert_ok(em_graph_create(&graph, specs[n], 120, seed, &err), &err);
            assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
            check_mesh(mesh);
            em_mesh_close(&mesh);
            em_graph_free(&graph);
        }
}

/* Every begin and every end of every round fails once. */
static void fail_everywhere(em_mesh *mesh)
{
    em_status status = EM_ENET;
    long n = 0;
    static engine_fault fault; /* outlives the mesh */
    for (; status != EM_OK; n++) {
        em_error err = {0};
        fault = (engine_fault){.at = n};
        faulty_engine_install(mesh, &fault);
        emi_tree_free(&mesh->tree);
        mesh->failure = (em_error){0};
        status = emi_mesh_flood(mesh, &err);
        if (status == EM_OK) break;
        assert_fails(status, EM_ENET, "node 1: lost in call ", &err);
        assert_int_equal(fault.calls, n + 1);
    }
    check_tree(mesh);
    assert_int_equal(n, 2 * mesh->tree_count.rounds);
}

static void a_lost_neighbour_is_reported(void **state)
{
    (void)state;
    on_every_topology(fail_everywhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_breadth_first),
        cmocka_unit_test(on_larger_networks_of_many_seeds),
        cmocka_unit_test(a_lost_neighbour_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
