#include "fit/check.h"

#include "base/digest.h"
#include "data/shards.h"

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

/* ---- the same everywhere --------------------------------------------------------------------------- */

static uint64_t digest_names(const em_shards *shards)
{
    uint64_t digest = EMI_DIGEST_START;
    const em_data *data = shards->shard[0].data;
    for (size_t c = 0; data->names && c < data->columns; c++) digest = emi_digest_text(digest, data->names[c]);
    return digest;
}

static uint64_t digest_matrix(uint64_t digest, const double *values, size_t d, int K)
{
    return values ? emi_digest(digest, values, d * (size_t)K) : digest;
}

int emi_asked_list(emi_asked out[EMI_ASKED_MAX], const em_shards *shards, const em_options *options)
{
    size_t d = shards->columns;
    em_options fresh = emi_options_default();
    int n = 0, K = options->components;
    out[n++] = (emi_asked){"the number of features", .decides = 1, .value = emi_digest_number(EMI_DIGEST_START, d)};
    out[n++] = (emi_asked){"order or naming of the features", .decides = 1, .value = digest_names(shards)};
    for (int i = 0; em_option(i); i++) {
        const char *name = em_option(i)->name;
        uint64_t value = emi_option_digest(options, i), preset = emi_option_digest(&fresh, i);
        if (strcmp(name, "truth") == 0) value = digest_matrix(value, options->truth, d, K);
        out[n++] = (emi_asked){name, 1, emi_option_decides(i), value, preset};
    }
    out[n++] = (emi_asked){"init", 1, 1, digest_matrix(EMI_DIGEST_START, options->init, d, K), EMI_DIGEST_START};
    return n;
}

em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err)
{
    emi_asked asked[EMI_ASKED_MAX];
    double largest[2 * EMI_ASKED_MAX]; /* of each, and of minus each */
    if (!emi_mesh_is_spread(mesh)) return EM_OK;
    int count = emi_asked_list(asked, shards, options);
    for (int a = 0; a < count; a++) {
        largest[a] = (double)(asked[a].value >> 12); /* as much of it as a double holds */
        largest[count + a] = -largest[a];
    }
    em_status status = emi_process_max(mesh, largest, 2 * count, err);
    for (int a = 0; a < count && status == EM_OK; a++)
        if (largest[a] != -largest[count + a])
            status = emi_fail(err, EM_EINVAL, "fit: %s%s differs between processes; try the same everywhere",
                              asked[a].is_option ? "option " : "", asked[a].name);
    return status;
}
