/* em_mpi_mesh_open in a program of one's own, on communicators of its own making.  Four ranks. */
#include "fit/options.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/truth.h"

#include <eigenmesh/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 120, D = 6, K = 2, NODES = 5 };

static const double spectrum[D] = {4, 2, 1, 0.5, 0.25, 0.1};

static int rank_in(MPI_Comm comm)
{
    int rank;
    (void)MPI_Comm_rank(comm, &rank);
    return rank;
}

static em_options options_of(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 1e-10;
    return options;
}

static em_mesh *open_mesh(MPI_Comm comm, const em_graph *graph)
{
    em_error err;
    em_mesh *mesh;
    assert_ok(em_mpi_mesh_open(&mesh, comm, graph, 1, &err), &err);
    return mesh;
}

static em_graph *make_graph(const char *topology)
{
    em_error err;
    em_graph *graph;
    assert_ok(em_graph_create(&graph, topology, NODES, 3, &err), &err);
    return graph;
}

/* The shards of the nodes hosted here alone, of a table that every rank has. */
static em_status fit_own_rows(em_model **model, const em_options *options, em_mesh *mesh, const double *rows, int d,
                              em_error *err)
{
    em_data *table[NODES] = {NULL};
    em_shards *shards = NULL;
    int hosted = em_mesh_hosted(mesh), share = N / NODES;
    for (int i = 0; i < hosted; i++) {
        const double *own = rows + (size_t)(em_mesh_first(mesh) + i) * (size_t)(share * D);
        assert_ok(em_data_from_array(&table[i], own, EM_F64, (size_t)share, (size_t)d, D * 8, 8, err), err);
    }
    assert_ok(em_shards_of(&shards, (const em_data *const *)table, hosted, err), err);
    em_status status = em_fit(model, options, mesh, shards, err);
    em_shards_free(&shards);
    for (int i = 0; i < hosted; i++) em_data_free(&table[i]);
    return status;
}

static void check_answer(const em_model *model, const double *rows)
{
    double values[D], vectors[D * D];
    truth_pca(rows, N, D, values, vectors);
    for (int k = 0; k < K; k++) {
        assert_true(truth_sin2(em_model_components(model) + k * D, vectors + k * D, D) < 1e-12);
        assert_close(em_model_explained_variance(model)[k], values[k] * N / (N - 1), 1e-9);
    }
}

/* Two halves of the world, with data and methods of their own, at the same time. */
static void two_fits_at_once(void **state)
{
    (void)state;
    int half = rank_in(MPI_COMM_WORLD) % 2;
    MPI_Comm comm;
    em_error err;
    em_model *model;
    double *rows = truth_rows(N, D, spectrum, 1 + (unsigned)half);
    em_graph *graph = make_graph(half ? "path" : "er:0.6");
    em_options options = options_of(half ? "krylov" : "deepca");
    assert_int_equal(MPI_Comm_split(MPI_COMM_WORLD, half, 0, &comm), MPI_SUCCESS);
    em_mesh *mesh = open_mesh(comm, graph);
    assert_int_equal(MPI_Comm_free(&comm), MPI_SUCCESS); /* the mesh has its own */
    assert_ok(fit_own_rows(&model, &options, mesh, rows, D, &err), &err);
    check_answer(model, rows);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    free(rows);
}

/* MPI has room for a limited number of communicators: those of closed meshes are given back. */
static void a_thousand_meshes(void **state)
{
    (void)state;
    em_graph *graph = make_graph("cycle");
    for (int n = 0; n < 1000; n++) {
        em_mesh *mesh = open_mesh(MPI_COMM_WORLD, graph);
        em_mesh_close(&mesh);
    }
    em_graph_free(&graph);
}

