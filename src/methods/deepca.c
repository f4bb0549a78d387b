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

#include <math.h>

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
        emi_field_copy(S, B);
        if (s->ritz)
            emi_nearest_orthonormal(s, B);
        else
            emi_qr(s, B);
    }
    return emi_finish(s);
}

/* Enough for FastMix to shrink disagreement to a quarter; never one, which its momentum makes worse than plain mixing,
 * unless one is exact. */
static int deepca_rounds(double beta)
{
    int rounds = emi_rounds_to(0.25, 1 - sqrt(1 - beta));
    return beta == 0 ? 1 : rounds > 2 ? rounds : 2;
}

const emi_method emi_deepca = {.info = {.name = "deepca",
                                        .summary = "tracked subspace iteration with FastMix, Ritz vectors reported",
                                        .update = "S_i <- FastMix_T(S_i + C_i B_i - C_i B_i_prev), B_i <- qr(S_i)",
                                        .cite = "Ye and Zhang, JMLR 22, 2021"},
                               .uses = EMI_USES_ROUNDS | EMI_USES_QR | EMI_USES_RITZ,
                               .traits = EMI_NEEDS_BETA | EMI_KNOWS_RESIDUAL | EMI_EXACT,
                               .iterations = 5000,
                               .rounds_for = deepca_rounds,
                               .extra_fields = 3,
                               .run = deepca_run};
