#include "data/gpu_basis.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static size_t block_bytes(const emi_gpu_basis *s, size_t rows)
{
    return sizeof(double) * rows * s->b;
}

static em_status open_hand(emi_gpu_basis *s, em_error *err)
{
    size_t small = block_bytes(s, s->room + 2 * s->b), large = block_bytes(s, 2 * s->d);
    void *at;
    em_status status = emi_gpu_hand(s->gpu, small > large ? small : large, &at, err);
    if (status != EM_OK) return status;
    s->hand = (emi_gpu_hand_of_basis){.H = at, .X = at};
    s->hand.R = s->hand.H + s->room * s->b;
    s->hand.inverse = s->hand.R + s->b * s->b;
    return EM_OK;
}

em_status emi_gpu_basis_open(emi_gpu_basis *s, int with_A, em_error *err)
{
    size_t basis = sizeof(double) * s->d * s->room, bases = with_A ? 2 : 1;
    em_status status =
        emi_gpu_room(s->gpu, EMI_GPU_BASIS, bases * basis + block_bytes(s, s->d + s->room + s->b), &s->B, err);
    if (status != EM_OK) return status;
    s->A = with_A ? s->B + basis : 0;
    s->Q = s->B + bases * basis;
    s->H = s->Q + block_bytes(s, s->d);
    s->R = s->H + block_bytes(s, s->room);
    return open_hand(s, err);
}

emi_address emi_gpu_basis_block(const emi_gpu_basis *s, emi_address of, size_t column)
{
    return of + sizeof(double) * s->d * column;
}

em_status emi_gpu_basis_project(emi_gpu_basis *s, emi_address W, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix B = {s->B, s->d, 0}, across = {s->B, s->d, 1}, block = {W, s->d, 0}, along = {s->H, s->n, 0};
    emi_gpu_product find = {.m = s->n, .n = s->b, .k = s->d, .A = across, .B = block, .C = along},
                    remove = {.m = s->d, .n = s->b, .k = s->n, .A = B, .B = along, .C = block, .beta = 1, .minus = 1};
    TRY(emi_gpu_multiply(s->gpu, &find, err));
    TRY(emi_gpu_multiply(s->gpu, &remove, err));
done:
    return status;
}

/* ---- columns that are made orthonormal --------------------------------------------------------------------------------- */

/* R from W' W, and its inverse.  0: there is none. */
static int factor(const emi_gpu_basis *s, size_t b, double *R)
{
    memcpy(R, s->hand.R, sizeof *R * b * b);
    for (size_t j = 0; j < b; j++) memset(R + j * b + j + 1, 0, sizeof *R * (b - j - 1));
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)b, R, (lapack_int)b) != 0) return 0;
    for (size_t n = 0; n < b * b; n++)
        if (!isfinite(R[n])) return 0;
    memcpy(s->hand.inverse, R, sizeof *R * b * b);
    return LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (lapack_int)b, s->hand.inverse, (lapack_int)b) == 0;
}

em_status emi_gpu_basis_ask(emi_gpu_basis *s, emi_address W, size_t columns, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, s->d, 0}, across = {W, s->d, 1}, small = {s->R, columns, 0};
    emi_gpu_product gram = {.m = columns, .n = columns, .k = s->d, .A = across, .B = block, .C = small};
    TRY(emi_gpu_multiply(s->gpu, &gram, err));
    TRY(emi_gpu_get(s->gpu, s->hand.R, s->R, sizeof(double) * columns * columns, err));
done:
    return status;
}

em_status emi_gpu_basis_take(emi_gpu_basis *s, size_t columns, double *R, int *sound, em_error *err)
{
    em_status status = emi_gpu_wait(s->gpu, err);
    *sound = status == EM_OK && factor(s, columns, R);
    return status;
}

em_status emi_gpu_basis_divide(emi_gpu_basis *s, emi_address W, emi_address Q, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, s->d, 0}, small = {s->R, s->b, 0};
    emi_gpu_product solve = {.m = s->d, .n = s->b, .k = s->b, .A = block, .B = small, .C = {Q, s->d, 0}};
    TRY(emi_gpu_put(s->gpu, s->R, s->hand.inverse, block_bytes(s, s->b), err));
    TRY(emi_gpu_multiply(s->gpu, &solve, err));
done:
    return status;
}

em_status emi_gpu_basis_orthonormalise(emi_gpu_basis *s, emi_address W, emi_address Q, double *R, int *sound,
                                       em_error *err)
{
    em_status status = EM_OK;
    TRY(emi_gpu_basis_ask(s, W, s->b, err));
    TRY(emi_gpu_basis_take(s, s->b, R, sound, err));
    if (*sound) TRY(emi_gpu_basis_divide(s, W, Q, err));
done:
    return status;
}

/* ---- what it spans --------------------------------------------------------------------------------------------------------- */

em_status emi_gpu_basis_put(emi_gpu_basis *s, const double *V, size_t columns, em_error *err)
{
    size_t bytes = sizeof *V * s->n * columns;
    memcpy(s->hand.H, V, bytes);
    return emi_gpu_put(s->gpu, s->H, s->hand.H, bytes, err);
}

em_status emi_gpu_basis_combine(emi_gpu_basis *s, emi_address from, size_t columns, emi_address to, em_error *err)
{
    emi_gpu_product p = {
        .m = s->d, .n = columns, .k = s->n, .A = {from, s->d, 0}, .B = {s->H, s->n, 0}, .C = {to, s->d, 0}};
    return emi_gpu_multiply(s->gpu, &p, err);
}

em_status emi_gpu_basis_tighten(emi_gpu_basis *s, double *V, size_t columns, double *work, em_error *err)
{
    em_status status = EM_OK;
    int sound;
    TRY(emi_gpu_basis_put(s, V, columns, err));
    TRY(emi_gpu_basis_combine(s, s->B, columns, s->Q, err));
    TRY(emi_gpu_basis_ask(s, s->Q, columns, err));
    TRY(emi_gpu_basis_take(s, columns, work, &sound, err));
    if (sound)
        cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)s->n, (int)columns, 1,
                    s->hand.inverse, (int)columns, V, (int)s->n);
done:
    return status;
}
