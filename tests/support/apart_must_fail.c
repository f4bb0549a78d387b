/* An assertion that fails in one process while another waits for it.  CTest expects this program to fail, soon. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/engines.h"

static void one_process_fails(void **state)
{
    static const em_link back = {1, 0};
    static const char byte;
    const void *blocks[] = {&byte}, *inbox[2];
    em_graph *graph;
    em_mesh *mesh;
    em_error err = {0};
    (void)state;
    assert_ok(em_graph_create(&graph, "path", 2, 0, &err), &err);
    assert_ok(engines_open(&mesh, NULL, graph, 1, &err), &err);
    if (emi_mesh_is_spread(mesh)) {
        assert_false(emi_mesh_hosts(mesh, 1));
        assert_ok(mesh->engine.begin(mesh->engine_state, &back, 1, blocks, 1, &err), &err);
        assert_ok(mesh->engine.end(mesh->engine_state, inbox, &err), &err);
    }
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_process_fails)};
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    return failed;
}
