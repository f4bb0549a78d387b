/* The MPI engine: one message a round for each neighbouring rank, however many edges cross, posted by begin and awaited by
 * end, so that it travels while the nodes compute. */
#include "mpi/plan.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_BLOCKS = 1, TAG_FAILURE = 2 };

typedef struct cluster {
    MPI_Comm comm;
    layout layout;
    int failed;  /* here, or elsewhere as this rank was told */
    plan *plans; /* one for each set of links seen */
    int plan_count;

    const plan *now; /* between begin and end */
    const double *const *blocks;
    size_t size;
    MPI_Request *requests; /* [2 ranks] */
    int request_count;
} cluster;

static em_status refuse_mpi(em_error *err, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    return mpi_refuse(err, EM_ENET, "mpi: %s failed (%s); try again", what, text);
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
        return mpi_refuse(err, EM_ENET, "mpi: rank %d failed; try again", from.MPI_SOURCE);
    c->failed = 1;
    told.msg[sizeof told.msg - 1] = 0;
    if (err) *err = told;
    return told.code;
}

/* What is under way will not be completed by a rank that failed. */
static void give_up(cluster *c)
{
    for (int r = 0; r < c->request_count; r++) {
        if (c->requests[r] == MPI_REQUEST_NULL) continue;
        (void)MPI_Cancel(&c->requests[r]);
        (void)MPI_Request_free(&c->requests[r]);
    }
    c->request_count = 0;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Wait without keeping a core busy that a neighbour may need: look a few times, then let others run, then sleep. */
typedef struct patience {
    int looks;
} patience;

static void pause_a_little(patience *p)
{
    enum { LOOK = 20, YIELD = 2000 };
    if (p->looks++ < LOOK) return;
    if (p->looks < YIELD) {
        (void)sched_yield();
        return;
    }
    const struct timespec nap = {.tv_nsec = 50000};
    (void)nanosleep(&nap, NULL);
}

static em_status await(cluster *c, em_error *err)
{
    enum { LISTEN_EVERY = 16 };
    patience p = {0};
    for (int done = 0;;) {
        int code = MPI_Testall(c->request_count, c->requests, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS) return refuse_mpi(err, "waiting for blocks", code);
        if (done) break;
        em_status status = p.looks % LISTEN_EVERY == LISTEN_EVERY - 1 ? hear_failure(c, err) : EM_OK;
        if (status != EM_OK) {
            give_up(c);
            return status;
        }
        pause_a_little(&p);
    }
    c->request_count = 0;
    return EM_OK;
}

/* ---- a round ------------------------------------------------------------------------------------------------------ */

static em_status find_plan(cluster *c, const em_link *links, size_t count, const plan **out, em_error *err)
{
    for (int i = 0; i < c->plan_count; i++)
        if (c->plans[i].links == links && c->plans[i].count == count) {
            *out = &c->plans[i];
            return EM_OK;
        }
    plan *more = realloc(c->plans, (size_t)(c->plan_count + 1) * sizeof *more);
    if (!more) return mpi_refuse(err, EM_ENOMEM, "mpi: out of memory; try fewer nodes");
    c->plans = more;
    em_status status = plan_make(&c->plans[c->plan_count], &c->layout, links, count, err);
    if (status != EM_OK) return status;
    *out = &c->plans[c->plan_count++];
    return EM_OK;
}

static em_status make_room(double **room, size_t *have, int blocks, size_t size, em_error *err)
{
    size_t need = (size_t)blocks * size;
    if (need > INT_MAX)
        return mpi_refuse(err, EM_ENOTSUP, "mpi: %zu numbers are too many for a message; try more ranks", need);
    if (need <= *have) return EM_OK;
    double *larger = realloc(*room, need * sizeof *larger);
    if (!larger) return mpi_refuse(err, EM_ENOMEM, "mpi: out of memory; try a smaller --components");
    *room = larger;
    *have = need;
    return EM_OK;
}

static em_status post_receive(cluster *c, peer *p, size_t size, em_error *err)
{
    if (!p->receive_count) return EM_OK;
    em_status status = make_room(&p->got, &p->got_room, p->receive_count, size, err);
    if (status != EM_OK) return status;
    int code = MPI_Irecv(p->got, (int)((size_t)p->receive_count * size), MPI_DOUBLE, p->rank, TAG_BLOCKS, c->comm,
                         &c->requests[c->request_count++]);
    return code == MPI_SUCCESS ? EM_OK : refuse_mpi(err, "receiving", code);
}

/* A single block leaves from where it lies. */
static em_status post_send(cluster *c, peer *p, size_t size, em_error *err)
{
    int first = layout_first(&c->layout, c->layout.rank);
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
    return code == MPI_SUCCESS ? EM_OK : refuse_mpi(err, "sending", code);
}

static em_status mpi_begin(void *state, const em_link *links, size_t count, const double *const *blocks, size_t size,
                           em_error *err)
{
    cluster *c = state;
    em_status status = find_plan(c, links, count, &c->now, err);
    c->blocks = blocks;
    c->size = size;
    c->request_count = 0;
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++)
        status = post_receive(c, &c->now->peers[i], size, err);
    for (int i = 0; status == EM_OK && i < c->now->peer_count; i++) status = post_send(c, &c->now->peers[i], size, err);
    if (status != EM_OK) give_up(c);
    return status;
}

