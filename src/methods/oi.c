/* oi - orthogonal iteration, all data in one place.
 *
 *     X <- qr(C X)
 *
 * G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed., section 8.2.4. */
#include "methods/method.h"

static em_status oi_run(emi_solver *s)
{
    while (emi_next(s)) {
        emi_apply(s, &s->X, &s->H); /* C X     */
        emi_note_residual(s, &s->X, &s->H);
        emi_qr(s, &s->H); /* qr(C X) */
        emi_swap(&s->X, &s->H);
    }
    return emi_finish(s);
}

const emi_method emi_oi = {.info = {.name = "oi",
                                    .summary = "orthogonal iteration, all data in one place",
                                    .update = "X <- qr(C X)",
                                    .cite = "Golub and Van Loan, Matrix Computations, section 8.2.4",
                                    .residual = 1,
                                    .single_node = 1,
                                    .exact = 1},
                           .uses = EMI_USES_QR,
                           .iterations = 5000,
                           .run = oi_run};
