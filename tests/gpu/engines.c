/* The library's own engines, with the rows on a GPU. */
#include "support/engines.h"

#include "fit/options.h"

void engines_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
}

void engines_end(void)
{
}

const char *engines_name(int index)
{
    return em_engine_name(index);
}

const engine_manner engines_manner = {.tells = 1, .quick = 1, .device = EMI_DEVICE_GPU};

em_status engines_open(em_mesh **out, const char *name, const em_graph *graph, int threads, em_error *err)
{
    return em_mesh_open(out, name, graph, threads, err);
}
