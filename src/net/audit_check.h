/* What the check keeps of each log: a record a line, and what lines say that others must say too. */
#ifndef EIGENMESH_NET_AUDIT_CHECK_H
#define EIGENMESH_NET_AUDIT_CHECK_H

#include "net/audit_line.h"

/* What was seen of a line when it was read. */
enum {
    EMI_SAW_READABLE = 1,
    EMI_SAW_FOLLOWING = 2,   /* it names the digest of the line that stands before it */
    EMI_SAW_TORN = 4,        /* it was never written to its end */
    EMI_SAW_SIGNED_WELL = 8, /* by the site */
    EMI_SAW_SIGNED_BADLY = 16
};

typedef struct emi_log_line {
    uint64_t number; /* as it says itself */
    unsigned char digest[EMI_SHA_BYTES];
    const char *wrong; /* why it is not readable */
    unsigned char saw;
} emi_log_line;

/* A link that came up: what the peer said of its own log. */
typedef struct emi_meeting {
    size_t line; /* lines are counted from 1, as in an editor */
    int peer;    /* the peer's log; this one for what we said of ours */
    unsigned char audit[EMI_SHA_BYTES];
} emi_meeting;

/* A start; those of one run get one number. */
typedef struct emi_start {
    unsigned char run[EMI_SHA_BYTES];
    size_t place; /* among all starts, in the order they were read in */
} emi_start;

/* What sites must agree about: those that are equal up to `number` must have the same amount and digest. */
typedef struct emi_event {
    emi_line_kind kind; /* start, sum, block, model, end */
    int study;          /* the first log of that study */
    size_t run;         /* the place of its start; then, the run's number */
    int from, to;       /* of a block: logs; else 0 */
    uint64_t number;    /* of a sum or block, or of a model in its run; else 0 */
    int late;           /* sorts what arrives behind what leaves, and all others behind the root */
    int log;
    size_t line;
    uint64_t amount; /* bytes of a block, iteration of a start; else 0 */
    unsigned char digest[EMI_SHA_BYTES];
} emi_event;

typedef struct emi_log {
    const char *path;
    int file;
    char site[EMI_SITE_NAME]; /* "": not known, and then compared with nobody */
    int is_root, is_twin;     /* a twin is a second log of one site */
    int study;                /* the first log of the same study */
    unsigned char study_digest[EMI_SHA_BYTES];
    char fingerprint[EMI_FINGERPRINT_TEXT];
    size_t line_count, line_room;
    emi_log_line *lines;
    size_t meeting_count, meeting_room;
    emi_meeting *meetings;
    size_t last_done; /* the last line that says the study is done; 0: none */
    size_t findings;
} emi_log;

typedef struct emi_named {
    const unsigned char *study;
    const char *site;
    int log;
} emi_named;

typedef struct emi_check {
    int log_count;
    emi_log *logs;
    emi_named *names; /* of the logs whose site is known, by study and site */
    int name_count;
    size_t start_count, start_room;
    emi_start *starts;
    size_t event_count, event_room;
    emi_event *events;
    emi_audit_says *say;
    void *context;
} emi_check;

/* Say what is wrong at a line of a log (0: none in particular). */
void emi_audit_find(emi_check *check, int log, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Room for one more of these. */
em_status emi_audit_room(void **list, size_t count, size_t *room, size_t size, em_error *err);

/* Sites and studies of all logs. */
em_status emi_check_heads(emi_check *check, em_error *err);

/* The log of a site in the study of another log; -1: not among those given. */
int emi_check_peer(const emi_check *check, int log, const char *site);

/* Every line of a log. */
em_status emi_check_read(emi_check *check, int log, em_error *err);

/* A log with itself: digests, numbers, signatures. */
em_status emi_check_chain(emi_check *check, int log, em_error *err);

/* Logs with each other: what neighbours said of a log, and what sites must agree about. */
em_status emi_check_meetings(emi_check *check, em_error *err);
em_status emi_check_events(emi_check *check, em_error *err);

#endif
