/* The MPI engine: one message a round for each neighbouring rank, however many edges cross, posted by begin and awaited by
 * end, so that it travels while the nodes compute. */
#include "mpi/engine.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of a round that failed may still be about. */
static em_status fail_again(em_error *err)
{
    return em_fail(err, EM_ENET, "mpi: this mesh has failed before; try a new one");
}

static void mpi_fail(void *state, const em_error *err)
{
    emi_mpi_state *c = state;
    emi_channel_fail(&c->channel, err->code);
    (void)emi_pending_drop(&c->pending);
}

/* What a function returns: nobody shall wait for a rank that has failed. */
static em_status settle(emi_mpi_state *c, em_status status, const em_error *own, em_error *err)
{
    if (status == EM_OK) return status;
    mpi_fail(c, own);
    if (err) *err = *own;
    return status;
}

/* ---- a round ------------------------------------------------------------------------------------------------------ */

static em_status find_plan(emi_mpi_state *c, const em_link *links, size_t count, const emi_mpi_plan **out,
                           em_error *err)
{
    for (int i = 0; i < c->plan_count; i++)
        if (c->plans[i].links == links && c->plans[i].count == count) {
            *out = &c->plans[i];
            return EM_OK;
        }
    emi_mpi_plan *more = realloc(c->plans, (size_t)(c->plan_count + 1) * sizeof *more);
    if (!more) return em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer nodes");
    c->plans = more;
    em_status status = emi_mpi_plan_make(&c->plans[c->plan_count], &c->layout, links, count, err);
    if (status != EM_OK) return status;
    *out = &c->plans[c->plan_count++];
    return EM_OK;
}

em_status emi_mpi_make_room(emi_mpi_room *room, size_t bytes, em_error *err)
{
    if (emi_mpi_units(bytes) < 0)
        return em_fail(err, EM_ENOTSUP, "mpi: %zu bytes are too many for a message; try more ranks", bytes);
    if (bytes <= room->size) return EM_OK;
    char *larger = realloc(room->bytes, bytes);
    if (!larger) return em_fail(err, EM_ENOMEM, "mpi: out of memory; try a smaller option components");
    room->bytes = larger;
    room->size = bytes;
    return EM_OK;
}

/* From one block of a message to the next, each aligned for a double. */
static size_t stride_of(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static size_t message_of(int blocks, size_t bytes)
{
    return (size_t)(blocks - 1) * stride_of(bytes) + bytes;
}

static em_status post_receive(emi_mpi_state *c, emi_peer *p, em_error *err)
{
    if (!p->receive_count) return EM_OK;
    size_t bytes = message_of(p->receive_count, c->bytes);
    em_status status = emi_mpi_make_room(&p->got, bytes, err);
    if (status != EM_OK) return status;
    if (p->seen != c->bytes + 1) { /* a size that may be wrong; later ones are taken to be the same */
        p->seen = c->bytes + 1;
        emi_pending_receive(&c->pending, p->rank, bytes, p->got.bytes);
        return EM_OK;
    }
    int code = MPI_Irecv(p->got.bytes, emi_mpi_units(bytes), emi_mpi_unit(bytes), p->rank, TAG_BLOCKS, c->channel.comm,
                         emi_pending_add(&c->pending, p->rank, bytes));
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "receiving", code);
}

/* A single block leaves from where it lies. */
static em_status post_send(emi_mpi_state *c, emi_peer *p, em_error *err)
{
    int first = emi_mpi_layout_first(&c->layout, c->layout.rank);
    if (!p->send_count) return EM_OK;
    const void *from = c->blocks[p->send[0] - first];
    size_t bytes = message_of(p->send_count, c->bytes);
    if (p->send_count > 1) {
        em_status status = emi_mpi_make_room(&p->packed, bytes, err);
        if (status != EM_OK) return status;
        for (int i = 0; i < p->send_count; i++)
            memcpy(p->packed.bytes + (size_t)i * stride_of(c->bytes), c->blocks[p->send[i] - first], c->bytes);
        from = p->packed.bytes;
    }
    int code = MPI_Isend(from, emi_mpi_units(bytes), emi_mpi_unit(bytes), p->rank, TAG_BLOCKS, c->channel.comm,
                         emi_pending_add(&c->pending, p->rank, EMI_ANY));
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "sending", code);
}

static em_status mpi_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                           em_error *err)
{
    emi_mpi_state *c = state;
    em_error own = {0};
    if (c->channel.failed) return fail_again(err);
    em_status status = find_plan(c, links, count, &c->now, &own);
    c->blocks = blocks;
    c->bytes = bytes;
    c->pending.count = c->pending.done = c->pending.unseen = 0;
    c->early = (em_error){0};
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++) status = post_receive(c, &c->now->peers[i], &own);
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++) status = post_send(c, &c->now->peers[i], &own);
    return settle(c, status, &own, err);
}

