#include "net/meeting.h"

#include <stdlib.h>
#include <string.h>

enum {
    BEAT_SECONDS = 15,
    NEW_BEAT_SECONDS = 1, /* where another site is awaited than the last BEAT said */
    SILENCE_SECONDS = 45,
    LEFT_SECONDS = 60 /* after which a neighbour that waited too long for somebody is the one that is awaited */
};

static const unsigned char no_run[EMI_RUN_BYTES];

void emi_node_tell(const emi_node *node, emi_news what, int peer, const char *why)
{
    if (node->config.news) node->config.news(node->config.context, what, peer, why);
}

/* ---- places in the tree ------------------------------------------------------------------------------------------------ */

emi_link *emi_node_link(emi_node *node, int peer)
{
    for (int n = 0; n < node->config.links; n++)
        if (node->links[n].peer == peer) return &node->links[n];
    return NULL;
}

int emi_parent_of(const emi_node *node, int site)
{
    return node->config.parent[site];
}

int emi_is_child(const emi_node *node, int peer)
{
    return emi_parent_of(node, peer) == node->config.site;
}

int emi_is_below(const emi_node *node, int site, int top)
{
    while (site >= 0 && site != top) site = emi_parent_of(node, site);
    return site == top;
}

int emi_node_in_run(const emi_node *node)
{
    return node->start != NULL;
}

/* Blocks flow only between those who have said that they are in the same run. */
int emi_node_flows(const emi_node *node, const emi_link *l)
{
    return l->up && emi_node_in_run(node) && memcmp(l->peer_run, node->run, EMI_RUN_BYTES) == 0;
}

void emi_node_say(emi_node *node, emi_link *l, emi_frame_kind kind, const void *payload, size_t length)
{
    if (l->up && emi_link_say(l, kind, node->run, payload, length)) node->no_memory = 1;
}

/* ---- a life -------------------------------------------------------------------------------------------------------------------- */

int emi_node_renew(emi_node *node, double now)
{
    unsigned char bytes[EMI_ENTRY_BYTES], part[EMI_ENTRY_ROOM];
    void *context = node->config.context;
    if (node->config.draw(context, node->own.instance, node->own.key)) return -1;
    emi_entry_write(&node->own, bytes);
    size_t count = emi_signed_part(node, bytes, part);
    if (node->config.sign(context, part, count, node->own.signature)) return -1;
    free(node->start);
    node->start = NULL;
    memcpy(node->run, no_run, EMI_RUN_BYTES);
    node->generation++;
    node->waits_in_round = node->waits_for_end = 0;
    for (int n = 0; n < node->config.links; n++) { /* all meet it again, or they would know it as who it was */
        emi_node_gone(node, node->links[n].peer, "this site enters anew", now);
        emi_link_enter(&node->links[n]);
    }
    emi_note_entry(node, &node->own, now);
    return node->no_memory ? -1 : 0;
}

int emi_node_open(emi_node *node, const emi_node_config *config, const emi_entry *own)
{
    *node = (emi_node){.config = *config, .own = *own, .differs = -1};
    node->own.site = (uint16_t)config->site;
    node->entries = calloc((size_t)config->sites, sizeof *node->entries);
    node->here = calloc((size_t)config->sites, 1);
    node->coming = calloc((size_t)config->sites, sizeof *node->coming);
    node->links = calloc((size_t)config->links + 1, sizeof *node->links);
    node->told = calloc((size_t)config->sites, 1);
    if (!node->entries || !node->here || !node->coming || !node->links || !node->told) return -1;
    if (config->told) memcpy(node->told, config->told, (size_t)config->sites);
    for (int n = 0; n < config->links; n++) node->links[n].peer = config->peers[n];
    return emi_node_renew(node, 0);
}

void emi_node_close(emi_node *node)
{
    for (int n = 0; node->links && n < node->config.links; n++) emi_link_free(&node->links[n]);
    free(node->links);
    free(node->told);
    free(node->entered);
    free(node->later);
    free(node->start);
    free(node->coming);
    free(node->here);
    free(node->entries);
    *node = (emi_node){0};
}

/* ---- connections --------------------------------------------------------------------------------------------------------------- */

/* The last line of the log, as it is when a neighbour is greeted. */
static void note_audit(const emi_node *node, emi_link *l)
{
    if (node->config.audit) node->config.audit(node->config.context, l->own_audit);
    l->greeted = 1;
}

