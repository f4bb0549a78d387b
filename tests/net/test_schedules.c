/* The machine of a node under random schedules: cuts, kills, restarts, late and early bytes, in virtual time and without sockets.
 * Sites of a random tree sum numbers at the root and are told the answer, step by step, as a fit does, and exit when they are
 * done; whatever happens, they all end with one model, which is the right one, no total is ever of parts of two questions, and
 * nobody is left waiting for somebody who has gone. */
#include "net/schedules/world.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, NUMBERS = 9, NUMBERS_BIG = 200, TAG = 2 };

typedef enum stage { ASK, ANSWER, MODEL, DIGEST, END, DONE } stage;

/* What runs at a site. */
typedef struct program {
    uint64_t generation; /* of the run that it is of */
    int runs;
    stage stage;
    int step, in_round, gave;
    int busy; /* turns for which it computes */
    double block[NUMBERS_BIG], out[NUMBERS_BIG];
    double total;
    double parent_since; /* it waits for its parent alone; 0: not yet */
    double asked_until;  /* it stays for those who ask                */
} program;

/* What outlives it. */
typedef struct disk {
    double model;
    int model_written, finished;
    unsigned char told[MOST_SITES];
    int saved_step; /* at the root */
    double saved_total;
} disk;

static program programs[MOST_SITES];
static disk disks[MOST_SITES];
static int numbers; /* of a block */
static int wrong;
static int unheard; /* exits without the parent's word */

static emi_node *node_of(int n)
{
    return &w.sites[n].node;
}

static uint64_t saved_iteration(void *context, const unsigned char *rows[])
{
    (void)context, (void)rows;
    return (uint64_t)disks[0].saved_step;
}

/* A disk is full now and then. */
static int note_told(void *context, const unsigned char *told)
{
    if (draw(10) == 0) return -1;
    memcpy(disks[(process *)context - w.sites].told, told, (size_t)w.count);
    return 0;
}

/* ---- lives -------------------------------------------------------------------------------------------------------------- */

static int children_know(int n)
{
    for (int child = 0; child < w.count; child++)
        if (w.parent[child] == n && !node_of(n)->told[child]) return 0;
    return 1;
}

static int parent_knows(int n)
{
    return n == 0 || node_of(n)->told[w.parent[n]];
}

static void start_site(int n)
{
    int done = disks[n].finished;
    programs[n] = (program){.stage = done ? DONE : ASK};
    begin_life(n, &(emi_node_config){
                      .iteration = saved_iteration, .told = done ? disks[n].told : NULL, .note_told = note_told});
    if (done && emi_node_finish(node_of(n))) programs[n].asked_until = w.now + EMI_ASKED_SECONDS;
}

static void finish_site(int n)
{
    node_of(n)->over = 0;
    programs[n].stage = DONE;
    (void)emi_node_finish(node_of(n));
}

static void wait_to_exit(int n)
{
    program *s = &programs[n];
    if (!children_know(n) || has_output(n) || w.now < s->asked_until) return;
    if (s->parent_since == 0) s->parent_since = w.now;
    if (!parent_knows(n) && w.now - s->parent_since < EMI_PARENT_SECONDS) return;
    unheard += !parent_knows(n);
    exit_site(n);
}

/* ---- the program: the same everywhere ------------------------------------------------------------------------------------- */

static double part_of(int n, double q, int k)
{
    return (n + 1) * q + k;
}

static double sum_of_parts(double q)
{
    double sum = 0;
    for (int n = 0; n < w.count; n++) sum += part_of(n, q, 0);
    return sum;
}

static double exact_total(void)
{
    double total = 0;
    for (int step = 0; step < STEPS; step++) total += sum_of_parts(total + step + 1);
    return total;
}

static int is_down(stage t)
{
    return t == ASK || t == MODEL;
}

/* The links of a stage: down it comes from the parent and goes to the children; up, the other way. */
static int sends_to(int n, int peer)
{
    return (w.parent[peer] == n) == is_down(programs[n].stage);
}

static size_t block_bytes(void)
{
    return sizeof(double) * (size_t)numbers;
}

static void send_all(int n)
{
    programs[n].gave = 1;
    for (int l = 0; l < w.links[n]; l++)
        if (sends_to(n, w.peers[n][l])) emi_node_send(node_of(n), w.peers[n][l], programs[n].out, block_bytes());
}

