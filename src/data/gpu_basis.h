/* An orthonormal basis on a GPU, a block of columns after another, and what steps of block Lanczos do with it.  All of it within the
 * GPU.
 *
 * Columns are made orthonormal by their Gram matrix, whose factor is found on the host.  Where they depend on each other there is
 * none; and where they nearly do, digits are lost: it is done twice (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya, ETNA 44, 2015). */
#ifndef EMI_DATA_GPU_BASIS_H
#define EMI_DATA_GPU_BASIS_H

#include "gpu/gpu.h"

/* Of the pinned buffer. */
typedef struct emi_gpu_hand_of_basis {
    double *H, *R, *inverse; /* (room, b), (b, b), (b, b)                      */
    double *X;               /* two blocks of (d, b), in place of these        */
} emi_gpu_hand_of_basis;

typedef struct emi_gpu_basis {
    emi_gpu *gpu;
    size_t d, b, n, room;       /* features, columns of a block and of the basis, now and at most       */
    emi_address B, A;           /* there: (d, room); what belongs to its columns, the same, or 0        */
    emi_address Q, H, R;        /* (d, b); (room, b); (b, b)                                            */
    emi_gpu_hand_of_basis hand; /* here, pinned                                                   */
} emi_gpu_basis;

/* The first four are known; with room for A or without. */
em_status emi_gpu_basis_open(emi_gpu_basis *s, int with_A, em_error *err);

/* Where the block that begins with this column lies. */
emi_address emi_gpu_basis_block(const emi_gpu_basis *s, emi_address of, size_t column);

/* H = B' W, and W <- W - B H. */
em_status emi_gpu_basis_project(emi_gpu_basis *s, emi_address W, em_error *err);

/* Asks for W' W of so many columns; and takes it, and with it all that was asked of the GPU before.  *sound: there is a factor R, W = Q R. */
em_status emi_gpu_basis_ask(emi_gpu_basis *s, emi_address W, size_t columns, em_error *err);
em_status emi_gpu_basis_take(emi_gpu_basis *s, size_t columns, double *R, int *sound, em_error *err);

/* Q = W / R, of the last one that was taken. */
em_status emi_gpu_basis_divide(emi_gpu_basis *s, emi_address W, emi_address Q, em_error *err);

/* All three. */
em_status emi_gpu_basis_orthonormalise(emi_gpu_basis *s, emi_address W, emi_address Q, double *R, int *sound,
                                       em_error *err);

/* V (n, columns) to H; and the first columns of `from` V, from being B or A. */
em_status emi_gpu_basis_put(emi_gpu_basis *s, const double *V, size_t columns, em_error *err);
em_status emi_gpu_basis_combine(emi_gpu_basis *s, emi_address from, size_t columns, emi_address to, em_error *err);

/* V becomes what makes B V orthonormal to all digits, where B is so to a few; `work` (b, b). */
em_status emi_gpu_basis_tighten(emi_gpu_basis *s, double *V, size_t columns, double *work, em_error *err);

#endif
