/* Waiting for other ranks, in one place: for messages and for collectives, until they are done, another rank says that it
 * failed, or patience is at an end. */
#ifndef EIGENMESH_MPI_WAIT_H
#define EIGENMESH_MPI_WAIT_H

#include "mpi/plan.h"

static const double emi_mpi_patience = 3600; /* seconds, where nobody says otherwise */

/* What a rank tells the others when it fails.  MPI may read it long after: it is freed when all of them have it, else not. */
typedef struct emi_notice emi_notice;

/* A communicator as one of its ranks uses it. */
typedef struct emi_channel {
    MPI_Comm comm;
    int rank, ranks;
    double patience; /* seconds; INFINITY: for ever */
    int failed;      /* here, or elsewhere as this rank was told */
    emi_notice *notice;
} emi_channel;

em_status emi_channel_open(emi_channel *out, MPI_Comm comm, const emi_mpi_layout *l, double patience, em_error *err);
void emi_channel_close(emi_channel *c); /* the communicator is not its own; accepts the zeroed */

/* What is under way: requests, and what is known of each. */
typedef struct emi_expected {
    int rank;     /* with whom; -1: with all */
    size_t bytes; /* that are to arrive; EMI_ANY: none, or however many */
    void *into;   /* not NULL: to be received there, once it is known to fit */
} emi_expected;

#define EMI_ANY SIZE_MAX

/* MPI counts in an int: words of eight bytes, where a message is made of them.  Too many where that does not do. */
MPI_Datatype emi_mpi_unit(size_t bytes);
int emi_mpi_units(size_t bytes); /* -1: too many */

typedef struct emi_pending {
    int count, done, unseen; /* unseen: those that are yet to be received */
    MPI_Comm comm;
    MPI_Request *requests;
    emi_expected *expected;
    MPI_Status *statuses; /* what MPI said of those that were done last */
    int *indices;
} emi_pending;

em_status emi_pending_alloc(emi_pending *out, int room, em_error *err);
void emi_pending_free(emi_pending *p); /* accepts the zeroed and the half-built */

/* Where the next request goes. */
MPI_Request *emi_pending_add(emi_pending *p, int rank, size_t bytes);

/* A receive that looks at the size first.  That takes a little longer, but Open MPI 4.1 writes a long message where there is
 * room for a short one only, before it calls it an error. */
void emi_pending_receive(emi_pending *p, int rank, size_t bytes, void *into);

/* Move on what is under way; an error where a message is not of the size it should be. */
em_status emi_pending_look(emi_pending *p, em_error *err);

/* Until all is done.  Whoever loses patience tells all others before it returns. */
em_status emi_await(emi_channel *c, emi_pending *p, em_error *err);

/* For one request with all ranks, by a call that returned this code. */
em_status emi_await_all(emi_channel *c, const char *what, int code, MPI_Request request, em_error *err);

/* What is under way will not be awaited: what can still arrive may do so, for a moment, as no buffer should go while MPI
 * works on it; the rest is called off.  Is nothing left of it? */
int emi_pending_drop(emi_pending *p);

/* The code, to every other rank, since any of them may come to wait for this one; once. */
void emi_channel_fail(emi_channel *c, em_status code);

/* ---- for when patience is at an end (roll.c) ------------------------------------------------------------------ */

enum { TAG_BLOCKS = 1, TAG_FAILURE = 32765, TAG_CALL, TAG_HERE }; /* MPI has tags to 32767 at least */

/* Has another rank said that it failed?  Then by its name, and what the code says. */
em_status emi_hear_failure(emi_channel *c, em_error *err);

/* Whoever waits answers those who call. */
void emi_answer_calls(const emi_channel *c);

/* Who is it that keeps this rank waiting?  Only those who hang, or compute, do not answer.  EM_OK where all came in the
 * meantime. */
em_status emi_lose_patience(emi_channel *c, emi_pending *p, double waited, em_error *err);

/* Wait without keeping a core busy that a neighbour may need: look a few times, then let others run, then sleep, and
 * longer once it has been long.  Time in which this process itself was stopped, with its whole job perhaps, counts little. */
typedef struct emi_idle {
    int looks;
    double last, waited;
} emi_idle;

void emi_idle_a_little(emi_idle *i);
int emi_idle_is_long(const emi_idle *i);

/* What MPI says of a call that failed. */
em_status emi_mpi_fail_call(em_error *err, const char *what, int code);

#ifdef __clang_analyzer__
#define emi_mpi_fail_call(err, what, code) ((emi_mpi_fail_call)(err, what, code), EM_ENET)
#endif

#endif
