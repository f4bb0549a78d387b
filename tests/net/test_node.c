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

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    memset(signature, 3, 64);
    return 0;
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

static void silent(void *context, int peer)
{
    (void)context, (void)peer;
}

/* A root that is done awaits its children; one that has said that it is done too is awaited no more, however long ago that was. */
static void done_is_done(void **state)
{
    (void)state;
    static const int parent[SITES] = {-1, 0, 0}, peers[] = {1, 2};
    const emi_node_config config = {
        .sites = SITES, .parent = parent, .peers = peers, .links = 2, .draw = draw, .sign = sign};
    emi_node node;
    assert_int_equal(emi_node_open(&node, &config, &(emi_entry){.columns = 1}), 0);
    meet(&node, 1, 0);
    meet(&node, 2, 0);
    emi_node_finish(&node);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_is_done)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
