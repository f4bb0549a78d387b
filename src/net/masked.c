#include "net/masked.h"

#include "net/no_memory.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

struct emi_masked {
    emi_hub *hub;
    uint64_t generation; /* of the run */
    emi_policy policy;
    emi_masks *masks;
    unsigned char view[EM_VIEW_BYTES]; /* at first the run */
};

/* ---- what the library asks ------------------------------------------------------------------------------------------------ */

static em_status log_sum(const emi_masked *m, const em_sum *sum, em_error *err)
{
    static const char *const kinds[] = {
        [EM_SUM_MAXIMUM] = "maximum", [EM_SUM_COUNT] = "count", [EM_SUM_BLOCK] = "block", [EM_SUM_WIDE] = "wide"};
    const emi_field_of_line fields[] = {{.name = "number", .number = &sum->number},
                                        {.name = "kind", .text = kinds[sum->kind]},
                                        {.name = "view", .digest = sum->view}};
    return emi_hub_log(m->hub, m->generation, "sum", fields, 3, 0, err);
}

/* In the log before it can leave. */
static em_status mask(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err)
{
    const emi_masked *m = state;
    (void)node; /* a process has one */
    em_status status = log_sum(m, sum, err);
    return status == EM_OK ? emi_masks_add(m->masks, sum, words, err) : status;
}

static em_status fill(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err)
{
    const emi_masked *m = state;
    (void)node;
    return emi_masks_fill(m->masks, values, bytes, words, count, err);
}

static em_status count_rows(void *state, int node, uint64_t own, uint64_t all, em_error *err)
{
    const emi_masked *m = state;
    (void)node;
    return emi_policy_count_rows(&m->policy, own, all, err);
}

static em_status answer(void *state, int node, int columns, int features, em_error *err)
{
    const emi_masked *m = state;
    (void)node, (void)features;
    return emi_policy_answer(&m->policy, (uint64_t)columns, err);
}

static void close_state(void *state)
{
    emi_masked *m = state;
    emi_masked_close(&m);
}

/* ---- of a run --------------------------------------------------------------------------------------------------------------- */

static em_status open_keys(emi_masked *m, const emi_identity *identity, int site, em_error *err)
{
    int sites = m->policy.study->site_count;
    emi_mask_keys keys = {.site = site, .sites = sites, .all = calloc((size_t)sites, sizeof *keys.all)};
    em_status status = keys.all ? emi_identity_own_secret(identity, keys.secret, err) : emi_no_memory(err);
    if (status == EM_OK) status = emi_hub_keys(m->hub, m->generation, &keys, err);
    if (status == EM_OK) status = emi_masks_open(&m->masks, &keys, err);
    memcpy(m->view, keys.run, sizeof m->view);
    free(keys.all);
    OPENSSL_cleanse(&keys, sizeof keys);
    return status;
}

em_status emi_masked_open(emi_masked **out, emi_hub *hub, uint64_t generation, const emi_identity *identity, int site,
                          const emi_policy *policy, em_error *err)
{
    emi_masked *made = *out = calloc(1, sizeof *made);
    if (!made) return emi_no_memory(err);
    made->hub = hub;
    made->generation = generation;
    made->policy = *policy;
    em_status status = emi_policy_note_rows(policy, err);
    if (status == EM_OK) status = open_keys(made, identity, site, err);
    if (status != EM_OK) emi_masked_close(out);
    return status;
}

void emi_masked_close(emi_masked **masked)
{
    if (!*masked) return;
    emi_masks_close(&(*masked)->masks);
    free(*masked);
    *masked = NULL;
}

em_status emi_masked_follow(emi_masked *masked, const void *block, size_t bytes, em_error *err)
{
    return emi_view_follow(masked->view, block, bytes, err);
}

em_status emi_masked_give(emi_masked **masked, em_mesh *mesh, em_error *err)
{
    static const em_masks table = {.size = sizeof table,
                                   .mask = mask,
                                   .follow = emi_masks_follow,
                                   .random = emi_masks_random,
                                   .fill = fill,
                                   .rows = count_rows,
                                   .answer = answer,
                                   .close = close_state};
    emi_masked *given = *masked;
    unsigned char view[EM_VIEW_BYTES];
    memcpy(view, given->view, sizeof view); /* it may be closed by then */
    *masked = NULL;
    return em_mesh_set_masks(mesh, &table, given, view, err);
}
