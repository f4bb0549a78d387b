/* What the tests of checkpoints share: a problem, fits of it that stop, and the files they leave. */
#ifndef TESTS_SUPPORT_CHECKPOINTS_H
#define TESTS_SUPPORT_CHECKPOINTS_H

#include "fit/options.h"
#include "support/check.h"

enum { ROWS = 120, COLUMNS = 40, NODES = 5, K = 2, LONGEST = 512 };

extern double values[ROWS * COLUMNS];
extern char file[LONGEST], copied[LONGEST]; /* where a checkpoint goes, and a copy of it */

typedef struct setting {
    const char *topology;
    int nodes, threads;
} setting;

extern const setting usual;

/* Of a group of tests: fills all that. */
int checkpoints_prepare(void **state);

unsigned char *read_bytes(const char *path, size_t *size); /* to be freed */
void write_bytes(const char *path, const unsigned char *bytes, size_t size);
int exists(const char *path);
void copy_file(const char *from, const char *to);

em_options options_for(const char *method);
em_status try_fit(em_model **model, const em_options *options, const setting *where, em_error *err);
em_model *fit(const em_options *options, const setting *where);

/* A monitor: the end after the iteration that `user` points to. */
int stop_at(const em_progress *progress, void *user);

/* A checkpoint of dsa after 20 iterations, and the options that go on from it. */
em_options leave_checkpoint(void);

#endif
