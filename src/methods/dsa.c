/* dsa - Distributed Sanger's Algorithm.
 *
 *     X_i <- sum_j w_ij X_j + alpha H_i(X_i),   H_i(X) = C_i X - X U(X' C_i X)
 *
 * U keeps the upper triangle with the diagonal, which makes the columns eigenvectors and not just a basis.
 * Converges linearly to a neighbourhood of size O(alpha) of the eigenvectors.
 * A. Gang and W. U. Bajwa, "A linearly convergent algorithm for distributed principal component analysis",
 * Signal Processing 193, 108408, 2022 (arXiv:2101.01300), Algorithm 1. */
#include "methods/method.h"

static em_status dsa_run(emi_solver *s)
{
    while (emi_next(s)) {
        emi_mix_begin(s->mesh, &s->X);                /* X_i on its way to the neighbours */
        emi_sanger_direction(s, &s->X, &s->H);        /* H_i(X_i), while messages travel  */
        emi_mix_end(s->mesh, &s->mixed);              /* sum_j w_ij X_j                   */
        emi_add_scaled(s, &s->mixed, s->step, &s->H); /* + alpha H_i                      */
        emi_swap(&s->X, &s->mixed);
    }
    return emi_finish(s);
}

const emi_method emi_dsa = {
    .info = {.name = "dsa",
             .summary = "Distributed Sanger's Algorithm: gossip plus a Hebbian step, one exchange an iteration",
             .update = "X_i <- sum_j w_ij X_j + a H_i(X_i)",
             .cite = "Gang and Bajwa, Signal Processing 193, 2022 (arXiv:2101.01300)"},
    .uses = EMI_USES_STEP,
    .mixes = 1,
    .iterations = 20000,
    .run = dsa_run};
