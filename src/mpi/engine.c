/* The MPI engine: one message a round for each neighbouring rank, however many edges cross, posted by begin and awaited by
 * end, so that it travels while the nodes compute. */
#include "mpi/engine.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_BLOCKS = 1, TAG_FAILURE = 2 };

typedef struct cluster {
    MPI_Comm comm;
    emi_layout layout;
    int failed;      /* here, or elsewhere as this rank was told */
    emi_plan *plans; /* one for each set of links seen */
    int plan_count;

    const emi_plan *now; /* between begin and end */
    const double *const *blocks;
    size_t size;
    MPI_Request *requests; /* [3 ranks]: a round's, and word of a failure to everyone */
    int request_count;

    double *sums; /* room of the engine's own, as MPI does not let go of a sum that another rank will not join */
    size_t sums_room;
} cluster;

em_status(emi_mpi_fail_call)(em_error *err, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    return emi_mpi_fail(err, EM_ENET, "mpi: %s failed (%s); try again", what, text);
}

/* ---- failures elsewhere ------------------------------------------------------------------------------------- */

/* Has another rank said that it failed?  Then in its words. */
static em_status hear_failure(cluster *c, em_error *err)
{
    int said = 0;
    em_error told;
    MPI_Status from;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILURE, c->comm, &said, &from) != MPI_SUCCESS || !said) return EM_OK;
    if (MPI_Recv(&told, sizeof told, MPI_BYTE, from.MPI_SOURCE, TAG_FAILURE, c->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return emi_mpi_fail(err, EM_ENET, "mpi: rank %d failed; try again", from.MPI_SOURCE);
    c->failed = 1;
    told.msg[sizeof told.msg - 1] = 0;
    if (err) *err = told;
    return told.code;
}

/* Blocks of a round that failed may still be about. */
static em_status fail_again(em_error *err)
{
    return emi_mpi_fail(err, EM_ENET, "mpi: this mesh has failed before; try a new one");
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Wait without keeping a core busy that a neighbour may need: look a few times, then let others run, then sleep, and
 * longer once it has been long. */
typedef struct patience {
    int looks;
} patience;

static void pause_a_little(patience *p)
{
    enum { LOOK = 20, YIELD = 2000, NAP = YIELD + 200 };
    if (p->looks++ < LOOK) return;
    if (p->looks < YIELD) {
        (void)sched_yield();
        return;
    }
    const struct timespec nap = {.tv_nsec = p->looks < NAP ? 50000 : 500000};
    (void)nanosleep(&nap, NULL);
}

static em_status await(cluster *c, MPI_Request *requests, int count, em_error *err)
{
    enum { LISTEN_EVERY = 16 };
    patience p = {0};
    for (int done = 0;;) {
        int code = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "waiting for blocks", code);
        if (done) return EM_OK;
        em_status status = p.looks % LISTEN_EVERY == LISTEN_EVERY - 1 ? hear_failure(c, err) : EM_OK;
        if (status != EM_OK) return status;
        pause_a_little(&p);
    }
}

/* After a failure: what can still arrive may do so, for a moment, as no buffer should go while MPI works on it; the rest
 * is called off. */
static void wind_up(cluster *c)
{
    static const double moment = 1; /* second */
    patience p = {0};
    double began = MPI_Wtime();
    for (int done = 0; !done && MPI_Wtime() - began < moment; pause_a_little(&p))
        if (MPI_Testall(c->request_count, c->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) break;
    for (int r = 0; r < c->request_count; r++) {
        if (c->requests[r] == MPI_REQUEST_NULL) continue;
        (void)MPI_Cancel(&c->requests[r]);
        (void)MPI_Request_free(&c->requests[r]);
    }
    c->request_count = 0;
}

/* ---- a round ------------------------------------------------------------------------------------------------------ */

static em_status find_plan(cluster *c, const em_link *links, size_t count, const emi_plan **out, em_error *err)
{
    for (int i = 0; i < c->plan_count; i++)
        if (c->plans[i].links == links && c->plans[i].count == count) {
            *out = &c->plans[i];
            return EM_OK;
        }
    emi_plan *more = realloc(c->plans, (size_t)(c->plan_count + 1) * sizeof *more);
    if (!more) return emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer nodes");
    c->plans = more;
    em_status status = emi_plan_make(&c->plans[c->plan_count], &c->layout, links, count, err);
    if (status != EM_OK) return status;
    *out = &c->plans[c->plan_count++];
    return EM_OK;
}

static em_status make_room(double **room, size_t *have, int blocks, size_t size, em_error *err)
{
    size_t need = (size_t)blocks * size;
    if (need > INT_MAX)
        return emi_mpi_fail(err, EM_ENOTSUP, "mpi: %zu numbers are too many for a message; try more ranks", need);
    if (need <= *have) return EM_OK;
    double *larger = realloc(*room, need * sizeof *larger);
    if (!larger) return emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try a smaller --components");
    *room = larger;
    *have = need;
    return EM_OK;
}

static em_status post_receive(cluster *c, emi_peer *p, size_t size, em_error *err)
{
    if (!p->receive_count) return EM_OK;
    em_status status = make_room(&p->got, &p->got_room, p->receive_count, size, err);
    if (status != EM_OK) return status;
    int code = MPI_Irecv(p->got, (int)((size_t)p->receive_count * size), MPI_DOUBLE, p->rank, TAG_BLOCKS, c->comm,
                         &c->requests[c->request_count++]);
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "receiving", code);
}

/* A single block leaves from where it lies. */
static em_status post_send(cluster *c, emi_peer *p, size_t size, em_error *err)
{
    int first = emi_layout_first(&c->layout, c->layout.rank);
    const double *from;
    if (!p->send_count) return EM_OK;
    if (p->send_count == 1) {
        from = c->blocks[p->send[0] - first];
    } else {
        em_status status = make_room(&p->packed, &p->packed_room, p->send_count, size, err);
        if (status != EM_OK) return status;
        for (int i = 0; i < p->send_count; i++)
            memcpy(p->packed + (size_t)i * size, c->blocks[p->send[i] - first], size * sizeof *p->packed);
        from = p->packed;
    }
    int code = MPI_Isend(from, (int)((size_t)p->send_count * size), MPI_DOUBLE, p->rank, TAG_BLOCKS, c->comm,
                         &c->requests[c->request_count++]);
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "sending", code);
}

