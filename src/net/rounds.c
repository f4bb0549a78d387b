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
        return em_fail(err, EM_ENET, "node: %s %s; try the same version of the program at all sites", by,
                       hub->node.over_found ? "sent a block of another size than this site expects"
                                            : "says that this site sent it a block of another size than it expects");
    case EMI_LEAVE_ROOT:
        return em_fail(
            err, EM_ENET,
            "node: %s says that the root has ended the run; try what the root's own messages say, then all again", by);
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

/* Where a run is over, and another one is awaited, that is the root's to say; where all is done, the parent is to be told. */
static int awaited_site(const emi_hub *hub)
{
    int site = emi_node_awaits(&hub->node), parent = hub->parent[hub->options.site];
    return site >= 0 ? site : hub->node.finished && parent >= 0 ? parent : 0;
}

static em_status lose_patience(emi_hub *hub, int site, em_error *err)
{
    hub->lost_patience = site;
    if (site == hub->options.site)
        return em_fail(err, EM_ENET,
                       "node: waited as long as patience lasts, and the others for %s, this site; try whether its "
                       "columns are the root's",
                       emi_hub_name(hub, site));
    if (site == hub->node.differs)
        return em_fail(err, EM_ENET,
                       "node: waited for %s as long as patience lasts: its columns are not the root's; try the same "
                       "at all sites",
                       emi_hub_name(hub, site));
    return em_fail(err, EM_ENET,
                   "node: waited for %s as long as patience lasts; try again when it is there, or more patience",
                   emi_hub_name(hub, site));
}

/* The lock is given up meanwhile.  Not while news are told: that may take long, and there is another second. */
static void tell_wait(emi_hub *hub, int site, double seconds)
{
    (void)pthread_mutex_unlock(&hub->lock);
    if (hub->options.waits && pthread_mutex_trylock(&hub->voice) == 0) {
        hub->options.waits(hub->options.user, emi_hub_name(hub, site), seconds);
        (void)pthread_mutex_unlock(&hub->voice);
    }
    (void)pthread_mutex_lock(&hub->lock);
}

