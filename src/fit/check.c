#include "fit/check.h"

#include "base/digest.h"
#include "base/memory.h"
#include "data/row_kind.h"
#include "mesh/masking.h"
#include "model/model.h"

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

em_status emi_options_masked(const em_options *options, const emi_method *named, em_error *err)
{
    if (named && !(named->traits & EMI_AT_ROOT))
        return emi_fail(err, EM_EINVAL, "method %s: shows its iterates, of which masks are to show none; try krylov",
                        named->info.name);
    if (options->truth || options->truth_compute)
        return emi_fail(err, EM_EINVAL, "truth: to compare with it takes more than masks show; try without it");
    if (options->trace != EMI_TRACE_NONE)
        return emi_fail(err, EM_EINVAL,
                        "trace: takes more products than the method asks for, and masks show no others; "
                        "try without it");
    if (options->limits)
        return emi_fail(err, EM_EINVAL,
                        "limits: takes more products than the method asks for, and masks show no others; "
                        "try without it");
    if (options->wire == EMI_WIRE_32) return emi_fail(err, EM_EINVAL, "wire: masked words have 64 bits; try wire=auto");
    return EM_OK;
}

int emi_options_oversample(const em_options *options)
{
    enum { PROBES = 8 }; /* random columns, beside the last answer: see methods/hidden.h */
    int extra = options->oversample >= 0 ? options->oversample : 2 + options->components / 10;
    return options->last && extra < PROBES ? PROBES : extra;
}

static int bad_number(double value)
{
    return !isfinite(value) || value < 0;
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
    const char *of_number = options->init         ? "init"
                            : options->truth      ? "truth"
                            : options->checkpoint ? "checkpoint"
                                                  : NULL;
    if (options->variance > 0 && of_number)
        return emi_fail(err, EM_EINVAL, "%s: for a number of components, not a fraction of variance; try components=10",
                        of_number);
    if (bad_number(options->step))
        return emi_fail(err, EM_EINVAL, "step: %g; try a positive number, or 0 for auto", options->step);
    if (bad_number(options->tolerance)) return emi_fail(err, EM_EINVAL, "tolerance: %g; try 1e-6", options->tolerance);
    if (options->step_decay == EMI_DECAY_POWER && (bad_number(options->step_power) || options->step_power == 0))
        return emi_fail(err, EM_EINVAL, "step-decay: power %g; try 0.2", options->step_power);
    if (options->consensus_rounds < 0)
        return emi_fail(err, EM_EINVAL, "consensus-rounds: %d; try 1 or more", options->consensus_rounds);
    if (options->precision == EMI_PRECISION_SINGLE && options->truth_compute)
        return emi_fail(err, EM_EINVAL, "truth compute: not in single precision; try precision=double");
    if (options->scale == EMI_SCALE_BINOMIAL && !options->center)
        return emi_fail(err, EM_EINVAL,
                        "scale binomial: takes the mean off, and center=no leaves it in; try one of the two");
    if (!options->checkpoint && options->resume)
        return emi_fail(err, EM_EINVAL, "resume: from no checkpoint; try checkpoint=FILE beside it");
    if (bad_number(options->checkpoint_every))
        return emi_fail(err, EM_EINVAL, "checkpoint-every: %g seconds; try 600", options->checkpoint_every);
    em_status status = check_matrix("init", options->init, options->init_size, d, K, "start", err);
    return status ? status : check_matrix("truth", options->truth, options->truth_size, d, K, "file", err);
}

/* ---- the same everywhere --------------------------------------------------------------------------- */

/* What is asked, one by one: an option, or something about the data, and a number for its value: see base/digest.h. */
typedef struct asked {
    const char *name;
    const char *kind;       /* "option ", or "" */
    int decides;            /* the result depends on it          */
    uint64_t value, preset; /* preset: of an option, its default */
} asked;

enum { ASKED_MAX = EMI_OPTIONS_MAX + 3 };
_Static_assert((int)ASKED_MAX <= (int)EMI_LABEL_ENTRIES, "a label has room for all that is asked");

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

