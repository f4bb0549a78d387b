/* What the nodes find out about W together, none of them holding it: the ends of its spectrum, but for lambda_1 = 1, by
 * Lanczos on L = I - W; of its vectors each node keeps its own entry.
 *
 * A step is one round, in which neighbours swap the entries of what is left to normalise, and one sum over the tree: its
 * length and its product with L together, which is why it is mixed before it has unit length.  L, not W, because 1 - beta
 * may be many orders smaller than 1.  As in graph/spectrum.c the basis is not kept and not made orthogonal again. */
#include "base/random.h"
#include "linalg/tridiagonal.h"
#include "mesh/mesh.h"

#include <math.h>

/* A node's share of a sum. */
enum { MEAN, SQUARE, PRODUCT, SHARE };

typedef struct lanczos {
    em_mesh *mesh;
    emi_field v, before; /* the last vectors of the basis, but v not yet of unit length */
    emi_field Lv;
    emi_field shares;
    emi_tridiagonal T;
    int exhausted; /* T holds every eigenvalue there is: no further step is possible */
} lanczos;

static double *at(const emi_field *field, int i)
{
    return emi_at(field, i).v;
}

/* Any start does, as long as its mean, which L takes to zero, is left out. */
static em_status start(lanczos *l, em_error *err)
{
    em_status status = EM_OK;
    em_mesh *mesh = l->mesh;
    double mean = 0;
    TRY(emi_field_alloc(&l->v, mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&l->before, mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&l->Lv, mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&l->shares, mesh->hosted, SHARE, 1, err));
    for (int i = 0; i < mesh->hosted; i++) {
        emi_random random = emi_random_seed((uint64_t)mesh->first + (uint64_t)i, EMI_STREAM_GRAPH);
        *at(&l->v, i) = emi_random_uniform(&random) - 0.5;
    }
    emi_field_copy(&l->v, &l->Lv);
    emi_tree_average(mesh, &l->Lv, &mean);
    for (int i = 0; i < mesh->hosted; i++) *at(&l->v, i) -= mean;
done:
    return status;
}

/* The round and the sums of a step. */
static void exchange(lanczos *l, double *sums)
{
    emi_mix_begin(l->mesh, &l->v);
    emi_mix_end(l->mesh, &l->Lv);
    for (int i = 0; i < l->mesh->hosted; i++) {
        double v = *at(&l->v, i), *Lv = at(&l->Lv, i), *share = at(&l->shares, i);
        *Lv = v - *Lv;
        share[MEAN] = v / l->mesh->graph->nodes;
        share[SQUARE] = v * v;
        share[PRODUCT] = v * *Lv;
    }
    emi_tree_sum(l->mesh, &l->shares, sums);
}

/* v of unit length and without the mean that rounding brought back; then L v - along v - size before, which is next. */
static em_status step(lanczos *l, em_error *err)
{
    static const double nothing = 1e-14;
    double sums[SHARE] = {0};
    exchange(l, sums);
    if (emi_mesh_failed(l->mesh)) {
        if (err) *err = l->mesh->failure;
        return l->mesh->failure.code;
    }
    double mean = sums[MEAN], square = sums[SQUARE] - l->mesh->graph->nodes * mean * mean;
    double size = square > 0 ? sqrt(square) : 0;
    l->exhausted = size < nothing;
    if (l->exhausted) return EM_OK;
    double along = sums[PRODUCT] / square;
    for (int i = 0; i < l->mesh->hosted; i++) {
        double *v = at(&l->v, i), *before = at(&l->before, i), unit = (*v - mean) / size;
        *v = *at(&l->Lv, i) / size - along * unit - size * *before;
        *before = unit;
    }
    return emi_tridiagonal_append(&l->T, along, size, err);
}

/* An end is known when the last third of the steps hardly moved it, against its distance from 0 or 2.  Stricter than the
 * tenth that is wanted: a start that is poor in the vector looked for shows its neighbour's value first, for a while. */
static int settled(double before, double now, double distance)
{
    return fabs(now - before) <= 3e-4 * distance + 1e-13;
}

/* What is known to rounding alone is rounded: to 0 where a round makes all agree, to less than 1 where nearly none of it
 * gets through, since the methods divide by the distance. */
static void judge(emi_ends L, double *lowest, double *beta)
{
    static const double rounding = 1e-14;
    double low = fmax(L.low, rounding), high = fmin(L.high, 2 - rounding);
    *lowest = 1 - high;
    *beta = fmax(fabs(1 - low), fabs(1 - high));
    if (*beta < 10 * rounding) *beta = 0;
}

em_status emi_mesh_spectrum(em_mesh *mesh, double *lowest, double *beta, em_error *err)
{
    enum { FIRST_LOOK = 8 };
    em_status status = EM_OK;
    lanczos l = {.mesh = mesh};
    emi_ends now = {0}; /* of L */
    *lowest = *beta = 0;
    if (mesh->graph->nodes == 1) return EM_OK;
    TRY(start(&l, err));
    for (int look = FIRST_LOOK, known = 0; !known; look += 1 + look / 10) {
        while (!l.exhausted && l.T.rows < look) TRY(step(&l, err));
        emi_ends before = emi_tridiagonal_ends(&l.T, 2 * l.T.rows / 3);
        now = emi_tridiagonal_ends(&l.T, l.T.rows);
        known = l.exhausted || (settled(before.low, now.low, now.low) && settled(before.high, now.high, 2 - now.high));
    }
    judge(now, lowest, beta);
done:
    emi_tridiagonal_free(&l.T);
    emi_field_free(&l.shares);
    emi_field_free(&l.Lv);
    emi_field_free(&l.before);
    emi_field_free(&l.v);
    return status;
}
