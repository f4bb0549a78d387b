/* Members that lie, in every field of every frame, to a hub over TLS: refused in words, or harmless; the hub lives. */
#include "net/liar.h"

#include <stdlib.h>
#include <string.h>

/* The hub still does what it is for: a run with honest members. */
static void hub_is_well(stage *s)
{
    liar *parent = member(s, PARENT), *child = member(s, CHILD);
    enter_run(parent, child);
    liar_close(child);
    liar_close(parent);
}

/* ---- HELLO, STUDY --------------------------------------------------------------------------------------------------------- */

static void another_site_in_hello(void **state)
{
    static const uint16_t others[] = {PARENT, HUB, SITES, 60000, 65535};
    (void)state;
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        stage s;
        emi_hello hello;
        stage_open(&s);
        liar *l = liar_open(&s, CHILD);
        hello_of(l, &hello);
        hello.site = others[n];
        liar_greets(l, &hello);
        assert_true(is_closed(l));
        assert_true(is_told(&s, "s2: says that it is another site"));
        liar_close(l);
        hub_is_well(&s);
        stage_close(&s);
    }
}

static void something_else_than_hello(void **state)
{
    static const size_t lengths[EMI_KINDS] = {[EMI_ENTRY] = EMI_ENTRY_BYTES,
                                              [EMI_START] = START_BYTES,
                                              [EMI_RUN] = EMI_RUN_PAYLOAD,
                                              [EMI_DATA] = 100,
                                              [EMI_ACK] = 8,
                                              [EMI_BEAT] = 2,
                                              [EMI_LEAVE] = 2};
    static const unsigned char noise[START_BYTES] = {3, 1, 4, 1, 5};
    stage s;
    (void)state;
    stage_open(&s);
    for (int kind = EMI_ENTRY; kind < EMI_KINDS; kind++) {
        liar *l = liar_open(&s, CHILD);
        liar_says(l, (emi_frame_kind)kind, 0, noise, lengths[kind]);
        assert_true(is_closed(l));
        liar_close(l);
    }
    assert_true(is_told(&s, "s2: does not begin with HELLO"));
    hub_is_well(&s);
    stage_close(&s);
}

static void hello_twice(void **state)
{
    stage s;
    emi_hello hello;
    (void)state;
    stage_open(&s);
    liar *l = member(&s, CHILD);
    hello_of(l, &hello);
    liar_greets(l, &hello);
    assert_true(is_closed(l));
    assert_true(is_told(&s, "s2: sent what may not come now"));
    liar_close(l);
    hub_is_well(&s);
    stage_close(&s);
}

/* STUDY of noise, as the answer to the hub's own, or before it. */
static void another_study(void **state)
{
    unsigned char *noise = malloc(EMI_STUDY_MOST);
    (void)state;
    assert_non_null(noise);
    for (size_t n = 0; n < EMI_STUDY_MOST; n++) noise[n] = (unsigned char)(n * 2654435761U >> 13);
    noise[0] = 0x1b;
    for (int first = 0; first < 2; first++) {
        stage s;
        emi_hello hello;
        stage_open(&s);
        liar *l = liar_open(&s, CHILD);
        hello_of(l, &hello);
        hello.study[31] ^= 1;
        if (!first) liar_greets(l, &hello);
        if (!first) assert_true(liar_hears(l, EMI_STUDY));
        if (!first) assert_int_equal(l->frame.length, s.study->canonical_size);
        liar_says(l, EMI_STUDY, 0, noise, EMI_STUDY_MOST);
        if (first) assert_true(liar_hears(l, EMI_STUDY));
        if (first) liar_says(l, EMI_STUDY, 0, noise, 1);
        assert_true(is_closed(l));
        assert_true(is_told(&s, "4 s2: '?"));
        for (const char *at = s.news; *at; at++) assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        liar_close(l);
        hub_is_well(&s);
        stage_close(&s);
    }
    free(noise);
}

static void another_life(void **state)
{
    stage s;
    emi_hello hello;
    (void)state;
    stage_open(&s);
    liar *first = member(&s, CHILD), *second = liar_open(&s, CHILD);
    hello_of(second, &hello);
    hello.instance[0] ^= 1;
    liar_greets(second, &hello);
    assert_true(is_closed(second));
    assert_true(is_told(&s, "s2: is here already"));
    assert_true(is_open(first));
    liar *third = member(&s, CHILD); /* the same life again: the new connection is its link */
    assert_true(is_closed(first));
    assert_true(is_open(third));
    liar_close(third);
    liar_close(second);
    liar_close(first);
    hub_is_well(&s);
    stage_close(&s);
}

static int count_told(stage *s, const char *words)
{
    int count = 0;
    (void)pthread_mutex_lock(&s->lock);
    for (const char *at = strstr(s->news, words); at; at = strstr(at + 1, words)) count++;
    (void)pthread_mutex_unlock(&s->lock);
    return count;
}

