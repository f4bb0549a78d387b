#include "net/schedules/world.h"

#include "support/check.h"

#include <string.h>

world w;

/* ---- chance, signatures, digests -------------------------------------------------------------------------------------------- */

uint64_t draw(uint64_t limit)
{
    w.random = w.random * 6364136223846793005u + 1442695040888963407u;
    return (w.random >> 33) % limit;
}

static uint64_t hash(const void *bytes, size_t count, uint64_t h)
{
    const unsigned char *p = bytes;
    for (size_t n = 0; n < count; n++) h = (h ^ p[n]) * 1099511628211u;
    return h ^ (h >> 29);
}

static void spread(uint64_t h, unsigned char *out, size_t count)
{
    for (size_t n = 0; n < count; n++) out[n] = (unsigned char)(hash(&n, sizeof n, h) >> 8);
}

static int random_bytes(void *context, void *bytes, size_t count)
{
    (void)context;
    for (size_t n = 0; n < count; n++) ((unsigned char *)bytes)[n] = (unsigned char)draw(256);
    return 0;
}

static int draw_life(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    return random_bytes(context, instance, EMI_INSTANCE_BYTES) || random_bytes(context, key, EMI_PUBLIC_BYTES);
}

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    process *s = context;
    spread(hash(bytes, count, 77 + (uint64_t)(s - w.sites)), signature, 64);
    return 0;
}

static int verify(void *context, int who, const void *bytes, size_t count, const unsigned char signature[64])
{
    unsigned char wanted[64];
    (void)context;
    spread(hash(bytes, count, 77 + (uint64_t)who), wanted, 64);
    return memcmp(wanted, signature, 64) == 0;
}

static int name_run(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES])
{
    (void)context;
    spread(hash(start, count, 5), run, EMI_RUN_BYTES);
    return 0;
}

static void count_starts(void *context, emi_news what, int peer, const char *why)
{
    (void)peer, (void)why;
    w.starts += what == EMI_NEWS_START && context == &w.sites[0];
}

/* ---- lives -------------------------------------------------------------------------------------------------------------- */

void begin_life(int n, const emi_node_config *disk)
{
    process *s = &w.sites[n];
    emi_entry own = {.columns = 3};
    emi_node_config config = {.site = n,
                              .sites = w.count,
                              .parent = w.parent,
                              .peers = w.peers[n],
                              .links = w.links[n],
                              .context = s,
                              .draw = draw_life,
                              .random = random_bytes,
                              .sign = sign,
                              .verify = verify,
                              .name_run = name_run,
                              .news = count_starts,
                              .iteration = disk->iteration,
                              .told = disk->told,
                              .note_told = disk->note_told};
    memset(own.rows, 9, sizeof own.rows);
    assert_int_equal(emi_node_open(&s->node, &config, &own), 0);
    s->alive = 1;
    w.lives++;
}

static void close_wire(wire *c)
{
    if (!c->open) return;
    c->open = 0;
    int ends[2] = {c->a, c->b};
    for (int e = 0; e < 2; e++)
        if (c->attached[e] && w.sites[ends[e]].alive) emi_node_gone(&w.sites[ends[e]].node, ends[1 - e], "cut", w.now);
}

void cut_wire(int n)
{
    close_wire(&w.wires[n]);
}

static void end_life(process *s)
{
    emi_node_close(&s->node);
    s->alive = 0;
}

void kill_site(int n, int away)
{
    process *s = &w.sites[n];
    if (!s->alive) return;
    for (int c = 0; c < w.wire_count; c++)
        if (w.wires[c].a == n || w.wires[c].b == n) close_wire(&w.wires[c]);
    end_life(s);
    s->away = away;
}

void renew_site(int n)
{
    process *s = &w.sites[n];
    if (!s->alive || s->node.finished) return;
    assert_int_equal(emi_node_renew(&s->node, w.now), 0);
    w.lives++;
    for (int c = 0; c < w.wire_count; c++)
        if (w.wires[c].a == n || w.wires[c].b == n) close_wire(&w.wires[c]); /* it has left its links */
}

int has_output(int n)
{
    for (int l = 0; l < w.links[n]; l++) {
        const emi_link *link = &w.sites[n].node.links[l];
        if (link->up && (link->control_size || link->out_at < link->out_size)) return 1;
    }
    return 0;
}

