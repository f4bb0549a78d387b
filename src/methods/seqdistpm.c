/* seqdistpm - the sequential distributed power method, one eigenvector after another.
 *
 *     for k = 1..K:  x_i <- (I - X_<k X_<k') C_i x_i,  T_c mixes,  normalise
 *
 * T iterations give floor(T/K) power steps to each component in turn.
 * H. Raja and W. U. Bajwa, "Cloud K-SVD: a collaborative dictionary learning algorithm for big, distributed
 * data", IEEE Trans. Signal Processing 64(1), 2016; as the baseline of Gang and Bajwa (2022), section V. */
#include "methods/method.h"

static em_status seqdistpm_run(emi_solver *s)
{
    for (int k = 0; k < s->K; k++) {
        emi_field x = emi_columns(&s->X, k, 1);
        emi_field z = emi_columns(&s->H, 0, 1), mixed = emi_columns(&s->mixed, 0, 1);
        while (emi_next_column(s, k, s->iteration_limit / s->K)) {
            emi_apply(s, &x, &z);                    /* C_i x_i                  */
            emi_deflate(s, k, &z);                   /* (I - X_<k X_<k') C_i x_i */
            emi_mix_times(s, s->rounds, &z, &mixed); /* T_c mixes                */
            emi_note_theta_of(s, k, &x, &z);         /* for the test for the end */
            emi_normalise(s, &z, &x);                /* x_i = z_i / ||z_i||      */
        }
    }
    return emi_finish(s);
}

const emi_method emi_seqdistpm = {
    .info = {.name = "seqdistpm",
             .summary = "sequential distributed power method: T_c mixes a power step, one vector after another",
             .update = "for k: x_i <- (I - X_<k X_<k') C_i x_i, T_c mixes, normalise",
             .cite = "Raja and Bajwa, IEEE Trans. Signal Processing 64, 2016"},
    .uses = EMI_USES_ROUNDS,
    .iterations = 500,
    .per_component = 1,
    .rounds = 50,
    .run = seqdistpm_run};
