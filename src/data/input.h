/* The bytes of an input: mapped where it is a plain file, else read as far as asked: standard input, a pipe, whatever is
 * gzipped, which is unpacked on the way, and an array of an archive.
 *
 * Nothing is allocated on a header's word: what is read is kept in memory that grows with the bytes that really
 * arrive, up to what was asked for. */
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

typedef struct emi_input emi_input;

struct emi_input {
    const char *path; /* EMI_STANDARD_INPUT, or a file's */
    emi_bytes bytes;  /* the first `bytes.size` bytes of the content */
    void *stream;     /* zlib's, which hands on what is not packed; NULL: mapped, and `bytes` is all of it */
    size_t room;      /* allocated, of one that is read */
    /* Of a stream: up to `count` bytes more, *got of them; 0 at the end. */
    em_status (*read)(const emi_input *input, unsigned char *to, size_t count, size_t *got, em_error *err);
    void (*close)(void *stream);
};

/* A path that stands for standard input; a file of that name is "./-". */
#define EMI_STANDARD_INPUT "-"

em_status emi_input_open(emi_input *input, const char *path, em_error *err);
void emi_input_close(emi_input *input); /* accepts the zeroed and the half-open */

/* Have the first `count` bytes, or all there are: look at bytes.size. */
em_status emi_input_need(emi_input *input, size_t count, em_error *err);

/* Have all of it. */
em_status emi_input_need_all(emi_input *input, em_error *err);

/* Have exactly `count` bytes: an error where there are fewer or more than the header promises. */
em_status emi_input_exactly(emi_input *input, size_t count, em_error *err);

/* What was made of a mapped file counts only if the file did not get shorter meanwhile: then that is the error, whatever
 * `status` says. */
em_status emi_input_verdict(const emi_input *input, em_status status, em_error *err);
em_status emi_fail_shorter(em_error *err, const char *name);

/* The bytes change owner. */
emi_bytes emi_input_take(emi_input *input);

#endif
