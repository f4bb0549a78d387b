#include "net/engine.h"

#include "net/no_memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct net_state {
    emi_hub *hub;
    uint64_t generation;
    int site, failed;
    int *to, *from; /* [sites] neighbours of this round, each once */
    int to_count, from_count;
    const void **blocks; /* [sites] */
} net_state;

static em_status fail_again(em_error *err)
{
    return em_fail(err, EM_ENET, "node: this run is over; try a new one");
}

static em_status settle(net_state *c, em_status status)
{
    if (status != EM_OK) c->failed = 1;
    return status;
}

static void add_once(int *list, int *count, int value)
{
    for (int n = 0; n < *count; n++)
        if (list[n] == value) return;
    list[(*count)++] = value;
}

static em_status net_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                           em_error *err)
{
    net_state *c = state;
    if (c->failed) return fail_again(err);
    c->to_count = c->from_count = 0;
    for (size_t n = 0; n < count; n++) {
        if (links[n].from == c->site) add_once(c->to, &c->to_count, links[n].to);
        if (links[n].to == c->site) add_once(c->from, &c->from_count, links[n].from);
    }
    for (int n = 0; n < c->to_count; n++) c->blocks[n] = blocks[0];
    return settle(
        c, emi_hub_begin(c->hub, c->generation, c->to, c->blocks, c->to_count, c->from, c->from_count, bytes, err));
}

static em_status net_end(void *state, const void **inbox, em_error *err)
{
    net_state *c = state;
    if (c->failed) return fail_again(err);
    em_status status = emi_hub_end(c->hub, c->generation, err);
    for (int n = 0; n < c->from_count && status == EM_OK; n++) inbox[c->from[n]] = emi_hub_block(c->hub, c->from[n]);
    return settle(c, status);
}

/* Others wait for a site that failed as for any other: what they are told is said when the process ends. */
static void net_fail(void *state, const em_error *err)
{
    net_state *c = state;
    (void)err;
    c->failed = 1;
    emi_hub_abandon(c->hub);
}

static void net_patience(void *state, double seconds)
{
    emi_hub_set_patience(((net_state *)state)->hub, seconds);
}

static void net_close(void *state)
{
    net_state *c = state;
    emi_hub_abandon(c->hub); /* a round may be under way */
    free(c->to);
    free(c->from);
    free(c->blocks);
    free(c);
}

static const em_engine net_engine = {.size = sizeof(em_engine),
                                     .name = "net",
                                     .begin = net_begin,
                                     .end = net_end,
                                     .close = net_close,
                                     .fail = net_fail,
                                     .patience = net_patience};

em_status emi_net_engine_open(const em_engine **engine, void **state, emi_hub *hub, uint64_t generation, int sites,
                              int site, em_error *err)
{
    size_t room = (size_t)sites;
    net_state *c = calloc(1, sizeof *c);
    *engine = &net_engine;
    *state = c;
    if (c) {
        *c = (net_state){.hub = hub, .generation = generation, .site = site};
        c->to = calloc(room, sizeof *c->to);
        c->from = calloc(room, sizeof *c->from);
        c->blocks = calloc(room, sizeof *c->blocks);
        if (c->to && c->from && c->blocks) return EM_OK;
        net_close(c);
        *state = NULL;
    }
    return emi_no_memory(err);
}
