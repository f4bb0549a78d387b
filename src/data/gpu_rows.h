/* A node's rows on a GPU: as they are, in float or double, the first of them for as long as the fit takes, those that do not fit
 * sent anew for each pass.  Rows may also lie there already, somebody else's; or none of them is kept, as the first pass makes of them
 * all that is needed, their covariance.
 *
 * They are gone through in chunks whose size follows from the row's and the GPU's alone, so that bits do not depend on how much memory
 * is free. */
#ifndef EMI_DATA_GPU_ROWS_H
#define EMI_DATA_GPU_ROWS_H

#include "data/operator.h"
#include "gpu/gpu.h"

#include <stddef.h>

typedef struct emi_gpu_rows {
    emi_gpu *gpu; /* borrowed */
    const emi_shard *shard;
    size_t d;
    int single;                      /* numbers there are floats                                     */
    emi_address at;                  /* of the first `resident` rows; 0: none                        */
    size_t resident, chunk;          /* rows                                                         */
    ptrdiff_t row_step, column_step; /* in numbers                                                   */
    const emi_helpers *helpers;      /* threads that read what is sent; NULL for rows that are there */
    int lent;                        /* the memory is somebody else's                                */
    int settled;                     /* as many are there as there is memory for                     */
    int multiplied;                  /* how often they had to be standardised for it                 */
    int gathers;                     /* the first pass sums up products, and keeps no rows           */
    emi_address matrix;              /* (d, d) C_i, or while there is                                */
    double *gathered;      /* [EMI_SURVEY][d] what that pass found, sums of products about its origin; 0, NULL: none */
    emi_address copy;      /* of the resident rows, standardised and packed; 0: none       */
    double *copy_standard; /* [3][d] by what; NULL: by nothing yet                         */
    int must;              /* a failure is one, and the CPU does not take over             */
    int gave_up;           /* it did                                                       */
    char why[256];         /* the failure                                                  */
} emi_gpu_rows;

/* Rows of a chunk. */
size_t emi_gpu_chunk(const emi_gpu *gpu, size_t d, int single);

/* A node's rows of a table that lies there. */
em_status emi_gpu_rows_borrow(emi_gpu_rows *out, const emi_shard *shard, em_error *err);

/* Rows of the host, which are sent when somebody goes through them. */
void emi_gpu_rows_describe(emi_gpu_rows *rows, emi_gpu *gpu, const emi_shard *shard, const emi_helpers *helpers);

/* The same, and send them there, or as many as there is memory for. */
em_status emi_gpu_rows_open(emi_gpu_rows *rows, emi_gpu *gpu, const emi_shard *shard, const emi_helpers *helpers,
                            em_error *err);
void emi_gpu_rows_close(emi_gpu_rows *rows); /* accepts the zeroed */

/* Did the GPU fail, and may the CPU do it from now on?  Else a failure is the caller's. */
int emi_gpu_rows_yield(emi_gpu_rows *rows, em_status status, const em_error *failure, em_error *err);

/* As an operator's, and as data/moments.h and data/by_rows.h have them.  Each enters the GPU. */
em_status emi_gpu_rows_survey(emi_gpu_rows *rows, const double *unit, double *found, em_error *err);
em_status emi_gpu_rows_multiply(emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X, emi_block Z,
                                double *squares, em_error *err);
em_status emi_gpu_rows_form(emi_gpu_rows *rows, const emi_operator *C, double **out, em_error *err);
em_status emi_gpu_rows_scores(emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X, void *scores,
                              em_error *err);

em_status emi_gpu_rows_lead(emi_gpu_rows *rows, const emi_operator *C, emi_leading *asked, em_error *err);

/* Rows as doubles, of a table that lies there. */
em_status emi_gpu_rows_read(const emi_gpu_rows *rows, size_t first, size_t count, double *out, em_error *err);

/* ---- within the GPU, for those above ---------------------------------------------------------------------------------- */

/* All, or as many as there is memory for, where they are not there yet. */
em_status emi_gpu_rows_settle(emi_gpu_rows *rows, em_error *err);

/* C_i, as rows->matrix, where it is not there yet; and to forget it, or what it was to be made of. */
em_status emi_gpu_rows_covariance(emi_gpu_rows *rows, const emi_operator *C, em_error *err);
void emi_gpu_rows_forget(emi_gpu_rows *rows);

/* Rows that are there now. */
typedef struct emi_gpu_view {
    emi_address at;
    size_t count;
    ptrdiff_t row_step, column_step;
} emi_gpu_view;

/* All rows, from the host, in turn and in pieces that are gone afterwards: the next is on its way while one is looked at. */
typedef em_status emi_gpu_look(void *context, emi_gpu_view view, em_error *err);
em_status emi_gpu_rows_pass(emi_gpu_rows *rows, emi_gpu_look *look, void *context, em_error *err);

/* At most so many rows from row `first` on; a chunk's rows are never more than its own. */
em_status emi_gpu_rows_view(const emi_gpu_rows *rows, size_t first, size_t most, emi_gpu_view *view, em_error *err);

/* What is done to each feature, on the device; NULL there is 0. */
typedef struct emi_gpu_features {
    emi_address mean, inverse, fill;
} emi_gpu_features;
em_status emi_gpu_features_put(emi_gpu *gpu, const emi_standard *standard, emi_gpu_features *out, em_error *err);

/* The rows of a view, standardised by these, in `real` and packed: there, or, where `*out` is 0, in the room for that. */
em_status emi_gpu_standardise(const emi_gpu_rows *rows, emi_gpu_view view, const emi_gpu_features *features,
                              emi_real real, emi_address *out, em_error *err);

/* To sums of products, rows->matrix, those of the rows of a view, standardised by these; in double, its upper triangle. */
em_status emi_gpu_rows_add_squares(const emi_gpu_rows *rows, emi_gpu_view view, const emi_gpu_features *features,
                                   em_error *err);

/* A copy of the resident rows as they are multiplied, for as long as they are here: what is needed for each product is then made
 * once.  In their own precision; where there is memory for it. */
em_status emi_gpu_rows_keep(emi_gpu_rows *rows, const emi_standard *standard, const emi_gpu_features *features,
                            em_error *err);

#endif
