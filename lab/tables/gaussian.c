/* The paper's Gaussian (Gang and Bajwa 2022, section V). */
#include "base/memory.h"
#include "lab/tables/generate.h"
#include "linalg/blas.h"
#include "linalg/block.h"

#include <math.h>

/* ---- the walk ------------------------------------------------------------------------------------------------------- */

struct lab_givens {
    uint32_t a, b;
    double cosine, sine;
};

static int layers_for(int d)
{
    int doublings = 0;
    while ((1L << doublings) < d) doublings++;
    return 4 * doublings;
}

/* A uniformly random angle, by a point of the disc: no function whose last digit depends on a library. */
static void draw_angle(emi_random *random, double *cosine, double *sine)
{
    double x, y, square;
    do {
        x = 2 * emi_random_uniform(random) - 1;
        y = 2 * emi_random_uniform(random) - 1;
        square = x * x + y * y;
    } while (square > 1 || square < 1e-6);
    *cosine = x / sqrt(square);
    *sine = y / sqrt(square);
}

/* Each coordinate's partner in one layer, by their places in a random order; of an odd number one is its own. */
static void draw_partners(emi_random *random, size_t *order, size_t d, size_t *partner)
{
    emi_random_shuffle(random, order, d);
    for (size_t i = 0; i + 1 < d; i += 2) {
        partner[order[i]] = order[i + 1];
        partner[order[i + 1]] = order[i];
    }
    if (d % 2) partner[order[d - 1]] = order[d - 1];
}

em_status lab_walk_draw(lab_walk *walk, int d, emi_random *random, em_error *err)
{
    em_status status = EM_OK;
    size_t n = (size_t)d, pairs = n / 2;
    *walk = (lab_walk){.d = d, .layers = layers_for(d)};
    size_t *order = emi_calloc(n, sizeof *order), *partner = emi_calloc(n, sizeof *partner);
    walk->turns = emi_calloc((size_t)walk->layers * pairs, sizeof *walk->turns);
    if (!order || !partner || !walk->turns) TRY(emi_fail_memory_try(err, "generate", "fewer features"));
    for (size_t f = 0; f < n; f++) order[f] = f;
    struct lab_givens *turn = walk->turns;
    for (int layer = 0; layer < walk->layers; layer++) {
        draw_partners(random, order, n, partner);
        for (size_t f = 0; f < n; f++) { /* pairs by their first coordinate: memory is passed through in order */
            if (partner[f] <= f) continue;
            turn->a = (uint32_t)f;
            turn->b = (uint32_t)partner[f];
            draw_angle(random, &turn->cosine, &turn->sine);
            turn++;
        }
    }
done:
    if (status != EM_OK) lab_walk_free(walk);
    emi_free(partner);
    emi_free(order);
    return status;
}

void lab_walk_free(lab_walk *walk)
{
    emi_free(walk->turns);
    walk->turns = NULL;
}

void lab_walk_turn(const lab_walk *walk, double *panel)
{
    size_t count = (size_t)walk->layers * ((size_t)walk->d / 2);
    for (size_t n = 0; n < count; n++) {
        const struct lab_givens *turn = &walk->turns[n];
        double *restrict a = panel + (size_t)turn->a * LAB_WALK_LANES;
        double *restrict b = panel + (size_t)turn->b * LAB_WALK_LANES;
        double c = turn->cosine, s = turn->sine;
        for (int lane = 0; lane < LAB_WALK_LANES; lane++) {
            double x = a[lane], y = b[lane];
            a[lane] = c * x - s * y;
            b[lane] = s * x + c * y;
        }
    }
}

/* ---- the Gaussian --------------------------------------------------------------------------------------------------- */

/* lambda_1 .. lambda_K evenly from 1 to 0.8 (1 alone when K = 1), lambda_{K+1} = gap lambda_K, then evenly down to
 * 0.1, or level where lambda_{K+1} is below that already. */
