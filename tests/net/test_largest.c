/* The largest study that a file may hold goes through a hub: entries of all sites up, a START of all of them down, and the text
 * of it to a neighbour that has another. */
#include "net/liar.h"

#include <stdlib.h>
#include <string.h>

/* The entries that a member says of all sites behind it, and of itself. */
static void say_entries(liar *child)
{
    emi_entry entry;
    unsigned char bytes[EMI_ENTRY_BYTES];
    for (int site = CHILD; site < child->on->sites; site++) {
        entry_of(child->on, site, (unsigned char)(1 + site), &entry); /* no two have one key */
        emi_entry_write(&entry, bytes);
        liar_says(child, EMI_ENTRY, 0, bytes, sizeof bytes);
    }
}

/* Each once, in any order. */
static void hear_entries(liar *parent)
{
    unsigned char heard[EMI_SITES_MOST] = {0};
    for (int count = HUB; count < parent->on->sites; count++) {
        assert_true(liar_hears(parent, EMI_ENTRY));
        int site = emi_u16_read(parent->frame.payload);
        assert_true(site >= HUB && site < parent->on->sites && !heard[site]++);
    }
}

static void all_meet(void **state)
{
    stage s;
    (void)state;
    stage_open_as(&s, HUB, EMI_SITES_MOST);
    liar *parent = member(&s, PARENT), *child = member(&s, CHILD);
    say_entries(child);
    hear_entries(parent);
    liar_close(parent);
    parent = member(&s, PARENT); /* who hears all of them again */
    enter_run(parent, child);
    liar_close(child);
    child = member(&s, CHILD);
    assert_true(liar_hears(child, EMI_START));
    assert_int_equal(child->frame.length, start_bytes(&s));
    liar_close(child);
    liar_close(parent);
    stage_close(&s);
}

static void another_study(void **state)
{
    stage s;
    emi_hello hello;
    (void)state;
    stage_open_as(&s, HUB, EMI_SITES_MOST);
    liar *child = liar_open(&s, CHILD);
    hello_of(child, &hello);
    hello.study[0] ^= 1;
    liar_greets(child, &hello);
    assert_true(liar_hears(child, EMI_STUDY));
    assert_int_equal(child->frame.length, s.study->canonical_size);
    assert_memory_equal(child->frame.payload, s.study->canonical, s.study->canonical_size);
    liar_close(child);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_meet), cmocka_unit_test(another_study)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
