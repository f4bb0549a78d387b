/* Logs of a small made-up run of three sites, written by the library; and what someone does to them afterwards. */
#ifndef TESTS_NET_AUDIT_LOGS_H
#define TESTS_NET_AUDIT_LOGS_H

#include "net/audit.h"
#include "support/check.h"

enum { BERLIN, PARIS, OSLO, SITES, LINES_MOST = 128, TEXT_MOST = 1 << 16 };

/* berlin is the root and has both others as neighbours; `name` makes it another study. */
typedef struct small_study {
    emi_study study;
    emi_site sites[SITES];
    emi_identity *keys[SITES];
} small_study;

void study_open(small_study *s, const char *name);
void study_close(small_study *s);

/* What a site may say that differs from what the others say; all 0: nothing. */
typedef struct lie {
    int site;
    int run, iteration, view, block, model; /* which is another one, from 1; for a run, iteration or model, 1 */
} lie;

/* Runs it; the logs are called LABEL-SITE.log. */
void study_run(small_study *s, const char *label, const lie *told, const char *paths[SITES]);

/* A run with trouble and nothing wrong: links of which one comes up late, paris killed while a block is on its way to it, and
 * a second run that all of them finish. */
void study_run_with_trouble(small_study *s, const char *label, const char *paths[SITES]);

/* A file's bytes, with a 0 behind them, to be freed. */
char *log_bytes(const char *path, size_t *size);

/* ---- a log as lines, without their ends ---- */
typedef struct log_lines {
    char *bytes;
    int count;
    char *lines[LINES_MOST];
} log_lines;

void lines_read(log_lines *l, const char *path);
void lines_free(log_lines *l);
const char *lines_write(const log_lines *l, const char *name);

int line_is_signed(const char *line);

/* Numbers and digests made anew from line `first` on, as someone would who wants a change to be overlooked; with the key,
 * signatures too.  Lines become memory of their own, which lines_free knows. */
void lines_chain(log_lines *l, int first, const emi_identity *key);

/* ---- the check ---- */
typedef struct found {
    int count;
    char text[TEXT_MOST];
} found;

em_status check_logs(found *f, const char *const *paths, int count);

/* Is there a finding that contains both? */
int found_both(const found *f, const char *one, const char *other);

#endif