static em_status mpi_begin(void *state, const em_link *links, size_t count, const double *const *blocks, size_t size,
                           em_error *err)
{
    cluster *c = state;
    if (c->failed) return fail_again(err);
    em_status status = find_plan(c, links, count, &c->now, err);
    c->blocks = blocks;
    c->size = size;
    c->request_count = 0;
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++)
        status = post_receive(c, &c->now->peers[i], size, err);
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++) status = post_send(c, &c->now->peers[i], size, err);
    return status;
}

static em_status mpi_end(void *state, const double **inbox, em_error *err)
{
    cluster *c = state;
    em_status status = await(c, c->requests, c->request_count, err);
    if (status != EM_OK) {
        wind_up(c);
        return status;
    }
    c->request_count = 0;
    int first = emi_layout_first(&c->layout, c->layout.rank), next = emi_layout_first(&c->layout, c->layout.rank + 1);
    for (int node = first; node < next; node++) inbox[node] = c->blocks[node - first];
    for (int i = 0; i < c->now->peer_count; i++) {
        const emi_peer *p = &c->now->peers[i];
        for (int n = 0; n < p->receive_count; n++) inbox[p->receive[n]] = p->got + (size_t)n * c->size;
    }
    return EM_OK;
}

/* MPI moves large messages only while it is called. */
static void mpi_progress(void *state)
{
    cluster *c = state;
    int done;
    if (c->request_count) (void)MPI_Testall(c->request_count, c->requests, &done, MPI_STATUSES_IGNORE);
}

/* Node 0 lives on rank 0. */
static em_status mpi_sum(void *state, double *values, size_t count, int everywhere, em_error *err)
{
    cluster *c = state;
    MPI_Request request;
    if (c->failed) return fail_again(err);
    em_status status = make_room(&c->sums, &c->sums_room, 1, count, err);
    if (status != EM_OK) return status;
    memcpy(c->sums, values, count * sizeof *values);
    int root = c->layout.rank == 0;
    int code = everywhere
                   ? MPI_Iallreduce(MPI_IN_PLACE, c->sums, (int)count, MPI_DOUBLE, MPI_SUM, c->comm, &request)
                   : MPI_Ireduce(root ? MPI_IN_PLACE : c->sums, root ? c->sums : NULL, (int)count, MPI_DOUBLE, MPI_SUM,
                                 0, c->comm, &request);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "summing", code);
    status = await(c, &request, 1, err);
    if (status == EM_OK && (everywhere || root)) memcpy(values, c->sums, count * sizeof *values);
    return status;
}

static em_status mpi_give(void *state, double *values, size_t count, em_error *err)
{
    cluster *c = state;
    MPI_Request request;
    if (c->failed) return fail_again(err);
    em_status status = make_room(&c->sums, &c->sums_room, 1, count, err);
    if (status != EM_OK) return status;
    if (c->layout.rank == 0) memcpy(c->sums, values, count * sizeof *values);
    int code = MPI_Ibcast(c->sums, (int)count, MPI_DOUBLE, 0, c->comm, &request);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "sharing", code);
    status = await(c, &request, 1, err);
    if (status == EM_OK) memcpy(values, c->sums, count * sizeof *values);
    return status;
}

/* ---- the end of it --------------------------------------------------------------------------------------------------- */

/* To every other rank, since any of them may come to wait for this one. */
static void mpi_fail(void *state, const em_error *err)
{
    cluster *c = state;
    em_error told = *err;
    if (c->failed) return;
    c->failed = 1;
    (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", c->layout.rank, err->msg);
    for (int r = 0; r < c->layout.ranks; r++)
        if (r != c->layout.rank)
            (void)MPI_Isend(&told, sizeof told, MPI_BYTE, r, TAG_FAILURE, c->comm, &c->requests[c->request_count++]);
    wind_up(c);
}

/* After a failure MPI may still have messages that nobody received, or a sum that not all joined.  It keeps the
 * communicator then, lest another one get its place and those messages. */
static void mpi_close(void *state)
{
    cluster *c = state;
    for (int i = 0; i < c->plan_count; i++) emi_plan_free(&c->plans[i]);
    free(c->plans);
    free(c->requests);
    if (!c->failed) {
        (void)MPI_Comm_free(&c->comm);
        free(c->sums);
    }
    free(c);
}

const em_engine emi_mpi_engine = {.name = "mpi",
                                  .begin = mpi_begin,
                                  .end = mpi_end,
                                  .close = mpi_close,
                                  .fail = mpi_fail,
                                  .progress = mpi_progress,
                                  .sum = mpi_sum,
                                  .give = mpi_give};

em_status emi_mpi_engine_new(void **state, MPI_Comm comm, const emi_layout *layout, em_error *err)
{
    cluster *c = calloc(1, sizeof *c);
    MPI_Request *requests = calloc(3 * (size_t)layout->ranks, sizeof(MPI_Request));
    if (!c || !requests) {
        free(c);
        free(requests);
        return emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    }
    *c = (cluster){.comm = comm, .layout = *layout, .requests = requests};
    *state = c;
    return EM_OK;
}