/* Wait a little longer for somebody: a second, or less where something changes.  Meanwhile this thread does the work. */
static em_status wait_more(emi_hub *hub, double began, double *told, em_error *err)
{
    enum { SECOND = 1000 };
    double before = emi_hub_now();
    int site = awaited_site(hub);
    em_status status = check(hub, err);
    if (status != EM_OK) return status;
    if (before - began > hub->patience) return lose_patience(hub, site, err);
    if (before - *told >= 1 && before - began >= 1) {
        *told = before;
        tell_wait(hub, site, before - began);
        return EM_OK; /* what is waited for may be here by now */
    }
    hub->driven = 1;
    emi_hub_poll(hub, &hub->polls[1], SECOND);
    emi_hub_turn(hub);
    hub->driven = 0;
    hub->left = emi_hub_now();
    hub->waited[site] += emi_hub_now() - before;
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

int emi_hub_is_stale(emi_hub *hub, uint64_t generation)
{
    (void)pthread_mutex_lock(&hub->lock);
    int stale = hub->node.generation != generation;
    (void)pthread_mutex_unlock(&hub->lock);
    return stale;
}

em_status emi_hub_anew(em_error *err)
{
    return em_fail(err, EM_ENET, "node: a site came back, and all go on from the root's last step; try nothing");
}

em_status emi_hub_log(emi_hub *hub, uint64_t generation, const char *what, const emi_field_of_line *fields, int count,
                      int sign, em_error *err)
{
    em_status status = EM_OK;
    (void)pthread_mutex_lock(&hub->lock);
    if (hub->node.generation != generation)
        status = emi_hub_anew(err);
    else if (hub->options.audit)
        status = emi_audit_write(hub->options.audit, what, fields, count, sign, err);
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}

/* ---- blocks, for the log ------------------------------------------------------------------------------------------------- */

/* Without the lock: a digest of 16 MB takes 10 ms, and other links do not wait for that.  To all neighbours goes the same block. */
static em_status find_digests(emi_hub *hub, int count, em_error *err)
{
    em_status status = EM_OK;
    for (int n = 0; n < count && status == EM_OK; n++) {
        emi_block *b = &hub->logged[n];
        const emi_piece all = {b->bytes, b->size};
        if (n && b->bytes == b[-1].bytes)
            memcpy(b->digest, b[-1].digest, sizeof b->digest);
        else
            status = emi_sha256(&all, 1, b->digest, err);
    }
    return status;
}

/* The lock is held. */
static em_status log_blocks(emi_hub *hub, int count, int leave, em_error *err)
{
    em_status status = EM_OK;
    for (int n = 0; n < count && status == EM_OK; n++) {
        const emi_block *b = &hub->logged[n];
        emi_link *l = emi_node_link(&hub->node, b->peer);
        uint64_t bytes = b->size, *number = leave ? &l->blocks_sent : &l->blocks_got;
        const emi_field_of_line fields[] = {{.name = "peer", .text = emi_hub_name(hub, b->peer)},
                                            {.name = "direction", .text = leave ? "sent" : "received"},
                                            {.name = "number", .number = number},
                                            {.name = "bytes", .number = &bytes},
                                            {.name = "digest", .digest = b->digest}};
        ++*number;
        status = emi_audit_write(hub->options.audit, "block", fields, 5, 0, err);
    }
    return status;
}

/* What came is the solver's until it expects more, so that it may be read when the lock is given up; the run may be over then,
 * and its blocks are those of no other one. */
static em_status log_received(emi_hub *hub, uint64_t generation, em_error *err)
{
    int count = 0;
    for (int n = 0; n < hub->node.config.links && hub->options.audit; n++) {
        const emi_link *l = &hub->node.links[n];
        if (l->expected) hub->logged[count++] = (emi_block){.peer = l->peer, .bytes = l->inbox, .size = l->expected};
    }
    if (!count) return EM_OK;
    (void)pthread_mutex_unlock(&hub->lock);
    em_status status = find_digests(hub, count, err);
    (void)pthread_mutex_lock(&hub->lock);
    if (status == EM_OK && hub->node.generation != generation) return emi_hub_anew(err);
    return status == EM_OK ? log_blocks(hub, count, 0, err) : status;
}

/* ---- rounds -------------------------------------------------------------------------------------------------------------- */

em_status emi_hub_begin(emi_hub *hub, uint64_t generation, const int *to, const void *const *blocks, int to_count,
                        const int *from, int from_count, size_t bytes, em_error *err)
{
    int logged = hub->options.audit ? to_count : 0;
    for (int n = 0; n < logged; n++) hub->logged[n] = (emi_block){.peer = to[n], .bytes = blocks[n], .size = bytes};
    em_status status = find_digests(hub, logged, err);
    (void)pthread_mutex_lock(&hub->lock);
    if (status == EM_OK) status = hub->node.generation != generation ? emi_hub_anew(err) : check(hub, err);
    for (int n = 0; status == EM_OK && n < hub->node.config.links; n++)
        hub->node.links[n].expected = hub->node.links[n].got = 0;
    if (status == EM_OK) status = log_blocks(hub, logged, 1, err);
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
    if (status == EM_OK && hub->node.generation != generation) status = emi_hub_anew(err);
    hub->node.waits_in_round = 0;
    if (status == EM_OK) status = log_received(hub, generation, err);
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
    if (status == EM_OK && hub->node.generation != generation) status = emi_hub_anew(err);
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

/* A child that has left after its rehearsal was in it. */
static int is_not_in_run(const emi_hub *hub, const emi_link *l)
{
    int is_in = l->up && memcmp(l->peer_run, hub->node.run, EMI_RUN_BYTES) == 0;
    return is_child(hub, l) && !is_in && l->left != EMI_LEAVE_REHEARSED;
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
        int down = !l->up && l->was_up && l->left != EMI_LEAVE_FINISHED;
        out[count] = (emi_hub_link){.peer = l->peer,
                                    .was_up = l->was_up,
                                    .downs = l->downs,
                                    .bytes_sent = l->bytes_sent,
                                    .bytes_got = l->bytes_got,
                                    .down_for = l->down_for + (down ? now - l->down_since : 0)};
    }
    (void)pthread_mutex_unlock(&hub->lock);
    return count;
}

double emi_hub_waited(emi_hub *hub, int site)
{
    (void)pthread_mutex_lock(&hub->lock);
    double seconds = hub->waited[site];
    (void)pthread_mutex_unlock(&hub->lock);
    return seconds;
}
