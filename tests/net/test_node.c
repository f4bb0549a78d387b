/* A node as a machine, in virtual time: what the random schedules of test_schedules.c do not wait for. */
#include "net/node.h"
#include "net/pace.h"
#include "support/check.h"

#include <string.h>

enum { SITES = 3 };

static int draw(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    static uint32_t lives;
    (void)context;
    memset(instance, 1, EMI_INSTANCE_BYTES);
    memset(key, 2, EMI_PUBLIC_BYTES);
    emi_u32_write(instance, ++lives);
    emi_u32_write(key, lives);
    return 0;
}

static int draw_bytes(void *context, void *bytes, size_t count)
{
    static unsigned char number;
    (void)context;
    memset(bytes, ++number, count);
    return 0;
}

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    memset(signature, 3, 64);
    return 0;
}

static int verify(void *context, int site, const void *bytes, size_t count, const unsigned char signature[64])
{
    (void)context, (void)site, (void)bytes, (void)count, (void)signature;
    return 1;
}

/* By its entries' numbers. */
static int name_run(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES])
{
    const unsigned char *bytes = start;
    (void)context;
    memset(run, 0, EMI_RUN_BYTES);
    for (size_t n = 0; n < count; n++) run[n % EMI_RUN_BYTES] = (unsigned char)(7 * run[n % EMI_RUN_BYTES] + bytes[n]);
    return 0;
}

static void open_node(emi_node *node, int site, const int *parent, const int *peers)
{
    const emi_node_config config = {.site = site,
                                    .sites = SITES,
                                    .parent = parent,
                                    .peers = peers,
                                    .links = 2,
                                    .draw = draw,
                                    .random = draw_bytes,
                                    .sign = sign,
                                    .verify = verify,
                                    .name_run = name_run};
    assert_int_equal(emi_node_open(node, &config, &(emi_entry){.columns = 1}), 0);
}

/* A root with two children. */
static void open_root(emi_node *node)
{
    static const int parent[SITES] = {-1, 0, 0}, peers[] = {1, 2};
    open_node(node, 0, parent, peers);
}

/* Site 1, between the root and a child. */
static void open_middle(emi_node *node)
{
    static const int parent[SITES] = {-1, 0, 1}, peers[] = {0, 2};
    open_node(node, 1, parent, peers);
}

static void meet(emi_node *node, int peer, double now)
{
    const char *why;
    unsigned char payload[EMI_HELLO_BYTES];
    emi_hello_write(&(emi_hello){.site = (uint16_t)peer, .instance = {(unsigned char)peer}}, payload);
    const emi_frame hello = {.kind = EMI_HELLO, .length = sizeof payload, .payload = payload};
    assert_int_equal(emi_node_meet(node, peer, &hello, now, &why), 1);
}

/* The entry of a process of a site: each has a number. */
static void write_entry(int site, uint32_t process, unsigned char bytes[EMI_ENTRY_BYTES])
{
    emi_entry entry = {.site = (uint16_t)site, .columns = 1};
    emi_u32_write(entry.instance, process);
    emi_u32_write(entry.key, process);
    entry.key[31] = (unsigned char)site;
    emi_entry_write(&entry, bytes);
}

static void say_entry(emi_node *node, int site, uint32_t process, double now)
{
    const char *why;
    unsigned char payload[EMI_ENTRY_BYTES];
    write_entry(site, process, payload);
    const emi_frame frame = {.kind = EMI_ENTRY, .length = sizeof payload, .payload = payload};
    assert_int_equal(emi_node_frame(node, site, &frame, now, &why), 0);
}

/* To the one in the middle, of a process of the root. */
static void say_start(emi_node *node, uint32_t process, uint32_t number, double now)
{
    const char *why;
    unsigned char payload[EMI_START_HEAD + SITES * EMI_ENTRY_BYTES] = {0};
    emi_u32_write(payload, number);
    write_entry(0, process, payload + EMI_START_HEAD);
    emi_entry_write(&node->own, payload + EMI_START_HEAD + EMI_ENTRY_BYTES);
    write_entry(2, 1, payload + EMI_START_HEAD + (size_t)2 * EMI_ENTRY_BYTES);
    const emi_frame frame = {.kind = EMI_START, .length = sizeof payload, .payload = payload};
    assert_int_equal(emi_node_frame(node, 0, &frame, now, &why), 0);
}

static void silent(void *context, int peer)
{
    (void)context, (void)peer;
}

static int count_waiting(const emi_link *l, emi_frame_kind kind)
{
    emi_frame frame;
    size_t at = 0, used = 0;
    int count = 0;
    for (; at < l->control_size; at += used) {
        assert_int_equal(emi_frame_read(l->control + at, l->control_size - at, &frame, &used), 1);
        count += frame.kind == kind;
    }
    return count;
}

/* Sites come back one after the other while a child's link is slow: of all those STARTs only the last has to go there. */
static void one_start_waits_for_a_slow_link(void **state)
{
    emi_node node;
    (void)state;
    open_root(&node);
    meet(&node, 1, 0);
    meet(&node, 2, 0);
    say_entry(&node, 1, 1, 0);
    for (uint32_t process = 1; process <= 5; process++) {
        say_entry(&node, 2, process, process);
        assert_int_equal(node.generation, process + 1); /* the first is its own opening */
        assert_int_equal(count_waiting(emi_node_link(&node, 1), EMI_START), 1);
        assert_int_equal(count_waiting(emi_node_link(&node, 1), EMI_RUN), 1);
    }
    emi_node_close(&node);
}

