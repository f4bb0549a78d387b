/* Mixing: W times the nodes' blocks, one round, counted. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/topologies.h"

#include <math.h>
#include <string.h>

/* Odd on purpose, and more than a tile of the cache. */
enum { ROWS = 611, COLS = 3, SIZE = ROWS * COLS };

static emi_field field_of(const em_mesh *mesh, int rows, int cols, uint64_t seed)
{
    emi_field field = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&field, mesh->hosted, rows, cols, &err), &err);
    for (int i = 0; i < mesh->hosted; i++)
        matrix_fill(emi_at(&field, i).v, (size_t)rows * (size_t)cols, seed + (uint64_t)i);
    return field;
}

/* Z_i = sum_j w_ij X_j over all j, W taken as the dense matrix it is. */
static void mix_is_the_dense_product(em_mesh *mesh)
{
    emi_field X = field_of(mesh, ROWS, COLS, 100), Z = field_of(mesh, ROWS, COLS, 200);
    emi_mix_begin(mesh, &X);
    emi_mix_end(mesh, &Z);
    assert_false(emi_mesh_failed(mesh));
    for (int i = 0; i < mesh->hosted; i++)
        for (int n = 0; n < SIZE; n++) {
            double wanted = 0;
            for (int j = 0; j < mesh->hosted; j++) wanted += em_graph_weight(mesh->graph, i, j) * emi_at(&X, j).v[n];
            assert_close(emi_at(&Z, i).v[n], wanted, 1e-15);
        }
    emi_field_free(&X);
    emi_field_free(&Z);
}

static void equals_the_dense_product(void **state)
{
    (void)state;
    on_every_topology(mix_is_the_dense_product);
}

static void counts_its_messages(em_mesh *mesh)
{
    uint64_t links = 2 * em_graph_edges(mesh->graph);
    emi_field X = field_of(mesh, 5, 4, 1), Z = field_of(mesh, 5, 4, 2);
    for (int times = 1; times <= 3; times++) {
        mesh->phase = EM_METHOD;
        emi_mix_begin(mesh, &X);
        emi_mix_end(mesh, &Z);
        const emi_count *count = &mesh->count[EM_METHOD];
        assert_int_equal(count->rounds, links ? times : 0);
        assert_int_equal(count->messages, (uint64_t)times * links);
        assert_int_equal(count->scalars, (uint64_t)times * links * 20);
    }
    for (int phase = 0; phase < EMI_PHASES; phase++)
        if (phase != EM_METHOD) assert_int_equal(mesh->count[phase].messages, 0);
    emi_field_free(&X);
    emi_field_free(&Z);
}

static void one_round_and_two_messages_an_edge(void **state)
{
    (void)state;
    on_every_topology(counts_its_messages);
}

/* Constants stay, and any field's mean stays: W is doubly stochastic. */
static void mean_is_kept(em_mesh *mesh)
{
    emi_field X = field_of(mesh, 3, 1, 5), Z = field_of(mesh, 3, 1, 6);
    double before = 0, after = 0;
    for (int i = 0; i < mesh->hosted; i++) {
        before += emi_at(&X, i).v[0];
        emi_at(&X, i).v[2] = 4.5;
    }
    emi_mix_begin(mesh, &X);
    emi_mix_end(mesh, &Z);
    for (int i = 0; i < mesh->hosted; i++) {
        after += emi_at(&Z, i).v[0];
        assert_close(emi_at(&Z, i).v[2], 4.5, 1e-15);
    }
    assert_close(after, before, 1e-14);
    emi_field_free(&X);
    emi_field_free(&Z);
}

static void keeps_the_mean(void **state)
{
    (void)state;
    on_every_topology(mean_is_kept);
}

/* Some columns of a wider field, as a method that works on one vector after another does. */
static void view_mixes_alone(em_mesh *mesh)
{
    emi_field X = field_of(mesh, 10, 4, 50), Z = field_of(mesh, 10, 4, 60), Z_was = field_of(mesh, 10, 4, 60);
    emi_field x = emi_columns(&X, 2, 1), z = emi_columns(&Z, 0, 1);
    emi_mix_begin(mesh, &x);
    emi_mix_end(mesh, &z);
    for (int i = 0; i < mesh->hosted; i++) {
        for (int n = 0; n < 10; n++) {
            double wanted = 0;
            for (int j = 0; j < mesh->hosted; j++)
                wanted += em_graph_weight(mesh->graph, i, j) * emi_column_of(emi_at(&X, j), 2)[n];
            assert_close(emi_at(&Z, i).v[n], wanted, 1e-15);
        }
        assert_memory_equal(emi_at(&Z, i).v + 10, emi_at(&Z_was, i).v + 10, 30 * sizeof(double));
    }
    emi_field_free(&X);
    emi_field_free(&Z);
    emi_field_free(&Z_was);
}

static void mixes_a_view(void **state)
{
    (void)state;
    on_every_topology(view_mixes_alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_dense_product),
        cmocka_unit_test(one_round_and_two_messages_an_edge),
        cmocka_unit_test(keeps_the_mean),
        cmocka_unit_test(mixes_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