static void begin_round(int n)
{
    int receives = 0;
    node_of(n)->waits_in_round = 1;
    programs[n].in_round = 1;
    programs[n].gave = 0;
    for (int l = 0; l < w.links[n]; l++) node_of(n)->links[l].expected = node_of(n)->links[l].got = 0;
    for (int l = 0; l < w.links[n]; l++)
        if (!sends_to(n, w.peers[n][l])) emi_node_expect(node_of(n), w.peers[n][l], block_bytes()), receives++;
    if (!receives) send_all(n); /* else what it sends follows from that */
}

static int all_got(int n)
{
    for (int l = 0; l < w.links[n]; l++)
        if (!emi_link_has_got(&node_of(n)->links[l])) return 0;
    return 1;
}

/* Take what came in this stage, and hand on what follows from it. */
static void take_and_give(int n)
{
    program *s = &programs[n];
    for (int l = 0; l < w.links[n]; l++) {
        const emi_link *link = &node_of(n)->links[l];
        double got[NUMBERS_BIG];
        if (link->expected == 0) continue;
        memcpy(got, link->inbox, block_bytes());
        for (int k = 0; k < numbers; k++) s->out[k] = is_down(s->stage) ? got[k] : s->out[k] + got[k];
    }
    send_all(n);
}

/* What a run is called, as a number: every block has it, so that none of another run goes unseen. */
static double tag_of(int n)
{
    return node_of(n)->run[0] * 256.0 + node_of(n)->run[1] + 1;
}

static void prepare_stage(int n)
{
    program *s = &programs[n];
    memset(s->out, 0, sizeof s->out);
    if (s->stage == ASK && n == 0) { /* the root writes its state before each block down */
        disks[0].saved_step = s->step;
        disks[0].saved_total = s->total;
        for (int k = 0; k < numbers; k++) s->out[k] = s->total + s->step + 1;
        s->out[1] = s->step;
    }
    if (s->stage == ANSWER)
        for (int k = 0; k < numbers; k++) s->out[k] = part_of(n, s->block[0], k);
    if (s->stage == MODEL && n == 0) s->out[0] = s->total;
    if (s->stage == DIGEST) s->out[0] = s->total;
    if (n == 0 || !is_down(s->stage)) s->out[TAG] = tag_of(n);
    begin_round(n);
}

/* A stage is over. */
static void next_stage(int n)
{
    program *s = &programs[n];
    s->in_round = 0;
    node_of(n)->waits_in_round = 0;
    s->busy = draw(8) ? 0 : (int)draw(200);
    if (is_down(s->stage) || n == 0) wrong += s->out[TAG] != tag_of(n) * (is_down(s->stage) ? 1 : w.count);
    switch (s->stage) {
    case ASK:
        memcpy(s->block, s->out, sizeof s->block);
        s->step = (int)s->out[1];
        s->stage = ANSWER;
        break;
    case ANSWER:
        s->step++;
        if (n == 0) wrong += s->out[0] != sum_of_parts(s->block[0]);
        if (n == 0) s->total += s->out[0];
        s->stage = s->step == STEPS ? MODEL : ASK;
        break;
    case MODEL:
        s->total = disks[n].model = s->out[0];
        disks[n].model_written = 1;
        s->stage = DIGEST;
        break;
    default: wrong += n == 0 && s->out[0] != w.count * s->total; s->stage = END;
    }
}

/* A run was entered: what was begun is over. */
static void begin_run(int n)
{
    program *s = &programs[n];
    s->generation = node_of(n)->generation;
    s->runs = emi_node_in_run(node_of(n));
    s->in_round = 0;
    s->stage = ASK;
    s->step = disks[0].saved_step;
    s->total = disks[0].saved_total;
}

/* Does it know that all have the model?  That is on the disk before others are told. */
static int comes_to_its_end(int n)
{
    int knows = n == 0 ? programs[0].stage == END && programs[0].generation == node_of(0)->generation
                       : node_of(n)->over == EMI_LEAVE_FINISHED;
    if (disks[n].finished)
        finish_site(n);
    else if (knows) {
        wrong += !disks[n].model_written;
        disks[n].finished = 1;
        memset(disks[n].told, 0, sizeof disks[n].told);
    }
    return knows || disks[n].finished;
}

