/* Built without MPI: this process is alone. */
#include "cluster.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

em_status cluster_join(int *argc, char ***argv, em_error *err)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    (void)argc, (void)argv;
    for (int i = 0; i < 2; i++) {
        const char *size = getenv(sizes[i]);
        if (size && strcmp(size, "1") != 0)
            return refuse(err, EM_ENOTSUP, "mpi: not built in, and %s processes were started; try a build with MPI",
                          size);
    }
    return EM_OK;
}

em_status cluster_meet(em_error *err)
{
    (void)err;
    return EM_OK;
}

void cluster_part(void)
{
}

void cluster_set_patience(double seconds)
{
    (void)seconds;
}

int cluster_size(void)
{
    return 1;
}

int cluster_rank(void)
{
    return 0;
}

int cluster_speaks(void)
{
    return 1;
}

const char *cluster_engine(void)
{
    return NULL;
}

em_status cluster_agree(em_status status, em_error *err)
{
    (void)err;
    return status;
}

em_status cluster_first(size_t *number, em_error *err)
{
    (void)number, (void)err;
    return EM_OK;
}

em_status cluster_share(void *bytes, size_t count, em_error *err)
{
    (void)bytes, (void)count, (void)err;
    return EM_OK;
}

em_status cluster_sum(size_t *number, em_error *err)
{
    (void)number, (void)err;
    return EM_OK;
}

em_status cluster_nodes(int nodes, int *first, int *hosted, em_error *err)
{
    (void)err;
    *first = 0;
    *hosted = nodes;
    return EM_OK;
}

em_status cluster_mesh(em_mesh **out, const em_graph *graph, int threads, em_error *err)
{
    return em_mesh_open(out, NULL, graph, threads, err);
}

void cluster_close(em_mesh **mesh)
{
    em_mesh_close(mesh);
}

em_status cluster_gather(const double *values, int count, double *all, em_error *err)
{
    (void)err;
    memcpy(all, values, sizeof *all * (size_t)count);
    return EM_OK;
}

em_status cluster_gather_text(const char *text, size_t own, char **all, size_t *all_size, em_error *err)
{
    *all = calloc(own + 1, 1);
    if (!*all) return refuse_memory(err, "texts");
    memcpy(*all, text, own);
    *all_size = own;
    return EM_OK;
}
