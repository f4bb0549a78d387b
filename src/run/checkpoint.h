/* Checkpoints: a run's state in a file, and a run that goes on from there.
 *
 * Where all nodes live in one process there is one file, replaced as a whole.  Where they do not, each process writes its
 * own part under a second name, FILE.FIRST-LAST.next, and only when all have written does each give it the first one.  So
 * at any moment either all have the older checkpoint, or all have the newer, under one of the two names. */
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

/* What a checkpoint says of itself, before the state.  Whoever opens it says what it must be about: see fit/check.h. */
typedef struct emi_label {
    uint64_t sizes[EMI_LABEL_SIZES];          /* d, K, N, M; first node here, nodes here        */
    uint64_t network_digest, data_digest;     /* digests of the network, and of the rows here   */
    emi_label_entry asked[EMI_LABEL_ENTRIES]; /* the options                                    */
    int asked_count;
    long iteration;                            /* completed                                      */
    char method[EMI_METHOD_NAME];              /* that runs                                      */
    char choice[sizeof((em_info *)0)->choice]; /* why, where auto chose it                       */
    int in_double;                             /* after single precision was not enough          */
    double alpha;                              /* as tuned                                       */
    emi_network network;                       /* as measured                                    */
} emi_label;

typedef struct emi_checkpoint {
    em_mesh *mesh;
    char path[PATH_MAX];                  /* of this process's part; "": no checkpoints             */
    char next[PATH_MAX + sizeof ".next"]; /* its second name; "" where this process is the only one */
    double every;                         /* seconds                                                */
    double saved;                         /* when the last one was, or the run began                */
    emi_label label;
    emi_serializer from; /* the state to go on from, until it is restored                              */
    long resumed;        /* its iteration; 0: the run is a new one                                     */
    long found;          /* the iteration of one that lies where a new run's is to go; `label` is its  */
    emi_between between;
} emi_checkpoint;

/* Before any work: can checkpoints be written to `file`, is nothing there that is no checkpoint, and is the one to resume
 * from there, and whole?  Without a file there are none.  Collective. */
em_status emi_checkpoint_open(emi_checkpoint *c, em_mesh *mesh, const char *file, double every, int resume,
                              em_error *err);
void emi_checkpoint_close(emi_checkpoint *c); /* accepts the zeroed and the half-built */

/* This process's part of it, under either name. */
em_status emi_checkpoint_remove(const char *file, const em_mesh *mesh, em_error *err);

int emi_checkpoint_resumes(const emi_checkpoint *c); /* until the state is restored; NULL: it does not */

/* The state, to a checkpoint or from one, all but the iteration's number (state.c).  Numbers that do not fit the solver spoil
 * it. */
em_status emi_state_serialize(emi_serializer *p, emi_solver *s, em_error *err);

/* For a driver to save, and to resume by, between two iterations; NULL where there are no checkpoints. */
const emi_between *emi_checkpoint_between(emi_checkpoint *c);

#endif
