/* Rows as the solver sees them: missing values filled, then (y - mean) * inverse_scale, feature by feature. */
#ifndef EMI_DATA_STANDARD_H
#define EMI_DATA_STANDARD_H

#include "data/shards.h"
#include "linalg/skinny.h"

typedef struct emi_standard {
    int d;
    double *mean;          /* [d]; NULL: not centred  */
    double *inverse_scale; /* [d]; NULL: not scaled   */
    const double *fill;    /* [d] what stands for values that are missing; NULL: none are */
    double within;         /* of so many deviations of zero lie all means, one at least; 0: it is not known */
} emi_standard;

/* Are means so near zero that they may be taken off products as well, at no loss of digits? */
static inline int emi_standard_is_near(const emi_standard *standard)
{
    return standard->within > 0 && standard->within <= 2;
}

/* Rows of d numbers to take at a time: about `bytes` of doubles, and a multiple of eight. */
size_t emi_rows_at_once(int d, size_t bytes);

/* Rows first .. of the shard into rows[count * d], in double or single precision, with all digits that has.  For single precision `room` has as many doubles. */
em_status emi_standard_read(const emi_standard *standard, const emi_shard *shard, size_t first, size_t count,
                            emi_real real, void *rows, double *room, em_error *err);

/* Can some features of a row be read, and not only the whole? */
int emi_standard_reads_in_place(const emi_shard *shard);

/* `count` features of one row, from feature `from` on.  `room` has d doubles. */
em_status emi_standard_read_part(const emi_standard *standard, const emi_shard *shard, size_t row, size_t from,
                                 size_t count, emi_real real, void *out, double *room, em_error *err);

#endif
