#include "support/watched_masks.h"

#include "support/plain_masks.h"

#include <stdlib.h>
#include <string.h>

static void remember(watched *w, int node, const em_sum *sum, const uint64_t *words)
{
    size_t bytes = sum->count * sizeof *words;
    (void)pthread_mutex_lock(&w->lock);
    if (w->count == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->sums = realloc(w->sums, w->room * sizeof *w->sums);
        if (!w->sums) abort();
    }
    watched_sum *s = &w->sums[w->count++];
    *s = (watched_sum){node, *sum, malloc(bytes)};
    if (!s->words) abort();
    memcpy(s->words, words, bytes);
    (void)pthread_mutex_unlock(&w->lock);
}

static em_status mask(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err)
{
    watched *w = state;
    em_status status = plain_masks.mask(w->plain, node, sum, words, err);
    if (status == EM_OK) remember(w, node, sum, words);
    return status;
}

static em_status follow(void *state, unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes, em_error *err)
{
    return plain_masks.follow(((watched *)state)->plain, view, block, bytes, err);
}

static em_status draw(void *state, uint64_t *words, size_t count, em_error *err)
{
    return plain_masks.random(((watched *)state)->plain, words, count, err);
}

static em_status fill(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err)
{
    watched *w = state;
    const unsigned char *from = values;
    uint64_t digest = 14695981039346656037U; /* FNV-1a */
    for (size_t n = 0; n < bytes && node == 0; n++) digest = (digest ^ from[n]) * 1099511628211U;
    if (node == 0) w->filled = digest;
    return plain_masks.fill(w->plain, w->filled_alike ? 0 : node, values, bytes, words, count, err);
}

static em_status rows(void *state, int node, uint64_t own, uint64_t all, em_error *err)
{
    const watched *w = state;
    (void)node, (void)all;
    if (own >= w->rows) return EM_OK;
    return w->silent ? EM_EDATA : em_fail(err, EM_EDATA, "rows: too few here; try more");
}

static em_status answer(void *state, int node, int columns, int features, em_error *err)
{
    watched *w = state;
    (void)node, (void)features;
    w->answered += (uint64_t)columns;
    if (w->columns == 0 || w->answered <= w->columns) return EM_OK;
    return w->silent ? EM_EDATA : em_fail(err, EM_EDATA, "columns: more than were agreed to; try fewer");
}

static void close(void *state)
{
    watched *w = state;
    plain_masks.close(w->plain);
    w->plain = NULL;
    w->closed++;
}

static const em_masks watched_masks = {.size = sizeof watched_masks,
                                       .mask = mask,
                                       .follow = follow,
                                       .random = draw,
                                       .fill = fill,
                                       .rows = rows,
                                       .answer = answer,
                                       .close = close};

em_status watched_masks_set(em_mesh *mesh, watched *w, const unsigned char view[EM_VIEW_BYTES], em_error *err)
{
    (void)pthread_mutex_init(&w->lock, NULL);
    w->plain = plain_masks_state(em_mesh_nodes(mesh), w->seed);
    if (!w->plain) abort();
    return em_mesh_set_masks(mesh, &watched_masks, w, view, err);
}

void watched_free(watched *w)
{
    for (size_t n = 0; n < w->count; n++) free(w->sums[n].words);
    free(w->sums);
    w->sums = NULL;
    w->count = w->room = 0;
    (void)pthread_mutex_destroy(&w->lock);
}
