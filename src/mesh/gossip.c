/* Averages by gossip, faster than plain mixing: polynomials in W that keep the mean exactly and shrink disagreement. */
#include "mesh/mesh.h"

#include <math.h>

typedef struct combination {
    emi_field *into;
    const emi_field *other;
    double a, b;
} combination;

static em_status combine_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const combination *c = context;
    emi_block Z = emi_at(c->into, i);
    double *restrict z = Z.v;
    const double *restrict y = emi_at(c->other, i).v;
    size_t size = (size_t)Z.rows * (size_t)Z.cols;
    for (size_t n = 0; n < size; n++) z[n] = c->a * z[n] + c->b * y[n];
    return EM_OK;
}

/* Z_i = a Z_i + b Y_i */
static void combine(em_mesh *mesh, emi_field *Z, double a, double b, const emi_field *Y)
{
    combination c = {Z, Y, a, b};
    emi_mesh_run(mesh, 3.0 * mesh->hosted * Z->rows * Z->cols, combine_turn, &c);
}

static void mix(em_mesh *mesh, const emi_field *X, emi_field *Z)
{
    emi_mix_begin(mesh, X);
    emi_mix_end(mesh, Z);
}

/* The three-term recurrence of Z_t = T_t(W/beta) Z / T_t(1/beta), T_t Chebyshev's polynomial.  With
 * c_t = T_{t-1}(1/beta) / T_t(1/beta), which cannot overflow:
 *     c_{t+1} = 1 / (2/beta - c_t),   Z_{t+1} = (2/beta) c_{t+1} W Z_t - c_t c_{t+1} Z_{t-1}
 * (Auzinger and Melenk, Iterative Solution of Large Linear Systems, section 8.1). */
void emi_chebyshev(em_mesh *mesh, int rounds, double beta, emi_field *Z, emi_field *before, emi_field *work)
{
    double c = beta; /* T_0 / T_1(1/beta) */
    if (rounds < 1 || mesh->graph->nodes == 1) return;
    emi_field_copy(Z, before);
    mix(mesh, before, Z); /* Z_1 = W Z_0 */
    for (int t = 1; t < rounds && beta > 0; t++) {
        double following = 1 / (2 / beta - c);
        mix(mesh, Z, work);
        combine(mesh, work, 2 / beta * following, -c * following, before); /* Z_{t+1} */
        emi_swap(before, Z);
        emi_swap(Z, work);
        c = following;
    }
}

/* FastMix (Liu and Morse, Annual Reviews in Control 35, 2011; as in DeEPCA, Ye and Zhang, NeurIPS 2021):
 *     Z_{t+1} = (1 + eta) W Z_t - eta Z_{t-1},   eta = (1 - sqrt(1 - beta^2)) / (1 + sqrt(1 - beta^2)) */
static double momentum(double beta)
{
    double root = sqrt(1 - beta * beta);
    return (1 - root) / (1 + root);
}

void emi_fastmix(em_mesh *mesh, int rounds, double beta, emi_field *Z, emi_field *before, emi_field *work)
{
    double eta = momentum(beta);
    if (mesh->graph->nodes == 1) return;
    emi_field_copy(Z, before);
    for (int t = 0; t < rounds; t++) {
        mix(mesh, Z, work);
        combine(mesh, work, 1 + eta, -eta, before);
        emi_swap(before, Z);
        emi_swap(Z, work);
    }
}

double emi_fastmix_factor(int rounds, double beta, double eigenvalue)
{
    double eta = momentum(beta), before = 1, now = 1;
    for (int t = 0; t < rounds; t++) {
        double following = (1 + eta) * eigenvalue * now - eta * before;
        before = now;
        now = following;
    }
    return now;
}
