/* A list of edges, for a small network. */
#include "fuzz.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char spec[80];
    em_graph *graph = NULL;
    em_error err = {0};
    (void)snprintf(spec, sizeof spec, "file:%s", fuzz_file(bytes, size));
    fuzz_check_error(em_graph_create(&graph, spec, 6, 0, &err), &err);
    em_graph_free(&graph);
    return 0;
}
