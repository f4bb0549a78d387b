/* What ranks say to each other outside of the work: that one has failed; and, when one has waited too long, who is there.
 * A rank that waits in turn for another answers the call, so that the one which is named is the one which hangs, however
 * far away it is. */
#include "mpi/wait.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct emi_notice {
    int told;           /* the code: words stay where they were made */
    MPI_Request *sends; /* [ranks] */
    char *here;         /* [ranks] who answered */
};

em_status emi_channel_open(emi_channel *out, MPI_Comm comm, const emi_mpi_layout *l, double patience, em_error *err)
{
    *out = (emi_channel){.comm = comm, .rank = l->rank, .ranks = l->ranks, .patience = patience};
    if (!(patience > 0))
        return em_fail(err, EM_EINVAL, "patience: %g seconds; try 3600, or INFINITY for ever", patience);
    size_t ranks = (size_t)out->ranks;
    out->notice = calloc(1, sizeof *out->notice);
    if (out->notice) {
        out->notice->sends = calloc(ranks, sizeof *out->notice->sends);
        out->notice->here = calloc(ranks, 1);
    }
    if (out->notice && out->notice->sends && out->notice->here) return EM_OK;
    emi_channel_close(out);
    return em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
}

void emi_channel_close(emi_channel *c)
{
    if (c->notice) {
        free(c->notice->sends);
        free(c->notice->here);
    }
    free(c->notice);
    *c = (emi_channel){0};
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

em_status emi_hear_failure(emi_channel *c, em_error *err)
{
    int said = 0;
    int told = EM_ENET;
    char name[32];
    MPI_Status from;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILURE, c->comm, &said, &from) != MPI_SUCCESS || !said) return EM_OK;
    c->failed = 1;
    int rank = from.MPI_SOURCE;
    if (MPI_Recv(&told, 1, MPI_INT, rank, TAG_FAILURE, c->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) told = EM_ENET;
    (void)snprintf(name, sizeof name, "rank %d", rank);
    return em_fail_elsewhere(err, (em_status)told, name);
}

/* MPI keeps the notice where a rank does not take it. */
void emi_channel_fail(emi_channel *c, em_status code)
{
    static const double moment = 1; /* second */
    emi_notice *n = c->notice;
    int done = 0;
    emi_idle idle = {0};
    if (c->failed || !n) return;
    c->failed = 1;
    n->told = code;
    for (int r = 0; r < c->ranks; r++) {
        n->sends[r] = MPI_REQUEST_NULL;
        if (r != c->rank) (void)MPI_Isend(&n->told, 1, MPI_INT, r, TAG_FAILURE, c->comm, &n->sends[r]);
    }
    for (double began = MPI_Wtime(); !done && MPI_Wtime() - began < moment; emi_idle_a_little(&idle))
        if (MPI_Testall(c->ranks, n->sends, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) break;
    if (!done) c->notice = NULL;
}

/* ---- the roll ----------------------------------------------------------------------------------------------------- */

/* Without content, so that there is no memory to keep. */
static void send_nothing(const emi_channel *c, int rank, int tag)
{
    MPI_Request request;
    if (MPI_Isend(NULL, 0, MPI_BYTE, rank, tag, c->comm, &request) == MPI_SUCCESS) (void)MPI_Request_free(&request);
}

/* The rank that sent such a message; -1: none did. */
static int take_nothing(const emi_channel *c, int tag)
{
    int said = 0;
    MPI_Status from;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, c->comm, &said, &from) != MPI_SUCCESS || !said) return -1;
    int code = MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, tag, c->comm, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? from.MPI_SOURCE : -1;
}

void emi_answer_calls(const emi_channel *c)
{
    for (int rank; (rank = take_nothing(c, TAG_CALL)) >= 0;) send_nothing(c, rank, TAG_HERE);
}

/* Long enough for every rank that waits to be given a core and answer.  What was awaited may still come. */
static em_status linger(emi_channel *c, emi_pending *p, em_error *err)
{
    static const double seconds = 2;
    em_status status = EM_OK;
    for (emi_idle idle = {0}; status == EM_OK && p->done < p->count && idle.waited < seconds;) {
        emi_answer_calls(c);
        for (int rank; (rank = take_nothing(c, TAG_HERE)) >= 0;) c->notice->here[rank] = 1;
        status = emi_hear_failure(c, err);
        if (status == EM_OK) status = emi_pending_look(p, err);
        emi_idle_a_little(&idle);
    }
    return status;
}

static int is_awaited(const emi_pending *p, int rank)
{
    for (int r = 0; r < p->count; r++) {
        const emi_expected *e = &p->expected[r];
        if ((p->requests[r] != MPI_REQUEST_NULL || e->into) && (e->rank == rank || e->rank < 0)) return 1;
    }
    return 0;
}

/* "rank 2", "ranks 1, 2", "ranks 1, 2, 3, 4 and 9 more": of those marked.  Returns how many there are. */
static int list_ranks(char *text, size_t room, const emi_channel *c, const char *unmarked)
{
    enum { NAMED = 4 };
    int count = 0;
    size_t at = 0;
    for (int r = 0; r < c->ranks; r++) count += !unmarked[r];
    at = (size_t)snprintf(text, room, "rank%s", count == 1 ? "" : "s");
    for (int r = 0, named = 0; r < c->ranks && named < NAMED; r++) {
        if (unmarked[r]) continue;
        at += (size_t)snprintf(text + at, room - at, "%s %d", named ? "," : "", r);
        named++;
    }
    if (count > NAMED) (void)snprintf(text + at, room - at, " and %d more", count - NAMED);
    return count;
}

static em_status blame(const emi_channel *c, const emi_pending *p, double waited, em_error *err)
{
    char who[96], *here = c->notice->here;
    int direct = 0;
    for (int r = 0; r < c->ranks; r++) direct += !here[r] && is_awaited(p, r);
    for (int r = 0; r < c->ranks && direct; r++) here[r] = (char)(here[r] || !is_awaited(p, r));
    double unit = waited < 120 ? 1 : waited < 7200 ? 60 : 3600;
    const char *name = waited < 120 ? "s" : waited < 7200 ? "min" : "h";
    int count = list_ranks(who, sizeof who, c, here);
    if (count)
        return em_fail(err, EM_ENET,
                       "mpi: %s %s not answered for %.0f %s, and the others wait; try to see what holds %s up (a "
                       "stopped process, a file system), or a longer option patience",
                       who, count == 1 ? "has" : "have", waited / unit, name, count == 1 ? "it" : "them");
    return em_fail(err, EM_ENET,
                   "mpi: all ranks have waited for each other for %.0f %s; try the same program and options in all",
                   waited / unit, name);
}

em_status emi_lose_patience(emi_channel *c, emi_pending *p, double waited, em_error *err)
{
    char *here = c->notice->here;
    int lower = 0;
    memset(here, 0, (size_t)c->ranks);
    here[c->rank] = 1;
    for (int r = 0; r < c->ranks; r++)
        if (r != c->rank) send_nothing(c, r, TAG_CALL);
    em_status status = linger(c, p, err);
    for (int r = 0; r < c->rank; r++) lower |= here[r];
    if (status == EM_OK && lower)
        status = linger(c, p, err); /* one voice is enough, if that one has lost patience too */
    if (status != EM_OK || p->done == p->count) return status;
    status = blame(c, p, waited, err);
    emi_channel_fail(c, status);
    return status;
}