void emi_node_write_hello(emi_node *node, int peer, unsigned char frame[EMI_FRAME_HEAD + EMI_HELLO_BYTES])
{
    emi_link *l = emi_node_link(node, peer);
    emi_hello hello = {.site = (uint16_t)node->config.site, .received = l->received};
    memcpy(hello.study, node->config.study, 32);
    memcpy(hello.instance, node->own.instance, EMI_INSTANCE_BYTES);
    memcpy(hello.run, node->run, EMI_RUN_BYTES);
    memcpy(l->said_run, node->run, EMI_RUN_BYTES);
    memcpy(l->said_instance, node->own.instance, EMI_INSTANCE_BYTES);
    if (!l->up) note_audit(node, l); /* who was met first has that of the meeting */
    memcpy(hello.audit, l->own_audit, sizeof hello.audit);
    emi_frame_write(&(emi_frame){.kind = EMI_HELLO, .length = EMI_HELLO_BYTES}, frame);
    emi_hello_write(&hello, frame + EMI_FRAME_HEAD);
}

/* All that a neighbour has to know, whatever it knows already. */
static void bring_up_to_date(emi_node *node, emi_link *l)
{
    if (node->finished) {
        emi_say_leave(node, l, EMI_LEAVE_FINISHED);
        return;
    }
    for (int site = 0; l == emi_link_to_parent(node) && site < node->config.sites; site++)
        if (node->here[site]) emi_say_entry(node, l, site);
    if (emi_is_child(node, l->peer) && emi_node_in_run(node) && !emi_node_flows(node, l))
        emi_node_say(node, l, EMI_START, node->start, emi_start_size(node));
    if (emi_node_in_run(node) && memcmp(l->said_run, node->run, EMI_RUN_BYTES) != 0)
        emi_say_run(node, l); /* since HELLO */
}

int emi_node_meet(emi_node *node, int peer, const emi_frame *frame, double now, const char **why)
{
    emi_hello hello;
    emi_link *l = emi_node_link(node, peer);
    *why = "does not begin with HELLO";
    if (!l || frame->kind != EMI_HELLO) return 0;
    emi_hello_read(frame->payload, &hello);
    *why = "says that it is another site";
    if (hello.site != peer) return 0;
    *why = "has another study";
    if (memcmp(hello.study, node->config.study, 32) != 0) return -1;
    int another = memcmp(hello.instance, l->instance, EMI_INSTANCE_BYTES) != 0;
    *why = "is here already: was it started twice?";
    if (l->up && another && now - l->heard < SILENCE_SECONDS) return 0;
    *why = "was greeted by this site before it entered anew";
    if (l->greeted && memcmp(l->said_instance, node->own.instance, EMI_INSTANCE_BYTES) != 0) return 0;
    if (!l->greeted) note_audit(node, l);
    emi_link_down(l, now);
    emi_link_up(l, now);
    l->greeted = 0;
    memcpy(l->instance, hello.instance, EMI_INSTANCE_BYTES);
    memcpy(l->peer_run, hello.run, EMI_RUN_BYTES);
    memcpy(l->peer_audit, hello.audit, sizeof l->peer_audit);
    l->peer_received = hello.received;
    *why = NULL;
    emi_node_tell(node, EMI_NEWS_UP, peer, NULL);
    if (emi_node_flows(node, l)) {
        if (emi_node_settle(node, l, emi_link_peer_has(l, hello.received), now, why)) return 0;
        (void)emi_node_settle(node, l, emi_link_acknowledge_again(l, node->run), now, why);
    }
    bring_up_to_date(node, l);
    return 1;
}

void emi_node_gone(emi_node *node, int peer, const char *why, double now)
{
    emi_link *l = emi_node_link(node, peer);
    if (!l || !l->up) return;
    emi_link_down(l, now);
    emi_node_tell(node, EMI_NEWS_DOWN, peer, why);
}

/* ---- frames ------------------------------------------------------------------------------------------------------------------------ */

/* A neighbour may count what cannot be as often as it likes; and where all is done there is nothing to enter. */
static int may_renew(const emi_node *node, double now)
{
    return !node->finished && emi_pace_allows(&node->coming[node->config.site].entries, now);
}