static void spectrum(int d, int K, double gap, double *lambda)
{
    for (int k = 0; k < K; k++) lambda[k] = K == 1 ? 1 : 1 - 0.2 * k / (K - 1);
    double first = gap * lambda[K - 1], last = fmin(first, 0.1);
    int tail = d - K;
    for (int k = 0; k < tail; k++) lambda[K + k] = tail == 1 ? first : first + (last - first) * k / (tail - 1);
}

/* Random orthonormal columns, each times the square root of its eigenvalue. */
static em_status draw_dense(lab_gaussian *g, emi_random *random, em_error *err)
{
    size_t d = (size_t)g->d, needs = emi_orthonormalise_needs(g->d, g->d);
    double *work = emi_doubles(needs);
    g->dense = emi_doubles(d * d);
    if (!work || !g->dense) {
        emi_free(work);
        return emi_fail_memory_try(err, "generate", "fewer features");
    }
    emi_block Q = {g->d, g->d, g->dense};
    emi_random_normals(random, g->dense, d * d);
    em_status status = emi_orthonormalise(Q, EMI_QR_POSITIVE, (emi_scratch){work, needs}, err);
    emi_free(work);
    for (int k = 0; k < g->d; k++)
        for (int f = 0; f < g->d; f++) emi_column_of(Q, k)[f] *= g->root[k];
    return status;
}

em_status lab_gaussian_open(lab_gaussian *g, int d, size_t samples, int K, double gap, uint64_t seed, lab_basis basis,
                            em_error *err)
{
    enum { DENSE_AT_ONCE = 256 };
    em_status status = EM_OK;
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    emi_blas_claim(1); /* the same bits whatever the number of cores */
    *g = (lab_gaussian){.d = d, .samples = samples};
    g->at_once = basis == LAB_BASIS_DENSE ? DENSE_AT_ONCE : LAB_WALK_LANES;
    g->root = emi_doubles((size_t)d);
    g->work = emi_doubles(g->at_once * (size_t)d);
    if (!g->root || !g->work) TRY(emi_fail_memory_try(err, "generate", "fewer features"));
    spectrum(d, K, gap, g->root);
    for (int k = 0; k < d; k++) g->root[k] = sqrt(g->root[k]);
    TRY(basis == LAB_BASIS_DENSE ? draw_dense(g, &random, err) : lab_walk_draw(&g->walk, d, &random, err));
    g->normals = emi_normals_begin(&random);
done:
    if (status != EM_OK) lab_gaussian_close(g);
    emi_blas_release(1);
    return status;
}

void lab_gaussian_close(lab_gaussian *g)
{
    lab_walk_free(&g->walk);
    emi_free(g->dense);
    emi_free(g->work);
    emi_free(g->root);
    *g = (lab_gaussian){0};
}

/* The walk turns samples that lie entry by entry beside each other.  Lanes without a sample are turned as well: a sample
 * must not depend on how many others there are. */
static void walk_block(lab_gaussian *g, size_t count, double *rows)
{
    size_t d = (size_t)g->d;
    for (size_t f = 0; f < d; f++)
        for (size_t lane = 0; lane < LAB_WALK_LANES; lane++)
            g->work[f * LAB_WALK_LANES + lane] = lane < count ? g->root[f] * rows[lane * d + f] : 0;
    lab_walk_turn(&g->walk, g->work);
    for (size_t lane = 0; lane < count; lane++)
        for (size_t f = 0; f < d; f++) rows[lane * d + f] = g->work[f * LAB_WALK_LANES + lane];
}

void lab_gaussian_block(lab_gaussian *g, size_t first, double *out)
{
    size_t count = g->samples - first < g->at_once ? g->samples - first : g->at_once;
    emi_normals normals = emi_normals_after(g->normals, (uint64_t)first * (uint64_t)g->d);
    if (!g->dense) {
        emi_normals_draw(&normals, out, count * (size_t)g->d);
        walk_block(g, count, out);
        return;
    }
    emi_normals_draw(&normals, g->work, count * (size_t)g->d);
    emi_blas_claim(1);
    emi_mul(1, (emi_block){g->d, g->d, g->dense}, (emi_block){g->d, (int)count, g->work}, 0,
            (emi_block){g->d, (int)count, out});
    emi_blas_release(1);
}
