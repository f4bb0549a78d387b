/* A hub that dials somebody who lies: it does not dial without a pause, and its words say what is wrong. */
#include "net/liar.h"

#include "net/dial.h"

#include <string.h>
#include <unistd.h>

/* The hub is site 2, and dials site 1: this test. */
static int open_listener(const stage *s)
{
    em_error err = {0};
    int listener = -1, count = 0;
    assert_ok(emi_listen("127.0.0.1", s->port, &listener, 1, &count, &err), &err);
    assert_int_equal(count, 1);
    return listener;
}

/* HELLO is answered, and then the connection closes, each time. */
static void a_link_that_breaks_at_once(void **state)
{
    stage s;
    emi_hello hello;
    int calls = 0;
    (void)state;
    stage_open_as(&s, CHILD, SITES);
    int listener = open_listener(&s);
    for (liar *l; (l = liar_answers(&s, HUB, listener, 1.5)); calls++) {
        assert_true(liar_hears(l, EMI_HELLO));
        hello_of(l, &hello);
        liar_greets(l, &hello);
        assert_true(liar_hears(l, EMI_ENTRY)); /* it is up */
        liar_close(l);
        assert_true(calls < 10);
    }
    assert_true(calls >= 3); /* after 0.1, 0.2, 0.4, ... seconds */
    assert_true(is_told(&s, "1 s1: "));
    (void)close(listener);
    stage_close(&s);
}

/* One that does not answer HELLO is told apart from one that was refused. */
static void closed_where_hello_is_due(void **state)
{
    stage s;
    (void)state;
    stage_open_as(&s, CHILD, SITES);
    int listener = open_listener(&s);
    liar *l = liar_answers(&s, HUB, listener, 10);
    assert_non_null(l);
    assert_true(liar_hears(l, EMI_HELLO));
    liar_close(l);
    assert_true(is_told(&s, "1 s1: TLS: the other side closed the connection before it said anything"));
    assert_false(is_told_now(&s, "3 s1"));
    (void)close(listener);
    stage_close(&s);
}

/* A member's key, but not the one that was dialled. */
static void another_member_answers(void **state)
{
    stage s;
    (void)state;
    stage_open_as(&s, CHILD, SITES);
    int listener = open_listener(&s);
    liar *l = liar_answers(&s, CHILD, listener, 10); /* the hub's own key, even */
    if (l) liar_close(l);
    assert_true(is_told(&s, "3 s1: TLS: the key at this address is another one"));
    (void)close(listener);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_link_that_breaks_at_once),
                                       cmocka_unit_test(closed_where_hello_is_due),
                                       cmocka_unit_test(another_member_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
