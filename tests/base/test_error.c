/* Status and error text. */
#include "base/error.h"
#include "base/memory.h"
#include "support/check.h"
#include <eigenmesh/engine.h>

#include <eigenmesh/engine.h>
#include <string.h>

static void records_code_and_message(void **state)
{
    (void)state;
    em_error err = {0};
    assert_int_equal(emi_fail(&err, EM_EDATA, "%s: row %d; try another", "a.csv", 7), EM_EDATA);
    assert_int_equal(err.code, EM_EDATA);
    assert_int_equal(err.node, -1);
    assert_string_equal(err.msg, "a.csv: row 7; try another");
}

static void records_the_node(void **state)
{
    (void)state;
    em_error err = {0};
    assert_int_equal(emi_fail_at(&err, EM_ENET, 12, "node %d: lost", 12), EM_ENET);
    assert_int_equal(err.code, EM_ENET);
    assert_int_equal(err.node, 12);
    assert_string_equal(err.msg, "node 12: lost");
}

static void says_what_needed_the_memory(void **state)
{
    (void)state;
    em_error err = {0};
    (void)emi_memory_refused();
    assert_fails(emi_fail_memory(&err, "model"), EM_ENOMEM, "model: out of memory; try a smaller problem, or a m",
                 &err);
    assert_fails(emi_fail_memory_try(&err, "graph", "fewer nodes"), EM_ENOMEM,
                 "graph: out of memory; try fewer nodes, or a machine with more", &err);
    assert_null(emi_doubles(SIZE_MAX / 8));
    assert_fails(emi_fail_memory(&err, "it"), EM_ENOMEM, "it: out of memory, more wanted than can be counted; try",
                 &err);
    assert_fails(emi_fail_memory(&err, "it"), EM_ENOMEM, "it: out of memory; try", &err); /* told once */
}

static void needs_no_place_for_the_message(void **state)
{
    (void)state;
    assert_int_equal(emi_fail(NULL, EM_EIO, "%s", "unheard"), EM_EIO);
    assert_int_equal(emi_fail_at(NULL, EM_ENET, 3, "%s", "unheard"), EM_ENET);
    assert_int_equal(emi_fail_memory(NULL, "unheard"), EM_ENOMEM);
}

/* Whatever the length around the limit, the text is the longest beginning that fits, and ends with a zero. */
static void keeps_to_one_line(void **state)
{
    (void)state;
    em_error err = {0};
    (void)emi_fail(&err, EM_EDATA, "type '%s' of caf\303\251", "<U\n\0331");
    assert_string_equal(err.msg, "type '<U??1' of caf\303\251");
}

static void cuts_what_is_too_long(void **state)
{
    (void)state;
    char text[2000];
    for (size_t length = sizeof((em_error *)0)->msg - 3; length < sizeof text; length += length < 600 ? 1 : 399) {
        struct {
            em_error err;
            char beyond[16];
        } room;
        memset(&room, '#', sizeof room);
        memset(text, 'x', sizeof text);
        text[length] = 0;
        assert_int_equal(emi_fail(&room.err, EM_EINVAL, "%s", text), EM_EINVAL);
        size_t kept = length < sizeof room.err.msg ? length : sizeof room.err.msg - 1;
        assert_int_equal(strlen(room.err.msg), kept);
        assert_memory_equal(room.err.msg, text, kept);
        for (size_t n = 0; n < sizeof room.beyond; n++) assert_int_equal(room.beyond[n], '#');
    }
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = EM_OK; a >= EM_ENUMERIC; a--) {
        assert_string_not_equal(em_status_text((em_status)a), "unknown status");
        for (int b = EM_OK; b > a; b--)
            assert_string_not_equal(em_status_text((em_status)a), em_status_text((em_status)b));
    }
    assert_string_equal(em_status_text(EM_OK), "success");
    assert_string_equal(em_status_text((em_status)17), "unknown status");
}

/* A number that came from another process may be anything. */
static void what_failed_elsewhere_is_a_name_and_a_code(void **state)
{
    em_error err = {0};
    (void)state;
    assert_int_equal(em_fail_elsewhere(&err, EM_EDATA, "rank 1"), EM_EDATA);
    assert_string_equal(err.msg, "rank 1: has failed (the data is not usable); try what its own message says");
    assert_int_equal(err.code, EM_EDATA);
    const int wild[] = {EM_OK, 1, EM_ENUMERIC - 1, 2147483647, -2147483647 - 1};
    for (int n = 0; n < 5; n++) assert_int_equal(em_fail_elsewhere(&err, (em_status)wild[n], "rank 1"), EM_ENET);
    assert_int_equal(em_fail_elsewhere(NULL, EM_EIO, "rank 1"), EM_EIO);
}

static em_status leaves_early(int *reached)
{
    em_status status;
    TRY(EM_OK);
    TRY(EM_EIO);
    *reached = 1;
done:
    return status;
}

static void try_leaves_at_the_first_failure(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(leaves_early(&reached), EM_EIO);
    assert_int_equal(reached, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_code_and_message),
        cmocka_unit_test(records_the_node),
        cmocka_unit_test(says_what_needed_the_memory),
        cmocka_unit_test(needs_no_place_for_the_message),
        cmocka_unit_test(keeps_to_one_line),
        cmocka_unit_test(cuts_what_is_too_long),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(what_failed_elsewhere_is_a_name_and_a_code),
        cmocka_unit_test(try_leaves_at_the_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
