#include "fit/options.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

em_options em_options_default(void)
{
    return (em_options){.method = "auto",
                        .step_power = 0.2,
                        .iterations = -1,
                        .tolerance = 1e-6,
                        .center = 1,
                        .rayleigh_ritz = 1,
                        .oversample = -1,
                        .checkpoint_every = 600};
}

/* ---- options from text: one table for the command line, the manual and bindings ------------- */

typedef em_status set_fn(em_options *options, const char *value, em_error *err);

static em_status set_components(em_options *options, const char *value, em_error *err)
{
    long K;
    double fraction;
    if (emi_text_long(value, &K) == 0) {
        if (K < 1 || K > INT_MAX)
            return emi_fail(err, EM_EINVAL, "components %s: not a number of vectors; try 1 or more", value);
        options->components = (int)K;
        options->variance = 0;
        return EM_OK;
    }
    if (emi_text_double(value, &fraction) == 0 && fraction > 0 && fraction < 1) {
        options->variance = fraction;
        return EM_OK;
    }
    return emi_fail(err, EM_EINVAL,
                    "components %s: neither a whole number nor a fraction; try 10, or 0.9 of the variance", value);
}

static em_status set_method(em_options *options, const char *value, em_error *err)
{
    if (strcmp(value, "auto") != 0 && !emi_method_find(value))
        return emi_fail(err, EM_EINVAL, "method %s: no such method; try eigenmesh fit --help", value);
    options->method = value;
    return EM_OK;
}

static em_status set_step(em_options *options, const char *value, em_error *err)
{
    double step = 0;
    if (strcmp(value, "auto") != 0 && (emi_text_double(value, &step) || step <= 0))
        return emi_fail(err, EM_EINVAL, "step %s: not a positive number; try auto", value);
    options->step = step;
    return EM_OK;
}

static em_status set_step_decay(em_options *options, const char *value, em_error *err)
{
    const char *power = emi_text_after(value, "power:");
    double exponent = 0;
    if (strcmp(value, "constant") == 0)
        options->step_decay = EM_DECAY_CONSTANT;
    else if (strcmp(value, "sqrt") == 0)
        options->step_decay = EM_DECAY_SQRT;
    else if (power && emi_text_double(power, &exponent) == 0 && exponent > 0)
        options->step_decay = EM_DECAY_POWER, options->step_power = exponent;
    else
        return emi_fail(err, EM_EINVAL, "step-decay %s: no such schedule; try constant, sqrt or power:0.2", value);
    return EM_OK;
}

static em_status set_consensus_rounds(em_options *options, const char *value, em_error *err)
{
    long rounds;
    if (emi_text_long(value, &rounds) || rounds < 1 || rounds > INT_MAX)
        return emi_fail(err, EM_EINVAL, "consensus-rounds %s: not a number of mixes; try 1 or more", value);
    options->consensus_rounds = (int)rounds;
    return EM_OK;
}

static em_status set_qr_signs(em_options *options, const char *value, em_error *err)
{
    if (strcmp(value, "positive") != 0 && strcmp(value, "free") != 0)
        return emi_fail(err, EM_EINVAL, "qr-signs %s: no such rule; try positive or free", value);
    options->qr_signs = strcmp(value, "free") == 0 ? EM_QR_FREE : EM_QR_POSITIVE;
    return EM_OK;
}

static em_status set_rayleigh_ritz(em_options *options, const char *value, em_error *err)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return emi_fail(err, EM_EINVAL, "rayleigh-ritz %s: not a choice; try yes or no", value);
    options->rayleigh_ritz = strcmp(value, "yes") == 0;
    return EM_OK;
}

static em_status set_oversample(em_options *options, const char *value, em_error *err)
{
    long extra;
    if (emi_text_long(value, &extra) || extra < 0 || extra > INT_MAX / 4)
        return emi_fail(err, EM_EINVAL, "oversample %s: not a number of vectors; try 0 or more", value);
    options->oversample = (int)extra;
    return EM_OK;
}

static em_status set_iterations(em_options *options, const char *value, em_error *err)
{
    long iterations;
    if (emi_text_long(value, &iterations) || iterations < 0)
        return emi_fail(err, EM_EINVAL, "iterations %s: not a number of iterations; try 0 or more", value);
    options->iterations = iterations;
    return EM_OK;
}

static em_status set_tolerance(em_options *options, const char *value, em_error *err)
{
    double tolerance;
    if (emi_text_double(value, &tolerance) || tolerance < 0)
        return emi_fail(err, EM_EINVAL, "tolerance %s: not a number; try 1e-6, or 0 to run all iterations", value);
    options->tolerance = tolerance;
    return EM_OK;
}

static em_status set_scale(em_options *options, const char *value, em_error *err)
{
    static const char *const names[] = {"none", "std", "spectral"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) != 0) continue;
        options->scale = (em_scale)i;
        return EM_OK;
    }
    return emi_fail(err, EM_EINVAL, "scale %s: no such scaling; try none, std or spectral", value);
}

static em_status set_seed(em_options *options, const char *value, em_error *err)
{
    if (emi_text_u64(value, &options->seed))
        return emi_fail(err, EM_EINVAL, "seed %s: not a number; try 0 to 18446744073709551615", value);
    return EM_OK;
}

