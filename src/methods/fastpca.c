/* fastpca - Sanger's direction with gradient tracking: exact with a constant step.
 *
 *     X_i <- (X_i + sum_j w_ij X_j)/2 + alpha S_i
 *     S_i <- (S_i + sum_j w_ij S_j)/2 + H_i(X_i new) - H_i(X_i),   S_i = H_i(X_i) at first
 *
 * A. Gang and W. U. Bajwa, "FAST-PCA: a fast and exact algorithm for distributed principal component analysis", IEEE
 * Trans. Signal Processing 70, 2022. */
#include "methods/method.h"

static em_status fastpca_run(emi_solver *s)
{
    emi_field *S = &s->extra[0], *direction = &s->extra[1];
    emi_sanger_direction(s, &s->X, direction);
    emi_field_copy(direction, S);
    while (emi_next(s)) {
        emi_mix_begin(s->mesh, &s->X);
        emi_mix_end(s->mesh, &s->mixed);
        emi_add_times(s, &s->X, 0.5, &s->mixed); /* (X_i + sum_j w_ij X_j)/2  */
        emi_add_scaled(s, &s->X, s->step, S);    /* + alpha S_i               */
        emi_mix_begin(s->mesh, S);
        emi_sanger_direction(s, &s->X, &s->H); /* H_i(X_i new), meanwhile   */
        emi_mix_end(s->mesh, &s->mixed);
        emi_add_times(s, S, 0.5, &s->mixed); /* (S_i + sum_j w_ij S_j)/2  */
        emi_add_scaled(s, S, 1, &s->H);      /* + H_i(X_i new)            */
        emi_add_scaled(s, S, -1, direction); /* - H_i(X_i)                */
        emi_swap(direction, &s->H);
        emi_note_direction(s, S);
    }
    return emi_finish(s);
}

/* A tracker lags behind by the time the network takes to mix.  That matters where the nodes pull in different
 * directions, as measured on data sorted by class: a quarter of the step on a star, half on an Erdos-Renyi graph. */
static double fastpca_step(const emi_network *network)
{
    double alike = 1 / (network->spread * network->spread), mixing = 2.5 * (1 - network->beta);
    double factor = alike > mixing ? alike : mixing;
    return factor < 1 ? factor : 1;
}

const emi_method emi_fastpca = {
    .info = {.name = "fastpca",
             .summary = "Sanger's direction with gradient tracking: exact, two exchanges",
             .update = "X_i <- (X_i + sum_j w_ij X_j)/2 + a S_i, S_i tracks the mean of H_i",
             .cite = "Gang and Bajwa, IEEE Trans. Signal Processing 70, 2022",
             .residual = 1,
             .exact = 1},
    .uses = EMI_USES_STEP,
    .traits = EMI_NEEDS_NETWORK,
    .step_factor = fastpca_step,
    .mixes = 2,
    .iterations = 50000,
    .extra_fields = 2,
    .run = fastpca_run};