void exit_site(int n)
{
    for (int c = 0; c < w.wire_count; c++) {
        wire *at = &w.wires[c];
        if (at->a != n && at->b != n) continue;
        int e = at->b == n;
        at->to[1 - e].closed = 1;
        at->attached[e] = 0;
        if (at->to[e].closed) at->open = 0; /* both have */
    }
    end_life(&w.sites[n]);
    w.sites[n].exited = 1;
}

void make_world(uint64_t seed, int most)
{
    memset(&w, 0, sizeof w);
    w.random = seed * 2654435761u + 12345;
    w.count = 2 + (int)draw((uint64_t)most - 1);
    w.parent[0] = -1;
    for (int n = 1; n < w.count; n++) {
        int p = w.parent[n] = (int)draw((uint64_t)n);
        w.peers[n][w.links[n]++] = p;
        w.peers[p][w.links[p]++] = n;
        w.wires[w.wire_count++] = draw(2) ? (wire){.a = n, .b = p} : (wire){.a = p, .b = n};
    }
}

/* ---- the network ---------------------------------------------------------------------------------------------------------- */

/* Some of the bytes that a node has for its end of a wire. */
static void write_some(wire *c, int e)
{
    int n = e ? c->b : c->a, peer = e ? c->a : c->b;
    process *s = &w.sites[n];
    const unsigned char *bytes;
    size_t count;
    if (!c->open || !s->alive || !c->attached[e]) return;
    assert_int_equal(emi_node_output(&s->node, peer, &bytes, &count), 0);
    pipe_end *to = &c->to[1 - e];
    size_t part = count ? 1 + draw(count) : 0;
    if (part > PIPE - to->count) part = PIPE - to->count;
    if (!part) return;
    memcpy(to->bytes + to->count, bytes, part);
    to->count += part;
    emi_link_written(emi_node_link(&s->node, peer), part);
}

static void greet(wire *c, int e)
{
    int n = e ? c->b : c->a, peer = e ? c->a : c->b;
    pipe_end *to = &c->to[1 - e];
    emi_node_write_hello(&w.sites[n].node, peer, to->bytes + to->count);
    to->count += EMI_FRAME_HEAD + EMI_HELLO_BYTES;
}

/* Returns 0; or -1: the connection is to be closed. */
static int take_frame(wire *c, int e, const emi_frame *frame)
{
    int n = e ? c->b : c->a, peer = e ? c->a : c->b;
    emi_node *node = &w.sites[n].node;
    const char *why;
    if (c->attached[e]) {
        int status = emi_node_frame(node, peer, frame, w.now, &why);
        w.broken += status && frame->kind != EMI_LEAVE;
        return status;
    }
    if (emi_node_meet(node, peer, frame, w.now, &why) != 1) return -1;
    c->attached[e] = 1;
    if (e == 1) greet(c, e); /* the other one's HELLO comes second, before all else */
    return 0;
}

/* One frame, if it is there. */
static void read_frame(wire *c, int e)
{
    pipe_end *from = &c->to[e];
    emi_frame frame = {0};
    size_t used = 0;
    if (!c->open || !w.sites[e ? c->b : c->a].alive) return;
    int is = emi_frame_read(from->bytes, from->count, &frame, &used);
    assert_int_not_equal(is, -1);
    if (is == 0 ? from->closed : take_frame(c, e, &frame)) {
        close_wire(c);
        return;
    }
    memmove(from->bytes, from->bytes + used, from->count - used);
    from->count -= used;
}

static void dial(wire *c)
{
    if (c->open || !w.sites[c->a].alive || !w.sites[c->b].alive) return;
    int a = c->a, b = c->b;
    *c = (wire){.a = a, .b = b, .open = 1};
    greet(c, 0);
}

static void silent(void *context, int peer)
{
    int n = (int)((process *)context - w.sites);
    for (int c = 0; c < w.wire_count; c++)
        if ((w.wires[c].a == n && w.wires[c].b == peer) || (w.wires[c].b == n && w.wires[c].a == peer))
            close_wire(&w.wires[c]);
}

int turn(void)
{
    wire *c = &w.wires[draw((uint64_t)w.wire_count)];
    int n = (int)draw((uint64_t)w.count), e = (int)draw(2);
    w.now += 0.01;
    switch (draw(8)) {
    case 0: dial(c); return -1;
    case 1:
    case 2: write_some(c, e); return -1;
    case 3:
    case 4:
    case 5: read_frame(c, e); return -1;
    case 6:
        if (w.sites[n].alive) emi_node_tick(&w.sites[n].node, w.now, silent, &w.sites[n]);
        return -1;
    default: return n;
    }
}
