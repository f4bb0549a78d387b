/* MPI's engine in place of the library's own, which stays as what to compare with. */
#define _XOPEN_SOURCE 700
#include "support/engines.h"

#include <eigenmesh/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failed assertion must end all processes, since the others wait for this one: cmocka then aborts, and mpirun ends the
 * rest.  Only the first one reports its progress. */
void engines_begin(int *argc, char ***argv)
{
    int rank;
    if (setenv("CMOCKA_TEST_ABORT", "1", 1) || MPI_Init(argc, argv) != MPI_SUCCESS) abort();
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0 && !freopen("/dev/null", "w", stdout)) abort();
}

void engines_end(void)
{
    (void)MPI_Finalize();
}

const char *engines_name(int index)
{
    return index == 0 ? "mpi" : NULL;
}

const engine_manner engines_manner = {.tells = 1, .quick = 1};

/* A network with fewer nodes than there are ranks is each rank's own. */
em_status engines_open(em_mesh **out, const char *name, const em_graph *graph, int threads, em_error *err)
{
    int ranks;
    if (name && strcmp(name, "local") == 0) return em_mesh_open(out, name, graph, threads, err);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return em_mpi_mesh_open(out, em_graph_nodes(graph) < ranks ? MPI_COMM_SELF : MPI_COMM_WORLD, graph, threads, err);
}
