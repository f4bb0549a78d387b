/* A node as a machine, in virtual time: how it enters a run, and how it leaves. */
#include "net/node.h"
#include "support/check.h"

#include <string.h>

enum { SITES = 3 };

/* A root with two children. */
static const int parent[SITES] = {-1, 0, 0};

static int draw(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    (void)context;
    memset(instance, 1, EMI_INSTANCE_BYTES);
    memset(key, 2, EMI_PUBLIC_BYTES);
    return 0;
}

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    memset(signature, 1, 64);
    return 0;
}

/* A site signs with its number. */
static int verify(void *context, int site, const void *bytes, size_t count, const unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    return signature[0] == site;
}

/* By the first of its random bytes. */
static int name_run(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES])
{
    (void)context, (void)count;
    memset(run, *(const unsigned char *)start, EMI_RUN_BYTES);
    return 0;
}

/* The root, or the first child. */
static void open_site(emi_node *node, int site)
{
    static const int children[] = {1, 2}, root[] = {0};
    const emi_node_config config = {.site = site,
                                    .sites = SITES,
                                    .parent = parent,
                                    .peers = site ? root : children,
                                    .links = site ? 1 : 2,
                                    .draw = draw,
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
    assert_int_equal(emi_node_frame(node, peer, &leave, now, &why), 0);
    emi_node_gone(node, peer, "is gone", now);
}

static void silent(void *context, int peer)
{
    (void)context, (void)peer;
}

/* A root that is done awaits its children; one that has said that it is done too is awaited no more, however long ago that was. */
static void done_is_done(void **state)
{
    (void)state;
    emi_node node;
    open_site(&node, 0);
    meet(&node, 1, 0);
    meet(&node, 2, 0);
    assert_false(emi_node_finish(&node));
    assert_int_equal(emi_node_awaits(&node), 1);
    say_done(&node, 1, 1);
    for (double now = 2; now < 1000; now += 7) {
        emi_node_tick(&node, now, silent, NULL);
        assert_int_equal(emi_node_awaits(&node), 2);
    }
    say_done(&node, 2, 1000);
    assert_int_equal(emi_node_awaits(&node), -1);
    emi_node_close(&node);
}

static int say_entry(emi_node *node, int peer, int site)
{
    const char *why;
    unsigned char payload[EMI_ENTRY_BYTES];
    emi_entry_write(&(emi_entry){.site = (uint16_t)site, .columns = 1, .signature = {(unsigned char)site}}, payload);
    const emi_frame entry = {.kind = EMI_ENTRY, .length = sizeof payload, .payload = payload};
    return emi_node_frame(node, peer, &entry, 1, &why);
}

/* What a site has signed is believed only of the child that it is below: a sibling could say again what was true before. */
static void entries_of_the_wrong_child(void **state)
{
    (void)state;
    emi_node node;
    open_site(&node, 0);
    meet(&node, 1, 0);
    meet(&node, 2, 0);
    assert_int_equal(say_entry(&node, 2, 1), -1);
    assert_int_equal(say_entry(&node, 1, 0), -1);
    assert_false(node.here[1]);
    assert_int_equal(say_entry(&node, 1, 1), 0);
    assert_true(node.here[1]);
    emi_node_close(&node);
}

static void say_start(emi_node *node, unsigned char number)
{
    const char *why;
    unsigned char start[EMI_START_HEAD + SITES * EMI_ENTRY_BYTES] = {number};
    for (int site = 0; site < SITES; site++) {
        const emi_entry other = {
            .site = (uint16_t)site, .key = {(unsigned char)(7 + site)}, .signature = {(unsigned char)site}};
        emi_entry_write(site == node->config.site ? &node->own : &other,
                        start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES);
    }
    const emi_frame frame = {.kind = EMI_START, .length = sizeof start, .payload = start};
    assert_int_equal(emi_node_frame(node, 0, &frame, 1, &why), 0);
}

/* A parent that says an old START again sends nobody back into a run that is over. */
static void a_run_is_entered_once(void **state)
{
    (void)state;
    emi_node node;
    open_site(&node, 1);
    meet(&node, 0, 0);
    uint64_t before = node.generation;
    say_start(&node, 1);
    say_start(&node, 2);
    assert_int_equal(node.generation, before + 2);
    say_start(&node, 1);
    say_start(&node, 2);
    assert_int_equal(node.generation, before + 2);
    assert_int_equal(node.run[0], 2);
    emi_node_close(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_is_done), cmocka_unit_test(entries_of_the_wrong_child),
                                       cmocka_unit_test(a_run_is_entered_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
