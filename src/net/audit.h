/* The audit log: what a site sent, received and refused, as lines of JSON, each with the digest of the line before.  Never data,
 * never keys.  ASCII, everything else escaped. */
#ifndef EIGENMESH_NET_AUDIT_H
#define EIGENMESH_NET_AUDIT_H

#include "net/study.h"

typedef struct emi_audit emi_audit;

/* Appends to a log that is there, after its last whole line; a new one is 0600.  One process at a time.  `site` is this site's
 * number. */
em_status emi_audit_open(emi_audit **out, const char *path, const emi_study *study, int site,
                         const emi_identity *identity, em_error *err);
em_status emi_audit_close(emi_audit **audit, em_error *err); /* synced; accepts NULL */

/* Digest of the last line, which HELLO carries. */
const unsigned char *emi_audit_last(const emi_audit *audit); /* [EMI_SHA_BYTES] */

/* The fields of a line beside its number, time, and the digest of the one before.  A digest goes as hexadecimal. */
typedef struct emi_field_of_line {
    const char *name;
    const char *text;            /* one of these */
    const unsigned char *digest; /* [EMI_SHA_BYTES] */
    const uint64_t *number;
} emi_field_of_line;

/* One line, written at once.  What: "begin", "up", "down", "refused", "start", "sum", "block", "model", "end".  Lines with
 * `sign` carry this site's signature and are synced. */
em_status emi_audit_write(emi_audit *audit, const char *what, const emi_field_of_line *fields, int count, int sign,
                          em_error *err);

/* Do these logs agree with themselves and with each other?  Findings in words, one a line, by `say`; EM_OK where there is
 * none, EM_EDATA where there is, anything else where a log cannot be read. */
typedef void emi_audit_says(void *context, const char *finding);
em_status emi_audit_check(const char *const *paths, int count, emi_audit_says *say, void *context, em_error *err);

#endif
