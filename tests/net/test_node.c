/* A node as a machine, in virtual time: what the random schedules of test_schedules.c do not wait for. */
#include "net/node.h"
#include "support/check.h"

#include <string.h>

enum { SITES = 3 };

static int draw(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    (void)context;
    memset(instance, 1, EMI_INSTANCE_BYTES);
    memset(key, 2, EMI_PUBLIC_BYTES);
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

/* A root with two children. */
static void open_root(emi_node *node)
{
    static const int parent[SITES] = {-1, 0, 0}, peers[] = {1, 2};
    const emi_node_config config = {.sites = SITES,
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

static void meet(emi_node *node, int peer, double now)
{
    const char *why;
    unsigned char payload[EMI_HELLO_BYTES];
    emi_hello_write(&(emi_hello){.site = (uint16_t)peer, .instance = {(unsigned char)peer}}, payload);
    const emi_frame hello = {.kind = EMI_HELLO, .length = sizeof payload, .payload = payload};
    assert_int_equal(emi_node_meet(node, peer, &hello, now, &why), 1);
}

static void say_done(emi_node *node, int peer, double now)
{
    const char *why;
    unsigned char code[2];
    emi_u16_write(code, EMI_LEAVE_FINISHED);
    const emi_frame leave = {.kind = EMI_LEAVE, .length = 2, .payload = code};
    assert_int_equal(emi_node_frame(node, peer, &leave, now, &why), -1);
    emi_node_gone(node, peer, why, now);
}

/* A process of a site is here: each has a number. */
static void say_entry(emi_node *node, int site, uint32_t process, double now)
{
    const char *why;
    emi_entry entry = {.site = (uint16_t)site, .columns = 1};
    unsigned char payload[EMI_ENTRY_BYTES];
    emi_u32_write(entry.instance, process);
    emi_u32_write(entry.key, process);
    entry.key[31] = (unsigned char)site;
    emi_entry_write(&entry, payload);
    const emi_frame frame = {.kind = EMI_ENTRY, .length = sizeof payload, .payload = payload};
    assert_int_equal(emi_node_frame(node, site, &frame, now, &why), 0);
}

static void silent(void *context, int peer)
{
    (void)context, (void)peer;
}

/* A root that is done awaits its children; one that has said that it is done too is awaited no more, however long ago that was. */
static void done_is_done(void **state)
{
    emi_node node;
    (void)state;
    open_root(&node);
    meet(&node, 1, 0);
    meet(&node, 2, 0);
    emi_node_finish(&node);
    assert_int_equal(emi_node_awaits(&node), 1);
    say_done(&node, 1, 1);
    for (int now = 2; now < 1000; now += 7) {
        emi_node_tick(&node, now, silent, NULL);
        assert_int_equal(emi_node_awaits(&node), 2);
    }
    say_done(&node, 2, 1000);
    assert_int_equal(emi_node_awaits(&node), -1);
    emi_node_close(&node);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_is_done),
                                       cmocka_unit_test(one_start_waits_for_a_slow_link)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
