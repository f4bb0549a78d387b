#include "linalg/block.h"

#include <cblas.h>
#include <math.h>

double *emi_column_of(emi_block A, int k)
{
    return A.v + (size_t)k * (size_t)A.rows;
}

void emi_mul(double alpha, emi_block A, emi_block B, double beta, emi_block C)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, C.rows, C.cols, A.cols, alpha, A.v, A.rows, B.v, B.rows,
                beta, C.v, C.rows);
}

void emi_mul_tn(double alpha, emi_block A, emi_block B, double beta, emi_block C)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, C.rows, C.cols, A.rows, alpha, A.v, A.rows, B.v, B.rows, beta,
                C.v, C.rows);
}

void emi_keep_upper(emi_block T)
{
    for (int k = 0; k < T.cols; k++)
        for (int i = k + 1; i < T.rows; i++) emi_column_of(T, k)[i] = 0;
}

void emi_sanger(emi_block X, emi_block CX, emi_scratch scratch)
{
    emi_block T = {X.cols, X.cols, scratch.v};
    emi_mul_tn(1, X, CX, 0, T); /* T  = X' C X      */
    emi_keep_upper(T);          /* T  = U(T)        */
    emi_mul(-1, X, T, 1, CX);   /* CX = C X - X T   */
}

double emi_sin2(int d, const double *x, const double *q)
{
    double norm = emi_norm(d, x), cosine = 0, sum = 0;
    if (norm == 0) return 1;
    for (int i = 0; i < d; i++) cosine += x[i] / norm * q[i];
    for (int i = 0; i < d; i++) {
        double off = x[i] / norm - cosine * q[i];
        sum += off * off;
    }
    return sum;
}

/* BLAS's own is slow, as it minds squares that are no numbers. */
double emi_norm(int d, const double *x)
{
    static const double tiny = 1e-200, huge = 1e200;
    double square = cblas_ddot(d, x, 1, x, 1);
    return square > tiny && square < huge ? sqrt(square) : cblas_dnrm2(d, x, 1);
}

int emi_points_down(int d, const double *x)
{
    enum { LANES = 8 }; /* which a processor compares at once */
    double most[LANES] = {0}, least[LANES] = {0}, highest = 0, lowest = 0;
    int n = 0;
    for (; n + LANES <= d; n += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            most[lane] = x[n + lane] > most[lane] ? x[n + lane] : most[lane];
            least[lane] = x[n + lane] < least[lane] ? x[n + lane] : least[lane];
        }
    for (; n < d; n++) highest = fmax(highest, x[n]), lowest = fmin(lowest, x[n]);
    for (int lane = 0; lane < LANES; lane++) highest = fmax(highest, most[lane]), lowest = fmin(lowest, least[lane]);
    if (highest != -lowest) return -lowest > highest;
    for (n = 0; n + 1 < d && fabs(x[n]) != highest;) n++;
    return x[n] < 0;
}
