/* Ranks that do not agree on what they do, and ranks that do not come: the engine itself, driven by hand.  Three ranks. */
#include "fit/options.h"
#include "mpi/engine.h"
#include "support/check.h"
#include "support/engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 3, LONGEST = 100000 };

static const em_link ring[] = {{0, 1}, {1, 2}, {2, 0}};
static struct {
    int rank, ranks;
} place;
static double numbers[LONGEST];

static void *open_engine(double patience)
{
    const em_engine *engine;
    em_error err;
    void *state = NULL;
    assert_ok(em_mpi_engine_open(&engine, &state, MPI_COMM_WORLD, patience, &err), &err);
    assert_ptr_equal(engine, &emi_mpi_engine);
    return state;
}

/* Everyone is done with the engine's messages. */
static void close_engine(void *state)
{
    (void)MPI_Barrier(MPI_COMM_WORLD);
    emi_mpi_engine.close(state);
}

static em_status send_round(void *state, size_t size, em_error *err)
{
    const void *blocks[] = {numbers}, *inbox[RANKS];
    assert_ok(emi_mpi_engine.begin(state, ring, RANKS, blocks, size * sizeof *numbers, err), err);
    for (int i = 0; i < 100; i++) emi_mpi_engine.progress(state); /* where it may be found out first */
    return emi_mpi_engine.end(state, inbox, err);
}

/* Rank 0 sends so many numbers where the others mean so many; in the first round, or after one in which all agreed. */
static void send_other_size(size_t sent, size_t meant, int agreed, const char *words)
{
    em_error err = {0};
    void *state = open_engine(20);
    if (agreed) assert_ok(send_round(state, meant, &err), &err);
    (void)MPI_Barrier(MPI_COMM_WORLD); /* whoever is late would hear of the next round's failure in that one */
    em_status status = send_round(state, place.rank == 0 ? sent : meant, &err);
    /* Rank 1 sees it, unless rank 0, which gets what the others mean, was quicker and told it. */
    if (place.rank == 1 && strncmp(err.msg, "rank 0: ", 8) != 0) assert_fails(status, EM_ENET, words, &err);
    if (place.rank == 1) assert_int_equal(status, EM_ENET);
    if (status != EM_OK) { /* rank 2 may have heard of it, or not */
        int seen = strstr(err.msg, "the processes do not agree on what they do; try") != NULL;
        if (!seen) assert_fails(status, EM_ENET, ": has failed (a neighbour is lost); try", &err);
        (emi_mpi_engine.fail)(state, &err); /* cmocka has a macro of that name */
    }
    close_engine(state);
}

static void a_message_of_another_size_is_an_error(void **state)
{
    (void)state;
    for (int agreed = 0; agreed < 2; agreed++) {
        send_other_size(3, 5, agreed, "mpi: rank 0 sent 24 bytes where 40 were expected: ");
        send_other_size(1, 5, agreed, "mpi: rank 0 sent 8 bytes where 40 were expected: ");
        send_other_size(0, 5, agreed, "mpi: rank 0 sent 0 bytes where 40 were expected: ");
        send_other_size(5, 3, agreed, " were expected: "); /* rank 0, which hears too few, may be the first to say so */
    }
    send_other_size(LONGEST, 3, 0, "mpi: rank 0 sent 800000 bytes where 24 were expected: ");
    send_other_size(LONGEST - 1, LONGEST, 0, "mpi: rank 0 sent 799992 bytes where 800000 were expected: ");
}

/* Fewer numbers than the others mean to be given: MPI is content with that. */
static void a_gift_of_another_size_is_an_error(void **state)
{
    em_error err = {0};
    double values[3] = {1, 2, 3};
    (void)state;
    void *engine = open_engine(20);
    assert_ok(emi_mpi_engine.sum(engine, values, 3, 1, &err), &err);
    assert_true(values[0] == RANKS && values[2] == 3 * RANKS);
    em_status status = emi_mpi_engine.give(engine, values, (place.rank == 0 ? 1 : 3) * sizeof *values, &err);
    if (place.rank > 0) assert_fails(status, EM_ENET, "24 bytes to sum or to share here", &err);
    close_engine(engine);
}

/* ---- patience ------------------------------------------------------------------------------------------------------- */