/* All of it that a fit sees. */
static uint64_t digest_last(uint64_t digest, const em_model *last)
{
    digest = emi_digest_number(digest, (uint64_t)last->d);
    digest = emi_digest_number(digest, (uint64_t)last->K);
    for (int f = 0; last->feature_names && f < last->d; f++) digest = emi_digest_text(digest, last->feature_names[f]);
    digest = emi_digest_text(digest, last->info.scale);
    digest = emi_digest(digest, last->explained_variance, (size_t)last->K);
    return digest_matrix(digest, last->components, (size_t)last->d, last->K);
}

/* Returns how many there are. */
static int list_asked(asked out[ASKED_MAX], const em_shards *shards, const em_options *options)
{
    size_t d = shards->columns;
    em_options fresh = emi_options_default();
    int n = 0, K = options->components;
    out[n++] = (asked){"the number of features", "", .decides = 1, .value = emi_digest_number(EMI_DIGEST_START, d)};
    out[n++] = (asked){"order or naming of the features", "", .decides = 1, .value = digest_names(shards)};
    for (int i = 0; em_option(i); i++) {
        const char *name = em_option(i)->name;
        uint64_t value = emi_option_digest(options, i), preset = emi_option_digest(&fresh, i);
        if (strcmp(name, "truth") == 0) value = digest_matrix(value, options->truth, d, K);
        out[n++] = (asked){name, "option ", emi_option_decides(i), value, preset};
    }
    uint64_t start = digest_matrix(EMI_DIGEST_START, options->init, d, K);
    if (options->last) start = digest_last(start, options->last);
    out[n++] = (asked){"init", "option ", 1, start, EMI_DIGEST_START};
    return n;
}

/* The root's process alone needs it, and decides by its own, where a method may work there: for the others to have it too is
 * for those that do not. */
static int is_for_root(const asked *a, const em_options *options)
{
    static const char *const names[] = {"checkpoint", "checkpoint-every", "resume"};
    const emi_method *method = options->method ? emi_method_find(options->method) : NULL; /* NULL: auto */
    int is = 0;
    for (int n = 0; n < 3; n++) is |= strcmp(a->name, names[n]) == 0;
    return is && (!method || method->traits & EMI_AT_ROOT);
}

/* Each process has its own. */
static int is_own(const asked *a)
{
    return strcmp(a->name, "device") == 0;
}

em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err)
{
    asked all[ASKED_MAX];
    double largest[ASKED_MAX][2]; /* of each, and of minus each */
    if (!emi_mesh_is_spread(mesh)) return EM_OK;
    int count = list_asked(all, shards, options);
    for (int a = 0; a < count; a++) {
        largest[a][0] = (double)(all[a].value >> 12); /* as much of it as a double holds */
        largest[a][1] = -largest[a][0];
    }
    em_status status = emi_process_max(mesh, largest[0], 2 * count, err);
    for (int a = 0; a < count && status == EM_OK; a++)
        if (largest[a][0] != -largest[a][1] && !is_for_root(&all[a], options) && !is_own(&all[a]))
            status = emi_fail(err, EM_EINVAL, "fit: %s%s differs between processes; try the same everywhere",
                              all[a].kind, all[a].name);
    if (status != EM_OK)
        (void)emi_process_max(mesh, largest[0], 1, NULL); /* all know by now, before one tells the others */
    return status;
}

/* ---- is a checkpoint about the problem at hand? ----------------------------------------------------- */

typedef struct digest_task {
    const emi_problem *p;
    uint64_t *digest; /* [hosted] */
} digest_task;

/* Of a node's rows as they are, before mean and scale. */
static em_status digest_body(void *context, int i, int worker, em_error *err)
{
    const digest_task *t = context;
    const emi_shard *shard = &t->p->shard[i];
    emi_scratch scratch = t->p->scratch[worker];
    size_t d = (size_t)t->p->d, at_once = scratch.count / d, count;
    uint64_t digest = emi_digest_number(EMI_DIGEST_START, shard->count);
    if (emi_is_moments(shard)) {
        t->digest[i] = emi_moment_rows.digest(shard->data);
        return EM_OK;
    }
    for (size_t first = 0; first < shard->count; first += count) {
        count = shard->count - first < at_once ? shard->count - first : at_once;
        em_status status = emi_shard_read(shard, first, count, scratch.v, err);
        if (status != EM_OK) return status;
        digest = emi_digest(digest, scratch.v, count * d);
        emi_shard_forget(shard, first, count);
    }
    t->digest[i] = digest;
    return EM_OK;
}

