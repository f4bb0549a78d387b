#include "fit/sketch.h"

#include "base/memory.h"
#include "base/random.h"

#include <cblas.h>
#include <math.h>

enum { COLUMNS = 8 };
static const double margin = 3;

/* X' (X w) is w, for random w. */
static int is_orthonormal(emi_block X, emi_random *random, double *w, double *Xw, double *again)
{
    double worst = 0;
    emi_random_normals(random, w, (size_t)X.cols);
    cblas_dgemv(CblasColMajor, CblasNoTrans, X.rows, X.cols, 1, X.v, X.rows, w, 1, 0, Xw, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, X.rows, X.cols, 1, X.v, X.rows, Xw, 1, 0, again, 1);
    for (int k = 0; k < X.cols; k++) worst = fmax(worst, fabs(again[k] - w[k]));
    return worst <= 1e-9;
}

em_status emi_sketch_residuals(const emi_operator *C, emi_block X, const double *theta, uint64_t seed, double *length,
                               int *sound, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    emi_random random = emi_random_seed(seed, EMI_STREAM_SKETCH);
    size_t d = (size_t)X.rows, K = (size_t)X.cols;
    double *room = emi_doubles((d + K) * 2 * COLUMNS);
    if (!room) TRY(emi_fail_memory(err, "certificate"));
    emi_block S = {X.rows, COLUMNS, room}, W = {X.rows, COLUMNS, S.v + COLUMNS * d},
              SX = {COLUMNS, X.cols, W.v + COLUMNS * d}, WX = {COLUMNS, X.cols, SX.v + COLUMNS * K};
    emi_random_roughly_normals(&random, S.v, COLUMNS * d);
    TRY(C->kind->apply(C, S, W, scratch, err));
    emi_mul_tn(1, S, X, 0, SX);
    emi_mul_tn(1, W, X, 0, WX);
    for (int k = 0; k < X.cols; k++) {
        double square = 0;
        for (int s = 0; s < COLUMNS; s++) {
            double part = emi_column_of(WX, k)[s] - theta[k] * emi_column_of(SX, k)[s];
            square += part * part;
        }
        length[k] = margin * sqrt(square / COLUMNS);
    }
    *sound = is_orthonormal(X, &random, SX.v, S.v, WX.v);
done:
    emi_free(room);
    return status;
}