static const struct {
    em_option_info info;
    set_fn *set;
} option_table[] = {
    {{"components", "K", "required", "how many eigenvectors to find, or what fraction of the variance they explain"},
     set_components},
    {{"method", "NAME", "auto", "auto, or one of the methods below"}, set_method},
    {{"step", "A", "auto", "the step size alpha; auto: as large as is stable"}, set_step},
    {{"step-decay", "HOW", "constant", "constant, sqrt (A/sqrt(t+1)) or power:P (A/(t+1)^P)"}, set_step_decay},
    {{"consensus-rounds", "T", "the method's own", "mixes an iteration, for methods that have them"},
     set_consensus_rounds},
    {{"qr-signs", "HOW", "positive", "R's diagonal: positive, or free (what LAPACK returns; for study)"}, set_qr_signs},
    {{"rayleigh-ritz", "YES", "yes", "report Ritz vectors of the subspace (deepca): yes or no"}, set_rayleigh_ritz},
    {{"oversample", "P", "the method's own", "extra vectors in the block (krylov)"}, set_oversample},
    {{"iterations", "T", "the method's own", "stop after T iterations"}, set_iterations},
    {{"tolerance", "R", "1e-6", "stop when every component's residual (dsa's like: its change) is under R; 0: never"},
     set_tolerance},
    {{"scale", "HOW", "none", "none, std (unit variance) or spectral (lambda_1 = 1)"}, set_scale},
    {{"seed", "S", "0", "everything random follows from it"}, set_seed},
};

enum { OPTIONS = sizeof option_table / sizeof *option_table };

const em_option_info *em_option(int index)
{
    return index >= 0 && index < OPTIONS ? &option_table[index].info : NULL;
}

em_status em_options_set(em_options *options, const char *name, const char *value, em_error *err)
{
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(option_table[i].info.name, name) == 0) return option_table[i].set(options, value, err);
    return emi_fail(err, EM_EINVAL, "%s: no such option", name);
}

/* ---- checks -------------------------------------------------------------------------------- */

static em_status refuse_unread(const em_options *options, const emi_method *method, em_error *err)
{
    const char *unread = NULL;
    if (!(method->uses & EMI_USES_STEP) && options->step != 0) unread = "step";
    if (!(method->uses & EMI_USES_STEP) && options->step_decay != EM_DECAY_CONSTANT) unread = "step-decay";
    if (!(method->uses & EMI_USES_ROUNDS) && options->consensus_rounds != 0) unread = "consensus-rounds";
    if (!(method->uses & EMI_USES_QR) && options->qr_signs != EM_QR_POSITIVE) unread = "qr-signs";
    if (!(method->uses & EMI_USES_RITZ) && !options->rayleigh_ritz) unread = "rayleigh-ritz";
    if (!(method->uses & EMI_USES_OVERSAMPLE) && options->oversample >= 0) unread = "oversample";
    if (!unread) return EM_OK;
    return emi_fail(err, EM_EINVAL, "%s: not used by method %s; try without it", unread, method->info.name);
}

em_status emi_options_method(const em_options *options, int nodes, const emi_method **out, em_error *err)
{
    const char *name = options->method ? options->method : "auto";
    const emi_method *method = emi_method_find(name);
    *out = NULL;
    if (strcmp(name, "auto") == 0) return EM_OK;
    if (!method) return emi_fail(err, EM_EINVAL, "method %s: no such method; try auto", name);
    if (method->info.single_node && nodes > 1)
        return emi_fail(err, EM_EINVAL,
                        "method %s: needs all data in one place, and there are %d nodes; try --nodes 1, or method dsa",
                        name, nodes);
    if (options->variance > 0 && !(method->traits & EMI_AT_ROOT))
        return emi_fail(err, EM_EINVAL, "components: a fraction of variance is not for method %s; try krylov or auto",
                        name);
    *out = method;
    return refuse_unread(options, method, err);
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
        return emi_fail(err, EM_EINVAL, "resume: from no checkpoint; try --checkpoint FILE beside it");
    if (bad_number(options->checkpoint_every))
        return emi_fail(err, EM_EINVAL, "checkpoint-every: %g seconds; try 600", options->checkpoint_every);
    if (options->checkpoint && options->variance > 0)
        return emi_fail(err, EM_EINVAL,
                        "checkpoint: for a number of components, not a fraction of variance; try -k 10");
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
        return emi_fail(err, EM_EINVAL, "%s: for a number of components, not a fraction of variance; try -k 10",
                        options->init ? "init" : "truth");
    if (bad_number(options->step))
        return emi_fail(err, EM_EINVAL, "step: %g; try a positive number, or 0 for auto", options->step);
    if (bad_number(options->tolerance)) return emi_fail(err, EM_EINVAL, "tolerance: %g; try 1e-6", options->tolerance);
    if (options->step_decay == EM_DECAY_POWER && (bad_number(options->step_power) || options->step_power == 0))
        return emi_fail(err, EM_EINVAL, "step-decay: power %g; try 0.2", options->step_power);
    if (options->consensus_rounds < 0)
        return emi_fail(err, EM_EINVAL, "consensus-rounds: %d; try 1 or more", options->consensus_rounds);
    for (size_t n = 0; options->init && n < (size_t)d * (size_t)K; n++)
        if (!isfinite(options->init[n]))
            return emi_fail(err, EM_EINVAL, "init: an entry is not finite; try another start");
    for (size_t n = 0; options->truth && n < (size_t)d * (size_t)K; n++)
        if (!isfinite(options->truth[n]))
            return emi_fail(err, EM_EINVAL, "truth: an entry is not finite; try another file");
    return check_checkpoint(options, err);
}
