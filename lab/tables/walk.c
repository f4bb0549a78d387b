#include "lab/tables/walk.h"

#include "base/memory.h"

#include <math.h>

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