/* What the program sends on its communicator is not the mesh's, whatever the tag. */
static void messages_do_not_mix(void **state)
{
    (void)state;
    int rank = rank_in(MPI_COMM_WORLD), other = rank ^ 1;
    double mine[3] = {rank, 2, 3}, got[3] = {0};
    MPI_Request sent[3];
    em_error err;
    em_model *model;
    double *rows = truth_rows(N, D, spectrum, 9);
    em_graph *graph = make_graph("cycle");
    em_options options = options_of("krylov");
    for (int tag = 0; tag < 3; tag++) (void)MPI_Isend(mine, 3, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &sent[tag]);
    em_mesh *mesh = open_mesh(MPI_COMM_WORLD, graph);
    assert_ok(fit_own_rows(&model, &options, mesh, rows, D, &err), &err);
    check_answer(model, rows);
    for (int tag = 0; tag < 3; tag++) {
        (void)MPI_Recv(got, 3, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert_int_equal((int)got[0], other);
    }
    (void)MPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    free(rows);
}

/* ---- what must not be ------------------------------------------------------------------------------------------- */

/* The last rank asks for something else, which all find out, and say, alike; the mesh is no longer used. */
static void check_disagreement(const em_options *options, int d, const char *words)
{
    em_error err;
    em_model *model;
    double *rows = truth_rows(N, D, spectrum, 4);
    em_graph *graph = make_graph("path");
    em_mesh *mesh = open_mesh(MPI_COMM_WORLD, graph);
    assert_fails(fit_own_rows(&model, options, mesh, rows, d, &err), EM_EINVAL, words, &err);
    assert_null(model);
    assert_fails(fit_own_rows(&model, options, mesh, rows, d, &err), EM_ENET, "failed before", &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    free(rows);
}

static void disagreements(void **state)
{
    (void)state;
    int odd = rank_in(MPI_COMM_WORLD) == 3;
    em_options options = options_of("dsa");
    check_disagreement(&options, D - odd, "the number of features differs between processes");
    options.components = K + odd;
    check_disagreement(&options, D, "option components differs between processes");
    options = options_of(odd ? "dsa" : "krylov");
    check_disagreement(&options, D, "option method differs between processes");
    options = options_of("dsa");
    options.seed = (uint64_t)odd;
    check_disagreement(&options, D, "option seed differs between processes");
}

/* A value that only one rank can see, with averages either way. */
static void one_rank_fails(void **state)
{
    (void)state;
    em_error err;
    em_model *model;
    em_options options = options_of("krylov");
    double *rows = truth_rows(N, D, spectrum, 4);
    em_graph *graph = make_graph("star");
    if (rank_in(MPI_COMM_WORLD) == 2) rows[2 * N / NODES * D] = NAN; /* of node 2, which lives here */
    for (int directly = 0; directly < 2; directly++) {
        em_mesh *mesh = open_mesh(MPI_COMM_WORLD, graph);
        if (directly) assert_ok(em_mesh_sum_directly(mesh, &err), &err);
        em_status status = fit_own_rows(&model, &options, mesh, rows, D, &err);
        assert_int_equal(status, EM_EDATA);
        assert_null(model);
        int here = rank_in(MPI_COMM_WORLD) == 2; /* words about data stay where it is */
        assert_non_null(strstr(err.msg, here ? ": row 0" : "rank 2: has failed (the data is not usable)"));
        em_mesh_close(&mesh);
    }
    em_graph_free(&graph);
    free(rows);
}

static void wrong_ways_to_open(void **state)
{
    (void)state;
    em_error err;
    em_graph *graph, *small;
    em_mesh *mesh;
    int first, hosted, odd = rank_in(MPI_COMM_WORLD) == 1;
    assert_ok(em_graph_create(&small, "complete", 3, 0, &err), &err);
    assert_fails(em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, small, 1, &err), EM_EINVAL, "4 ranks for 3 nodes", &err);
    assert_fails(em_mpi_nodes(MPI_COMM_WORLD, 3, &first, &hosted, &err), EM_EINVAL, "4 ranks for 3 nodes", &err);
    assert_null(mesh);
    graph = make_graph(odd ? "cycle" : "path");
    assert_fails(em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, 1, &err), EM_EINVAL, "the graph differs", &err);
    em_graph_free(&graph);
    graph = make_graph("path");
    if (odd) assert_ok(em_graph_set_weights(graph, "lazy", &err), &err);
    assert_fails(em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, 1, &err), EM_EINVAL, "the graph differs", &err);
    em_graph_free(&graph);
    em_graph_free(&small);
}

/* Each rank may have a number of threads of its own; too many on one of them is everyone's failure. */
static void threads_of_ones_own(void **state)
{
    (void)state;
    em_error err;
    em_mesh *mesh;
    em_model *model = NULL;
    em_options options = options_of("krylov");
    double *rows = truth_rows(N, D, spectrum, 4);
    em_graph *graph = make_graph("path");
    int rank = rank_in(MPI_COMM_WORLD);
    assert_ok(em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, rank % 3, &err), &err);
    if (rank % 3) assert_int_equal(em_mesh_threads(mesh), rank % 3);
    assert_ok(fit_own_rows(&model, &options, mesh, rows, D, &err), &err);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_status status = em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, rank == 1 ? 1000000 : 1, &err);
    assert_int_equal(status, EM_EINVAL);
    assert_non_null(strstr(err.msg, rank == 1 ? "threads: 1000000" : "rank 1: has failed (invalid argument)"));
    assert_null(mesh);
    em_graph_free(&graph);
    free(rows);
}

/* Before MPI_Init; and after MPI_Finalize. */
static void refuses_without_mpi(const char *words)
{
    em_error err;
    em_graph *graph;
    em_mesh *mesh;
    int first, hosted;
    if (em_graph_create(&graph, "cycle", NODES, 0, &err) != EM_OK) abort();
    if (em_mpi_mesh_open(&mesh, MPI_COMM_WORLD, graph, 1, &err) != EM_EINVAL || !strstr(err.msg, words)) abort();
    if (em_mpi_nodes(MPI_COMM_WORLD, NODES, &first, &hosted, &err) != EM_EINVAL || !strstr(err.msg, words)) abort();
    em_graph_free(&graph);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fits_at_once),    cmocka_unit_test(a_thousand_meshes),
        cmocka_unit_test(messages_do_not_mix), cmocka_unit_test(disagreements),
        cmocka_unit_test(one_rank_fails),      cmocka_unit_test(wrong_ways_to_open),
        cmocka_unit_test(threads_of_ones_own),
    };
    refuses_without_mpi("not initialised; try");
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    refuses_without_mpi("not initialised any more; try");
    return failed;
}
