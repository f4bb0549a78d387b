/* The machine of a node under random schedules: cuts, kills, restarts, lives that begin anew, late and early bytes, in virtual
 * time and without sockets.  Sites of a random tree sum numbers at the root and are told the answer, step by step, as a fit
 * does; whatever happens, they all end with one model, which is the right one, and no total is ever of parts of two
 * questions. */
#define EMI_FRAME_MOST 16 /* blocks of many frames, quickly; before any header */
#include "net/awaited.c"
#include "net/frame.c"
#include "net/link.c"
#include "net/meeting.c"
#include "net/node.c"
#include "net/pace.c"
#include "support/check.h"

#include <stdio.h>

enum { MOST = 7, STEPS = 4, NUMBERS = 9, PIPE = 1 << 16, NUMBERS_BIG = 200 };

typedef struct pipe_end {
    unsigned char bytes[PIPE];
    size_t count;
} pipe_end;

/* A connection between two neighbours: each end knows whether it was attached to its link. */
typedef struct wire {
    int a, b; /* a dials */
    int open;
    pipe_end to[2];  /* 0: to a; 1: to b */
    int attached[2]; /* 0: at a; 1: at b  */
    int greeted;     /* a's HELLO was written */
} wire;

typedef enum stage { ASK, ANSWER, MODEL, DIGEST, FINISH, DONE } stage;

typedef struct site {
    emi_node node;
    int alive, started;
    uint64_t generation; /* of the program that runs */
    int runs;            /* a program */
    stage stage;
    int step, in_round, gave;
    int busy; /* turns for which it computes */
    double block[NUMBERS_BIG], out[NUMBERS_BIG];
    double model[2];
    int model_written, finished; /* on disk */
} site;

typedef struct world {
    int count, parent[MOST], peers[MOST][MOST], links[MOST];
    site sites[MOST];
    wire wires[MOST];
    int wire_count;
    double now;
    /* the root's disk */
    int saved_step;
    double saved_total;
    uint64_t random;
    int wrong, broken;
    int numbers;
} world;

static world w;

static uint64_t draw(uint64_t limit)
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
    site *s = context;
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

static uint64_t saved_iteration(void *context, const unsigned char *rows[])
{
    (void)context, (void)rows;
    return (uint64_t)w.saved_step;
}

/* ---- lives -------------------------------------------------------------------------------------------------------------- */

static void begin_life(int n)
{
    site *s = &w.sites[n];
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
                              .iteration = saved_iteration};
    memset(own.rows, 9, sizeof own.rows);
    assert_int_equal(emi_node_open(&s->node, &config, &own), 0);
    if (s->finished) emi_node_finish(&s->node); /* as its disk says */
    s->alive = 1;
    s->runs = s->in_round = s->busy = 0;
    s->generation = 0;
}

static void close_wire(wire *c)
{
    if (!c->open) return;
    c->open = 0;
    int ends[2] = {c->a, c->b};
    for (int e = 0; e < 2; e++)
        if (c->attached[e] && w.sites[ends[e]].alive) emi_node_gone(&w.sites[ends[e]].node, ends[1 - e], "cut", w.now);
}

static void kill_site(int n)
{
    site *s = &w.sites[n];
    if (!s->alive) return;
    for (int c = 0; c < w.wire_count; c++)
        if (w.wires[c].a == n || w.wires[c].b == n) close_wire(&w.wires[c]);
    emi_node_close(&s->node);
    s->alive = 0;
}

static void make_world(uint64_t seed, int most)
{
    memset(&w, 0, sizeof w);
    w.random = seed * 2654435761u + 12345;
    w.count = 2 + (int)draw((uint64_t)most - 1);
    w.numbers = draw(5) ? NUMBERS : NUMBERS_BIG; /* 200 numbers are more than a window of frames */
    w.parent[0] = -1;
    for (int n = 1; n < w.count; n++) {
        int p = w.parent[n] = (int)draw((uint64_t)n);
        w.peers[n][w.links[n]++] = p;
        w.peers[p][w.links[p]++] = n;
        w.wires[w.wire_count++] = draw(2) ? (wire){.a = n, .b = p} : (wire){.a = p, .b = n};
    }
    for (int n = 0; n < w.count; n++) begin_life(n);
}

