/* The bytes of an input file: mapped where it is plain, inflated as far as asked where it is gzipped.
 *
 * Nothing is allocated on a header's word: what a .gz holds is kept in memory that grows with the bytes that
 * really arrive, up to what was asked for. */
#ifndef EMI_DATA_INPUT_H
#define EMI_DATA_INPUT_H

#include "base/error.h"

/* Bytes with an owner. */
typedef struct emi_bytes {
    unsigned char *at;
    size_t size;
    enum { EMI_BORROWED, EMI_MAPPED, EMI_HELD } kind;
} emi_bytes;

void emi_bytes_release(emi_bytes *bytes); /* accepts the zeroed */

typedef struct emi_input {
    const char *path;
    emi_bytes bytes; /* the first `bytes.size` bytes of the content */
    void *gz;        /* zlib's stream; NULL: plain, and `bytes` is all of it */
    size_t room;     /* allocated, of a gzipped one */
} emi_input;

em_status emi_input_open(emi_input *input, const char *path, em_error *err);
void emi_input_close(emi_input *input); /* accepts the zeroed and the half-open */

/* Have the first `count` bytes, or all there are: look at bytes.size. */
em_status emi_input_need(emi_input *input, size_t count, em_error *err);

/* Have all of it. */
em_status emi_input_need_all(emi_input *input, em_error *err);

/* Have exactly `count` bytes: an error where there are fewer or more than the header promises. */
em_status emi_input_exactly(emi_input *input, size_t count, em_error *err);

/* The bytes change owner. */
emi_bytes emi_input_take(emi_input *input);

#endif
