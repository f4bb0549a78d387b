#include "linalg/ritz.h"

#include "base/memory.h"
#include "linalg/basis.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* `count` columns of `old` in a larger array, which may also be longer, with zeros behind them; or, as there are many and most are
 * never touched, with nothing. */
static int enlarge(double **old, size_t rows, size_t count, size_t new_rows, size_t new_count, int zeros)
{
    size_t size;
    if (emi_size_overflows(new_rows, new_count, &size)) return 0;
    double *larger = zeros ? emi_calloc(size, sizeof *larger) : emi_room(size);
    if (!larger) return 0;
    for (size_t c = 0; *old && c < count; c++) memcpy(larger + c * new_rows, *old + c * rows, rows * sizeof *larger);
    emi_free(*old);
    *old = larger;
    return 1;
}

em_status emi_ritz_reserve(emi_ritz_space *r, int room, em_error *err)
{
    size_t d = (size_t)r->d, old = (size_t)r->room, new = (size_t)room;
    double **columns[] = {&r->B, &r->A, &r->X, &r->R};
    int there = enlarge(&r->T, old, old, new, new, 1) && enlarge(&r->V, old, old, new, new, 1) &&
                enlarge(&r->theta, 1, old, 1, new, 1) && enlarge(&r->norm, 1, old, 1, new, 1);
    for (int n = 0; n < 4 && there; n++) there = enlarge(columns[n], d, old, d, new, 0);
    if (!there) return emi_fail_memory(err, "Ritz vectors");
    r->room = room;
    return EM_OK;
}

void emi_ritz_free(emi_ritz_space *r)
{
    double *held[] = {r->B, r->A, r->T, r->V, r->theta, r->X, r->R, r->norm};
    for (size_t n = 0; n < sizeof held / sizeof *held; n++) emi_free(held[n]);
    *r = (emi_ritz_space){0};
}

emi_block emi_ritz_columns(const emi_ritz_space *r, double *v, int first, int count)
{
    return (emi_block){r->d, count, v + (size_t)first * (size_t)r->d};
}

static double *column_of_T(const emi_ritz_space *r, int j)
{
    return r->T + (size_t)j * (size_t)r->room;
}

em_status emi_ritz_append(emi_ritz_space *r, const double *q, const double *Cq, int count)
{
    emi_block B = emi_ritz_columns(r, r->B, r->size, count), A = emi_ritz_columns(r, r->A, r->size, count);
    double sum = 0;
    memcpy(B.v, q, sizeof *q * (size_t)r->d * (size_t)count);
    memcpy(A.v, Cq, sizeof *Cq * (size_t)r->d * (size_t)count);
    r->size += count;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r->size, count, r->d, 1, r->B, r->d, A.v, r->d, 0,
                column_of_T(r, r->size - count), r->room);
    for (int j = r->size - count; j < r->size; j++)
        for (int i = 0; i < r->size; i++) sum += fabs(column_of_T(r, j)[i]);
    return isfinite(sum) ? EM_OK : EM_ENUMERIC;
}

em_status emi_ritz_solve(emi_ritz_space *r, em_error *err)
{
    int open = r->size - r->locked;
    for (int j = 0; j < open; j++)
        for (int i = 0; i <= j; i++)
            r->V[(size_t)i * (size_t)open + (size_t)j] = column_of_T(r, r->locked + j)[r->locked + i];
    return emi_all_eigen(r->V, open, r->theta + r->locked, err);
}

/* r <- r - locked (locked' r), a few columns at a time: X has room for that many products. */
static void remove_locked(emi_ritz_space *s, emi_block R, double *work)
{
    emi_block locked = emi_ritz_columns(s, s->B, 0, s->locked), along = {s->locked, R.cols, work};
    if (s->locked == 0) return;
    emi_mul_tn(1, locked, R, 0, along);
    emi_mul(-1, locked, along, 1, R);
}

void emi_ritz_residuals(emi_ritz_space *r, int pairs)
{
    int open = r->size - r->locked, found = pairs - r->locked;
    emi_block V = {open, found, r->V};
    emi_block X = emi_ritz_columns(r, r->X, r->locked, found), R = emi_ritz_columns(r, r->R, r->locked, found);
    emi_mul(1, emi_ritz_columns(r, r->B, r->locked, open), V, 0, X);
    emi_mul(1, emi_ritz_columns(r, r->A, r->locked, open), V, 0, R);
    for (int n = 0; n < found; n++)
        cblas_daxpy(r->d, -r->theta[r->locked + n], emi_column_of(X, n), 1, emi_column_of(R, n), 1);
    remove_locked(r, R, r->X); /* where the locked vectors' copies will be: as long, and longer than those products */
    memcpy(r->X, r->B, sizeof *r->X * (size_t)r->d * (size_t)r->locked);
    for (int n = r->locked; n < pairs; n++) r->norm[n] = emi_norm(r->d, emi_ritz_columns(r, r->R, n, 1).v);
}

/* The first columns of M become M V, some rows at a time: beside a basis there is seldom room for another. */
static void combine(emi_block M, emi_block V, double *work)
{
    enum { ROWS = 512 };
    for (int first = 0; first < M.rows; first += ROWS) {
        int rows = M.rows - first < ROWS ? M.rows - first : ROWS;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, V.cols, V.rows, 1, M.v + first, M.rows, V.v,
                    V.rows, 0, work, rows);
        for (int c = 0; c < V.cols; c++)
            memcpy(emi_column_of(M, c) + first, work + (size_t)c * (size_t)rows, sizeof *work * (size_t)rows);
    }
}

void emi_ritz_keep(emi_ritz_space *r, int keep)
{
    int open = r->size - r->locked;
    emi_block V = {open, keep, r->V};
    combine(emi_ritz_columns(r, r->B, r->locked, open), V, r->R);
    combine(emi_ritz_columns(r, r->A, r->locked, open), V, r->R);
    for (int j = r->locked; j < r->locked + keep; j++) {
        memset(column_of_T(r, j), 0, sizeof *r->T * (size_t)r->room);
        column_of_T(r, j)[j] = r->theta[j];
    }
    r->size = r->locked + keep;
}
