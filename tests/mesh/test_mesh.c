/* Opening a mesh, and what it plans: the links of every edge and of the spanning tree. */
#include "mesh/mesh.h"
#include "support/check.h"

static em_mesh *open_mesh(em_graph **graph, const char *topology, int nodes, int threads)
{
    em_mesh *mesh = NULL;
    em_error err = {0};
    assert_ok(em_graph_create(graph, topology, nodes, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, *graph, threads, &err), &err);
    return mesh;
}

static void tells_its_sizes(void **state)
{
    (void)state;
    em_graph *graph = NULL;
    em_mesh *mesh = open_mesh(&graph, "cycle", 7, 3);
    assert_int_equal(em_mesh_nodes(mesh), 7);
    assert_int_equal(em_mesh_threads(mesh), 3);
    assert_false(emi_mesh_failed(mesh));
    em_mesh_close(&mesh);
    assert_null(mesh);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

static void refuses_what_it_has_not(void **state)
{
    (void)state;
    em_graph *graph = NULL;
    em_error err = {0};
    em_mesh *mesh = (em_mesh *)&err; /* must be left NULL */
    assert_ok(em_graph_create(&graph, "cycle", 5, 0, &err), &err);
    assert_fails(em_mesh_open(&mesh, "carrier", graph, 1, &err), EM_EINVAL, "engine carrier: not built in; try local",
                 &err);
    assert_null(mesh);
    assert_fails(em_mesh_open(&mesh, "", graph, 1, &err), EM_EINVAL, "not built in", &err);
    assert_fails(em_mesh_open(&mesh, "local", graph, -1, &err), EM_EINVAL, "threads: -1; try 0", &err);
    assert_fails(em_mesh_open(&mesh, "local", graph, 1000000, &err), EM_EINVAL, "threads: 1000000", &err);
    assert_null(mesh);
    assert_int_equal(em_mesh_open(&mesh, "carrier", graph, 1, NULL), EM_EINVAL);
    em_graph_free(&graph);
}

static void names_its_engines(void **state)
{
    (void)state;
    assert_string_equal(em_engine_name(0), "local");
    assert_null(em_engine_name(-1));
    assert_null(em_engine_name(1000));
}

/* Both ways along every edge, nothing twice. */
static void lists_every_edge_both_ways(void **state)
{
    (void)state;
    em_graph *graph = NULL;
    em_mesh *mesh = open_mesh(&graph, "er:0.4", 12, 1);
    int seen[12][12] = {{0}};
    for (size_t l = 0; l < 2 * em_graph_edges(graph); l++) seen[mesh->edge_links[l].from][mesh->edge_links[l].to]++;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) assert_int_equal(seen[i][j], i != j && em_graph_weight(graph, i, j) > 0);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

/* Every node but the root has one link to its parent, in the level of its depth, and the levels fill the list. */
static void lists_the_tree_by_levels(void **state)
{
    (void)state;
    em_graph *graph = NULL;
    em_mesh *mesh = open_mesh(&graph, "grid:4x5", 20, 1);
    const emi_tree *tree = &mesh->tree;
    int seen[20] = {0};
    assert_int_equal(tree->depth, 3 + 4);
    assert_int_equal(mesh->level[0], 0);
    assert_int_equal(mesh->level[tree->depth], 19);
    for (int depth = 1; depth <= tree->depth; depth++)
        for (size_t l = mesh->level[depth - 1]; l < mesh->level[depth]; l++) {
            em_link up = mesh->tree_links[l], down = mesh->tree_back[l];
            assert_int_equal(tree->depth_of[up.from], depth);
            assert_int_equal(tree->parent[up.from], up.to);
            assert_true(down.from == up.to && down.to == up.from);
            seen[up.from]++;
        }
    for (int i = 0; i < 20; i++) assert_int_equal(seen[i], i != 0);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_its_sizes),          cmocka_unit_test(refuses_what_it_has_not),
        cmocka_unit_test(names_its_engines),        cmocka_unit_test(lists_every_edge_both_ways),
        cmocka_unit_test(lists_the_tree_by_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