/* ---- who comes back again and again ------------------------------------------------------------------------------------ */

/* What a site can bring about in so many seconds: some at once, pauses that grow, then one a minute. */
static uint64_t most_in(int seconds)
{
    return EMI_PACE_FREE + 6 + (uint64_t)seconds / EMI_PACE_MOST;
}

/* A member that is somebody new a hundred times a second, from `begin` on; returns the number of its last process. */
static uint32_t flood(emi_node *node, int site, int begin, int seconds)
{
    static uint32_t process = 1000;
    for (int n = 0; n < 100 * seconds; n++) {
        double now = begin + 0.01 * n;
        say_entry(node, site, ++process, now);
        emi_node_tick(node, now, silent, NULL);
    }
    return process;
}

static void open_run(emi_node *node)
{
    open_root(node);
    meet(node, 1, 0);
    meet(node, 2, 0);
    say_entry(node, 1, 1, 0);
    say_entry(node, 2, 1, 0);
    assert_int_equal(node->generation, 2);
}

/* Killed and started again a few times, an honest site waits for nothing. */
static void a_few_restarts_are_at_once(void **state)
{
    emi_node node;
    (void)state;
    open_run(&node);
    for (uint32_t process = 2; process <= EMI_PACE_FREE; process++) {
        say_entry(&node, 2, process, process);
        assert_int_equal(node.generation, 1 + process);
    }
    emi_node_close(&node);
}

static void starts_without_end(void **state)
{
    enum { HOUR = 3600 };
    emi_node node;
    (void)state;
    open_run(&node);
    uint32_t last = flood(&node, 2, 1, HOUR);
    assert_true(node.generation <= 2 + most_in(HOUR));
    uint64_t before = node.generation;
    say_entry(&node, 1, 2, 1 + HOUR); /* another site's matter: at once */
    assert_int_equal(node.generation, before + 1);
    emi_node_tick(&node, 1 + HOUR + EMI_PACE_MOST, silent, NULL); /* what came last is not lost */
    assert_int_equal(node.generation, before + 2);
    assert_int_equal(emi_u32_read(node.entries[2].instance), last);
    for (uint32_t process = 1; process < EMI_PACE_FREE; process++) { /* after quiet it is as others are */
        say_entry(&node, 2, process, 2 * HOUR);
        assert_int_equal(node.generation, before + 2 + process);
    }
    emi_node_close(&node);
}

/* In the middle: what a child floods goes up no more often, */
static void entries_go_up_at_a_pace(void **state)
{
    enum { SECONDS = 600 };
    emi_node node;
    (void)state;
    open_middle(&node);
    meet(&node, 0, 0);
    meet(&node, 2, 0);
    (void)flood(&node, 2, 1, SECONDS);
    assert_true(count_waiting(emi_node_link(&node, 0), EMI_ENTRY) <= 1 + (int)most_in(SECONDS));
    emi_node_close(&node);
}

/* and a parent that makes up STARTs, as those of a root that is somebody new, or not even that, is followed no more often. */
static void starts_of_a_parent_without_end(void **state)
{
    enum { SECONDS = 600 };
    (void)state;
    for (int renewed = 0; renewed < 2; renewed++) {
        emi_node node;
        uint32_t last = 0;
        open_middle(&node);
        meet(&node, 0, 0);
        for (uint32_t n = 1; n <= 100 * SECONDS; n++) {
            last = renewed ? n : 1;
            say_start(&node, last, n, 0.01 * n);
            emi_node_tick(&node, 0.01 * n, silent, NULL);
        }
        assert_in_range(node.generation, EMI_PACE_FREE, 1 + most_in(SECONDS));
        uint64_t before = node.generation;
        emi_node_tick(&node, SECONDS + EMI_PACE_MOST, silent, NULL); /* the last one is entered in its time */
        assert_int_equal(node.generation, before + 1);
        assert_int_equal(emi_u32_read(node.start + EMI_START_HEAD + 2), last);
        emi_node_close(&node);
    }
}

/* A neighbour that counts what cannot be makes this process somebody new, and all others meet it again; but not without end. */
static void counts_that_cannot_be(void **state)
{
    enum { SECONDS = 600 };
    emi_node node;
    unsigned char count[8];
    (void)state;
    open_run(&node);
    emi_u64_write(count, 99);
    emi_frame ack = {.kind = EMI_ACK, .length = sizeof count, .payload = count};
    for (int n = 1; n <= 100 * SECONDS; n++) {
        const char *why = NULL;
        uint64_t before = node.generation;
        memcpy(ack.run, node.run, sizeof ack.run);
        assert_int_equal(emi_node_frame(&node, 2, &ack, 0.01 * n, &why), -1);
        assert_non_null(strstr(why, "cannot be"));
        assert_false(emi_node_link(&node, 2)->up);
        assert_int_equal(emi_node_link(&node, 1)->up, node.generation == before);
        if (!emi_node_link(&node, 1)->up) meet(&node, 1, 0.01 * n);
        meet(&node, 2, 0.01 * n);
    }
    assert_true(node.generation <= 2 + 2 * most_in(SECONDS)); /* a life, and the START that follows */
    emi_node_close(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_start_waits_for_a_slow_link),
                                       cmocka_unit_test(a_few_restarts_are_at_once),
                                       cmocka_unit_test(starts_without_end),
                                       cmocka_unit_test(entries_go_up_at_a_pace),
                                       cmocka_unit_test(starts_of_a_parent_without_end),
                                       cmocka_unit_test(counts_that_cannot_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
