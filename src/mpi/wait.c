#include "mpi/wait.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

em_status(emi_mpi_fail_call)(em_error *err, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    return em_fail(err, EM_ENET, "mpi: %s failed (%s); try again", what, text);
}

/* ---- what is under way ------------------------------------------------------------------------------------------ */

em_status emi_pending_alloc(emi_pending *out, int room, em_error *err)
{
    size_t n = (size_t)room;
    *out = (emi_pending){.requests = calloc(n, sizeof *out->requests),
                         .expected = calloc(n, sizeof *out->expected),
                         .statuses = calloc(n, sizeof *out->statuses),
                         .indices = calloc(n, sizeof *out->indices)};
    if (out->requests && out->expected && out->statuses && out->indices) return EM_OK;
    emi_pending_free(out);
    return em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
}

void emi_pending_free(emi_pending *p)
{
    free(p->requests);
    free(p->expected);
    free(p->statuses);
    free(p->indices);
    *p = (emi_pending){0};
}

MPI_Request *emi_pending_add(emi_pending *p, int rank, size_t bytes)
{
    p->expected[p->count] = (emi_expected){rank, bytes, NULL};
    p->requests[p->count] = MPI_REQUEST_NULL;
    return &p->requests[p->count++];
}

void emi_pending_receive(emi_pending *p, int rank, size_t bytes, void *into)
{
    (void)emi_pending_add(p, rank, bytes);
    p->expected[p->count - 1].into = into;
    p->unseen++;
}

MPI_Datatype emi_mpi_unit(size_t bytes)
{
    return bytes % sizeof(uint64_t) == 0 ? MPI_UINT64_T : MPI_BYTE;
}

int emi_mpi_units(size_t bytes)
{
    size_t count = bytes % sizeof(uint64_t) == 0 ? bytes / sizeof(uint64_t) : bytes;
    return count <= INT_MAX ? (int)count : -1;
}

/* MPI is content with a message that is shorter than its room, and says of a longer one no more than that. */
static em_status check_size(const emi_expected *wanted, const MPI_Status *status, int code, em_error *err)
{
    static const char reason[] = "the processes do not agree on what they do; try the same program and options in all";
    int class = MPI_SUCCESS;
    MPI_Count sent = 0;
    if (code != MPI_SUCCESS) (void)MPI_Error_class(code, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE) return emi_mpi_fail_call(err, "waiting", code);
    if (wanted->bytes == EMI_ANY)
        return class == MPI_SUCCESS ? EM_OK : em_fail(err, EM_ENET, "mpi: too much arrived: %s", reason);
    (void)MPI_Get_elements_x(status, MPI_BYTE, &sent);
    if (class == MPI_SUCCESS && sent == (MPI_Count)wanted->bytes) return EM_OK;
    /* of a longer one, not every MPI tells the length */
    int told = class == MPI_SUCCESS || sent > (MPI_Count)wanted->bytes;
    return em_fail(err, EM_ENET, "mpi: rank %d sent %s%lld byte%s where %zu were expected: %s", wanted->rank,
                   told ? "" : "more than ", told ? (long long)sent : (long long)wanted->bytes, sent == 1 ? "" : "s",
                   wanted->bytes, reason);
}

/* Receive what is there by now, and fits. */
static em_status look_at_sizes(emi_pending *p, em_error *err)
{
    em_status status = EM_OK;
    for (int r = 0; r < p->count && status == EM_OK; r++) {
        emi_expected *wanted = &p->expected[r];
        int there = 0;
        MPI_Message message;
        MPI_Status from;
        if (!wanted->into) continue;
        int code = MPI_Improbe(wanted->rank, TAG_BLOCKS, p->comm, &there, &message, &from);
        if (code == MPI_SUCCESS && !there) continue;
        if (code == MPI_SUCCESS) status = check_size(wanted, &from, MPI_SUCCESS, err);
        if (code == MPI_SUCCESS && status == EM_OK)
            code = MPI_Imrecv(wanted->into, emi_mpi_units(wanted->bytes), emi_mpi_unit(wanted->bytes), &message,
                              &p->requests[r]);
        if (code != MPI_SUCCESS) status = emi_mpi_fail_call(err, "receiving", code);
        wanted->into = NULL;
        p->unseen--;
    }
    return status;
}

