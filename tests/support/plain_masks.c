#include "support/plain_masks.h"

#include <stdlib.h>
#include <string.h>

typedef struct plain_state {
    int nodes;
    uint64_t random;
} plain_state;

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t mix(uint64_t key, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    for (size_t n = 0; n < count; n++) {
        key ^= from[n];
        (void)next(&key);
        key = key * 0x100000001b3 + 1;
    }
    return key;
}

/* words += or -= the stream, each number with its carries. */
static void add_stream(uint64_t key, const em_sum *sum, int subtract, uint64_t *words)
{
    for (uint64_t n = 0; n < sum->count; n += sum->words) {
        uint64_t carry = subtract != 0;
        for (uint64_t w = n; w < n + sum->words; w++) {
            uint64_t mask = subtract ? ~next(&key) : next(&key), first = words[w] + mask, total = first + carry;
            carry = (first < mask) | (total < first);
            words[w] = total;
        }
    }
}

void plain_masks_pair(int node, int other, const em_sum *sum, uint64_t *words)
{
    int low = node < other ? node : other, high = node < other ? other : node;
    uint64_t key = mix((uint64_t)low * 4096 + (uint64_t)high, sum->view, EM_VIEW_BYTES);
    key = mix(key, &sum->number, sizeof sum->number);
    add_stream(key, sum, other < node, words);
}

static em_status mask(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err)
{
    const plain_state *s = state;
    (void)err;
    for (int other = 0; other < s->nodes; other++)
        if (other != node) plain_masks_pair(node, other, sum, words);
    return EM_OK;
}

static em_status follow(void *state, unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes, em_error *err)
{
    uint64_t key = mix(mix(7, view, EM_VIEW_BYTES), block, bytes);
    (void)state, (void)err;
    for (int n = 0; n < EM_VIEW_BYTES / 8; n++) {
        uint64_t word = next(&key);
        memcpy(view + 8 * n, &word, sizeof word);
    }
    return EM_OK;
}

static em_status draw(void *state, uint64_t *words, size_t count, em_error *err)
{
    plain_state *s = state;
    (void)err;
    for (size_t n = 0; n < count; n++) {
        uint64_t key = __atomic_add_fetch(&s->random, 1, __ATOMIC_RELAXED) * 0x9e3779b97f4a7c15;
        words[n] = next(&key);
    }
    return EM_OK;
}

static em_status fill(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err)
{
    uint64_t key = mix((uint64_t)node, values, bytes);
    (void)state, (void)err;
    for (size_t n = 0; n < count; n++) words[n] = next(&key);
    return EM_OK;
}

const em_masks plain_masks = {
    .size = sizeof(em_masks), .mask = mask, .follow = follow, .random = draw, .fill = fill, .close = free};

void *plain_masks_state(int nodes, uint64_t seed)
{
    plain_state *s = malloc(sizeof *s);
    if (s) *s = (plain_state){nodes, seed};
    return s;
}

em_status plain_masks_set(em_mesh *mesh, uint64_t seed, em_error *err)
{
    unsigned char view[EM_VIEW_BYTES] = {0};
    memcpy(view, &seed, sizeof seed);
    return em_mesh_set_masks(mesh, &plain_masks, plain_masks_state(em_mesh_nodes(mesh), seed), view, err);
}