static void run_program(int n)
{
    program *s = &programs[n];
    if (s->busy > 0) {
        s->busy--;
        return;
    }
    if (s->stage == DONE) {
        wait_to_exit(n);
        return;
    }
    if (comes_to_its_end(n)) return;
    if (node_of(n)->generation != s->generation) begin_run(n);
    if (!s->runs || s->stage == END) return;
    if (!s->in_round) prepare_stage(n);
    if (!s->gave && all_got(n)) take_and_give(n);
    if (s->gave && emi_node_round_is_done(node_of(n))) next_stage(n);
}

/* ---- schedules ------------------------------------------------------------------------------------------------------------ */

static void take_turn(void)
{
    int n = turn();
    if (n < 0 || w.sites[n].exited) return;
    if (w.sites[n].alive)
        run_program(n);
    else if (w.sites[n].away-- <= 0)
        start_site(n);
}

static int all_gone(void)
{
    for (int n = 0; n < w.count; n++)
        if (!w.sites[n].exited) return 0;
    return 1;
}

static void have_accident(void)
{
    int n = (int)draw((uint64_t)w.count), what = (int)draw(5);
    if (what < 2)
        cut_wire((int)draw((uint64_t)w.wire_count));
    else if (what < 3)
        renew_site(n);
    else
        kill_site(n, draw(4) ? 0 : (int)draw(30));
}

static void report(uint64_t seed, long turns)
{
    (void)fprintf(stderr, "seed %lu: %d sites, %s after %ld turns, %d wrong totals\n", (unsigned long)seed, w.count,
                  all_gone() ? "done" : "stuck", turns, wrong);
    for (int n = 0; n < w.count; n++) {
        const process *p = &w.sites[n];
        const char *life = p->exited ? "exited" : p->alive ? "alive" : "dead";
        (void)fprintf(stderr, "  site %d: parent %d, %s, run %d, stage %d, step %d, awaits %d, finished %d\n", n,
                      w.parent[n], life, p->alive && emi_node_in_run(&p->node), (int)programs[n].stage,
                      programs[n].step, p->alive ? emi_node_awaits(&p->node) : -2, disks[n].finished);
    }
}

/* Some site is about to know that all is done. */
static int ends_now(void)
{
    for (int n = 0; n < w.count; n++)
        if (disks[n].finished) return 1;
    return 0;
}

/* One schedule: so many accidents, at any time or at the end, then none. */
static void schedule(uint64_t seed, int accidents, int late)
{
    long turns = 0, calm = 0;
    int quiet = accidents == 0;
    make_world(seed, MOST_SITES);
    memset(disks, 0, sizeof disks);
    wrong = unheard = 0;
    numbers = draw(5) ? NUMBERS : NUMBERS_BIG; /* the second are more than a window of frames */
    for (int n = 0; n < w.count; n++) start_site(n);
    while (!all_gone() && calm < 4000000) {
        take_turn();
        turns++;
        if (accidents > 0 && (late ? ends_now() && draw(100) == 0 : draw(400) == 0)) {
            accidents--;
            have_accident();
        }
        if (accidents == 0 || late) calm++;
    }
    if (!all_gone() || wrong) report(seed, turns);
    assert_true(all_gone());
    assert_int_equal(wrong, 0);
    assert_int_equal(w.broken, 0);
    assert_true(!quiet || !unheard);
    assert_true(w.starts <= w.lives - w.count + 1); /* only who comes back makes all begin again */
    for (int n = 0; n < w.count; n++) assert_true(disks[n].finished && disks[n].model == exact_total());
}

static void quiet_networks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) schedule(seed, 0, 0);
}

static uint64_t many_schedules(void)
{
    const char *asked = getenv("EIGENMESH_SCHEDULES");
    return asked ? strtoul(asked, NULL, 10) : 2000;
}

static void accidents_at_any_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= many_schedules() / 2; seed++) schedule(1000 + seed, (int)(seed % 60), 0);
}

static void accidents_at_the_end(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= many_schedules() / 2; seed++) schedule(1000000000 + seed, 1 + (int)(seed % 12), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quiet_networks), cmocka_unit_test(accidents_at_any_time),
                                       cmocka_unit_test(accidents_at_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
