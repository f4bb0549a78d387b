/* gha - the generalized Hebbian algorithm, all data in one place.
 *
 *     X <- X + alpha H(X),   H(X) = C X - X U(X' C X)
 *
 * T. D. Sanger, "Optimal unsupervised learning in a single-layer linear feedforward neural network", Neural
 * Networks 2(6), 459-473, 1989.  dsa on one node is exactly this. */
#include "methods/method.h"

static em_status gha_run(emi_solver *s)
{
    while (emi_next(s)) {
        emi_sanger_direction(s, &s->X, &s->H);    /* H(X)                */
        emi_add_scaled(s, &s->X, s->step, &s->H); /* X <- X + alpha H(X) */
    }
    return emi_finish(s);
}

const emi_method emi_gha = {.info = {.name = "gha",
                                     .summary = "Sanger's generalized Hebbian algorithm, all data in one place",
                                     .update = "X <- X + a H(X)",
                                     .cite = "Sanger, Neural Networks 2, 1989",
                                     .single_node = 1,
                                     .exact = 1},
                            .uses = EMI_USES_STEP,
                            .iterations = 20000,
                            .run = gha_run};
