/* The hub as the solver sees it: runs that are entered, rounds of blocks, and waiting for others. */
#include "net/hub_parts.h"

#include <math.h>
#include <string.h>

static int is_interrupted(const emi_hub *hub)
{
    return hub->options.interrupted && atomic_load(hub->options.interrupted);
}

/* Why nobody goes on here. */
static em_status why_over(emi_hub *hub, em_error *err)
{
    const char *by = emi_hub_name(hub, hub->node.over_by);
    switch (hub->node.over) {
    case EMI_LEAVE_SIZE:
        return em_fail(err, EM_ENET,
                       "node: %s and this site do not agree on the size of a block; try the same version of the "
                       "program at all sites",
                       by);
    case EMI_LEAVE_ROOT:
        return em_fail(err, EM_ENET, "node: the root has ended the run; try what its own messages say, then all again");
    default:
        return em_fail(err, EM_ENET,
                       "node: %s says that the study is done; try option again, at all sites, to run it again", by);
    }
}

static em_status check(emi_hub *hub, em_error *err)
{
    if (is_interrupted(hub)) return em_fail(err, EM_ENET, "node: interrupted; try again, to go on");
    if (hub->log_failure.code != EM_OK) {
        if (err) *err = hub->log_failure;
        return hub->log_failure.code;
    }
    if (hub->options.rehearses && hub->node.differs >= 0)
        return em_fail(err, EM_EDATA, "node: %s has other columns than the root; try the same at all sites",
                       emi_hub_name(hub, hub->node.differs));
    if (hub->node.no_memory) return emi_no_memory(err);
    return hub->node.over ? why_over(hub, err) : EM_OK;
}

/* Wait a little longer for somebody: a second, or less where something changes.  Meanwhile this thread does the work. */
static em_status wait_more(emi_hub *hub, double began, double *told, em_error *err)
{
    enum { SECOND = 1000 };
    double before = emi_hub_now();
    int site = emi_node_awaits(&hub->node);
    em_status status = check(hub, err);
    if (status != EM_OK) return status;
    if (before - began > hub->patience) {
        hub->lost_patience = site;
        return em_fail(err, EM_ENET, "node: waited for %s for %.0f s; try again when it is there, or more patience",
                       emi_hub_name(hub, site), before - began);
    }
    if (hub->options.waits && before - *told >= 1 && before - began >= 1) {
        *told = before;
        hub->options.waits(hub->options.user, emi_hub_name(hub, site), before - began);
    }
    hub->driven = 1;
    emi_hub_poll(hub, &hub->polls[1], SECOND);
    emi_hub_turn(hub);
    hub->driven = 0;
    hub->left = emi_hub_now();
    if (site >= 0) hub->waited[site] += emi_hub_now() - before;
    return EM_OK;
}

em_status emi_hub_enter(emi_hub *hub, uint64_t before, uint64_t *generation, em_error *err)
{
    em_status status = EM_OK;
    double began = emi_hub_now(), told = 0;
    (void)pthread_mutex_lock(&hub->lock);
    while (status == EM_OK && (hub->node.generation == before || !emi_node_in_run(&hub->node)))
        status = wait_more(hub, began, &told, err);
    *generation = hub->node.generation;
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}

uint64_t emi_hub_iteration(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    uint64_t iteration = hub->node.iteration;
    (void)pthread_mutex_unlock(&hub->lock);
    return iteration;
}

void emi_hub_rows(emi_hub *hub, unsigned char *rows)
{
    (void)pthread_mutex_lock(&hub->lock);
    for (int site = 0; site < hub->options.study->site_count; site++) {
        emi_entry entry = {0};
        if (hub->node.start) emi_entry_read(hub->node.start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES, &entry);
        memcpy(rows + (size_t)site * EMI_SHA_BYTES, entry.rows, EMI_SHA_BYTES);
    }
    (void)pthread_mutex_unlock(&hub->lock);
}

em_status emi_hub_log(emi_hub *hub, const char *what, const emi_field_of_line *fields, int count, int sign,
                      em_error *err)
{
    if (!hub->options.audit) return EM_OK;
    (void)pthread_mutex_lock(&hub->lock);
    em_status status = emi_audit_write(hub->options.audit, what, fields, count, sign, err);
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}

