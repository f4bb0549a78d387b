/* Members that lie within a run, about blocks, counts and leaving: refused in words, or harmless; the hub lives. */
#include "net/liar.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCK = 600000, LAST = BLOCK - 2 * EMI_FRAME_MOST }; /* three frames */

static unsigned char zeros[EMI_FRAME_MOST];

/* A run in which the hub sends a block to the parent and expects one from the child. */
typedef struct scene {
    stage s;
    liar *parent, *child;
} scene;

static void scene_open(scene *c)
{
    stage_open(&c->s);
    c->parent = member(&c->s, PARENT);
    c->child = member(&c->s, CHILD);
    solver_begin(&c->s, BLOCK);
    enter_run(c->parent, c->child);
    assert_true(liar_hears(c->parent, EMI_DATA));
}

/* The solver's end, in these words. */
static void scene_close(scene *c, int interrupt, const char *words)
{
    assert_int_equal(solver_end(&c->s, interrupt), EM_ENET);
    if (!strstr(c->s.end.msg, words)) fail_msg("'%s' is not in '%s'", words, c->s.end.msg);
    liar_close(c->child);
    liar_close(c->parent);
    stage_close(&c->s);
}

/* ---- DATA -------------------------------------------------------------------------------------------------------------------- */

static void a_block_that_is_right(void **state)
{
    scene c;
    unsigned char count[8];
    (void)state;
    scene_open(&c);
    for (uint64_t n = 0; n < 3; n++) liar_says(c.child, EMI_DATA, n, zeros, n < 2 ? EMI_FRAME_MOST : LAST);
    assert_true(liar_hears(c.child, EMI_ACK));
    assert_int_equal(emi_u64_read(c.child->frame.payload), 3);
    emi_u64_write(count, 3);
    while (c.parent->frame.sequence < 2) assert_true(liar_hears(c.parent, EMI_DATA));
    liar_says(c.parent, EMI_ACK, 0, count, sizeof count);
    assert_int_equal(solver_end(&c.s, 0), EM_OK);
    liar_says(c.child, EMI_DATA, 1, zeros, 5); /* once more: it is acknowledged, and not read */
    assert_true(liar_hears(c.child, EMI_ACK));
    assert_int_equal(emi_u64_read(c.child->frame.payload), 3);
    liar_close(c.child);
    liar_close(c.parent);
    stage_close(&c.s);
}

static void data_out_of_order(void **state)
{
    static const uint64_t ahead[] = {1, 2, 1000, UINT64_MAX};
    (void)state;
    for (int n = 0; n < 4; n++) {
        scene c;
        scene_open(&c);
        liar_says(c.child, EMI_DATA, ahead[n], zeros, EMI_FRAME_MOST);
        assert_true(is_closed(c.child));
        assert_true(is_told(&c.s, "s2: sent a frame out of order"));
        assert_true(is_open(c.parent));
        scene_close(&c, 1, "interrupted");
    }
}

/* Both ends are told. */
static void data_of_another_size(void **state)
{
    static const struct {
        int full;      /* frames before it */
        size_t length; /* of the wrong one */
    } cases[] = {{0, 1}, {0, EMI_FRAME_MOST - 1}, {1, LAST}, {2, EMI_FRAME_MOST}, {2, LAST - 1}, {2, LAST + 1}};
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        scene c;
        scene_open(&c);
        for (int k = 0; k < cases[n].full; k++) liar_says(c.child, EMI_DATA, (uint64_t)k, zeros, EMI_FRAME_MOST);
        liar_says(c.child, EMI_DATA, (uint64_t)cases[n].full, zeros, cases[n].length);
        liar_says(c.child, EMI_DATA, (uint64_t)cases[n].full + 1, zeros, 1); /* what follows changes nothing */
        assert_true(liar_hears(c.child, EMI_LEAVE));
        assert_int_equal(emi_u16_read(c.child->frame.payload), EMI_LEAVE_SIZE);
        scene_close(&c, 0, "s2 sent a block of another size than this site expects");
    }
}

/* Nothing is expected of the parent: as many as a window are kept, and not one more. */
static void too_much_data(void **state)
{
    scene c;
    (void)state;
    scene_open(&c);
    for (uint64_t n = 0; n < EMI_WINDOW; n++) liar_says(c.parent, EMI_DATA, n, zeros, 1);
    assert_true(is_open(c.parent));
    liar_says(c.parent, EMI_DATA, EMI_WINDOW, zeros, 1);
    assert_true(is_closed(c.parent));
    assert_true(is_told(&c.s, "s0: sent a frame out of order"));
    scene_close(&c, 1, "interrupted");
}

