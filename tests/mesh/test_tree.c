/* Exact sums, averages, maxima and broadcasts over the spanning tree, and what they cost. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/topologies.h"

#include <math.h>

enum { ROWS = 7, COLS = 2, SIZE = ROWS * COLS };

/* Whole numbers, whose sums are exact in any order. */
static double entry(int node, int n)
{
    return (node * 37 + n * 101) % 59 - 20;
}

static emi_field entries(const em_mesh *mesh)
{
    emi_field field = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&field, mesh->hosted, ROWS, COLS, &err), &err);
    for (int i = 0; i < mesh->hosted; i++)
        for (int n = 0; n < SIZE; n++) emi_at(&field, i).v[n] = entry(i, n);
    return field;
}

static void sum_and_average(em_mesh *mesh)
{
    double sum[SIZE], average[SIZE];
    emi_field parts = entries(mesh), again = entries(mesh);
    emi_tree_sum(mesh, &parts, sum);
    emi_tree_average(mesh, &again, average);
    for (int n = 0; n < SIZE; n++) {
        double wanted = 0;
        for (int i = 0; i < mesh->hosted; i++) wanted += entry(i, n);
        assert_true(sum[n] == wanted);
        assert_true(average[n] == wanted / mesh->hosted);
    }
    emi_field_free(&parts);
    emi_field_free(&again);
}

static void sums_are_exact(void **state)
{
    (void)state;
    on_every_topology(sum_and_average);
}

/* Each node rounds what it hands on, once; the root adds in double.  Along a path that is a sum from its end. */
static void narrow_sum(em_mesh *mesh)
{
    double sum[SIZE], given[SIZE];
    emi_field parts = entries(mesh);
    emi_count before = mesh->count[mesh->phase];
    for (int i = 0; i < mesh->hosted; i++)
        for (int n = 0; n < SIZE; n++) emi_at(&parts, i).v[n] = entry(i, n) + 1e-12; /* which no float has beside 1 */
    mesh->narrow = 1;
    emi_tree_sum_at_root(mesh, &parts, sum);
    for (int n = 0; n < SIZE; n++) given[n] = entry(0, n) + 1e-12;
    emi_tree_give(mesh, given, SIZE);
    mesh->narrow = 0;
    emi_count after = mesh->count[mesh->phase];
    uint64_t messages = 2 * (uint64_t)(mesh->graph->nodes - 1);
    assert_int_equal(after.messages - before.messages, messages);
    assert_int_equal(after.scalars - before.scalars, messages * SIZE);
    assert_int_equal(after.bytes - before.bytes, messages * SIZE * sizeof(float));
    for (int n = 0; n < SIZE; n++) {
        double wanted = 1e-12, own = entry(0, n);
        for (int i = 0; i < mesh->hosted; i++) wanted += entry(i, n);
        assert_true(fabs(sum[n] - wanted) <= 1e-11);
        assert_true(own == 0 || given[n] == (double)(float)own); /* at the root too */
    }
    emi_field_free(&parts);
}

static void sums_in_single_precision(void **state)
{
    (void)state;
    on_every_topology(narrow_sum);
}

static void maximum(em_mesh *mesh)
{
    double largest[SIZE];
    emi_field parts = entries(mesh);
    emi_tree_max(mesh, &parts, largest);
    for (int n = 0; n < SIZE; n++) {
        double wanted = -INFINITY;
        for (int i = 0; i < mesh->hosted; i++) /* no fmax: gcc 12 for 64-bit Arm fails on that with -O3 */
            if (entry(i, n) > wanted) wanted = entry(i, n);
        assert_true(largest[n] == wanted);
    }
    emi_field_free(&parts);
}

static void maxima_are_exact(void **state)
{
    (void)state;
    on_every_topology(maximum);
}

/* Wherever it is, at the root, at a leaf or between. */
static void nan_anywhere(em_mesh *mesh)
{
    double largest[SIZE];
    for (int bad = 0; bad < mesh->hosted; bad++) {
        emi_field parts = entries(mesh);
        emi_at(&parts, bad).v[3] = NAN;
        emi_at(&parts, bad).v[5] = INFINITY;
        emi_tree_max(mesh, &parts, largest);
        for (int n = 0; n < SIZE; n++) assert_int_equal(isnan(largest[n]) != 0, n == 3);
        assert_true(isinf(largest[5]));
        emi_field_free(&parts);
    }
}

static void a_nan_reaches_everyone(void **state)
{
    (void)state;
    on_every_topology(nan_anywhere);
}

static void give(em_mesh *mesh)
{
    double block[SIZE], sum[SIZE];
    emi_field parts = entries(mesh);
    for (int n = 0; n < SIZE; n++) block[n] = entry(0, n);
    emi_tree_give(mesh, block, SIZE);
    for (int n = 0; n < SIZE; n++) assert_true(block[n] == entry(0, n));
    emi_tree_sum(mesh, &parts, sum);
    emi_field_free(&parts);
    parts = entries(mesh);
    assert_true(emi_mesh_has_root(mesh));
    emi_tree_sum_at_root(mesh, &parts, block);
    assert_memory_equal(block, sum, sizeof sum);
    emi_field_free(&parts);
}

static void the_root_gives_and_sums(void **state)
{
    (void)state;
    on_every_topology(give);
}

static void check_count(em_mesh *mesh, int phase, uint64_t ways)
{
    uint64_t links = (uint64_t)em_mesh_nodes(mesh) - 1, depth = (uint64_t)mesh->tree.depth;
    assert_int_equal(mesh->count[phase].rounds, ways * depth);
    assert_int_equal(mesh->count[phase].messages, ways * links);
    assert_int_equal(mesh->count[phase].scalars, ways * links * SIZE);
}

/* Up and down: 2 (M - 1) messages in 2 depth rounds; what the root gives, or alone sums, goes one way.  One node sends nothing. */
static void costs(em_mesh *mesh)
{
    double result[SIZE];
    emi_field parts = entries(mesh);
    em_graph_info info = {.size = sizeof info};
    em_error err = {0};
    assert_ok(em_graph_measure(mesh->graph, &info, &err), &err);
    assert_int_equal(mesh->tree.depth, info.tree_depth);
    mesh->phase = EM_SETUP;
    emi_tree_sum(mesh, &parts, result);
    mesh->phase = EM_CONTROL;
    emi_tree_max(mesh, &parts, result);
    mesh->phase = EM_REPORT;
    emi_tree_average(mesh, &parts, result);
    mesh->phase = EM_METHOD;
    emi_tree_give(mesh, result, SIZE);
    mesh->phase = EMI_OBSERVING;
    emi_tree_sum_at_root(mesh, &parts, result);
    check_count(mesh, EM_SETUP, 2);
    check_count(mesh, EM_CONTROL, 2);
    check_count(mesh, EM_REPORT, 2);
    check_count(mesh, EM_METHOD, 1);
    check_count(mesh, EMI_OBSERVING, 1);
    emi_field_free(&parts);
}

static void costs_what_the_tree_says(void **state)
{
    (void)state;
    on_every_topology(costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),          cmocka_unit_test(sums_in_single_precision),
        cmocka_unit_test(maxima_are_exact),        cmocka_unit_test(a_nan_reaches_everyone),
        cmocka_unit_test(the_root_gives_and_sums), cmocka_unit_test(costs_what_the_tree_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
