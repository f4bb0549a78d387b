/* The numbers in a topology's spec, each refused in its own words. */
#include "graph/topology.h"

#include <limits.h>

#include "base/text.h"

em_status emi_argument_probability(const emi_topology_request *request, int index, char letter, double *out,
                                   em_error *err)
{
    if (emi_text_double(request->argument[index], out))
        return emi_fail(err, EM_EINVAL, "topology %s: %c is not a number; try %s", request->spec, letter,
                        request->example);
    if (!(*out >= 0 && *out <= 1))
        return emi_fail(err, EM_EINVAL, "topology %s: %c is a probability; try one from 0 to 1, as in %s",
                        request->spec, letter, request->example);
    return EM_OK;
}

/* A whole number, at least 1. */
static em_status read_count(const emi_topology_request *request, int index, char letter, int *out, em_error *err)
{
    long value;
    if (emi_text_long(request->argument[index], &value))
        return emi_fail(err, EM_EINVAL, "topology %s: %c is not a whole number; try %s", request->spec, letter,
                        request->example);
    if (value < 1 || value > INT_MAX)
        return emi_fail(err, EM_EINVAL, "topology %s: %c is out of range; try 1 or more, as in %s", request->spec,
                        letter, request->example);
    *out = (int)value;
    return EM_OK;
}

em_status emi_argument_degree(const emi_topology_request *request, int index, char letter, int *out, em_error *err)
{
    em_status status = read_count(request, index, letter, out, err);
    if (status || *out < request->nodes) return status;
    return emi_fail(err, EM_EINVAL, "topology %s: no node has %d others among %d; try %c below the number of nodes",
                    request->spec, *out, request->nodes, letter);
}

em_status emi_argument_sides(const emi_topology_request *request, int *rows, int *columns, em_error *err)
{
    em_status status;
    TRY(read_count(request, 0, 'R', rows, err));
    TRY(read_count(request, 1, 'C', columns, err));
    long long product = (long long)*rows * *columns;
    if (product != request->nodes)
        TRY(emi_fail(err, EM_EINVAL, "topology %s: %d x %d is %lld, not the %d nodes there are; try %lld nodes",
                     request->spec, *rows, *columns, product, request->nodes, product));
done:
    return status;
}
