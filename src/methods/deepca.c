/* deepca - decentralized exact PCA: subspace tracking, then the Rayleigh-Ritz step that makes eigenvectors of it.
 *
 *     S_i <- mix_T( S_i + C_i B_i - C_i B_i_prev ),   B_i <- qr(S_i)
 *
 * S_i tracks C B_i, so that disagreement does not pile up and the iteration is exact for a fixed T.  S_i and B_i also give
 * B_i' C B_i, whose eigenvectors turn the basis into Ritz vectors at no further cost: their error falls like
 * lambda_{K+1}/lambda_k a step, the basis' own like lambda_{k+1}/lambda_k.  Then the basis need not turn towards the
 * eigenvectors itself, which would take it long and keep the trackers busy: instead of the QR it takes the orthonormal
 * columns nearest to S_i, which are B_i itself as soon as it spans the right subspace.  Without Rayleigh-Ritz it is the
 * published algorithm: FastMix and QR.
 * H. Ye and T. Zhang, "DeEPCA: decentralized exact PCA with linear convergence rate", JMLR 22(238), 2021. */
#include "methods/method.h"

/* How far a node's covariance is larger than the mean of all, r, decides what mixing may do.  Disagreement along an
 * eigenvector of W, of eigenvalue lambda, is multiplied by p(lambda) in a step, and the turning of the nodes' bases
 * against each other by a root of z^2 - p (1 + r) z + p r: stable for -1/(1 + 2 r) < p < 1/r.  The polynomial whose
 * values lie between two limits in just that proportion is Chebyshev's with this lift. */
static emi_chebyshev polynomial(const emi_solver *s, int rounds)
{
    double r = s->network.spread, proportion = r / (1 + 2 * r);
    return (emi_chebyshev){.rounds = rounds,
                           .low = s->network.lowest,
                           .high = s->network.beta,
                           .lift = (1 - proportion) / (1 + proportion)};
}

static double factor(const emi_solver *s, int rounds, double eigenvalue)
{
    emi_chebyshev c = polynomial(s, rounds);
    return s->ritz ? emi_chebyshev_factor(&c, eigenvalue) : emi_fastmix_factor(rounds, s->network.beta, eigenvalue);
}

/* Is p well inside wherever W has eigenvalues? */
static int is_enough(const emi_solver *s, int rounds)
{
    enum { GRID = 200 };
    double r = s->network.spread, low = -0.65 / (1 + 2 * r), high = 0.65 / r;
    for (int g = 0; g <= GRID; g++) {
        double p = factor(s, rounds, s->network.lowest + (s->network.beta - s->network.lowest) * g / GRID);
        if (p < low || p > high) return 0;
    }
    return 1;
}

/* The fewest rounds that are enough, or a thirtieth more.  They grow like 1 / sqrt(1 - beta), to about a thousand on
 * a path of 1000 nodes.  What they cost is the user's to judge: with fewer the iteration would not converge at all. */
static int deepca_rounds(const emi_solver *s)
{
    enum { MOST = 10000 };
    int rounds = 1;
    while (rounds < MOST && !is_enough(s, rounds)) rounds += 1 + rounds / 30;
    return rounds < MOST ? rounds : MOST;
}

/* Leaves S of the round before the last in s->H. */
static void mix(emi_solver *s, emi_field *S)
{
    emi_chebyshev c = polynomial(s, s->rounds);
    if (s->ritz)
        emi_chebyshev_mix(s->mesh, &c, S, &s->H, &s->mixed, &s->extra[3]);
    else
        emi_fastmix(s->mesh, s->rounds, s->network.beta, S, &s->H, &s->mixed);
}

static em_status deepca_run(emi_solver *s)
{
    emi_field *B = &s->extra[0], *S = &s->extra[1], *product = &s->extra[2];
    emi_field_copy(&s->X, B);
    while (emi_next(s)) {
        emi_apply(s, B, &s->H);            /* C_i B_i          */
        emi_add_scaled(s, S, 1, &s->H);    /* S_i + C_i B_i    */
        emi_add_scaled(s, S, -1, product); /* - C_i B_i_prev   */
        emi_swap(product, &s->H);
        mix(s, S);
        emi_ritz(s, B, S, &s->X); /* what is reported */
        emi_note_disagreement(s, S, &s->H);
        emi_field_copy(S, B);
        if (s->ritz)
            emi_nearest_orthonormal(s, B);
        else
            emi_qr(s, B);
    }
    return emi_finish(s);
}

const emi_method emi_deepca = {.info = {.name = "deepca",
                                        .summary = "tracked subspace iteration with fast gossip, Ritz vectors reported",
                                        .update = "S_i <- mix_T(S_i + C_i B_i - C_i B_i_prev), B_i <- qr(S_i)",
                                        .cite = "Ye and Zhang, JMLR 22, 2021",
                                        .residual = 1,
                                        .exact = 1},
                               .uses = EMI_USES_ROUNDS | EMI_USES_QR | EMI_USES_RITZ,
                               .traits = EMI_NEEDS_NETWORK,
                               .iterations = 5000,
                               .rounds_for = deepca_rounds,
                               .extra_fields = 4,
                               .run = deepca_run};