/* The sum of all nodes' digests, in two halves that a double holds exactly. */
static em_status digest_all(em_mesh *mesh, const uint64_t *own, uint64_t *digest, em_error *err)
{
    emi_field halves = {0};
    double sums[2] = {0};
    int phase = mesh->phase;
    em_status status = emi_field_alloc(&halves, mesh->hosted, 2, 1, err);
    if (status != EM_OK) return status;
    for (int i = 0; i < mesh->hosted; i++) {
        uint64_t placed = emi_digest_number(own[i], (uint64_t)mesh->first + (uint64_t)i);
        emi_at(&halves, i).v[0] = (double)(placed >> 32);
        emi_at(&halves, i).v[1] = (double)(uint32_t)placed;
    }
    mesh->phase = EMI_OBSERVING; /* a checkpoint costs nothing that is counted */
    emi_tree_sum(mesh, &halves, sums);
    mesh->phase = phase;
    emi_field_free(&halves);
    *digest = emi_digest(EMI_DIGEST_START, sums, 2);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    return mesh->failure.code;
}

/* Of what lives here; and of everything, where all processes take part. */
static em_status digest_data(emi_label *label, const emi_problem *p, int everywhere, em_error *err)
{
    em_status status = EM_OK;
    int hosted = p->mesh->hosted;
    digest_task task = {p, emi_calloc((size_t)hosted, sizeof *task.digest)};
    if (!task.digest) return emi_fail_memory(err, "checkpoint");
    TRY(emi_pool_run(p->mesh->pool, hosted, 2.0 * (double)p->N * p->d, digest_body, &task, err));
    label->data_digest = emi_digest(EMI_DIGEST_START, task.digest, (size_t)hosted);
    if (everywhere) TRY(digest_all(p->mesh, task.digest, &label->all_digest, err));
done:
    emi_free(task.digest);
    return status;
}

static uint64_t way_to_average(const em_mesh *mesh)
{
    return emi_mesh_is_masked(mesh) ? 2 : (uint64_t)mesh->sums_directly;
}

static void label_of(emi_label *label, const emi_problem *p, const asked *all, int count)
{
    const em_mesh *mesh = p->mesh;
    *label = (emi_label){.sizes = {(uint64_t)p->d, (uint64_t)p->K, p->N, (uint64_t)mesh->graph->nodes,
                                   (uint64_t)mesh->first, (uint64_t)mesh->hosted},
                         .network_digest = emi_digest_number(em_graph_digest(mesh->graph), way_to_average(mesh))};
    for (int n = 0; n < count; n++) {
        if (!all[n].decides) continue;
        emi_label_entry *kept = &label->asked[label->asked_count++];
        (void)snprintf(kept->name, sizeof kept->name, "%s", all[n].name);
        kept->value = all[n].value;
    }
}

/* The limit of iterations only says when to stop, but for a method that divides it between the components. */
static int may_differ(const char *option, const emi_label *made)
{
    const emi_method *method = emi_method_find(made->course.method);
    return strcmp(option, "iterations") == 0 && method && !method->per_component;
}

static const char advice[] = "try what it was made with, or another FILE for option checkpoint";

static const emi_label_entry *find_entry(const emi_label *label, const char *name)
{
    for (int n = 0; n < label->asked_count; n++)
        if (strcmp(label->asked[n].name, name) == 0) return &label->asked[n];
    return NULL;
}

