#include "graph/pair_set.h"

#include "base/memory.h"

/* No pair of ints makes either of these keys. */
static const uint64_t EMPTY = 0, REMOVED = UINT64_MAX;

static uint64_t key_of(int i, int j)
{
    uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
    return (low << 32 | high) + 1;
}

/* The slot that holds the key, or the empty one where the search for it ends. */
static size_t find(const emi_pair_set *set, uint64_t key)
{
    size_t mask = set->slots - 1, at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask;
    while (set->slot[at] != key && set->slot[at] != EMPTY) at = (at + 1) & mask;
    return at;
}

/* Move to a table four times the size of what is held; removed pairs stay behind. */
static em_status rehash(emi_pair_set *set, em_error *err)
{
    emi_pair_set fresh = {.slots = 64, .used = set->count, .count = set->count};
    while (fresh.slots / 4 <= set->count) fresh.slots *= 2;
    fresh.slot = emi_calloc(fresh.slots, sizeof *fresh.slot);
    if (!fresh.slot) return emi_fail_memory_try(err, "graph", "fewer nodes");
    for (size_t at = 0; at < set->slots; at++) {
        uint64_t key = set->slot[at];
        if (key != EMPTY && key != REMOVED) fresh.slot[find(&fresh, key)] = key;
    }
    emi_free(set->slot);
    *set = fresh;
    return EM_OK;
}

int emi_pair_set_has(const emi_pair_set *set, int i, int j)
{
    if (!set->slots) return 0;
    return set->slot[find(set, key_of(i, j))] != EMPTY;
}

em_status emi_pair_set_add(emi_pair_set *set, int i, int j, em_error *err)
{
    if (emi_pair_set_has(set, i, j)) return EM_OK;
    if (2 * set->used >= set->slots) {
        em_status status = rehash(set, err);
        if (status) return status;
    }
    uint64_t key = key_of(i, j);
    set->slot[find(set, key)] = key;
    set->used++;
    set->count++;
    return EM_OK;
}

void emi_pair_set_remove(emi_pair_set *set, int i, int j)
{
    if (!emi_pair_set_has(set, i, j)) return;
    set->slot[find(set, key_of(i, j))] = REMOVED;
    set->count--;
}

void emi_pair_set_free(emi_pair_set *set)
{
    emi_free(set->slot);
    *set = (emi_pair_set){0};
}