em_status emi_pending_look(emi_pending *p, em_error *err)
{
    int some = 0;
    if (p->done == p->count) return EM_OK;
    em_status status = p->unseen ? look_at_sizes(p, err) : EM_OK;
    if (status != EM_OK) return status;
    int code = MPI_Testsome(p->count, p->requests, &some, p->indices, p->statuses);
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return emi_mpi_fail_call(err, "waiting", code);
    if (some == MPI_UNDEFINED) { /* none is left */
        p->done = p->count - p->unseen;
        return EM_OK;
    }
    for (int i = 0; i < some && status == EM_OK; i++)
        status = check_size(&p->expected[p->indices[i]], &p->statuses[i],
                            code == MPI_SUCCESS ? MPI_SUCCESS : p->statuses[i].MPI_ERROR, err);
    p->done += some;
    return status;
}

int emi_pending_drop(emi_pending *p)
{
    static const double moment = 1; /* second */
    emi_idle idle = {0};
    double began = MPI_Wtime();
    for (; p->done < p->count && MPI_Wtime() - began < moment; emi_idle_a_little(&idle))
        (void)emi_pending_look(p, NULL);
    int whole = p->done == p->count;
    for (int r = 0; r < p->count; r++) {
        if (p->requests[r] == MPI_REQUEST_NULL) continue;
        (void)MPI_Cancel(&p->requests[r]);
        (void)MPI_Request_free(&p->requests[r]);
    }
    p->count = p->done = p->unseen = 0;
    return whole;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

enum { LOOK = 20, YIELD = 2000, NAP = YIELD + 200, LISTEN_EVERY = 16 };

int emi_idle_is_long(const emi_idle *i)
{
    return i->waited > 0.005;
}

void emi_idle_a_little(emi_idle *i)
{
    static const double stopped = 1; /* second between two looks: naps are far shorter */
    const struct timespec nap = {.tv_nsec = i->looks < NAP ? 50000 : 500000};
    if (i->looks < NAP) i->looks++;
    if (i->looks <= LOOK) return;
    if (i->looks < YIELD)
        (void)sched_yield();
    else
        (void)nanosleep(&nap, NULL);
    if (i->looks < YIELD && i->looks % LISTEN_EVERY) return; /* the clock takes its time too */
    double now = MPI_Wtime(), since = now - i->last;
    if (i->last > 0) i->waited += since < stopped ? since : stopped;
    i->last = now;
}

em_status emi_await(emi_channel *c, emi_pending *p, em_error *err)
{
    emi_idle idle = {0};
    for (;;) {
        em_status status = emi_pending_look(p, err);
        if (status != EM_OK || p->done == p->count) return status;
        if (emi_idle_is_long(&idle)) emi_answer_calls(c);
        if (emi_idle_is_long(&idle) || idle.looks % LISTEN_EVERY == LISTEN_EVERY - 1) status = emi_hear_failure(c, err);
        if (status != EM_OK) return status;
        if (idle.waited > c->patience) return emi_lose_patience(c, p, idle.waited, err);
        emi_idle_a_little(&idle);
    }
}

em_status emi_await_all(emi_channel *c, const char *what, int code, MPI_Request request, em_error *err)
{
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, what, code);
    emi_expected all = {-1, EMI_ANY, NULL};
    MPI_Status status;
    int index;
    emi_pending one = {
        .count = 1, .comm = c->comm, .requests = &request, .expected = &all, .statuses = &status, .indices = &index};
    return emi_await(c, &one, err);
}