static void data_of_another_run(void **state)
{
    scene c;
    (void)state;
    scene_open(&c);
    c.child->run[0] ^= 1;
    for (uint64_t n = 0; n < 10; n++) liar_says(c.child, EMI_DATA, 7 * n, zeros, 100);
    assert_true(is_open(c.child));
    c.child->run[0] ^= 1;
    for (uint64_t n = 0; n < 3; n++) liar_says(c.child, EMI_DATA, n, zeros, n < 2 ? EMI_FRAME_MOST : LAST);
    assert_true(liar_hears(c.child, EMI_ACK)); /* it has counted none of them */
    assert_int_equal(emi_u64_read(c.child->frame.payload), 3);
    scene_close(&c, 1, "interrupted");
}

/* Whoever asks and does not listen costs no memory. */
static void questions_without_end(void **state)
{
    enum { FRAME = EMI_FRAME_HEAD + 1, AT_ONCE = 4096, TIMES = 4000 };
    scene c;
    struct rusage before, after;
    unsigned char *many = calloc(AT_ONCE, FRAME);
    (void)state;
    assert_non_null(many);
    scene_open(&c);
    liar_says(c.child, EMI_DATA, 0, zeros, EMI_FRAME_MOST);
    emi_frame again = {.kind = EMI_DATA, .length = 1};
    memcpy(again.run, c.child->run, sizeof again.run);
    for (int n = 0; n < AT_ONCE; n++) emi_frame_write(&again, many + n * FRAME);
    (void)getrusage(RUSAGE_SELF, &before);
    for (int n = 0; n < TIMES && !is_told_now(&c.s, "asks and does not listen"); n++)
        liar_writes(c.child, many, (size_t)AT_ONCE * FRAME);
    assert_true(is_told(&c.s, "s2: asks and does not listen"));
    (void)getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 200000); /* KB; a sanitizer's own too */
    assert_true(is_closed(c.child));
    free(many);
    scene_close(&c, 1, "interrupted");
}

/* Its blocks are freed: who comes into the run later is sent nothing of them. */
static void a_round_that_is_given_up(void **state)
{
    stage s;
    em_error err = {0};
    uint64_t generation;
    unsigned char start[START_BYTES], run[EMI_RUN_PAYLOAD] = {0}, *block = calloc(1, BLOCK);
    const void *blocks[] = {block};
    const int to = PARENT;
    (void)state;
    stage_open(&s);
    liar *parent = member(&s, PARENT);
    good_start(parent, start);
    run_of(&s, start, run);
    liar_says(parent, EMI_START, 0, start, sizeof start);
    assert_ok(emi_hub_enter(s.hub, 0, &generation, &err), &err);
    assert_ok(emi_hub_begin(s.hub, generation, &to, blocks, 1, NULL, 0, BLOCK, &err), &err);
    emi_hub_abandon(s.hub);
    free(block);
    liar_says(parent, EMI_RUN, 0, run, sizeof run);
    assert_true(is_open(parent));
    assert_int_not_equal(parent->frame.kind, EMI_DATA);
    liar_close(parent);
    stage_close(&s);
}

/* ---- counts -------------------------------------------------------------------------------------------------------------------- */

/* The hub says HELLO anew to a neighbour that it has left, as somebody new. */
static liar *meet_somebody_new(liar *before)
{
    emi_hello was, is;
    emi_hello_read(before->hello, &was);
    assert_true(is_closed(before));
    liar *again = member(before->on, before->site);
    emi_hello_read(again->hello, &is);
    assert_memory_not_equal(is.instance, was.instance, sizeof is.instance);
    liar_close(before);
    return again;
}

