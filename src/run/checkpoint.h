/* Checkpoints: a run's state in a file, and a run that goes on from there.
 *
 * Where all nodes live in one process there is one file, replaced as a whole.  Where they do not, a part is FILE.FIRST-LAST:
 *   of a method that works at the root (EMI_AT_ROOT), that process alone writes one, and reads it; the others are told what
 *   they need when the run goes on, and need not even have the option;
 *   of others, every process writes its own under a second name, FILE.FIRST-LAST.next, and only when all have written does
 *   each give it the first one.  So at any moment either all have the older checkpoint, or all have the newer, under one of
 *   the two names.  Where a part is missing, damaged or of another iteration, the run begins anew.
 * Whether a run goes on, and from what, the root decides. */
#ifndef EMI_RUN_CHECKPOINT_H
#define EMI_RUN_CHECKPOINT_H

#include "run/driver.h"
#include "run/serialize.h"

#include <limits.h>

enum { EMI_LABEL_SIZES = 6, EMI_LABEL_ENTRIES = 64, EMI_METHOD_NAME = 24, EMI_ASKED_NAME = 40 };

/* What decides the result, by its name: an option more shifts nothing. */
typedef struct emi_label_entry {
    char name[EMI_ASKED_NAME];
    uint64_t value;
} emi_label_entry;

/* Where a run is: what all its processes must know to go on. */
typedef struct emi_course {
    long iteration;                            /* completed                                  */
    char method[EMI_METHOD_NAME];              /* that runs                                  */
    char choice[sizeof((em_info *)0)->choice]; /* why, where auto chose it                   */
    int in_double;                             /* after single precision was not enough      */
    int at_root;                               /* the method's state is the root's           */
} emi_course;

/* What a checkpoint says of itself, before the state.  Whoever opens it says what it must be about: see fit/check.h. */
typedef struct emi_label {
    uint64_t sizes[EMI_LABEL_SIZES];          /* d, K, N, M; first node here, nodes here        */
    uint64_t network_digest, data_digest;     /* digests of the network, and of the rows here   */
    uint64_t all_digest;                      /* of all rows, where all processes take part; or 0 */
    emi_label_entry asked[EMI_LABEL_ENTRIES]; /* the options                                    */
    int asked_count;
    emi_course course;
    double alpha;        /* as tuned    */
    emi_network network; /* as measured */
} emi_label;

typedef struct emi_checkpoint {
    em_mesh *mesh;
    char path[PATH_MAX];                  /* of this process's part; "": it has none                */
    char next[PATH_MAX + sizeof ".next"]; /* its second name; "" where this process is the only one */
    double every;                         /* seconds                                                */
    double saved;                         /* when the last one was, or the run began                */
    int everywhere;                       /* all processes have the option                          */
    int writes;                           /* this process, of the method that runs                  */
    emi_label label;
    int labelled;        /* `label` was read here: it must be of this problem                          */
    int resumes;         /* until the state is restored                                                */
    emi_serializer from; /* the state to go on from, where there is a part of it here                  */
    long resumed;        /* its iteration; 0: the run is a new one; below 0: begun anew, see em_info   */
    long found;          /* the iteration of one that lies where a new run's is to go; `label` is its  */
    emi_between between;
} emi_checkpoint;

/* What this process is asked for. */
typedef struct emi_wish {
    const char *file; /* NULL: no checkpoints */
    double every;     /* seconds              */
    int resume;
    int at_root; /* no method will be tried but one that works there: other processes have no parts */
} emi_wish;

/* Before any work: can checkpoints be written, is nothing there that is no checkpoint, and is the one to resume from there,
 * and whole?  Collective. */
em_status emi_checkpoint_open(emi_checkpoint *c, em_mesh *mesh, const emi_wish *wish, em_error *err);
void emi_checkpoint_close(emi_checkpoint *c); /* accepts the zeroed and the half-built */

/* This process's part of it, under either name. */
em_status emi_checkpoint_remove(const char *file, const em_mesh *mesh, em_error *err);

int emi_checkpoint_resumes(const emi_checkpoint *c); /* until the state is restored; NULL: it does not */

/* The state, to a checkpoint or from one, all but the iteration's number (state.c).  Numbers that do not fit the solver spoil
 * it. */
em_status emi_state_serialize(emi_serializer *p, emi_solver *s, em_error *err);

/* For a driver to save, and to resume by, between two iterations of a method that works at the root, or does not; NULL where
 * there is nothing to be done. */
const emi_between *emi_checkpoint_between(emi_checkpoint *c, int at_root);

#endif
