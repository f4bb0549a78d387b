/* Who is here: entries go up the tree, START comes down it. */
#include "net/meeting.h"

#include <stdlib.h>
#include <string.h>

/* ---- entries ------------------------------------------------------------------------------------------------------------- */

/* What an entry's signature is about. */
size_t emi_signed_part(const emi_node *node, const unsigned char bytes[EMI_ENTRY_BYTES],
                       unsigned char out[EMI_ENTRY_ROOM])
{
    static const char about[] = "eigenmesh entry 1"; /* with its 0 */
    memcpy(out, about, sizeof about);
    memcpy(out + sizeof about, node->config.study, 32);
    memcpy(out + sizeof about + 32, bytes, EMI_ENTRY_SIGNED);
    return sizeof about + 32 + EMI_ENTRY_SIGNED;
}

static int is_signed(const emi_node *node, const unsigned char bytes[EMI_ENTRY_BYTES], const emi_entry *entry)
{
    unsigned char part[EMI_ENTRY_ROOM];
    size_t count = emi_signed_part(node, bytes, part);
    return node->config.verify(node->config.context, entry->site, part, count, entry->signature);
}

static int same_entry(const emi_entry *a, const emi_entry *b)
{
    unsigned char one[EMI_ENTRY_BYTES], other[EMI_ENTRY_BYTES];
    emi_entry_write(a, one);
    emi_entry_write(b, other);
    return memcmp(one, other, sizeof one) == 0;
}

void emi_say_entry(emi_node *node, emi_link *l, int site)
{
    unsigned char bytes[EMI_ENTRY_BYTES];
    emi_entry_write(&node->entries[site], bytes);
    emi_node_say(node, l, EMI_ENTRY, bytes, sizeof bytes);
}