/* The hub is somebody new afterwards, and all neighbours meet it again: the honest one too, at once and in a run that goes on. */
static void set_back(emi_frame_kind kind, uint64_t count)
{
    scene c;
    emi_hello hello;
    unsigned char payload[EMI_RUN_PAYLOAD];
    scene_open(&c);
    memcpy(payload, c.parent->run, EMI_RUN_BYTES);
    emi_u64_write(kind == EMI_ACK ? payload : payload + EMI_RUN_BYTES, count);
    if (kind == EMI_HELLO) {
        liar *again = liar_open(&c.s, PARENT);
        memcpy(again->hello, c.parent->hello, sizeof again->hello);
        liar_close(c.parent);
        c.parent = again;
        hello_of(c.parent, &hello);
        memcpy(hello.run, c.child->run, EMI_RUN_BYTES);
        hello.received = count;
        liar_greets(c.parent, &hello);
    } else {
        liar_says(c.parent, kind, 0, payload, kind == EMI_ACK ? 8 : sizeof payload);
    }
    assert_true(is_told(&c.s, "s0: counts frames that cannot be"));
    c.child = meet_somebody_new(c.child);
    c.parent = meet_somebody_new(c.parent);
    enter_run(c.parent, c.child);
    scene_close(&c, 0, "a site came back");
}

static void counts_that_cannot_be(void **state)
{
    (void)state;
    set_back(EMI_ACK, 4);
    set_back(EMI_ACK, UINT64_MAX);
    set_back(EMI_RUN, 100);
    set_back(EMI_RUN, UINT64_MAX);
    set_back(EMI_HELLO, 1000000);
}

/* A count that is remembered from before the run it is of: the parent knows how that will be called. */
static void count_of_a_run_to_come(void **state)
{
    stage s;
    unsigned char start[START_BYTES], run[EMI_RUN_PAYLOAD];
    (void)state;
    stage_open(&s);
    liar *parent = member(&s, PARENT), *child = member(&s, CHILD);
    good_start(parent, start);
    run_of(&s, start, run);
    emi_u64_write(run + EMI_RUN_BYTES, 99);
    liar_says(parent, EMI_RUN, 0, run, sizeof run);
    liar_says(parent, EMI_START, 0, start, sizeof start);
    assert_true(is_told(&s, "s0: counts frames that cannot be"));
    child = meet_somebody_new(child);
    parent = meet_somebody_new(parent);
    enter_run(parent, child);
    liar_close(child);
    liar_close(parent);
    stage_close(&s);
}

static void counts_of_another_run(void **state)
{
    scene c;
    unsigned char payload[EMI_RUN_PAYLOAD];
    (void)state;
    scene_open(&c);
    memset(payload, 0xff, sizeof payload);
    liar_says(c.parent, EMI_RUN, 0, payload, sizeof payload);
    c.parent->run[3] ^= 1;
    liar_says(c.parent, EMI_ACK, 0, payload, 8);
    assert_true(is_open(c.parent));
    assert_false(is_told_now(&c.s, "cannot be"));
    scene_close(&c, 1, "interrupted");
}

/* ---- BEAT, LEAVE ----------------------------------------------------------------------------------------------------------------- */

static void whom_a_liar_awaits(void **state)
{
    static const uint16_t sites[] = {PARENT, HUB, CHILD, SITES, 40000, EMI_NOBODY};
    scene c;
    unsigned char payload[2];
    (void)state;
    scene_open(&c);
    for (size_t n = 0; n < sizeof sites / sizeof *sites; n++) {
        emi_u16_write(payload, sites[n]);
        liar_says(c.parent, EMI_BEAT, 0, payload, sizeof payload);
        liar_says(c.child, EMI_BEAT, 0, payload, sizeof payload);
        assert_true(is_open(c.parent));
    }
    scene_close(&c, 1, "interrupted");
}

/* What ends the run here too, by whom; all else is a link that is down. */
static const char *end_by(int code, int from)
{
    if (from != PARENT) return NULL; /* nothing was sent to the child, either */
    if (code == EMI_LEAVE_FINISHED) return "s0 says that the study is done";
    if (code == EMI_LEAVE_SIZE) return "s0 says that this site sent it a block of another size";
    return code == EMI_LEAVE_ROOT ? "s0 says that the root has ended the run" : NULL;
}

static void leaving_for_any_reason(void **state)
{
    static const int codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 65535};
    (void)state;
    for (size_t n = 0; n < 2 * sizeof codes / sizeof *codes; n++) {
        scene c;
        unsigned char payload[2];
        int code = codes[n / 2], from = n % 2 ? PARENT : CHILD;
        scene_open(&c);
        liar *l = from == PARENT ? c.parent : c.child;
        emi_u16_write(payload, (uint16_t)code);
        liar_says(l, EMI_LEAVE, 0, payload, sizeof payload);
        int stays = code == EMI_LEAVE_FINISHED && from == PARENT; /* it wants to be told the same */
        if (!stays) assert_true(is_closed(l));
        assert_true(is_told(&c.s, emi_leave_text(code)));
        const char *end = end_by(code, from);
        scene_close(&c, !end, end ? end : "interrupted");
    }
}

