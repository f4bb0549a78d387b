/* Can what is asked be done: by this method, on this network, with data of this size? */
#include "fit/options.h"
#include "methods/method.h"

#include <math.h>
#include <string.h>

em_status emi_options_method(const em_options *options, int nodes, const emi_method **out, em_error *err)
{
    const char *name = options->method ? options->method : "auto";
    const emi_method *method = emi_method_find(name);
    *out = NULL;
    if (strcmp(name, "auto") == 0) return EM_OK;
    if (!method) return emi_fail(err, EM_EINVAL, "method %s: no such method; try auto", name);
    if (method->info.single_node && nodes > 1)
        return emi_fail(err, EM_EINVAL,
                        "method %s: needs all data in one place, and there are %d nodes; try nodes=1, or method dsa",
                        name, nodes);
    if (options->variance > 0 && !(method->traits & EMI_AT_ROOT))
        return emi_fail(err, EM_EINVAL, "components: a fraction of variance is not for method %s; try krylov or auto",
                        name);
    const char *unread = emi_options_unread(options, method->uses);
    if (unread) return emi_fail(err, EM_EINVAL, "%s: not used by method %s; try without it", unread, name);
    *out = method;
    return EM_OK;
}

int emi_options_oversample(const em_options *options)
{
    return options->oversample >= 0 ? options->oversample : 2 + options->components / 10;
}

static int bad_number(double value)
{
    return !isfinite(value) || value < 0;
}

static em_status check_checkpoint(const em_options *options, em_error *err)
{
    if (!options->checkpoint && options->resume)
        return emi_fail(err, EM_EINVAL, "resume: from no checkpoint; try checkpoint=FILE beside it");
    if (bad_number(options->checkpoint_every))
        return emi_fail(err, EM_EINVAL, "checkpoint-every: %g seconds; try 600", options->checkpoint_every);
    if (options->checkpoint && options->variance > 0)
        return emi_fail(err, EM_EINVAL,
                        "checkpoint: for a number of components, not a fraction of variance; try components=10");
    return EM_OK;
}

/* `size` is 0 where it was not told. */
static em_status check_matrix(const char *name, const double *values, const size_t size[2], int d, int K,
                              const char *other, em_error *err)
{
    if (!values) return EM_OK;
    if (size[0] && (size[0] != (size_t)d || size[1] != (size_t)K))
        return emi_fail(err, EM_EINVAL, "%s: %zu x %zu, where there are %d features and %d components; try %d x %d",
                        name, size[0], size[1], d, K, d, K);
    for (size_t n = 0; n < (size_t)d * (size_t)K; n++)
        if (!isfinite(values[n]))
            return emi_fail(err, EM_EINVAL, "%s: an entry is not finite; try another %s", name, other);
    return EM_OK;
}

em_status emi_options_check(const em_options *options, uint64_t N, int d, em_error *err)
{
    int K = options->components;
    if (options->variance == 0 && K < 1) return emi_fail(err, EM_EINVAL, "components: %d of them; try 1 or more", K);
    if (options->variance == 0 && (K > d || (uint64_t)K > N))
        return emi_fail(err, EM_EINVAL, "components: %d of them, from %llu rows of %d features; try %llu or fewer", K,
                        (unsigned long long)N, d, (unsigned long long)(N < (uint64_t)d ? N : (uint64_t)d));
    if (options->variance != 0 && !(options->variance > 0 && options->variance < 1))
        return emi_fail(err, EM_EINVAL, "components: a fraction of %g; try 0.9 of the variance", options->variance);
    if (options->variance > 0 && (options->init || options->truth))
        return emi_fail(err, EM_EINVAL, "%s: for a number of components, not a fraction of variance; try components=10",
                        options->init ? "init" : "truth");
    if (bad_number(options->step))
        return emi_fail(err, EM_EINVAL, "step: %g; try a positive number, or 0 for auto", options->step);
    if (bad_number(options->tolerance)) return emi_fail(err, EM_EINVAL, "tolerance: %g; try 1e-6", options->tolerance);
    if (options->step_decay == EMI_DECAY_POWER && (bad_number(options->step_power) || options->step_power == 0))
        return emi_fail(err, EM_EINVAL, "step-decay: power %g; try 0.2", options->step_power);
    if (options->consensus_rounds < 0)
        return emi_fail(err, EM_EINVAL, "consensus-rounds: %d; try 1 or more", options->consensus_rounds);
    em_status status = check_matrix("init", options->init, options->init_size, d, K, "start", err);
    if (status == EM_OK) status = check_matrix("truth", options->truth, options->truth_size, d, K, "file", err);
    return status == EM_OK ? check_checkpoint(options, err) : status;
}