/* A member that comes and goes without end is told of a few times, then how often it did; and what is told last is how it is. */
static void coming_and_going(void **state)
{
    enum { TIMES = 60, FEW = EMI_PACE_FREE + 8 };
    stage s;
    (void)state;
    stage_open(&s);
    for (int n = 0; n < TIMES; n++) liar_close(member(&s, CHILD));
    liar *stays = member(&s, CHILD);
    assert_true(is_told(&s, "0 s2: after "));
    for (int n = 0; n < 2 * EMI_PACE_MOST && count_told(&s, "0 s2") == count_told(&s, "1 s2"); n++)
        assert_true(is_open(stays));
    assert_in_range(count_told(&s, "0 s2"), EMI_PACE_FREE + 1, FEW);
    assert_int_equal(count_told(&s, "0 s2"), count_told(&s, "1 s2") + 1);
    liar_close(stays);
    hub_is_well(&s);
    stage_close(&s);
}

/* ---- ENTRY ------------------------------------------------------------------------------------------------------------------ */

/* An entry from a member that may not say it, or as nobody signed it: each on a connection of its own. */
static void refuse_entry(stage *s, int from, const unsigned char bytes[EMI_ENTRY_BYTES], const char *why)
{
    liar *l = member(s, from);
    liar_says(l, EMI_ENTRY, 0, bytes, EMI_ENTRY_BYTES);
    assert_true(is_closed(l));
    assert_true(is_told(s, why));
    liar_close(l);
}

static void entries_of_others(void **state)
{
    static const char why[] = "an entry of a site that is not below it";
    unsigned char bytes[EMI_ENTRY_BYTES];
    emi_entry entry;
    stage s;
    (void)state;
    stage_open(&s);
    for (int site = 0; site < SITES; site++) {
        entry_of(&s, site, 1, &entry);
        emi_entry_write(&entry, bytes);
        refuse_entry(&s, PARENT, bytes, why);
        if (site != CHILD) refuse_entry(&s, CHILD, bytes, why);
    }
    emi_u16_write(bytes, SITES);
    refuse_entry(&s, CHILD, bytes, why);
    emi_u16_write(bytes, 65535);
    refuse_entry(&s, CHILD, bytes, why);
    hub_is_well(&s);
    stage_close(&s);
}

static void entries_that_nobody_signed(void **state)
{
    unsigned char bytes[EMI_ENTRY_BYTES];
    emi_entry entry;
    stage s;
    (void)state;
    stage_open(&s);
    entry_of(&s, CHILD, 1, &entry);
    for (size_t at = 2; at < EMI_ENTRY_BYTES; at += 9) { /* every field has one */
        emi_entry_write(&entry, bytes);
        bytes[at] ^= 0x10;
        refuse_entry(&s, CHILD, bytes, "an entry that is not signed by its site");
    }
    hub_is_well(&s);
    stage_close(&s);
}

/* One that would share the masks of another. */
static void entries_with_the_key_of_another(void **state)
{
    unsigned char bytes[EMI_ENTRY_BYTES];
    emi_entry own, entry;
    stage s;
    (void)state;
    stage_open(&s);
    liar *parent = member(&s, PARENT);
    assert_true(liar_hears(parent, EMI_ENTRY)); /* the hub's */
    emi_entry_read(parent->frame.payload, &own);
    entry_of(&s, CHILD, 1, &entry);
    memcpy(entry.key, own.key, sizeof entry.key);
    sign_entry(&s, &entry);
    emi_entry_write(&entry, bytes);
    refuse_entry(&s, CHILD, bytes, "an entry with the key of another site");
    liar_close(parent);
    hub_is_well(&s);
    stage_close(&s);
}

/* Said again, it is taken; the parent hears what is new, and no more. */
static void old_entries(void **state)
{
    unsigned char one[EMI_ENTRY_BYTES], other[EMI_ENTRY_BYTES];
    emi_entry entry;
    stage s;
    (void)state;
    stage_open(&s);
    liar *parent = member(&s, PARENT), *child = member(&s, CHILD);
    entry_of(&s, CHILD, 1, &entry);
    emi_entry_write(&entry, one);
    entry_of(&s, CHILD, 2, &entry);
    emi_entry_write(&entry, other);
    const unsigned char *order[] = {one, one, other, one};
    for (int n = 0; n < 4; n++) liar_says(child, EMI_ENTRY, 0, order[n], EMI_ENTRY_BYTES);
    assert_true(liar_hears(parent, EMI_ENTRY)); /* the hub's */
    for (int n = 1; n < 4; n++) {
        assert_true(liar_hears(parent, EMI_ENTRY));
        assert_memory_equal(parent->frame.payload, order[n], EMI_ENTRY_BYTES);
    }
    assert_true(is_open(child));
    liar_close(child);
    liar_close(parent);
    hub_is_well(&s);
    stage_close(&s);
}

/* ---- START ---------------------------------------------------------------------------------------------------------------------- */

enum { SITE_OF_ENTRY = 0, KEY_OF_ENTRY = 18 };

static unsigned char *entry_at(unsigned char *start, int site)
{
    return start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES;
}

