/* What the nodes find out about W together, none of them holding it. */
#include "base/random.h"
#include "mesh/mesh.h"

/* Power iteration on I - W from a few random starts at once, a few numbers a node: v <- v - W v, ROUNDS times, then
 * Rayleigh quotients by exact sums, of which the largest is kept.  The eigenvalues of I - W lie in [0, 2), so that v
 * cannot overflow on the way.  The quotients approach from below, within a few per cent after so many rounds. */
enum { ROUNDS = 100, STARTS = 8 };

static void start_at(int node, double *v)
{
    emi_random random = emi_random_seed((uint64_t)node, EMI_STREAM_GRAPH);
    for (int s = 0; s < STARTS; s++) v[s] = emi_random_uniform(&random) - 0.5;
}

static void apply_difference(em_mesh *mesh, const emi_field *v, emi_field *z)
{
    emi_mix_begin(mesh, v);
    emi_mix_end(mesh, z);
    for (int i = 0; i < mesh->hosted; i++)
        for (int s = 0; s < STARTS; s++) emi_at(z, i).v[s] = emi_at(v, i).v[s] - emi_at(z, i).v[s];
}

static double largest_quotient(em_mesh *mesh, const emi_field *v, const emi_field *z, emi_field *products)
{
    double sums[2 * STARTS] = {0}, largest = 0;
    for (int i = 0; i < mesh->hosted; i++) {
        const double *x = emi_at(v, i).v, *y = emi_at(z, i).v;
        double *product = emi_at(products, i).v;
        for (int s = 0; s < STARTS; s++) product[s] = x[s] * x[s], product[STARTS + s] = x[s] * y[s];
    }
    emi_tree_sum(mesh, products, sums);
    for (int s = 0; s < STARTS; s++)
        if (sums[s] > 0 && sums[STARTS + s] / sums[s] > largest) largest = sums[STARTS + s] / sums[s];
    return largest;
}

em_status emi_mesh_lowest_eigenvalue(em_mesh *mesh, double *value, em_error *err)
{
    em_status status = EM_OK;
    emi_field v = {0}, z = {0}, products = {0};
    *value = 0;
    if (mesh->graph->nodes == 1) return EM_OK;
    TRY(emi_field_alloc(&v, mesh->hosted, STARTS, 1, err));
    TRY(emi_field_alloc(&z, mesh->hosted, STARTS, 1, err));
    TRY(emi_field_alloc(&products, mesh->hosted, 2 * STARTS, 1, err));
    for (int i = 0; i < mesh->hosted; i++) start_at(mesh->first + i, emi_at(&v, i).v);
    for (int round = 0; round < ROUNDS; round++) {
        apply_difference(mesh, &v, &z);
        emi_swap(&v, &z);
    }
    apply_difference(mesh, &v, &z);
    *value = 1 - largest_quotient(mesh, &v, &z, &products);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    status = mesh->failure.code;
done:
    emi_field_free(&products);
    emi_field_free(&z);
    emi_field_free(&v);
    return status;
}