emi_link *emi_link_to_parent(emi_node *node)
{
    int parent = emi_parent_of(node, node->config.site);
    return parent < 0 ? NULL : emi_node_link(node, parent);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

static int was_entered(const emi_node *node, const unsigned char run[EMI_RUN_BYTES])
{
    for (size_t n = 0; n < node->entered_count; n++)
        if (memcmp(node->entered[n], run, EMI_RUN_BYTES) == 0) return 1;
    return 0;
}

static int remember_run(emi_node *node, const unsigned char run[EMI_RUN_BYTES])
{
    if (node->entered_count == node->entered_room) {
        size_t room = node->entered_room ? 2 * node->entered_room : 16;
        void *more = realloc(node->entered, room * sizeof *node->entered);
        if (!more) return -1;
        node->entered = more;
        node->entered_room = room;
    }
    memcpy(node->entered[node->entered_count++], run, EMI_RUN_BYTES);
    return 0;
}

size_t emi_start_size(const emi_node *node)
{
    return EMI_START_HEAD + (size_t)node->config.sites * EMI_ENTRY_BYTES;
}

void emi_say_run(emi_node *node, emi_link *l)
{
    unsigned char payload[EMI_RUN_PAYLOAD];
    if (!l->up) return; /* where it is greeted just now, that is mended when it is up */
    memcpy(payload, node->run, EMI_RUN_BYTES);
    memcpy(l->said_run, node->run, EMI_RUN_BYTES);
    emi_u64_write(payload + EMI_RUN_BYTES, l->received);
    emi_node_say(node, l, EMI_RUN, payload, sizeof payload);
}

/* All that was under way is over; what a neighbour said of this run before counts from now on. */
static void enter(emi_node *node, const unsigned char *start, const unsigned char run[EMI_RUN_BYTES], double now)
{
    const char *why = NULL;
    unsigned char *copy = malloc(emi_start_size(node));
    if (!copy || remember_run(node, run)) {
        free(copy);
        node->no_memory = 1;
        return;
    }
    memcpy(copy, start, emi_start_size(node));
    free(node->later); /* it may be this one */
    node->later = NULL;
    free(node->start);
    node->start = copy;
    memcpy(node->run, run, EMI_RUN_BYTES);
    node->iteration = emi_u64_read(node->start + 16);
    node->generation++;
    node->waits_in_round = node->waits_for_end = 0;
    memset(node->told, 0, (size_t)node->config.sites);
    for (int n = 0; n < node->config.links; n++) {
        emi_link *l = &node->links[n];
        emi_link_enter(l);
        if (emi_is_child(node, l->peer)) emi_node_say(node, l, EMI_START, node->start, emi_start_size(node));
        emi_say_run(node, l);
    }
    emi_node_tell(node, EMI_NEWS_START, node->config.site, NULL);
    uint64_t entered = node->generation; /* a count that cannot be ends this run at once */
    for (int n = 0; n < node->config.links && node->generation == entered; n++) {
        emi_link *l = &node->links[n];
        if (emi_node_flows(node, l)) (void)emi_node_settle(node, l, emi_link_peer_has(l, l->peer_received), now, &why);
    }
}

/* Entries are those of the sites in order, signed, with keys that all differ, and this node's is its present one. */
static int is_start(const emi_node *node, const unsigned char *start, const char **why)
{
    for (int site = 0; site < node->config.sites; site++) {
        const unsigned char *bytes = start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES;
        emi_entry entry;
        emi_entry_read(bytes, &entry);
        *why = "an entry of START is not signed by its site";
        if (entry.site != site || !is_signed(node, bytes, &entry)) return 0;
        *why = "two entries of START have one key";
        for (int other = 0; other < site; other++)
            if (memcmp(start + EMI_START_HEAD + (size_t)other * EMI_ENTRY_BYTES + 18, entry.key, EMI_PUBLIC_BYTES) == 0)
                return 0;
    }
    *why = NULL;
    return 1;
}

static int holds_own(const emi_node *node, const unsigned char *start)
{
    emi_entry entry;
    emi_entry_read(start + EMI_START_HEAD + (size_t)node->config.site * EMI_ENTRY_BYTES, &entry);
    return same_entry(&entry, &node->own);
}

/* Is it this site that makes a START necessary, by being somebody new?  Where nobody is, the root has made it up. */
static int is_cause(const emi_node *node, const unsigned char *start, int site)
{
    size_t at = EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES;
    if (!node->start) return 0;
    if (memcmp(node->start + at, start + at, EMI_ENTRY_BYTES) != 0) return 1;
    return site == 0 && memcmp(node->start + at, start + at, (size_t)node->config.sites * EMI_ENTRY_BYTES) == 0;
}

static int may_enter(emi_node *node, const unsigned char *start, double now)
{
    int may = !node->start;
    for (int site = 0; site < node->config.sites; site++)
        may |= is_cause(node, start, site) && emi_pace_allows(&node->coming[site].starts, now);
    for (int site = 0; may && site < node->config.sites; site++)
        if (is_cause(node, start, site)) emi_pace_take(&node->coming[site].starts, now);
    return may;
}

static void keep_for_later(emi_node *node, const unsigned char *start)
{
    if (!node->later) node->later = malloc(emi_start_size(node));
    if (node->later)
        memcpy(node->later, start, emi_start_size(node));
    else
        node->no_memory = 1;
}

/* Of a parent.  One that is not for this life is late, and another will come. */
int emi_take_start(emi_node *node, const emi_frame *frame, double now, const char **why)
{
    unsigned char run[EMI_RUN_BYTES];
    *why = "START of another number of sites";
    if (frame->length != emi_start_size(node)) return -1;
    if (node->finished || !holds_own(node, frame->payload)) return 0;
    if (node->config.name_run(node->config.context, frame->payload, frame->length, run)) return -1;
    if (was_entered(node, run)) return 0;
    if (!is_start(node, frame->payload, why)) return -1;
    if (may_enter(node, frame->payload, now))
        enter(node, frame->payload, run, now);
    else
        keep_for_later(node, frame->payload);
    return 0;
}

static void enter_later(emi_node *node, double now)
{
    unsigned char run[EMI_RUN_BYTES];
    if (node->finished || !holds_own(node, node->later)) {
        free(node->later);
        node->later = NULL;
    } else if (may_enter(node, node->later, now)) {
        if (node->config.name_run(node->config.context, node->later, emi_start_size(node), run))
            node->no_memory = 1;
        else
            enter(node, node->later, run, now);
    }
}

/* ---- the root: are all here? ------------------------------------------------------------------------------------------------ */

/* Whose columns differ is told when that is new: when it, or the root, is somebody new. */
static int all_are_here(emi_node *node, int changed)
{
    int told = changed == 0 ? -1 : node->differs;
    node->differs = -1;
    const emi_entry *root = &node->entries[0];
    for (int site = 0; site < node->config.sites; site++)
        if (!node->here[site]) return 0;
    for (int site = 1; site < node->config.sites; site++) {
        const emi_entry *entry = &node->entries[site];
        const char *why = entry->columns != root->columns              ? "another number of columns than the root"
                          : memcmp(entry->names, root->names, 32) != 0 ? "columns of other names than the root"
                                                                       : NULL;
        if (!why) continue;
        node->differs = site;
        if (told != site || changed == site) emi_node_tell(node, EMI_NEWS_DIFFERS, site, why);
        return 0;
    }
    return 1;
}

static int differs_from_start(const emi_node *node)
{
    for (int site = 0; node->start && site < node->config.sites; site++) {
        unsigned char bytes[EMI_ENTRY_BYTES];
        emi_entry_write(&node->entries[site], bytes);
        if (memcmp(node->start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES, bytes, sizeof bytes) != 0) return 1;
    }
    return !node->start;
}

static uint64_t iteration_of_state(const emi_node *node)
{
    const unsigned char **rows = calloc((size_t)node->config.sites, sizeof *rows);
    for (int site = 0; rows && site < node->config.sites; site++) rows[site] = node->entries[site].rows;
    uint64_t iteration = rows && node->config.iteration ? node->config.iteration(node->config.context, rows) : 0;
    free(rows);
    return iteration;
}

static void start_if_all_are_here(emi_node *node, int changed, double now)
{
    unsigned char run[EMI_RUN_BYTES];
    if (node->config.site != 0 || node->finished || !all_are_here(node, changed) || !differs_from_start(node)) return;
    unsigned char *start = malloc(emi_start_size(node));
    if (!start || node->config.random(node->config.context, start, 16)) {
        node->no_memory = 1;
        free(start);
        return;
    }
    emi_u64_write(start + 16, iteration_of_state(node));
    for (int site = 0; site < node->config.sites; site++)
        emi_entry_write(&node->entries[site], start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES);
    if (node->config.name_run(node->config.context, start, emi_start_size(node), run))
        node->no_memory = 1;
    else
        enter(node, start, run, now);
    free(start);
}

/* ---- entries that come ------------------------------------------------------------------------------------------------------- */

/* An entry that is believed: of a site below, or its own. */
void emi_note_entry(emi_node *node, const emi_entry *entry, double now)
{
    int site = entry->site;
    if (node->here[site] && same_entry(&node->entries[site], entry)) return;
    node->entries[site] = *entry;
    node->here[site] = 1;
    emi_pace_take(&node->coming[site].entries, now);
    emi_link *up = emi_link_to_parent(node);
    if (up) emi_say_entry(node, up, site);
    start_if_all_are_here(node, site, now);
}

/* A key of two sites would hide neither from the other. */
static int has_key_of_another(const emi_node *node, const emi_entry *entry)
{
    for (int site = 0; site < node->config.sites; site++)
        if (site != entry->site && node->here[site] &&
            memcmp(node->entries[site].key, entry->key, EMI_PUBLIC_BYTES) == 0)
            return 1;
    return 0;
}

int emi_take_entry(emi_node *node, int peer, const emi_frame *frame, double now, const char **why)
{
    emi_entry entry;
    emi_entry_read(frame->payload, &entry);
    *why = "an entry of a site that is not below it";
    if (entry.site >= node->config.sites || !emi_is_child(node, peer) || !emi_is_below(node, entry.site, peer))
        return -1;
    *why = "an entry that is not signed by its site";
    if (!is_signed(node, frame->payload, &entry)) return -1;
    *why = "an entry with the key of another site";
    if (has_key_of_another(node, &entry)) return -1;
    emi_coming *coming = &node->coming[entry.site];
    coming->waits = !emi_pace_allows(&coming->entries, now); /* in the place of one that waits already */
    if (coming->waits)
        coming->later = entry;
    else
        emi_note_entry(node, &entry, now);
    return 0;
}

void emi_take_later(emi_node *node, double now)
{
    for (int site = 0; site < node->config.sites; site++) {
        emi_coming *coming = &node->coming[site];
        if (!coming->waits || !emi_pace_allows(&coming->entries, now)) continue;
        coming->waits = 0;
        emi_note_entry(node, &coming->later, now);
    }
    if (node->later) enter_later(node, now);
}