/* ---- the program: the same everywhere ------------------------------------------------------------------------------------- */

static double part_of(int n, double q, int k)
{
    return (n + 1) * q + k;
}

static double exact_total(void)
{
    double total = 0;
    for (int step = 0; step < STEPS; step++) {
        double q = total + step + 1;
        for (int n = 0; n < w.count; n++) total += part_of(n, q, 0);
    }
    return total;
}

static int is_down(stage t)
{
    return t == ASK || t == MODEL || t == FINISH;
}

/* The links of a stage: down it comes from the parent and goes to the children; up, the other way. */
static void begin_round(site *s, int n)
{
    size_t bytes = sizeof *s->out * (size_t)w.numbers;
    int down = is_down(s->stage), receives = 0;
    s->node.waits_in_round = 1;
    s->in_round = 1;
    s->gave = 0;
    for (int l = 0; l < w.links[n]; l++) {
        int from_here = (w.parent[w.peers[n][l]] == n) == down;
        if (!from_here) emi_node_expect(&s->node, w.peers[n][l], bytes), receives++;
    }
    if (receives) return; /* what it sends follows from that */
    s->gave = 1;
    for (int l = 0; l < w.links[n]; l++) {
        int from_here = (w.parent[w.peers[n][l]] == n) == down;
        if (from_here) emi_node_send(&s->node, w.peers[n][l], s->out, bytes);
    }
}

static int all_got(const site *s, int n)
{
    for (int l = 0; l < w.links[n]; l++)
        if (!emi_link_has_got(&s->node.links[l])) return 0;
    return 1;
}

/* On the disk, before it is handed on. */
static void write_that_it_is_done(site *s)
{
    s->finished = 1;
    emi_node_decide(&s->node);
}

/* Take what came in this stage, and hand on what follows from it. */
static void take_and_give(site *s, int n)
{
    size_t bytes = sizeof *s->out * (size_t)w.numbers;
    int down = is_down(s->stage);
    for (int l = 0; l < w.links[n]; l++) {
        const emi_link *link = &s->node.links[l];
        if (link->expected == 0) continue;
        double got[NUMBERS_BIG];
        memcpy(got, link->inbox, bytes);
        for (int k = 0; k < w.numbers; k++) s->out[k] = down ? got[k] : s->out[k] + got[k];
    }
    s->gave = 1;
    if (s->stage == FINISH) write_that_it_is_done(s);
    for (int l = 0; l < w.links[n]; l++) {
        int from_here = (w.parent[w.peers[n][l]] == n) == down;
        if (from_here) emi_node_send(&s->node, w.peers[n][l], s->out, bytes);
    }
}

/* What a run is called, as a number: every block has it, so that none of another run goes unseen. */
static double tag_of(const site *s)
{
    return s->node.run[0] * 256.0 + s->node.run[1] + 1;
}

enum { TAG = 2 };

static void prepare_stage(site *s, int n)
{
    memset(s->out, 0, sizeof s->out);
    if (s->stage == ASK && n == 0) { /* the root writes its state before each block down */
        w.saved_step = s->step;
        w.saved_total = s->model[0];
        for (int k = 0; k < w.numbers; k++) s->out[k] = s->model[0] + s->step + 1;
        s->out[1] = s->step;
    }
    if (s->stage == ANSWER)
        for (int k = 0; k < w.numbers; k++) s->out[k] = part_of(n, s->block[0], k);
    if (s->stage == MODEL && n == 0) s->out[0] = s->model[0];
    if (s->stage == DIGEST) s->out[0] = s->model[0];
    if (s->stage == FINISH && n == 0) write_that_it_is_done(s);
    if (n == 0 || !is_down(s->stage)) s->out[TAG] = tag_of(s);
    for (int l = 0; l < w.links[n]; l++) s->node.links[l].expected = s->node.links[l].got = 0;
    begin_round(s, n);
}

