/* What the nodes find out about W together, none of them holding it. */
#include "base/random.h"
#include "mesh/mesh.h"

/* Power iteration on I - W, one number a node: v <- v - W v, ROUNDS times, then a Rayleigh quotient by two exact
 * sums.  The eigenvalues of I - W lie in [0, 2), so that v cannot overflow on the way.  The quotient approaches
 * from below, within a few per cent after so many rounds. */
enum { ROUNDS = 100 };

static double start_of(int node)
{
    emi_random random = emi_random_seed((uint64_t)node, EMI_STREAM_GRAPH);
    return emi_random_uniform(&random) - 0.5;
}

static void apply_difference(em_mesh *mesh, const emi_field *v, emi_field *z)
{
    emi_mix_begin(mesh, v);
    emi_mix_end(mesh, z);
    for (int i = 0; i < mesh->hosted; i++) *emi_at(z, i).v = *emi_at(v, i).v - *emi_at(z, i).v;
}

em_status emi_mesh_lowest_eigenvalue(em_mesh *mesh, double *value, em_error *err)
{
    em_status status = EM_OK;
    emi_field v = {0}, z = {0}, products = {0};
    double sums[2] = {0, 0};
    *value = 0;
    if (mesh->graph->nodes == 1) return EM_OK;
    TRY(emi_field_alloc(&v, mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&z, mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&products, mesh->hosted, 2, 1, err));
    for (int i = 0; i < mesh->hosted; i++) *emi_at(&v, i).v = start_of(mesh->first + i);
    for (int round = 0; round < ROUNDS; round++) {
        apply_difference(mesh, &v, &z);
        emi_swap(&v, &z);
    }
    apply_difference(mesh, &v, &z);
    for (int i = 0; i < mesh->hosted; i++) {
        double x = *emi_at(&v, i).v, *product = emi_at(&products, i).v;
        product[0] = x * x;
        product[1] = x * *emi_at(&z, i).v;
    }
    emi_tree_sum(mesh, &products, sums);
    if (sums[0] > 0) *value = 1 - sums[1] / sums[0];
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    status = mesh->failure.code;
done:
    emi_field_free(&products);
    emi_field_free(&z);
    emi_field_free(&v);
    return status;
}
