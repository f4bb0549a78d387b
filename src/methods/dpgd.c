/* dpgd - distributed projected gradient descent on the trace.
 *
 *     X_i <- qr( sum_j w_ij X_j + alpha C_i X_i )
 *
 * The baseline of Gang and Bajwa (2022), section V: the gradient step of A. Nedic and A. Ozdaglar, "Distributed
 * subgradient methods for multi-agent optimization", IEEE Trans. Automatic Control 54(1), 2009, then a QR as the
 * way back to orthonormal columns. */
#include "methods/method.h"

static em_status dpgd_run(emi_solver *s)
{
    while (emi_next(s)) {
        emi_mix_begin(s->mesh, &s->X);                /* X_i on its way to the neighbours  */
        emi_apply(s, &s->X, &s->H);                   /* C_i X_i, while messages travel    */
        emi_note_theta(s, &s->X, &s->H);              /* for the test for the end          */
        emi_mix_end(s->mesh, &s->mixed);              /* sum_j w_ij X_j                    */
        emi_add_scaled(s, &s->mixed, s->step, &s->H); /* + alpha C_i X_i                   */
        emi_qr(s, &s->mixed);                         /* qr(...)                           */
        emi_swap(&s->X, &s->mixed);
    }
    return emi_finish(s);
}

const emi_method emi_dpgd = {.info = {.name = "dpgd",
                                      .summary = "distributed projected gradient descent: gossip, a gradient step, QR",
                                      .update = "X_i <- qr( sum_j w_ij X_j + a C_i X_i )",
                                      .cite = "Gang and Bajwa 2022, section V; Nedic and Ozdaglar 2009"},
                             .uses = EMI_USES_STEP | EMI_USES_QR,
                             .mixes = 1,
                             .iterations = 20000,
                             .run = dpgd_run};