/* That a block was of another size is believed of whom one is on its way to, in the run that both are in: of nobody else. */
static void sizes_that_cannot_be_wrong(void **state)
{
    enum { BEFORE, OF_ANOTHER, AFTER, CASES };
    (void)state;
    for (int n = 0; n < CASES; n++) {
        scene c;
        unsigned char size[2], count[8];
        emi_u16_write(size, EMI_LEAVE_SIZE);
        emi_u64_write(count, 3);
        if (n == BEFORE) {
            stage_open(&c.s);
            c.parent = member(&c.s, PARENT);
            c.child = member(&c.s, CHILD);
            solver_begin(&c.s, BLOCK);
        } else {
            scene_open(&c);
        }
        if (n == OF_ANOTHER) c.parent->run[0] ^= 1;
        while (n == AFTER && c.parent->frame.sequence < 2) assert_true(liar_hears(c.parent, EMI_DATA));
        if (n == AFTER) liar_says(c.parent, EMI_ACK, 0, count, sizeof count);
        liar_says(c.parent, EMI_LEAVE, 0, size, sizeof size);
        assert_true(is_closed(c.parent));
        assert_true(is_told(&c.s, "s0: was sent a block of another size"));
        assert_true(is_open(c.child));
        scene_close(&c, 1, "interrupted");
    }
}

/* ---- no frames -------------------------------------------------------------------------------------------------------------------- */

static void bytes_that_are_no_frame(void **state)
{
    static const unsigned char heads[][EMI_FRAME_HEAD] = {
        {0},
        {EMI_KINDS},
        {255, 0, 0, 0, 8},
        {EMI_ACK, 1, 0, 0, 8},
        {EMI_ACK, 0, 0, 1, 8},
        {EMI_ACK, 0, 0, 0, 9},
        {EMI_DATA},
        {EMI_DATA, 0, 0, 0, 1, 0, 4},
        {EMI_DATA, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
        {EMI_START, 0, 0, 0, 25},
        {EMI_START, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f},
        {EMI_STUDY, 0, 0, 0, 1, 0, 4},
        {EMI_HELLO, 0, 0, 0, EMI_HELLO_BYTES + 1},
    };
    (void)state;
    for (size_t n = 0; n < sizeof heads / sizeof *heads; n++) {
        scene c;
        scene_open(&c);
        liar_writes(c.child, heads[n], EMI_FRAME_HEAD);
        assert_true(is_closed(c.child));
        assert_true(is_told(&c.s, "s2: sent what is no frame"));
        scene_close(&c, 1, "interrupted");
    }
}

/* Half a frame, then nothing, or the end. */
static void half_a_frame(void **state)
{
    scene c;
    unsigned char head[EMI_FRAME_HEAD];
    (void)state;
    scene_open(&c);
    emi_frame_write(&(emi_frame){.kind = EMI_DATA, .length = EMI_FRAME_MOST}, head);
    liar_writes(c.child, head, sizeof head);
    liar_writes(c.child, zeros, EMI_FRAME_MOST - 1);
    assert_true(is_open(c.parent));
    liar_close(c.child);
    assert_true(is_told(&c.s, "1 s2"));
    c.child = member(&c.s, CHILD);
    scene_close(&c, 1, "interrupted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_block_that_is_right),
                                       cmocka_unit_test(data_out_of_order),
                                       cmocka_unit_test(data_of_another_size),
                                       cmocka_unit_test(too_much_data),
                                       cmocka_unit_test(data_of_another_run),
                                       cmocka_unit_test(questions_without_end),
                                       cmocka_unit_test(a_round_that_is_given_up),
                                       cmocka_unit_test(counts_that_cannot_be),
                                       cmocka_unit_test(counts_of_another_run),
                                       cmocka_unit_test(count_of_a_run_to_come),
                                       cmocka_unit_test(whom_a_liar_awaits),
                                       cmocka_unit_test(leaving_for_any_reason),
                                       cmocka_unit_test(sizes_that_cannot_be_wrong),
                                       cmocka_unit_test(bytes_that_are_no_frame),
                                       cmocka_unit_test(half_a_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
