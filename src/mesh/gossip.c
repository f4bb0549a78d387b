/* Averages by gossip, faster than plain mixing: polynomials in W that keep the mean exactly and shrink disagreement. */
#include "mesh/mesh.h"

#include <math.h>

typedef struct combination {
    emi_field *into;
    const emi_field *other;
    double a, b;
} combination;

static em_status combine_body(void *context, int i, int worker, em_error *err)
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
    emi_mesh_run(mesh, 3.0 * mesh->hosted * Z->rows * Z->cols, combine_body, &c);
}

static void mix(em_mesh *mesh, const emi_field *X, emi_field *Z)
{
    emi_mix_begin(mesh, X);
    emi_mix_end(mesh, Z);
}

/* Chebyshev's polynomials of y = (x - mid) / half, which carries the band onto [-1, 1].  With g_t = T_{t-1}(y(1)) /
 * (half T_t(y(1))), which can neither overflow nor divide by a band of no width, Z_t = T_t(y(W)) Z / T_t(y(1)) follows
 *     g_{t+1} = 1 / (2 (1 - mid) - half^2 g_t),   Z_{t+1} = 2 g_{t+1} (W - mid) Z_t - half^2 g_t g_{t+1} Z_{t-1}
 * (Auzinger and Melenk, Iterative Solution of Large Linear Systems, section 8.1). */
typedef struct band {
    double mid, half, g;
} band;

static band band_of(const emi_chebyshev *c)
{
    double mid = (c->low + c->high) / 2;
    return (band){mid, (c->high - c->low) / 2, 1 / (1 - mid)};
}

static double next_g(const band *b)
{
    return 1 / (2 * (1 - b->mid) - b->half * b->half * b->g);
}

double emi_chebyshev_factor(const emi_chebyshev *c, double eigenvalue)
{
    band b = band_of(c);
    double before = 1, now = 1, highest = 1; /* 1 / T_t(y(1)), the most that it is over the band */
    for (int t = 0; t < c->rounds; t++) {
        double g = t ? next_g(&b) : b.g, away = eigenvalue - b.mid;
        double next = t ? 2 * g * away * now - b.half * b.half * b.g * g * before : g * away;
        before = now, now = next, b.g = g;
        highest *= b.half * g;
    }
    return (now + c->lift * highest) / (1 + c->lift * highest);
}

void emi_chebyshev_mix(em_mesh *mesh, const emi_chebyshev *c, emi_field *Z, emi_field *before, emi_field *work,
                       emi_field *start)
{
    band b = band_of(c);
    double highest = 1;
    if (mesh->graph->nodes == 1) return;
    if (c->lift > 0) emi_field_copy(Z, start);
    for (int t = 0; t < c->rounds; t++) {
        double g = t ? next_g(&b) : b.g, twice = t ? 2 * g : g;
        mix(mesh, Z, work);
        combine(mesh, work, twice, -twice * b.mid, Z);
        if (t) combine(mesh, work, 1, -b.half * b.half * b.g * g, before);
        emi_swap(before, Z);
        emi_swap(Z, work);
        b.g = g;
        highest *= b.half * g;
    }
    if (c->lift > 0) combine(mesh, Z, 1 / (1 + c->lift * highest), c->lift * highest / (1 + c->lift * highest), start);
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
