/* The MPI engine: one message a round for each neighbouring rank, however many edges cross, posted by begin and awaited by
 * end, so that it travels while the nodes compute. */
#include "mpi/engine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct cluster {
    emi_channel channel; /* its communicator is the engine's own */
    emi_layout layout;
    emi_plan *plans; /* one for each set of links seen */
    int plan_count;

    const emi_plan *now; /* between begin and end */
    const double *const *blocks;
    size_t size;
    emi_pending pending; /* a message each way with every other rank, at most */
    em_error early;      /* what went wrong with it before `end` */

    double *sums; /* room of the engine's own, as MPI does not let go of a sum that another rank will not join */
    size_t sums_room;
} cluster;

/* Blocks of a round that failed may still be about. */
static em_status fail_again(em_error *err)
{
    return emi_mpi_fail(err, EM_ENET, "mpi: this mesh has failed before; try a new one");
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
    if (!larger) return emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try a smaller option components");
    *room = larger;
    *have = need;
    return EM_OK;
}

static em_status post_receive(cluster *c, emi_peer *p, size_t size, em_error *err)
{
    if (!p->receive_count) return EM_OK;
    em_status status = make_room(&p->got, &p->got_room, p->receive_count, size, err);
    if (status != EM_OK) return status;
    int numbers = (int)((size_t)p->receive_count * size);
    if (p->seen != size + 1) { /* a size that may be wrong; later ones are taken to be the same */
        p->seen = size + 1;
        emi_pending_receive(&c->pending, p->rank, numbers, p->got);
        return EM_OK;
    }
    int code = MPI_Irecv(p->got, numbers, MPI_DOUBLE, p->rank, TAG_BLOCKS, c->channel.comm,
                         emi_pending_add(&c->pending, p->rank, numbers));
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
    int code = MPI_Isend(from, (int)((size_t)p->send_count * size), MPI_DOUBLE, p->rank, TAG_BLOCKS, c->channel.comm,
                         emi_pending_add(&c->pending, p->rank, -1));
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "sending", code);
}

static em_status mpi_begin(void *state, const em_link *links, size_t count, const double *const *blocks, size_t size,
                           em_error *err)
{
    cluster *c = state;
    if (c->channel.failed) return fail_again(err);
    em_status status = find_plan(c, links, count, &c->now, err);
    c->blocks = blocks;
    c->size = size;
    c->pending.count = c->pending.done = c->pending.unseen = 0;
    c->early = (em_error){0};
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++)
        status = post_receive(c, &c->now->peers[i], size, err);
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++) status = post_send(c, &c->now->peers[i], size, err);
    return status;
}

static em_status mpi_end(void *state, const double **inbox, em_error *err)
{
    cluster *c = state;
    em_status status = c->early.code;
    if (status == EM_OK)
        status = emi_await(&c->channel, &c->pending, err);
    else if (err)
        *err = c->early;
    if (status != EM_OK) {
        emi_pending_drop(&c->pending);
        return status;
    }
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
    if (c->early.code == EM_OK) c->early.code = emi_pending_look(&c->pending, &c->early);
}

static void mpi_patience(void *state, double seconds)
{
    ((cluster *)state)->channel.patience = seconds;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* MPI does not compare the sizes of a collective, so they travel with it, as its first number. */
static em_status pack(cluster *c, const double *values, size_t count, em_error *err)
{
    em_status status = make_room(&c->sums, &c->sums_room, 1, count + 1, err);
    if (status != EM_OK) return status;
    c->sums[0] = (double)count;
    if (count) memcpy(c->sums + 1, values, count * sizeof *values);
    return EM_OK;
}

static em_status unpack(const cluster *c, double *values, size_t count, double wanted, em_error *err)
{
    if (c->sums[0] != wanted)
        return emi_mpi_fail(err, EM_ENET,
                            "mpi: %zu numbers to sum or to share here, and not as many elsewhere: the processes do not "
                            "agree on what they do; try the same program and options in all",
                            count);
    if (count) memcpy(values, c->sums + 1, count * sizeof *values);
    return EM_OK;
}

/* Node 0 lives on rank 0. */
static em_status mpi_sum(void *state, double *values, size_t count, int everywhere, em_error *err)
{
    cluster *c = state;
    MPI_Request request;
    if (c->channel.failed) return fail_again(err);
    em_status status = pack(c, values, count, err);
    if (status != EM_OK) return status;
    int root = c->layout.rank == 0, numbers = (int)count + 1;
    MPI_Comm comm = c->channel.comm;
    int code = everywhere ? MPI_Iallreduce(MPI_IN_PLACE, c->sums, numbers, MPI_DOUBLE, MPI_SUM, comm, &request)
                          : MPI_Ireduce(root ? MPI_IN_PLACE : c->sums, root ? c->sums : NULL, numbers, MPI_DOUBLE,
                                        MPI_SUM, 0, comm, &request);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "summing", code);
    status = emi_await_all(&c->channel, request, err);
    if (status != EM_OK || !(everywhere || root)) return status;
    return unpack(c, values, count, (double)count * c->layout.ranks, err);
}

static em_status mpi_give(void *state, double *values, size_t count, em_error *err)
{
    cluster *c = state;
    MPI_Request request;
    if (c->channel.failed) return fail_again(err);
    em_status status = pack(c, values, count, err);
    if (status != EM_OK) return status;
    int code = MPI_Ibcast(c->sums, (int)count + 1, MPI_DOUBLE, 0, c->channel.comm, &request);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "sharing", code);
    status = emi_await_all(&c->channel, request, err);
    return status == EM_OK ? unpack(c, values, count, (double)count, err) : status;
}

/* ---- the end of it --------------------------------------------------------------------------------------------------- */

static void mpi_fail(void *state, const em_error *err)
{
    cluster *c = state;
    emi_channel_fail(&c->channel, err);
    emi_pending_drop(&c->pending);
}

/* After a failure MPI may still have messages that nobody received, or a sum that not all joined.  It keeps their room
 * then, and the communicator, lest another one get its place and those messages. */
static void mpi_close(void *state)
{
    cluster *c = state;
    int failed = c->channel.failed;
    if (!failed) (void)MPI_Comm_free(&c->channel.comm);
    for (int i = 0; i < c->plan_count && !failed; i++) emi_plan_free(&c->plans[i]);
    if (!failed) free(c->sums);
    free(c->plans);
    emi_channel_close(&c->channel);
    emi_pending_free(&c->pending);
    free(c);
}

const em_engine emi_mpi_engine = {.name = "mpi",
                                  .begin = mpi_begin,
                                  .end = mpi_end,
                                  .close = mpi_close,
                                  .fail = mpi_fail,
                                  .progress = mpi_progress,
                                  .sum = mpi_sum,
                                  .give = mpi_give,
                                  .patience = mpi_patience};

em_status emi_mpi_engine_new(void **state, MPI_Comm comm, const emi_layout *layout, double patience, em_error *err)
{
    cluster *c = calloc(1, sizeof *c);
    if (!c) return emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    c->layout = *layout;
    em_status status = emi_channel_open(&c->channel, comm, patience, err);
    if (status == EM_OK) status = emi_pending_alloc(&c->pending, 2 * layout->ranks, comm, err);
    if (status != EM_OK) {
        emi_channel_close(&c->channel);
        free(c);
        return status;
    }
    *state = c;
    return EM_OK;
}
