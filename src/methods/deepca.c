/* deepca - decentralized exact PCA: subspace tracking, then the Rayleigh-Ritz step that makes eigenvectors of it.
 *
 *     S_i <- FastMix_T( S_i + C_i B_i - C_i B_i_prev ),   B_i <- qr(S_i)
 *
 * S_i tracks C B_i, so that disagreement does not pile up and the iteration is exact for a fixed T.  S_i and B_i also give
 * B_i' C B_i, whose eigenvectors turn the basis into Ritz vectors at no further cost: their error falls like
 * lambda_{K+1}/lambda_k a step, the basis' own like lambda_{k+1}/lambda_k.  Then the basis need not turn towards the
 * eigenvectors itself, which would take it long and keep the trackers busy: instead of the QR it takes the orthonormal
 * columns nearest to S_i, which are B_i itself as soon as it spans the right subspace.
 * H. Ye and T. Zhang, "DeEPCA: decentralized exact PCA with linear convergence rate", JMLR 22(238), 2021. */
#include "methods/method.h"

static em_status deepca_run(emi_solver *s)
{
    emi_field *B = &s->extra[0], *S = &s->extra[1], *product = &s->extra[2];
    emi_field_copy(&s->X, B);
    while (emi_next(s)) {
        emi_apply(s, B, &s->H);            /* C_i B_i                */
        emi_add_scaled(s, S, 1, &s->H);    /* S_i + C_i B_i          */
        emi_add_scaled(s, S, -1, product); /* - C_i B_i_prev         */
        emi_swap(product, &s->H);
        emi_fastmix(s->mesh, s->rounds, s->beta, S, &s->H, &s->mixed); /* FastMix_T              */
        emi_ritz(s, B, S, &s->X);                                      /* what is reported       */
        emi_note_disagreement(s, S, &s->H);                            /* where FastMix leaves its last round but one */
        emi_field_copy(S, B);
        if (s->ritz)
            emi_nearest_orthonormal(s, B);
        else
            emi_qr(s, B);
    }
    return emi_finish(s);
}

/* Disagreement along an eigenvector of W, of eigenvalue lambda, is multiplied by p(lambda) in a step, and the turning of
 * the nodes' bases against each other by a root of z^2 - p (1 + r) z + p r, where r is how much larger a node's
 * covariance is than the mean of all: stable for -1/(1 + 2 r) < p < 1/r.  So: the fewest rounds for which p lies well
 * inside wherever W has eigenvalues. */
static int is_enough(int rounds, const emi_network *network)
{
    enum { GRID = 200 };
    double r = network->spread, low = -0.9 / (1 + 2 * r), high = 0.9 / r < 0.5 ? 0.9 / r : 0.5;
    for (int g = 0; g <= GRID; g++) {
        double eigenvalue = network->lowest + (network->beta - network->lowest) * g / GRID;
        double p = emi_fastmix_factor(rounds, network->beta, eigenvalue);
        if (p < low || p > high) return 0;
    }
    return 1;
}

static int deepca_rounds(const emi_network *network)
{
    enum { MOST = 200 };
    int rounds = 1;
    while (rounds < MOST && !is_enough(rounds, network)) rounds++;
    return rounds;
}

const emi_method emi_deepca = {.info = {.name = "deepca",
                                        .summary = "tracked subspace iteration with FastMix, Ritz vectors reported",
                                        .update = "S_i <- FastMix_T(S_i + C_i B_i - C_i B_i_prev), B_i <- qr(S_i)",
                                        .cite = "Ye and Zhang, JMLR 22, 2021",
                                        .residual = 1,
                                        .exact = 1},
                               .uses = EMI_USES_ROUNDS | EMI_USES_QR | EMI_USES_RITZ,
                               .traits = EMI_NEEDS_NETWORK,
                               .iterations = 5000,
                               .rounds_for = deepca_rounds,
                               .extra_fields = 3,
                               .run = deepca_run};