/* A START with something wrong, by `change`: the link closes with these words, or nothing happens where there are none. */
static void try_start(void change(stage *s, unsigned char *start), size_t length, int from, const char *why)
{
    unsigned char start[START_BYTES + EMI_ENTRY_BYTES] = {0};
    stage s;
    stage_open(&s);
    liar *parent = member(&s, PARENT), *l = from == PARENT ? parent : member(&s, from);
    good_start(parent, start);
    if (change) change(&s, start);
    liar_says(l, EMI_START, 0, start, length);
    assert_true(why ? is_closed(l) && is_told(&s, why) : is_open(l));
    assert_false(is_told_now(&s, "6 s1")); /* no run was entered */
    if (l != parent) liar_close(l);
    liar_close(parent);
    hub_is_well(&s);
    stage_close(&s);
}

static void spoil_signature(stage *s, unsigned char *start)
{
    (void)s;
    entry_at(start, CHILD)[EMI_ENTRY_BYTES - 1] ^= 1;
}

static void spoil_key(stage *s, unsigned char *start)
{
    (void)s;
    entry_at(start, PARENT)[KEY_OF_ENTRY] ^= 1;
}

static void swap_entries(stage *s, unsigned char *start)
{
    unsigned char kept[EMI_ENTRY_BYTES];
    (void)s;
    memcpy(kept, entry_at(start, PARENT), sizeof kept);
    memcpy(entry_at(start, PARENT), entry_at(start, CHILD), sizeof kept);
    memcpy(entry_at(start, CHILD), kept, sizeof kept);
}

static void equal_keys(stage *s, unsigned char *start)
{
    emi_entry entry;
    entry_of(s, CHILD, 0x60, &entry);
    emi_entry_write(&entry, entry_at(start, CHILD));
}

static void hubs_own_key(stage *s, unsigned char *start)
{
    emi_entry entry;
    entry_of(s, CHILD, 0, &entry);
    memcpy(entry.key, entry_at(start, HUB) + KEY_OF_ENTRY, sizeof entry.key);
    sign_entry(s, &entry);
    emi_entry_write(&entry, entry_at(start, CHILD));
}

static void another_life_of_the_hub(stage *s, unsigned char *start)
{
    emi_entry entry;
    entry_of(s, HUB, 9, &entry); /* signed by it, some time */
    emi_entry_write(&entry, entry_at(start, HUB));
}

static void starts_that_are_none(void **state)
{
    (void)state;
    try_start(NULL, START_BYTES, CHILD, "s2: sent what may not come now");
    try_start(NULL, START_BYTES - EMI_ENTRY_BYTES, PARENT, "s0: START of another number of sites");
    try_start(NULL, START_BYTES + EMI_ENTRY_BYTES, PARENT, "s0: START of another number of sites");
    try_start(spoil_signature, START_BYTES, PARENT, "s0: an entry of START is not signed by its site");
    try_start(spoil_key, START_BYTES, PARENT, "s0: an entry of START is not signed by its site");
    try_start(swap_entries, START_BYTES, PARENT, "s0: an entry of START is not signed by its site");
    try_start(equal_keys, START_BYTES, PARENT, "s0: two entries of START have one key");
    try_start(hubs_own_key, START_BYTES, PARENT, "s0: two entries of START have one key");
    try_start(another_life_of_the_hub, START_BYTES, PARENT, NULL);
}

static void hears_run(liar *parent, const unsigned char *start)
{
    unsigned char run[EMI_RUN_BYTES];
    run_of(parent->on, start, run);
    do assert_true(liar_hears(parent, EMI_RUN));
    while (memcmp(parent->frame.payload, run, EMI_RUN_BYTES) != 0);
}

/* A run that was entered is never entered again, whatever came between: its masks were used. */
static void starts_once_more(void **state)
{
    unsigned char first[START_BYTES], second[START_BYTES];
    stage s;
    (void)state;
    stage_open(&s);
    liar *parent = member(&s, PARENT);
    good_start(parent, first);
    emi_u64_write(first + 16, 1);
    memcpy(second, first, sizeof first);
    emi_u64_write(second + 16, 2);
    liar_says(parent, EMI_START, 0, first, sizeof first);
    hears_run(parent, first);
    liar_says(parent, EMI_START, 0, second, sizeof second);
    hears_run(parent, second);
    liar_says(parent, EMI_START, 0, first, sizeof first);
    liar_says(parent, EMI_START, 0, second, sizeof second);
    assert_true(is_open(parent));
    assert_int_equal(emi_hub_iteration(s.hub), 2);
    liar_close(parent);
    hub_is_well(&s);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_site_in_hello), cmocka_unit_test(something_else_than_hello),
        cmocka_unit_test(hello_twice),           cmocka_unit_test(another_study),
        cmocka_unit_test(another_life),          cmocka_unit_test(coming_and_going),
        cmocka_unit_test(entries_of_others),     cmocka_unit_test(entries_that_nobody_signed),
        cmocka_unit_test(old_entries),           cmocka_unit_test(starts_that_are_none),
        cmocka_unit_test(starts_once_more),      cmocka_unit_test(entries_with_the_key_of_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
