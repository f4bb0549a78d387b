#include "fit/label.h"

#include "base/digest.h"
#include "base/memory.h"
#include "data/moments.h"

#include <string.h>

_Static_assert((int)EMI_ASKED_MAX <= (int)EMI_LABEL_ENTRIES, "a label has room for all that is asked");

/* ---- digests ----------------------------------------------------------------------------------- */

/* What mixing and exact averages depend on. */
static uint64_t digest_network(const em_mesh *mesh)
{
    return emi_digest_number(em_graph_digest(mesh->graph), (uint64_t)mesh->sums_directly);
}

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

static em_status digest_data(const emi_problem *p, uint64_t *digest, em_error *err)
{
    em_status status = EM_OK;
    int hosted = p->mesh->hosted;
    digest_task task = {p, emi_calloc((size_t)hosted, sizeof *task.digest)};
    if (!task.digest) return emi_fail_memory(err, "checkpoint");
    TRY(emi_pool_run(p->mesh->pool, hosted, 2.0 * (double)p->N * p->d, digest_body, &task, err));
    *digest = emi_digest(EMI_DIGEST_START, task.digest, (size_t)hosted);
done:
    emi_free(task.digest);
    return status;
}

/* ---- the problem at hand ----------------------------------------------------------------------- */

static em_status label_of(emi_label *label, const emi_problem *p, const em_options *options, em_error *err)
{
    const em_mesh *mesh = p->mesh;
    emi_asked asked[EMI_ASKED_MAX];
    *label = (emi_label){.sizes = {(uint64_t)p->d, (uint64_t)p->K, p->N, (uint64_t)mesh->graph->nodes,
                                   (uint64_t)mesh->first, (uint64_t)mesh->hosted},
                         .network_digest = digest_network(mesh)};
    int count = emi_asked_list(asked, p->shards, options);
    for (int n = 0; n < count; n++) {
        if (!asked[n].decides) continue;
        emi_label_entry *kept = &label->asked[label->asked_count++];
        (void)snprintf(kept->name, sizeof kept->name, "%s", asked[n].name);
        kept->value = asked[n].value;
    }
    return digest_data(p, &label->data_digest, err);
}

/* The limit of iterations only says when to stop, but for a method that divides it between the components. */
static int may_differ(const char *option, const emi_label *made)
{
    const emi_method *method = emi_method_find(made->method);
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
static em_status match_asked(const emi_label *made, const emi_label *own, const char *path, const em_shards *shards,
                             const em_options *options, em_error *err)
{
    emi_asked asked[EMI_ASKED_MAX];
    int count = emi_asked_list(asked, shards, options);
    for (int n = 0; n < count; n++) {
        const emi_label_entry *kept = find_entry(made, asked[n].name);
        if (!asked[n].decides || may_differ(asked[n].name, made)) continue;
        if (asked[n].value != (kept ? kept->value : asked[n].preset))
            return emi_fail(err, EM_EINVAL, "%s: made with another %s%s; %s", path, asked[n].is_option ? "option " : "",
                            asked[n].name, advice);
    }
    for (int n = 0; n < made->asked_count; n++)
        if (!find_entry(own, made->asked[n].name))
            return emi_fail(err, EM_EINVAL, "%s: made with option %s, which this version does not know; %s", path,
                            made->asked[n].name, advice);
    return EM_OK;
}

static em_status match(const emi_label *made, const emi_label *own, const char *path, const em_shards *shards,
                       const em_options *options, em_error *err)
{
    static const char *const sizes[] = {
        "features", "components", "rows", "nodes", "as the first node here", "nodes in this process"};
    for (int n = 0; n < EMI_LABEL_SIZES; n++)
        if (made->sizes[n] != own->sizes[n])
            return emi_fail(err, EM_EINVAL, "%s: made with %llu %s, and these are %llu; %s", path,
                            (unsigned long long)made->sizes[n], sizes[n], (unsigned long long)own->sizes[n], advice);
    if (options->method && strcmp(options->method, "auto") != 0 && strcmp(options->method, made->method) != 0)
        return emi_fail(err, EM_EINVAL, "%s: made with method %s, this is %s; %s", path, made->method, options->method,
                        advice);
    em_status status = match_asked(made, own, path, shards, options, err);
    if (status != EM_OK) return status;
    if (made->network_digest != own->network_digest)
        return emi_fail(err, EM_EINVAL, "%s: made with another network, other weights or another way to average; %s",
                        path, advice);
    if (made->data_digest != own->data_digest)
        return emi_fail(err, EM_EINVAL, "%s: made with other data; %s", path, advice);
    return EM_OK;
}

/* ---- the checkpoint at hand --------------------------------------------------------------------- */

em_status emi_checkpoint_match(emi_checkpoint *c, const emi_problem *p, const em_options *options, em_error *err)
{
    emi_label own;
    if (!*c->path) return EM_OK;
    em_status status = label_of(&own, p, options, err);
    if (status == EM_OK && (c->resumed || c->found)) status = match(&c->label, &own, c->path, p->shards, options, err);
    if (status != EM_OK) return status;
    if (c->found)
        return emi_fail(
            err, EM_EINVAL,
            "%s: a checkpoint of this very problem; try resume=yes to go on from iteration %ld, or remove it first",
            c->path, c->found);
    if (c->resumed) {
        memcpy(c->label.asked, own.asked, sizeof own.asked); /* the limit of iterations may be a new one */
        c->label.asked_count = own.asked_count;
    } else {
        c->label = own;
    }
    return EM_OK;
}

em_status emi_checkpoint_method(const emi_checkpoint *c, const emi_method *const *choices, int *index, em_error *err)
{
    *index = 0;
    if (!emi_checkpoint_resumes(c)) return EM_OK;
    for (int n = 0; choices[n]; n++)
        if (strcmp(choices[n]->info.name, c->label.method) == 0) {
            *index = n;
            return EM_OK;
        }
    return emi_fail(err, EM_EINVAL, "%s: made with method %s, which auto would not try here; try removing it first",
                    c->path, c->label.method);
}

em_status em_checkpoint_remove(const em_options *options, const em_mesh *mesh, em_error *err)
{
    return options->checkpoint ? emi_checkpoint_remove(options->checkpoint, mesh, err) : EM_OK;
}