static em_status mpi_end(void *state, const void **inbox, em_error *err)
{
    emi_mpi_state *c = state;
    em_error own = c->early;
    if (c->channel.failed) return fail_again(err);
    em_status status = own.code == EM_OK ? emi_await(&c->channel, &c->pending, &own) : own.code;
    if (status != EM_OK) return settle(c, status, &own, err);
    int first = emi_mpi_layout_first(&c->layout, c->layout.rank),
        next = emi_mpi_layout_first(&c->layout, c->layout.rank + 1);
    for (int node = first; node < next; node++) inbox[node] = c->blocks[node - first];
    for (int i = 0; i < c->now->peer_count; i++) {
        const emi_peer *p = &c->now->peers[i];
        for (int n = 0; n < p->receive_count; n++)
            inbox[p->receive[n]] = p->got.bytes + (size_t)n * stride_of(c->bytes);
    }
    return EM_OK;
}

/* MPI moves large messages only while it is called. */
static void mpi_progress(void *state)
{
    emi_mpi_state *c = state;
    if (c->early.code == EM_OK) c->early.code = emi_pending_look(&c->pending, &c->early);
}

static void mpi_patience(void *state, double seconds)
{
    ((emi_mpi_state *)state)->channel.patience = seconds;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* MPI does not compare the sizes of a collective, so they travel with it, as its first number. */
static em_status pack(emi_mpi_state *c, const void *block, size_t bytes, em_error *err)
{
    double size = (double)bytes;
    em_status status = emi_mpi_make_room(&c->sums, sizeof size + bytes, err);
    if (status != EM_OK) return status;
    memcpy(c->sums.bytes, &size, sizeof size);
    if (bytes) memcpy(c->sums.bytes + sizeof size, block, bytes);
    return EM_OK;
}

static em_status unpack(const emi_mpi_state *c, void *block, size_t bytes, double wanted, em_error *err)
{
    double size;
    memcpy(&size, c->sums.bytes, sizeof size);
    if (size != wanted)
        return em_fail(
            err, EM_ENET,
            "mpi: %zu bytes to sum or to share here, and not as many elsewhere: the processes do not agree on "
            "what they do; try the same program and options in all",
            bytes);
    if (bytes) memcpy(block, c->sums.bytes + sizeof size, bytes);
    return EM_OK;
}

/* Node 0 lives on rank 0. */
static em_status mpi_sum(void *state, double *values, size_t count, int everywhere, em_error *err)
{
    emi_mpi_state *c = state;
    MPI_Comm comm = c->channel.comm;
    MPI_Request request;
    em_error own = {0};
    if (c->channel.failed) return fail_again(err);
    size_t bytes = count * sizeof *values;
    int root = c->layout.rank == 0, numbers = (int)count + 1, code;
    em_status status = pack(c, values, bytes, &own);
    if (status != EM_OK) return settle(c, status, &own, err);
    void *sums = c->sums.bytes;
    if (everywhere)
        code = MPI_Iallreduce(MPI_IN_PLACE, sums, numbers, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        code = MPI_Ireduce(root ? MPI_IN_PLACE : sums, root ? sums : NULL, numbers, MPI_DOUBLE, MPI_SUM, 0, comm,
                           &request);
    status = emi_await_all(&c->channel, "summing", code, request, &own);
    if (status == EM_OK && (everywhere || root))
        status = unpack(c, values, bytes, (double)bytes * c->layout.ranks, &own);
    return settle(c, status, &own, err);
}

static em_status mpi_give(void *state, void *block, size_t bytes, em_error *err)
{
    emi_mpi_state *c = state;
    MPI_Request request;
    em_error own = {0};
    if (c->channel.failed) return fail_again(err);
    size_t all = sizeof(double) + bytes;
    em_status status = pack(c, block, bytes, &own);
    if (status != EM_OK) return settle(c, status, &own, err);
    int code = MPI_Ibcast(c->sums.bytes, emi_mpi_units(all), emi_mpi_unit(all), 0, c->channel.comm, &request);
    status = emi_await_all(&c->channel, "sharing", code, request, &own);
    if (status == EM_OK) status = unpack(c, block, bytes, (double)bytes, &own);
    return settle(c, status, &own, err);
}

/* ---- the end of it --------------------------------------------------------------------------------------------------- */

/* After a failure MPI may still have messages that nobody received, or a sum that not all joined.  It keeps the state then,
 * and the communicator, lest another one get its place and those messages. */
static void mpi_close(void *state)
{
    emi_mpi_state *c = state;
    if (c->pending.count) c->channel.failed |= !emi_pending_drop(&c->pending);
    int failed = c->channel.failed;
    emi_pending_free(&c->pending);
    emi_channel_close(&c->channel);
    if (failed) return;
    if (c->own != MPI_COMM_NULL) (void)MPI_Comm_free(&c->own);
    for (int i = 0; i < c->plan_count; i++) emi_mpi_plan_free(&c->plans[i]);
    free(c->plans);
    free(c->sums.bytes);
    free(c);
}

const em_engine emi_mpi_engine = {.size = sizeof(em_engine),
                                  .name = "mpi",
                                  .begin = mpi_begin,
                                  .end = mpi_end,
                                  .close = mpi_close,
                                  .fail = mpi_fail,
                                  .progress = mpi_progress,
                                  .sum = mpi_sum,
                                  .give = mpi_give,
                                  .patience = mpi_patience};