/* A stage is over. */
static void next_stage(site *s, int n)
{
    s->in_round = 0;
    s->node.waits_in_round = 0;
    s->busy = draw(8) ? 0 : (int)draw(200);
    if (is_down(s->stage) || n == 0) w.wrong += s->out[TAG] != tag_of(s) * (is_down(s->stage) ? 1 : w.count);
    switch (s->stage) {
    case ASK:
        memcpy(s->block, s->out, sizeof s->block);
        s->step = (int)s->out[1];
        s->stage = ANSWER;
        break;
    case ANSWER:
        if (n == 0) {
            double wanted = 0;
            for (int site_n = 0; site_n < w.count; site_n++) wanted += part_of(site_n, s->block[0], 0);
            if (s->out[0] != wanted) w.wrong++;
            s->model[0] += s->out[0];
            s->step++;
        }
        s->stage = (n == 0 ? s->step : s->step + 1) == STEPS ? MODEL : ASK;
        break;
    case MODEL:
        s->model[0] = s->out[0];
        s->model_written = 1;
        s->model[1] = s->model[0];
        s->stage = DIGEST;
        break;
    case DIGEST:
        if (n == 0 && s->out[0] != w.count * s->model[0]) w.wrong++;
        s->stage = FINISH;
        break;
    default: s->stage = DONE; emi_node_finish(&s->node);
    }
}

static void run_program(int n)
{
    site *s = &w.sites[n];
    if (s->busy > 0) {
        s->busy--;
        return;
    }
    if (s->node.generation != s->generation) { /* what was begun is over */
        s->generation = s->node.generation;
        s->runs = emi_node_in_run(&s->node);
        s->in_round = 0;
        s->stage = ASK;
        s->step = w.saved_step;
        if (n == 0) s->model[0] = w.saved_total;
        if (n == 0 && s->step == STEPS) s->step = STEPS - 1;
    }
    if (!s->runs || s->stage == DONE || (s->node.finished && s->stage != FINISH)) return;
    if (!s->in_round) prepare_stage(s, n);
    if (!s->gave && all_got(s, n)) take_and_give(s, n);
    if (s->gave && emi_node_round_is_done(&s->node)) next_stage(s, n);
}

/* ---- the network ---------------------------------------------------------------------------------------------------------- */

