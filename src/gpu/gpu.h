/* The GPU of this process, if there is one: memory, copies, kernels and products.  There is one object for all, whose context and
 * kernels, once made, stay; its memory is given back when nobody has it any more, but for little rooms and buffers, which take
 * longer to get than to use.  Whoever uses it enters, which others wait for;
 * all that is asked for meanwhile is done in order (but for what is sent beside it, see there), and is done when emi_gpu_wait returns. */
#ifndef EMI_GPU_GPU_H
#define EMI_GPU_GPU_H

#include "gpu/api.h"

typedef struct emi_gpu emi_gpu;

/* Have it: EM_ENOTSUP, in words, where there is none. */
em_status emi_gpu_take(emi_gpu **out, em_error *err);
void emi_gpu_give(emi_gpu **handle); /* accepts NULL */

const char *emi_gpu_name(const emi_gpu *gpu); /* "NVIDIA H200" */
size_t emi_gpu_size(const emi_gpu *gpu);      /* bytes of all its memory */

/* Is it made for numbers in double precision, as those of servers are? */
int emi_gpu_is_quick_in_double(const emi_gpu *gpu);

em_status emi_gpu_enter(emi_gpu *gpu, em_error *err);
void emi_gpu_leave(emi_gpu *gpu);

/* Give back what stays too, where nobody has it. */
void emi_gpu_forget(void);

/* Give memory back from outside, in whatever state the GPU is; accepts 0. */
void emi_gpu_drop(emi_gpu *gpu, emi_address at);

/* ---- within ------------------------------------------------------------------------------------------------------- */

em_status emi_gpu_wait(emi_gpu *gpu, em_error *err);

/* What work is on another stream, as who lends memory names it: to be done before. */
em_status emi_gpu_wait_for(emi_gpu *gpu, void *stream, em_error *err);

/* Is this memory of the device that is used? */
em_status emi_gpu_check_place(emi_gpu *gpu, emi_address at, em_error *err);

em_status emi_gpu_memory(emi_gpu *gpu, size_t *left, size_t *total, em_error *err);
em_status emi_gpu_alloc(emi_gpu *gpu, size_t bytes, emi_address *out, em_error *err);
void emi_gpu_free(emi_gpu *gpu, emi_address at); /* accepts 0 */

/* Rooms on the device, each for one purpose, which grow and lose what they held. */
typedef enum emi_gpu_place {
    EMI_GPU_CHUNK,   /* rows that come and go         */
    EMI_GPU_ROWS,    /* as they are multiplied        */
    EMI_GPU_BLOCK,   /* X, from the host              */
    EMI_GPU_COLUMNS, /* X, as it is multiplied        */
    EMI_GPU_BASIS,   /* and what is found beside it   */
    EMI_GPU_SCORES,  /* S                             */
    EMI_GPU_SHORT,   /* sums in single precision      */
    EMI_GPU_SUM,     /* Z, and what else is summed    */
    EMI_GPU_ONES,
    EMI_GPU_FEATURES, /* mean, scale, origin, ...     */
    EMI_GPU_PLACES
} emi_gpu_place;
em_status emi_gpu_room(emi_gpu *gpu, emi_gpu_place place, size_t bytes, emi_address *out, em_error *err);

/* So many ones, or more. */
em_status emi_gpu_ones(emi_gpu *gpu, int single, size_t count, emi_address *out, em_error *err);

/* Buffers that the device copies from while another is filled: the next of them, once its last copy is done; to be sent
 * from there, before whatever is asked for next; and one for small blocks both ways.  A copy goes its own way beside what was asked for
 * before it, but for what is marked: the last copy from the same buffer is in use by that; or, with `all`, of any. */
enum { EMI_GPU_STAGES = 2 };
em_status emi_gpu_stage(emi_gpu *gpu, size_t bytes, void **out, em_error *err);
em_status emi_gpu_send(emi_gpu *gpu, emi_address to, size_t bytes, em_error *err);
em_status emi_gpu_mark_used(emi_gpu *gpu, int all, em_error *err);
em_status emi_gpu_hand(emi_gpu *gpu, size_t bytes, void **out, em_error *err);

em_status emi_gpu_put(emi_gpu *gpu, emi_address to, const void *from, size_t bytes, em_error *err);
em_status emi_gpu_get(emi_gpu *gpu, void *to, emi_address from, size_t bytes, em_error *err);
em_status emi_gpu_zero(emi_gpu *gpu, emi_address at, size_t bytes, em_error *err);

/* ---- what is done there ---------------------------------------------------------------------------------------------- */

/* By kernels.cu, which has their arguments. */
typedef enum emi_gpu_kernel {
    EMI_GPU_STANDARDISE_FF, /* from float, to float; ... */
    EMI_GPU_STANDARDISE_FD,
    EMI_GPU_STANDARDISE_DF,
    EMI_GPU_STANDARDISE_DD,
    EMI_GPU_SURVEY_F,
    EMI_GPU_SURVEY_D,
    EMI_GPU_SURVEY_JOIN,
    EMI_GPU_ADD_UP,
    EMI_GPU_DRAW,
    EMI_GPU_SCALE_D,
    EMI_GPU_SCALE_F,
    EMI_GPU_BEGIN_D,
    EMI_GPU_BEGIN_F,
    EMI_GPU_CORRECT,
    EMI_GPU_CENTRE,
    EMI_GPU_KERNELS
} emi_gpu_kernel;

enum { EMI_GPU_THREADS = 128, EMI_GPU_STRIPES = 65535 }; /* of a block; at most */

em_status emi_gpu_launch(emi_gpu *gpu, emi_gpu_kernel kernel, size_t blocks, size_t stripes, void **arguments,
                         em_error *err);

/* C = A B + beta C, or beta C - A B, of matrices as BLAS has them, transposed or not. */
typedef struct emi_gpu_matrix {
    emi_address at;
    size_t step; /* between columns, in numbers */
    int transposed;
} emi_gpu_matrix;

typedef struct emi_gpu_product {
    int single;
    size_t m, n, k;
    emi_gpu_matrix A, B, C;
    double beta;
    int minus;
    /* So many of them, in single precision; what lies between two, in numbers.  0: one. */
    size_t count;
    size_t next_a, next_b, next_c;
} emi_gpu_product;

em_status emi_gpu_multiply(emi_gpu *gpu, const emi_gpu_product *p, em_error *err);

/* The upper triangle of C += A A', n x n, from k columns, in double precision. */
em_status emi_gpu_outer(emi_gpu *gpu, size_t n, size_t k, emi_gpu_matrix A, emi_gpu_matrix C, em_error *err);

#endif
