/* sdot - orthogonal iteration whose product is averaged by T mixes.
 *
 *     X_i <- qr( T mixes of C_i X_i )
 *
 * Exact up to the disagreement that T mixes leave.  sadot spends fewer mixes while the estimate is still rough.
 *     T_t = min(T_0 + ceil(g t), T_max)
 * A. Gang, B. Xiang and W. U. Bajwa, "Distributed principal subspace analysis for partitioned big data: algorithms,
 * analysis, and implementation", IEEE Trans. Signal and Information Processing over Networks 7, 2021. */
#include "methods/method.h"

static void one_step(emi_solver *s, int mixes)
{
    emi_apply(s, &s->X, &s->H);                /* C_i X_i                    */
    emi_mix_times(s, mixes, &s->H, &s->mixed); /* ~ C X_i                    */
    emi_note_theta(s, &s->X, &s->H);           /* for the test for the end   */
    emi_qr(s, &s->H);                          /* qr(...)                    */
    emi_swap(&s->X, &s->H);
}

static em_status sdot_run(emi_solver *s)
{
    while (emi_next(s)) one_step(s, s->rounds);
    return emi_finish(s);
}

/* T_0 = 1, T_max = sdot's T, g = 1/2; more where a slow network asks for so many that they would not be reached in time. */
static em_status sadot_run(emi_solver *s)
{
    enum { SOON = 1000 }; /* iterations: half of its limit */
    long pace = s->rounds / SOON;
    while (emi_next(s)) {
        long mixes = 1 + (pace > 0 ? pace * s->iteration : (s->iteration + 1) / 2);
        one_step(s, mixes < s->rounds ? (int)mixes : s->rounds);
    }
    return emi_finish(s);
}

/* Disagreement below what the default tolerance can see. */
static int sdot_rounds(const emi_solver *s)
{
    return emi_rounds_to(1e-7, s->network.beta);
}

const emi_method emi_sdot = {.info = {.name = "sdot",
                                      .summary = "distributed orthogonal iteration: T mixes average each product",
                                      .update = "X_i <- qr( T mixes of C_i X_i )",
                                      .cite = "Gang, Xiang and Bajwa, IEEE TSIPN 7, 2021"},
                             .uses = EMI_USES_ROUNDS | EMI_USES_QR,
                             .traits = EMI_NEEDS_NETWORK,
                             .iterations = 2000,
                             .rounds_for = sdot_rounds,
                             .run = sdot_run};

const emi_method emi_sadot = {.info = {.name = "sadot",
                                       .summary = "sdot with mixes that grow from one to T as the estimate settles",
                                       .update = "X_i <- qr( T_t mixes of C_i X_i ), T_t = min(1 + ceil(t/2), T)",
                                       .cite = "Gang, Xiang and Bajwa, IEEE TSIPN 7, 2021"},
                              .uses = EMI_USES_ROUNDS | EMI_USES_QR,
                              .traits = EMI_NEEDS_NETWORK,
                              .iterations = 2000,
                              .rounds_for = sdot_rounds,
                              .run = sadot_run};