int emi_hub_is_stale(emi_hub *hub, uint64_t generation)
{
    (void)pthread_mutex_lock(&hub->lock);
    int stale = hub->node.generation != generation;
    (void)pthread_mutex_unlock(&hub->lock);
    return stale;
}

static em_status anew(em_error *err)
{
    return em_fail(err, EM_ENET, "node: a site came back, and all go on from the root's last step; try nothing");
}

/* What goes over a link, for the log; the lock is held. */
static em_status log_block(emi_hub *hub, int peer, int leaves, const void *block, size_t count, em_error *err)
{
    unsigned char digest[EMI_SHA_BYTES];
    emi_link *l = emi_node_link(&hub->node, peer);
    uint64_t bytes = count, *number = leaves ? &l->blocks_sent : &l->blocks_got;
    const emi_piece all = {block, count};
    const emi_field_of_line fields[] = {{.name = "peer", .text = emi_hub_name(hub, peer)},
                                        {.name = "direction", .text = leaves ? "sent" : "received"},
                                        {.name = "number", .number = number},
                                        {.name = "bytes", .number = &bytes},
                                        {.name = "digest", .digest = digest}};
    ++*number;
    if (!hub->options.audit) return EM_OK;
    em_status status = emi_sha256(&all, 1, digest, err);
    return status == EM_OK ? emi_audit_write(hub->options.audit, "block", fields, 5, 0, err) : status;
}

static em_status log_received(emi_hub *hub, em_error *err)
{
    em_status status = EM_OK;
    for (int n = 0; n < hub->node.config.links && status == EM_OK; n++) {
        const emi_link *l = &hub->node.links[n];
        if (l->expected) status = log_block(hub, l->peer, 0, l->inbox, l->expected, err);
    }
    return status;
}

em_status emi_hub_begin(emi_hub *hub, uint64_t generation, const int *to, const void *const *blocks, int to_count,
                        const int *from, int from_count, size_t bytes, em_error *err)
{
    (void)pthread_mutex_lock(&hub->lock);
    em_status status = hub->node.generation != generation ? anew(err) : check(hub, err);
    for (int n = 0; status == EM_OK && n < hub->node.config.links; n++)
        hub->node.links[n].expected = hub->node.links[n].got = 0;
    for (int n = 0; status == EM_OK && n < to_count; n++) status = log_block(hub, to[n], 1, blocks[n], bytes, err);
    for (int n = 0; status == EM_OK && n < to_count; n++) emi_node_send(&hub->node, to[n], blocks[n], bytes);
    for (int n = 0; status == EM_OK && n < from_count; n++) emi_node_expect(&hub->node, from[n], bytes);
    if (status == EM_OK) emi_conns_move(hub, emi_hub_now()); /* what can leave at once does */
    int more = emi_hub_has_output(hub);
    (void)pthread_mutex_unlock(&hub->lock);
    if (more) emi_hub_wake(hub);
    return status;
}

/* They are the caller's again, who may free them. */
static void forget_blocks(emi_hub *hub)
{
    for (int n = 0; n < hub->node.config.links; n++) hub->node.links[n].block = NULL;
}

em_status emi_hub_end(emi_hub *hub, uint64_t generation, em_error *err)
{
    em_status status = EM_OK;
    double began = emi_hub_now(), told = 0;
    (void)pthread_mutex_lock(&hub->lock);
    hub->node.waits_in_round = hub->node.generation == generation;
    while (status == EM_OK && hub->node.generation == generation && !emi_node_round_is_done(&hub->node))
        status = wait_more(hub, began, &told, err);
    if (status == EM_OK && hub->node.generation != generation) status = anew(err);
    if (status == EM_OK) status = log_received(hub, err);
    hub->node.waits_in_round = 0;
    forget_blocks(hub);
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}

em_status emi_hub_await_end(emi_hub *hub, uint64_t generation, em_error *err)
{
    em_status status = EM_OK;
    double began = emi_hub_now(), told = 0;
    (void)pthread_mutex_lock(&hub->lock);
    hub->node.waits_for_end = hub->node.generation == generation;
    while (status == EM_OK && hub->node.generation == generation && hub->node.over != EMI_LEAVE_FINISHED)
        status = wait_more(hub, began, &told, err);
    if (status == EM_OK && hub->node.generation != generation) status = anew(err);
    hub->node.waits_for_end = 0;
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}