/* Some of the bytes that a node has for its end of a wire. */
static void write_some(wire *c, int e)
{
    int n = e ? c->b : c->a, peer = e ? c->a : c->b;
    site *s = &w.sites[n];
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

/* One frame, if it is there. */
static void read_frame(wire *c, int e)
{
    int n = e ? c->b : c->a, peer = e ? c->a : c->b;
    site *s = &w.sites[n];
    pipe_end *from = &c->to[e];
    emi_frame frame;
    size_t used = 0;
    const char *why;
    if (!c->open || !s->alive) return;
    int is = emi_frame_read(from->bytes, from->count, &frame, &used);
    assert_int_not_equal(is, -1);
    if (is == 0) return;
    if (!c->attached[e]) {
        int met = emi_node_meet(&s->node, peer, &frame, w.now, &why);
        if (met == 1) {
            c->attached[e] = 1;
            if (e == 1) { /* the other one's HELLO comes second, before all else */
                greet(c, e);
            }
        } else {
            close_wire(c);
            return;
        }
    } else if (emi_node_frame(&s->node, peer, &frame, w.now, &why)) {
        w.broken += frame.kind != EMI_LEAVE; /* nobody here sends what may not be sent */
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
    int n = (int)((site *)context - w.sites);
    for (int c = 0; c < w.wire_count; c++)
        if ((w.wires[c].a == n && w.wires[c].b == peer) || (w.wires[c].b == n && w.wires[c].a == peer))
            close_wire(&w.wires[c]);
}

static int all_done(void)
{
    for (int n = 0; n < w.count; n++)
        if (!w.sites[n].finished) return 0;
    return 1;
}

/* A node that is somebody new has left its links. */
static void close_left_over(void)
{
    for (int c = 0; c < w.wire_count; c++) {
        wire *at = &w.wires[c];
        int ends[2] = {at->a, at->b};
        for (int e = 0; e < 2 && at->open; e++)
            if (at->attached[e] && !emi_node_link(&w.sites[ends[e]].node, ends[1 - e])->up) close_wire(at);
    }
}

/* Who is told that the study is done, and has the model, is done. */
static void hear_that_it_is_done(int n)
{
    site *s = &w.sites[n];
    if (s->alive && s->node.over == EMI_LEAVE_FINISHED && s->model_written) {
        s->finished = 1;
        emi_node_finish(&s->node);
        s->stage = DONE;
    }
}

static void turn(void)
{
    int c = (int)draw((uint64_t)w.wire_count), n = (int)draw((uint64_t)w.count), e = (int)draw(2);
    w.now += 0.01;
    switch (draw(8)) {
    case 0: dial(&w.wires[c]); break;
    case 1:
    case 2: write_some(&w.wires[c], e); break;
    case 3:
    case 4:
    case 5: read_frame(&w.wires[c], e); break;
    case 6:
        if (w.sites[n].alive) emi_node_tick(&w.sites[n].node, w.now, silent, &w.sites[n]);
        break;
    default:
        if (w.sites[n].alive) run_program(n);
        if (!w.sites[n].alive) begin_life(n);
    }
    hear_that_it_is_done(n);
}

/* Some are done, and others are not: that does not last. */
static int is_ending(void)
{
    int done = 0;
    for (int n = 0; n < w.count; n++) done += w.sites[n].finished;
    return done > 0 && done < w.count;
}

static void have_accident(void)
{
    int n = (int)draw((uint64_t)w.count), what = (int)draw(5);
    if (what < 2)
        close_wire(&w.wires[draw((uint64_t)w.wire_count)]);
    else if (what < 4)
        kill_site(n);
    else if (w.sites[n].alive && !w.sites[n].node.finished)
        assert_int_equal(emi_node_renew(&w.sites[n].node, w.now), 0);
    close_left_over();
}

/* One schedule: so many accidents, at any time, and some more when it ends; then none. */
static void schedule(uint64_t seed, int accidents)
{
    make_world(seed, MOST);
    long turns = 0, calm = 0;
    int at_the_end = accidents ? (int)draw(6) : 0;
    while (!all_done() && calm < 4000000) {
        turn();
        turns++;
        if (accidents > 0 && draw(400) == 0) {
            accidents--;
            have_accident();
        }
        if (at_the_end > 0 && is_ending() && draw(30) == 0) {
            at_the_end--;
            have_accident();
        }
        if (accidents == 0) calm++;
    }
    if (!all_done() || w.wrong) {
        (void)fprintf(stderr, "seed %lu: %d sites, %s after %ld turns, %d wrong totals\n", (unsigned long)seed, w.count,
                      all_done() ? "done" : "stuck", turns, w.wrong);
        for (int n = 0; n < w.count; n++)
            (void)fprintf(stderr, "  site %d: parent %d, %s, run %d, stage %d, step %d, awaits %d, finished %d\n", n,
                          w.parent[n], w.sites[n].alive ? "alive" : "dead",
                          w.sites[n].alive && emi_node_in_run(&w.sites[n].node), (int)w.sites[n].stage, w.sites[n].step,
                          w.sites[n].alive ? emi_node_awaits(&w.sites[n].node) : -2, w.sites[n].finished);
    }
    assert_true(all_done());
    assert_int_equal(w.wrong, 0);
    assert_int_equal(w.broken, 0);
    for (int n = 0; n < w.count; n++) assert_true(w.sites[n].model[1] == exact_total());
    for (int n = 0; n < w.count; n++) kill_site(n);
}

static void quiet_networks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) schedule(seed, 0);
}

static void accidents_at_any_time(void **state)
{
    (void)state;
    const char *asked = getenv("EIGENMESH_SCHEDULES");
    uint64_t many = asked ? (uint64_t)atol(asked) : 2000;
    for (uint64_t seed = 1; seed <= many; seed++) schedule(1000 + seed, (int)(seed % 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quiet_networks), cmocka_unit_test(accidents_at_any_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
