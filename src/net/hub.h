/* The hub: all input and output of a node, with poll and non-blocking sockets, by one thread at a time: the solver's, while it
 * waits, so that no block waits for another thread to wake; else one of the hub's own.  An SSL object is never used by two
 * threads at once. */
#ifndef EIGENMESH_NET_HUB_H
#define EIGENMESH_NET_HUB_H

#include "net/audit.h"
#include "net/masks.h"
#include "net/node.h"

#include <stdatomic.h>

typedef struct emi_hub emi_hub;

typedef struct emi_hub_options {
    const emi_study *study;
    int site;
    const emi_identity *identity;
    const char *listen;            /* [ADDR:]PORT; NULL: the port of its address in the study, or nowhere */
    const char *proxy;             /* HOST:PORT to dial through; NULL: none                                */
    emi_audit *audit;              /* NULL: none                                                           */
    emi_entry own;                 /* columns, names and rows of it                                        */
    double patience;               /* seconds that one wait may last; INFINITY: for ever                   */
    int rehearses;                 /* a site whose columns are not the root's ends it                      */
    const atomic_int *interrupted; /* not 0: whoever waits waits no longer; NULL: never       */

    /* At the root: the iteration of its state, where that is of these rows; else 0.  In the hub's thread. */
    uint64_t (*iteration)(void *user, const unsigned char *rows[]);

    /* Who of the neighbours knows of the end, as it was noted before, NULL: nobody; and noting it: 0, it is on the disk.  In the
     * hub's thread. */
    const unsigned char *told; /* [sites] */
    int (*note_told)(void *user, const unsigned char *told);

    /* For people: what happened to the link with a site, or to a stranger at an address, and why.  In either thread, in order. */
    void (*news)(void *user, emi_news what, const char *who, const char *why);

    /* While the solver waits, once a second: for whom, and since when.  In the solver's thread; never during `news`. */
    void (*waits)(void *user, const char *site, double seconds);
    void *user;
} emi_hub_options;

/* Callbacks but `iteration` come without the hub's lock: they may ask the hub, and take their time. */
em_status emi_hub_open(emi_hub **out, const emi_hub_options *options, em_error *err);

/* What is to be told yet is given a moment. */
void emi_hub_close(emi_hub **closed); /* accepts NULL */

/* So that what else people are told is not told at the same time. */
void emi_hub_take_voice(emi_hub *hub);
void emi_hub_give_voice(emi_hub *hub);

/* ---- the solver's side --------------------------------------------------------------------------------------------------- */

/* Until all are here, and a run that is not `before` is entered. */
em_status emi_hub_enter(emi_hub *hub, uint64_t before, uint64_t *generation, em_error *err);

/* The root's iteration, as the START of the run that was entered has it. */
uint64_t emi_hub_iteration(emi_hub *hub);

/* The digests of all sites' rows, as its START has them: [sites * EMI_SHA_BYTES]. */
void emi_hub_rows(emi_hub *hub, unsigned char *rows);

/* What masks are made of, but for the sizes and the identity's secret: once for each run, so that none is used twice. */
em_status emi_hub_keys(emi_hub *hub, uint64_t generation, emi_mask_keys *keys, em_error *err);

/* A line of the audit log, which the hub's thread writes too; of this run, and so not once another one is entered. */
em_status emi_hub_log(emi_hub *hub, uint64_t generation, const char *what, const emi_field_of_line *fields, int count,
                      int sign, em_error *err);

/* Is the run that was entered as this over, so that all begin anew from the root's last step? */
int emi_hub_is_stale(emi_hub *hub, uint64_t generation);

/* A round of blocks of so many bytes, to some neighbours and from some; then wait for it, and read what came. */
em_status emi_hub_begin(emi_hub *hub, uint64_t generation, const int *to, const void *const *blocks, int to_count,
                        const int *from, int from_count, size_t bytes, em_error *err);
em_status emi_hub_end(emi_hub *hub, uint64_t generation, em_error *err);
const void *emi_hub_block(emi_hub *hub, int from);

/* Blocks of a round that will not be ended are the caller's again. */
void emi_hub_abandon(emi_hub *hub);

/* Wait until every child is in this run too, for so many seconds at most. */
void emi_hub_wait_for_children(emi_hub *hub, double seconds);

void emi_hub_leave(emi_hub *hub, emi_leave code);

/* Until the parent says that all have the model. */
em_status emi_hub_await_end(emi_hub *hub, uint64_t generation, em_error *err);

/* The study is done here, and on the disk: neighbours are told, and it waits until all children have said the same of themselves,
 * as long as patience lasts, and until the parent knows, for some minutes. */
void emi_hub_finish(emi_hub *hub);

/* Was it this node that waited too long?  Then for this site; else -1. */
int emi_hub_lost_patience(emi_hub *hub);

/* Why it is over here too, as a neighbour said: an emi_leave, or 0. */
int emi_hub_over(emi_hub *hub);

void emi_hub_set_patience(emi_hub *hub, double seconds);

/* Of a link, for the closing table: copies. */
typedef struct emi_hub_link {
    int peer, was_up, downs;
    uint64_t bytes_sent, bytes_got;
    double down_for; /* seconds, since it was up first */
} emi_hub_link;

int emi_hub_links(emi_hub *hub, emi_hub_link *out, int room);

/* The seconds in which a site was awaited, whatever link it is behind. */
double emi_hub_waited(emi_hub *hub, int site);

#endif
