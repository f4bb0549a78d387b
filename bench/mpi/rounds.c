/* One round of the MPI engine against MPI's own: microseconds of each, from rank 0.
 * Usage: mpirun -n R rounds TOPOLOGY D K ROUNDS */
#include "mesh/mesh.h"

#include <eigenmesh/mpi.h>
#include <stdlib.h>

enum { REPEATS = 5 };

static void must(int failed, const char *what)
{
    if (!failed) return;
    (void)fprintf(stderr, "rounds: %s\n", what);
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The best of a few, each begun by all ranks together. */
static double best(void (*once)(void *), void *context, int rounds)
{
    double least = 1e9;
    for (int r = 0; r < REPEATS; r++) {
        (void)MPI_Barrier(MPI_COMM_WORLD);
        double began = MPI_Wtime();
        for (int i = 0; i < rounds; i++) once(context);
        double seconds = (MPI_Wtime() - began) / rounds, slowest;
        (void)MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < least) least = slowest;
    }
    return 1e6 * least;
}

/* ---- the engine: W times a field ----------------------------------------------------------------- */

typedef struct mixing {
    em_mesh *mesh;
    emi_field X, Z;
} mixing;

static void mix_once(void *context)
{
    mixing *m = context;
    emi_mix_begin(m->mesh, &m->X);
    emi_mix_end(m->mesh, &m->Z);
}

/* ---- the same by MPI_Neighbor_allgather and a loop ------------------------------------------------ */

typedef struct bare {
    MPI_Comm graph;
    int degree, size;
    const double *own;
    double *got, *sum, *weight;
} bare;

static void gather_once(void *context)
{
    const bare *b = context;
    (void)MPI_Neighbor_allgather(b->own, b->size, MPI_DOUBLE, b->got, b->size, MPI_DOUBLE, b->graph);
    for (int n = 0; n < b->size; n++) b->sum[n] = b->weight[b->degree] * b->own[n];
    for (int j = 0; j < b->degree; j++)
        for (int n = 0; n < b->size; n++) b->sum[n] += b->weight[j] * b->got[(size_t)j * (size_t)b->size + (size_t)n];
}

static bare open_bare(const em_graph *g, int rank, int size, const double *own)
{
    bare b = {.size = size, .own = own, .degree = (int)(g->start[rank + 1] - g->start[rank])};
    const int *neighbours = g->neighbour + g->start[rank];
    int *alike = calloc((size_t)b.degree + 1, sizeof *alike); /* no edge matters more than another */
    must(!alike, "out of memory");
    (void)MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, b.degree, neighbours, alike, b.degree, neighbours, alike,
                                         MPI_INFO_NULL, 0, &b.graph);
    free(alike);
    b.got = calloc((size_t)(b.degree + 1) * (size_t)size, sizeof *b.got);
    b.sum = calloc((size_t)size, sizeof *b.sum);
    b.weight = calloc((size_t)b.degree + 1, sizeof *b.weight);
    must(!b.got || !b.sum || !b.weight, "out of memory");
    for (int j = 0; j < b.degree; j++) b.weight[j] = g->weight[g->start[rank] + (size_t)j];
    b.weight[b.degree] = g->self[rank];
    return b;
}

static void close_bare(bare *b)
{
    (void)MPI_Comm_free(&b->graph);
    free(b->got);
    free(b->sum);
    free(b->weight);
}

int main(int argc, char **argv)
{
    em_error err = {0};
    em_graph *graph = NULL;
    mixing m = {0};
    int rank, ranks;
    (void)MPI_Init(&argc, &argv);
    must(argc != 5, "usage: rounds TOPOLOGY D K ROUNDS");
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int d = atoi(argv[2]), K = atoi(argv[3]), rounds = atoi(argv[4]);
    must(em_graph_create(&graph, argv[1], ranks, 0, &err), err.msg);
    must(em_mpi_mesh_open(&m.mesh, MPI_COMM_WORLD, graph, 1, &err), err.msg);
    must(emi_field_alloc(&m.X, 1, d, K, &err) || emi_field_alloc(&m.Z, 1, d, K, &err), err.msg);
    for (int n = 0; n < d * K; n++) emi_at(&m.X, 0).v[n] = rank + n;
    bare b = open_bare(graph, rank, d * K, emi_at(&m.X, 0).v);
    double engine = best(mix_once, &m, rounds), mpi = best(gather_once, &b, rounds), difference = 0;
    for (int n = 0; n < d * K; n++) difference += b.sum[n] - emi_at(&m.Z, 0).v[n];
    must(difference > 1e-6 || difference < -1e-6, "the two do not agree");
    if (rank == 0) (void)printf("%.2f %.2f\n", engine, mpi);
    close_bare(&b);
    emi_field_free(&m.X);
    emi_field_free(&m.Z);
    em_mesh_close(&m.mesh);
    em_graph_free(&graph);
    (void)MPI_Finalize();
    return 0;
}
