/* The audit log: what a site sent, received and refused, as lines of JSON, each with the digest of the line before.  Never data,
 * never keys.  ASCII, everything else escaped.
 *
 *     {"n":1,"time":"2026-01-02T03:04:05Z","before":"HEX","what":"begin",FIELDS,"signature":"HEX"}
 *
 * `n` counts the lines of the file, `before` is the SHA-256 of the line before without its end (zeros at first), the time is for
 * people and used for nothing.  A signature is Ed25519 over "eigenmesh audit 1\0" and the line up to the comma before it.
 * The fields of each kind of line, by name (a digest is 64 hexadecimal digits):
 *
 *     begin    site, number (the site's; 0: the root), study, study_digest, fingerprint, masks ("yes" or "no"),
 *              id ("em1..."), version; signed.  Written by emi_audit_open, so that every log has one, and one more for every process that went on with it
 *     torn     bytes.  Written by emi_audit_open after a last line that has no end: that is kept, ended, and counted
 *     up       peer (a site's name), instance (the peer's, in hexadecimal), peer_audit (digest of the peer's last line, as its
 *              HELLO said), own_audit (what our HELLO said); left_out, where a link came up and went down more often than is
 *              logged: how many times since the line before of that peer
 *     down     peer, why
 *     refused  site (of a member, then signed) or address (of a stranger); why
 *     start    run (digest), iteration; signed.  Lines from here to the next start, begin or end are of this run
 *     sum      number (one more for each, within a run), kind (what is added up), view (digest): of masked sums
 *     block    peer, direction ("sent", written before it can arrive, or "received"), number (counts a link's blocks of that
 *              direction within the run), bytes, digest
 *     model    digest
 *     end      status ("done" where the study is finished, else any other word), sent, received (bytes, in all); signed
 *
 * A kind may have more fields than these; the check looks at no others. */
#ifndef EIGENMESH_NET_AUDIT_H
#define EIGENMESH_NET_AUDIT_H

#include "net/study.h"

typedef struct emi_audit emi_audit;

/* Appends to a log that is there, after its last whole line; a new one is 0600.  One process at a time.  `site` is this site's
 * number.  The identity is borrowed until the log is closed.  Writes "begin". */
em_status emi_audit_open(emi_audit **out, const char *path, const emi_study *study, int site,
                         const emi_identity *identity, em_error *err);
em_status emi_audit_close(emi_audit **audit, em_error *err); /* synced; accepts NULL */

/* Digest of the last line, which HELLO carries. */
const unsigned char *emi_audit_last(const emi_audit *audit); /* [EMI_SHA_BYTES] */

/* What is written is on the disk.  To be called before a HELLO names the last line: after a power failure a log that lacks
 * a line which a neighbour was told of looks like one that was cut. */
em_status emi_audit_sync(emi_audit *audit, em_error *err);

/* The fields of a line beside its number, time, and the digest of the one before.  A digest goes as hexadecimal. */
typedef struct emi_field_of_line {
    const char *name; /* a-z and _ */
    const char *text; /* one of these; of a text over 512 bytes, which a peer may have chosen, the beginning is kept */
    const unsigned char *digest; /* [EMI_SHA_BYTES] */
    const uint64_t *number;
} emi_field_of_line;

/* One line, written at once.  What: "begin", "up", "down", "refused", "start", "sum", "block", "model", "end".  Lines with
 * `sign` carry this site's signature and are synced.  At most 16 fields.  By one thread at a time. */
em_status emi_audit_write(emi_audit *audit, const char *what, const emi_field_of_line *fields, int count, int sign,
                          em_error *err);

/* Do these logs agree with themselves and with each other?  Findings in words, one a line, by `say`; EM_OK where there is
 * none, EM_EDATA where there is, anything else where a log cannot be read. */
typedef void emi_audit_says(void *context, const char *finding);
em_status emi_audit_check(const char *const *paths, int count, emi_audit_says *say, void *context, em_error *err);

#endif