const void *emi_hub_block(emi_hub *hub, int from)
{
    (void)pthread_mutex_lock(&hub->lock);
    const emi_link *l = emi_node_link(&hub->node, from);
    const void *block = l ? l->inbox : NULL;
    (void)pthread_mutex_unlock(&hub->lock);
    return block;
}

void emi_hub_abandon(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    forget_blocks(hub);
    (void)pthread_mutex_unlock(&hub->lock);
}

/* Until this holds of no link, or the time is over. */
static void wait_for_links(emi_hub *hub, int (*holds)(const emi_hub *hub, const emi_link *l), double seconds)
{
    em_error ignored;
    double began = emi_hub_now(), told = 0;
    int waits = 1;
    emi_hub_turn(hub); /* what there is to say leaves */
    while (waits) {
        waits = 0;
        for (int n = 0; n < hub->node.config.links; n++) waits |= holds(hub, &hub->node.links[n]);
        if (waits && (emi_hub_now() - began > seconds || wait_more(hub, began, &told, &ignored) != EM_OK)) return;
    }
}

static int is_child(const emi_hub *hub, const emi_link *l)
{
    return hub->parent[l->peer] == hub->options.site;
}

/* A child has to say itself that it is done. */
static int is_not_done(const emi_hub *hub, const emi_link *l)
{
    return is_child(hub, l) && !hub->node.told[l->peer];
}

static int does_not_know(const emi_hub *hub, const emi_link *l)
{
    return hub->parent[hub->options.site] == l->peer && !hub->node.told[l->peer];
}

static int is_not_in_run(const emi_hub *hub, const emi_link *l)
{
    return is_child(hub, l) && (!l->up || memcmp(l->peer_run, hub->node.run, EMI_RUN_BYTES) != 0);
}

static int may_ask(const emi_hub *hub, const emi_link *l)
{
    (void)hub, (void)l;
    return 1;
}

void emi_hub_finish(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    hub->node.over = 0; /* it is what was to be heard */
    if (emi_node_finish(&hub->node)) wait_for_links(hub, may_ask, EMI_ASKED_SECONDS);
    wait_for_links(hub, is_not_done, INFINITY);
    wait_for_links(hub, does_not_know, EMI_PARENT_SECONDS);
    (void)pthread_mutex_unlock(&hub->lock);
}

void emi_hub_wait_for_children(emi_hub *hub, double seconds)
{
    (void)pthread_mutex_lock(&hub->lock);
    wait_for_links(hub, is_not_in_run, seconds);
    (void)pthread_mutex_unlock(&hub->lock);
}

void emi_hub_leave(emi_hub *hub, emi_leave code)
{
    (void)pthread_mutex_lock(&hub->lock);
    emi_node_leave(&hub->node, code);
    (void)pthread_mutex_unlock(&hub->lock);
    emi_hub_wake(hub);
}

int emi_hub_lost_patience(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    int lost = hub->lost_patience;
    (void)pthread_mutex_unlock(&hub->lock);
    return lost;
}

int emi_hub_over(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    int over = hub->node.over;
    (void)pthread_mutex_unlock(&hub->lock);
    return over;
}

void emi_hub_set_patience(emi_hub *hub, double seconds)
{
    (void)pthread_mutex_lock(&hub->lock);
    hub->patience = seconds;
    (void)pthread_mutex_unlock(&hub->lock);
}

int emi_hub_links(emi_hub *hub, emi_hub_link *out, int room)
{
    int count = 0;
    double now = emi_hub_now();
    (void)pthread_mutex_lock(&hub->lock);
    for (; count < hub->node.config.links && count < room; count++) {
        const emi_link *l = &hub->node.links[count];
        out[count] = (emi_hub_link){.peer = l->peer,
                                    .up = l->up,
                                    .downs = l->downs,
                                    .bytes_sent = l->bytes_sent,
                                    .bytes_got = l->bytes_got,
                                    .down_for = l->down_for + (!l->up && l->downs ? now - l->down_since : 0),
                                    .waited_for = hub->waited[l->peer]};
    }
    (void)pthread_mutex_unlock(&hub->lock);
    return count;
}