/* What the machine of a link says becomes what is done. */
int emi_node_settle(emi_node *node, emi_link *l, emi_outcome outcome, double now, const char **why)
{
    switch (outcome) {
    case EMI_FINE: return 0;
    case EMI_BROKEN: *why = "sent a frame out of order"; return -1;
    case EMI_OTHER_SIZE:
        node->over = EMI_LEAVE_SIZE;
        node->over_by = l->peer;
        node->over_found = 1;
        emi_say_leave(node, l, EMI_LEAVE_SIZE); /* so that it ends there too, in the same words */
        return 0;
    case EMI_SET_BACK:
        *why = "counts frames that cannot be: a machine that was set back?";
        emi_node_tell(node, EMI_NEWS_REFUSED, l->peer, *why);
        emi_node_gone(node, l->peer, *why, now);
        if (may_renew(node, now) && emi_node_renew(node, now)) node->no_memory = 1;
        return -1;
    default: node->no_memory = 1; return 0;
    }
}

static int take_run(emi_node *node, emi_link *l, const emi_frame *frame, double now, const char **why)
{
    memcpy(l->peer_run, frame->payload, EMI_RUN_BYTES);
    l->peer_received = emi_u64_read(frame->payload + EMI_RUN_BYTES);
    return emi_node_flows(node, l) ? emi_node_settle(node, l, emi_link_peer_has(l, l->peer_received), now, why) : 0;
}

/* Is it of the run that this node is in? */
int emi_is_of_run(const emi_node *node, const emi_frame *frame)
{
    return emi_node_in_run(node) && memcmp(frame->run, node->run, sizeof frame->run) == 0;
}

int emi_node_frame(emi_node *node, int peer, const emi_frame *frame, double now, const char **why)
{
    emi_link *l = emi_node_link(node, peer);
    *why = "sent what may not come now";
    if (!l || !l->up) return -1;
    l->heard = now;
    switch (frame->kind) {
    case EMI_ENTRY: return emi_take_entry(node, peer, frame, now, why);
    case EMI_START: return peer == emi_parent_of(node, node->config.site) ? emi_take_start(node, frame, now, why) : -1;
    case EMI_RUN: return take_run(node, l, frame, now, why);
    case EMI_DATA:
        return emi_is_of_run(node, frame) && node->over != EMI_LEAVE_SIZE
                   ? emi_node_settle(node, l, emi_link_data(l, node->run, frame), now, why)
                   : 0;
    case EMI_ACK:
        return emi_is_of_run(node, frame)
                   ? emi_node_settle(node, l, emi_link_acked(l, emi_u64_read(frame->payload)), now, why)
                   : 0;
    case EMI_BEAT: l->peer_awaits = emi_u16_read(frame->payload); return 0;
    case EMI_LEAVE: return emi_take_leave(node, l, frame, why);
    default: return -1;
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------------------------- */

void emi_node_tick(emi_node *node, double now, void (*silent)(void *context, int peer), void *context)
{
    emi_take_later(node, now);
    int site = emi_node_awaits(node), awaits = site < 0 ? EMI_NOBODY : site;
    unsigned char payload[2];
    emi_u16_write(payload, (uint16_t)awaits);
    for (int n = 0; n < node->config.links; n++) {
        emi_link *l = &node->links[n];
        if (l->up && now - l->heard >= SILENCE_SECONDS) silent(context, l->peer);
        if (!l->up && now - l->down_since >= LEFT_SECONDS) l->left = 0;
        if (!l->up || now - l->beat < (awaits == l->said_awaits ? BEAT_SECONDS : NEW_BEAT_SECONDS)) continue;
        l->beat = now;
        l->said_awaits = awaits;
        emi_node_say(node, l, EMI_BEAT, payload, sizeof payload);
    }
}

int emi_node_output(emi_node *node, int peer, const unsigned char **bytes, size_t *count)
{
    emi_link *l = emi_node_link(node, peer);
    *count = 0;
    return l ? emi_link_output(l, node->run, emi_node_flows(node, l), bytes, count) : 0;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------------------------- */

void emi_node_send(emi_node *node, int peer, const void *block, size_t bytes)
{
    emi_link_send(emi_node_link(node, peer), block, bytes);
}

void emi_node_expect(emi_node *node, int peer, size_t bytes)
{
    const char *why = NULL;
    emi_link *l = emi_node_link(node, peer);
    (void)emi_node_settle(node, l, emi_link_expect(l, node->run, bytes), 0, &why);
}