static em_status mpi_end(void *state, const double **inbox, em_error *err)
{
    cluster *c = state;
    em_status status = await(c, err);
    if (status != EM_OK) return status;
    int first = layout_first(&c->layout, c->layout.rank), next = layout_first(&c->layout, c->layout.rank + 1);
    for (int node = first; node < next; node++) inbox[node] = c->blocks[node - first];
    for (int i = 0; i < c->now->peer_count; i++) {
        const peer *p = &c->now->peers[i];
        for (int n = 0; n < p->receive_count; n++) inbox[p->receive[n]] = p->got + (size_t)n * c->size;
    }
    return EM_OK;
}

static em_status mpi_sum(void *state, double *values, size_t count, em_error *err)
{
    cluster *c = state;
    if (count > INT_MAX)
        return mpi_refuse(err, EM_ENOTSUP, "mpi: %zu numbers are too many for a sum; try --average tree", count);
    int code = MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_SUM, c->comm, c->requests);
    if (code != MPI_SUCCESS) return refuse_mpi(err, "summing", code);
    c->request_count = 1;
    return await(c, err);
}

/* ---- the end of it --------------------------------------------------------------------------------------------------- */

/* To every other rank, since any of them may come to wait for this one; for a moment, in case one is gone. */
static void mpi_fail(void *state, const em_error *err)
{
    enum { PATIENCE = 40000 };
    cluster *c = state;
    em_error told = *err;
    patience p = {0};
    if (c->failed) return;
    c->failed = 1;
    give_up(c);
    (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", c->layout.rank, err->msg);
    for (int r = 0; r < c->layout.ranks; r++)
        if (r != c->layout.rank)
            (void)MPI_Isend(&told, sizeof told, MPI_BYTE, r, TAG_FAILURE, c->comm, &c->requests[c->request_count++]);
    for (int done = 0; !done && p.looks < PATIENCE; pause_a_little(&p))
        if (MPI_Testall(c->request_count, c->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) break;
    give_up(c);
}

/* After a failure, messages may still be under way that nobody will receive.  MPI would give a communicator that is freed
 * to the next mesh, which would take them for its own: so this one is kept. */
static void mpi_close(void *state)
{
    cluster *c = state;
    for (int i = 0; i < c->plan_count; i++) plan_free(&c->plans[i]);
    free(c->plans);
    free(c->requests);
    if (c->comm != MPI_COMM_NULL && !c->failed) (void)MPI_Comm_free(&c->comm);
    free(c);
}

static const em_engine engine = {
    .name = "mpi", .begin = mpi_begin, .end = mpi_end, .close = mpi_close, .fail = mpi_fail, .sum = mpi_sum};

/* ---- opening ------------------------------------------------------------------------------------------------------------ */

static em_status check_layout(layout *l, MPI_Comm comm, int nodes, em_error *err)
{
    int ready = 0;
    (void)MPI_Initialized(&ready);
    if (!ready) return mpi_refuse(err, EM_EINVAL, "mpi: not initialised; try MPI_Init before anything else");
    l->nodes = nodes;
    int code = MPI_Comm_rank(comm, &l->rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &l->ranks);
    if (code != MPI_SUCCESS) return refuse_mpi(err, "the communicator", code);
    if (l->ranks > nodes)
        return mpi_refuse(err, EM_EINVAL, "mpi: %d ranks for %d nodes, and each needs one; try mpirun -n %d", l->ranks,
                          nodes, nodes);
    return EM_OK;
}

em_status em_mpi_nodes(MPI_Comm comm, int nodes, int *first, int *hosted, em_error *err)
{
    layout l;
    em_status status = check_layout(&l, comm, nodes, err);
    if (status != EM_OK) return status;
    *first = layout_first(&l, l.rank);
    *hosted = layout_first(&l, l.rank + 1) - *first;
    return EM_OK;
}

/* This rank's share of its machine's cores. */
static int fair_share(MPI_Comm comm)
{
    MPI_Comm machine;
    int ranks = 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) == MPI_SUCCESS) {
        (void)MPI_Comm_size(machine, &ranks);
        (void)MPI_Comm_free(&machine);
    }
    return cores > ranks ? (int)(cores / ranks) : 1;
}

em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err)
{
    layout l;
    *out = NULL;
    em_status status = check_layout(&l, comm, em_graph_nodes(graph), err);
    if (status != EM_OK) return status;
    cluster *c = calloc(1, sizeof *c);
    MPI_Request *requests = calloc(2 * (size_t)l.ranks + 1, sizeof(MPI_Request));
    if (!c || !requests) {
        free(c);
        free(requests);
        return mpi_refuse(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    }
    *c = (cluster){.comm = MPI_COMM_NULL, .layout = l, .requests = requests};
    int code = MPI_Comm_dup(comm, &c->comm);
    if (code != MPI_SUCCESS) {
        mpi_close(c);
        return refuse_mpi(err, "duplicating the communicator", code);
    }
    (void)MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    int first = layout_first(&l, l.rank);
    return em_mesh_open_on(out, &engine, c, first, layout_first(&l, l.rank + 1) - first, graph,
                           threads > 0 ? threads : fair_share(c->comm), err);
}