/* An option that is newer than the checkpoint was at its default then. */
static em_status match_asked(const emi_label *made, const emi_label *own, const char *path, const asked *all, int count,
                             em_error *err)
{
    for (int n = 0; n < count; n++) {
        const emi_label_entry *kept = find_entry(made, all[n].name);
        if (!all[n].decides || may_differ(all[n].name, made)) continue;
        if (all[n].value != (kept ? kept->value : all[n].preset))
            return emi_fail(err, EM_EINVAL, "%s: made with another %s%s; %s", path, all[n].kind, all[n].name, advice);
    }
    for (int n = 0; n < made->asked_count; n++)
        if (!find_entry(own, made->asked[n].name))
            return emi_fail(err, EM_EINVAL, "%s: made with option %s, which this version does not know; %s", path,
                            made->asked[n].name, advice);
    return EM_OK;
}

/* Sizes, and the method; then what is asked; then the network and the data. */
static em_status match_sizes(const emi_label *made, const emi_label *own, const char *path, const char *method,
                             em_error *err)
{
    static const char *const sizes[] = {
        "features", "components", "rows", "nodes", "as the first node here", "nodes in this process"};
    for (int n = 0; n < EMI_LABEL_SIZES; n++)
        if (made->sizes[n] != own->sizes[n])
            return emi_fail(err, EM_EINVAL, "%s: made with %llu %s, and these are %llu; %s", path,
                            (unsigned long long)made->sizes[n], sizes[n], (unsigned long long)own->sizes[n], advice);
    if (method && strcmp(method, "auto") != 0 && strcmp(method, made->course.method) != 0)
        return emi_fail(err, EM_EINVAL, "%s: made with method %s, this is %s; %s", path, made->course.method, method,
                        advice);
    return EM_OK;
}

static em_status match_digests(const emi_label *made, const emi_label *own, const char *path, em_error *err)
{
    if (made->network_digest != own->network_digest)
        return emi_fail(err, EM_EINVAL, "%s: made with another network, other weights or another way to average; %s",
                        path, advice);
    if (made->data_digest != own->data_digest || made->all_digest != own->all_digest)
        return emi_fail(err, EM_EINVAL, "%s: made with other data; %s", path, advice);
    return EM_OK;
}

em_status emi_checkpoint_match(emi_checkpoint *c, const emi_problem *p, const em_options *options, em_error *err)
{
    em_status status = EM_OK;
    emi_label own;
    asked all[ASKED_MAX];
    if (!*c->path && !c->everywhere) return EM_OK;
    int count = list_asked(all, p->shards, options);
    label_of(&own, p, all, count);
    TRY(digest_data(&own, p, c->everywhere && !emi_mesh_is_masked(p->mesh), err)); /* others' rows are their own */
    if (c->labelled) {
        TRY(match_sizes(&c->label, &own, c->path, options->method, err));
        TRY(match_asked(&c->label, &own, c->path, all, count, err));
        TRY(match_digests(&c->label, &own, c->path, err));
    }
    if (c->found)
        TRY(emi_fail(
            err, EM_EINVAL,
            "%s: a checkpoint of this very problem; try resume=yes to go on from iteration %ld, or remove it first",
            c->path, c->found));
    if (c->resumes) { /* which is of this problem, but for the limit of iterations, which may be a new one */
        own.course = c->label.course;
        own.alpha = c->label.alpha;
        own.network = c->label.network;
    }
    c->label = own;
done:
    return status;
}

em_status emi_checkpoint_method(const emi_checkpoint *c, const emi_method *const *choices, int *index, em_error *err)
{
    *index = 0;
    if (!emi_checkpoint_resumes(c)) return EM_OK;
    const char *path = *c->path ? c->path : "checkpoint"; /* which another process has */
    while (choices[*index] && strcmp(choices[*index]->info.name, c->label.course.method) != 0) ++*index;
    if (!choices[*index])
        return emi_fail(err, EM_EINVAL, "%s: made with method %s, which auto would not try here; try removing it first",
                        path, c->label.course.method);
    if (c->label.course.at_root != !!(choices[*index]->traits & EMI_AT_ROOT))
        return emi_fail(err, EM_EDATA, "%s: not the state of such a run; try removing it first", path);
    return EM_OK;
}
