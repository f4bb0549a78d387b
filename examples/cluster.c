/* Principal components of data that each process makes itself and keeps: a node a rank of MPI, a cycle between them.
 *
 *     mpicc cluster.c $(pkg-config --cflags --libs eigenmesh_mpi) -lm -o cluster && mpirun -n 3 ./cluster */
#include <eigenmesh/mpi.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 5000, FEATURES = 8, COMPONENTS = 3 };

/* Long along the first axes, and nothing but noise along the others. */
static const double deviations[FEATURES] = {5, 3, 2, 0.5, 0.5, 0.5, 0.5, 0.5};

/* Uniform in [0, 1): SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Rows that no other rank has, of variance deviations^2. */
static void make_rows(double rows[ROWS][FEATURES], int rank)
{
    uint64_t state = (uint64_t)rank << 32;
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < FEATURES; j++) rows[r][j] = deviations[j] * sqrt(12) * (uniform(&state) - 0.5);
}

/* Those who are ready must not wait for one who is not.  Only the latter has something to say. */
static em_status agree(em_status own, MPI_Comm comm)
{
    int mine = (int)own, worst = mine;
    (void)MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm);
    return own ? own : (em_status)worst;
}

/* Every rank calls this, with rows of its own, and every rank gets the model of all rows. */
static em_status fit(em_model **model, MPI_Comm comm, int ranks, const double *rows, em_error *err)
{
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options *options = NULL;

    em_status status = em_options_create(&options, err);
    if (!status) status = em_options_set(options, "components", "3", err);
    if (!status) status = em_data_from_array(&data, rows, EM_F64, ROWS, FEATURES, 0, 0, err);
    if (!status) status = em_shards_of(&shards, (const em_data *const[]){data}, 1, err);
    if (!status) status = em_graph_create(&graph, ranks > 2 ? "cycle" : "complete", ranks, 0, err);
    status = agree(status, comm);
    /* From here on a failure of one is everyone's. */
    if (!status) status = em_mpi_mesh_open(&mesh, comm, graph, 0, err);
    if (!status) status = em_fit(model, options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
    return status;
}

/* To the last bit: the covariances are averaged over a tree, and its root tells all the others. */
static int equals_first_rank(const em_model *model, MPI_Comm comm, int rank)
{
    const double *own = em_model_components(model);
    double first[COMPONENTS * FEATURES];
    if (rank == 0) memcpy(first, own, sizeof first);
    (void)MPI_Bcast(first, COMPONENTS * FEATURES, MPI_DOUBLE, 0, comm);
    for (int i = 0; i < COMPONENTS * FEATURES; i++)
        if (first[i] != own[i]) return 0;
    return 1;
}

static int is_as_planted(const em_model *model)
{
    for (int k = 0; k < COMPONENTS; k++) {
        double planted = deviations[k] * deviations[k];
        if (!(fabs(em_model_explained_variance(model)[k] - planted) < 0.05 * planted)) return 0;
    }
    return 1;
}

static void show(const em_model *model, int ranks)
{
    printf("%llu rows on %d rank%s, by %s\n", (unsigned long long)em_model_samples(model), ranks, ranks == 1 ? "" : "s",
           em_model_info(model)->method);
    for (int k = 0; k < COMPONENTS; k++)
        printf("component %d: variance %8.4f, planted %4.1f\n", k + 1, em_model_explained_variance(model)[k],
               deviations[k] * deviations[k]);
}

int main(int argc, char **argv)
{
    static double rows[ROWS][FEATURES];
    int rank, ranks, failed;
    em_error err = {0};
    em_model *model = NULL;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    make_rows(rows, rank);
    failed = fit(&model, MPI_COMM_WORLD, ranks, *rows, &err) != EM_OK;
    if (failed) {
        if (*err.msg) (void)fprintf(stderr, "cluster: rank %d: %s\n", rank, err.msg);
    } else {
        if (rank == 0) show(model, ranks);
        failed = !equals_first_rank(model, MPI_COMM_WORLD, rank) || !is_as_planted(model);
        if (failed) (void)fprintf(stderr, "cluster: rank %d: these are not the components\n", rank);
    }
    em_model_free(&model);
    (void)MPI_Finalize();
    return failed;
}