/* Rank 2 comes too late for everyone; rank 0 waits for rank 1, which waits for rank 2, and still names the right one. */
static void one_that_does_not_come_is_named(void **state)
{
    static const em_link chain[] = {{2, 1}, {1, 0}};
    const void *blocks[] = {numbers}, *inbox[RANKS];
    em_error err = {0};
    em_status status = EM_OK;
    (void)state;
    void *engine = open_engine(0.2);
    if (place.rank == 1) { /* which waits for rank 2 before it sends anything to rank 0 */
        assert_ok(emi_mpi_engine.begin(engine, chain, 1, blocks, sizeof *numbers, &err), &err);
        status = emi_mpi_engine.end(engine, inbox, &err);
    } else if (place.rank == 0) {
        assert_ok(emi_mpi_engine.begin(engine, chain + 1, 1, blocks, sizeof *numbers, &err), &err);
        status = emi_mpi_engine.end(engine, inbox, &err);
    } else {
        (void)sleep(12); /* more than the patience of both and the time to find out */
        double value = 1;
        status = emi_mpi_engine.sum(engine, &value, 1, 1, &err);
    }
    /* Of the two that wait one says so, and it is enough if the other one has only heard that it did. */
    int named = strncmp(err.msg, "mpi: rank 2 has not answered for ", 33) == 0;
    if (!named || place.rank == 2) assert_fails(status, EM_ENET, ": has failed (a neighbour is lost)", &err);
    assert_int_equal(status, EM_ENET);
    int speakers = 0;
    (void)MPI_Allreduce(&named, &speakers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_true(speakers >= 1);
    assert_fails(emi_mpi_engine.begin(engine, chain, 1, blocks, sizeof *numbers, &err), EM_ENET, "failed before", &err);
    close_engine(engine);
}

/* What comes while the roll is called is in time. */
static void one_that_comes_late_is_welcome(void **state)
{
    em_error err = {0};
    double value = 1;
    (void)state;
    void *engine = open_engine(20);
    emi_mpi_engine.patience(engine, 0.001);
    struct timespec late = {.tv_nsec = 200000000};
    if (place.rank == 2) (void)nanosleep(&late, NULL);
    assert_ok(emi_mpi_engine.sum(engine, &value, 1, 1, &err), &err);
    assert_true(value == RANKS);
    close_engine(engine);
}

static void patience_is_a_time(void **state)
{
    em_error err = {0};
    em_mesh *mesh = NULL;
    em_graph *graph;
    (void)state;
    assert_ok(em_graph_create(&graph, "cycle", RANKS, 0, &err), &err);
    for (int i = 0; i < 3; i++) {
        const double wrong[] = {0, -1, NAN};
        em_status status = em_mpi_mesh_open_within(&mesh, MPI_COMM_WORLD, graph, 1, wrong[i], &err);
        assert_fails(status, EM_EINVAL, "patience: ", &err);
        assert_null(mesh);
    }
    assert_ok(em_mpi_mesh_open_within(&mesh, MPI_COMM_WORLD, graph, 1, INFINITY, &err), &err);
    assert_fails(em_mesh_set_patience(mesh, NAN, &err), EM_EINVAL, "patience: ", &err);
    assert_ok(em_mesh_set_patience(mesh, 60, &err), &err);
    em_mesh_close(&mesh);
    assert_ok(em_mesh_open(&mesh, "local", graph, 1, &err), &err);
    assert_fails(em_mesh_set_patience(mesh, 60, &err), EM_ENOTSUP, "engine local has nobody to wait for", &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

/* Columns that one process calls otherwise are other features, or in another order. */
static void other_names_are_refused_everywhere(void **state)
{
    static const char *const names[] = {"a", "b"}, *const swapped[] = {"b", "a"};
    const double rows[] = {1, 2, 3, 5, 4, -1};
    em_options options = emi_options_default();
    em_error err = {0};
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    (void)state;
    options.components = 1;
    assert_ok(em_graph_create(&graph, "cycle", RANKS, 0, &err), &err);
    for (int alike = 0; alike < 2; alike++) {
        em_data *data = NULL;
        em_shards *shards = NULL;
        assert_ok(em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, 1, &err), &err);
        assert_ok(em_data_from_array(&data, rows, EM_F64, 3, 2, 0, 0, &err), &err);
        assert_ok(em_data_set_column_names(data, place.rank == 2 && !alike ? swapped : names, &err), &err);
        assert_ok(em_shards_of(&shards, (const em_data *const *)&data, 1, &err), &err);
        em_status status = em_fit(&model, &options, mesh, shards, &err);
        if (alike)
            assert_ok(status, &err);
        else
            assert_fails(status, EM_EINVAL, "order or naming of the features differs between processes", &err);
        em_model_free(&model);
        em_shards_free(&shards);
        em_data_free(&data);
        em_mesh_close(&mesh);
    }
    em_graph_free(&graph);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_of_another_size_is_an_error),
        cmocka_unit_test(a_gift_of_another_size_is_an_error),
        cmocka_unit_test(one_that_does_not_come_is_named),
        cmocka_unit_test(one_that_comes_late_is_welcome),
        cmocka_unit_test(patience_is_a_time),
        cmocka_unit_test(other_names_are_refused_everywhere),
    };
    engines_begin(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
    if (place.ranks != RANKS) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    return failed;
}
