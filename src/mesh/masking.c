#include "mesh/masking.h"

#include "base/memory.h"
#include "mesh/fixed.h"
#include "mesh/question.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    CHECK = 4,                               /* words that are 0 before they are masked, and in the end */
    VIEW = EM_VIEW_BYTES / sizeof(uint64_t), /* words of the view, which travels beside them            */
    MOST = INT_MAX - CHECK - EM_VIEW_BYTES / (int)sizeof(uint64_t) /* words of numbers                              */
};

struct emi_masking {
    em_masks masks;
    void *state;
    em_sum sum; /* under way, or the next one */
};

int emi_mesh_is_masked(const em_mesh *mesh)
{
    return mesh->masking != NULL;
}

static void stick(em_mesh *mesh, em_status status, const em_error *err)
{
    if (status == EM_OK || emi_mesh_failed(mesh)) return;
    mesh->failure = *err;
    mesh->failure.code = status;
}

/* ---- opening, and what all see ------------------------------------------------------------------------------------- */

static em_status check(const em_mesh *mesh, const em_masks *masks, em_error *err)
{
    int nodes = mesh->graph->nodes;
    if (masks->size < offsetof(em_masks, rows) || !masks->mask || !masks->follow || !masks->random || !masks->fill)
        return emi_fail(err, EM_EINVAL, "masks: size, mask, follow, random or fill is not set; try all of them");
    if (mesh->masking) return emi_fail(err, EM_EINVAL, "masks: this mesh has some already; try another mesh");
    if (mesh->sums_directly)
        return emi_fail(err, EM_ENOTSUP, "masks: not for the engine's own sums; try those over the tree");
    if (nodes < 3)
        return emi_fail(err, EM_EINVAL,
                        "masks: %d node%s; each would learn the other's share by subtraction; try three or more", nodes,
                        nodes == 1 ? "" : "s");
    if (nodes > EMI_MASKED_NODES)
        return emi_fail(err, EM_EINVAL, "masks: %d nodes are too many; try %d or fewer", nodes, EMI_MASKED_NODES);
    return EM_OK;
}

/* The root's, for all: a block that comes down before anything is masked. */
static em_status draw_view(em_mesh *mesh, unsigned char view[EM_VIEW_BYTES], em_error *err)
{
    double block[VIEW];
    uint64_t words[VIEW] = {0};
    struct emi_masking *m = mesh->masking;
    em_status status = emi_mesh_has_root(mesh) ? m->masks.random(m->state, words, VIEW, err) : EM_OK;
    if (status != EM_OK) return status;
    memcpy(block, words, sizeof block);
    mesh->masking = NULL; /* there is no view yet to go on from */
    emi_tree_give(mesh, block, VIEW);
    mesh->masking = m;
    memcpy(view, block, EM_VIEW_BYTES);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    return mesh->failure.code;
}

em_status em_mesh_set_masks(em_mesh *mesh, const em_masks *masks, void *state, const unsigned char view[EM_VIEW_BYTES],
                            em_error *err)
{
    em_status status = check(mesh, masks, err);
    struct emi_masking *m = status == EM_OK ? emi_calloc(1, sizeof *m) : NULL;
    if (status == EM_OK && !m) status = emi_fail_memory(err, "masks");
    if (status != EM_OK) {
        if (masks->size > offsetof(em_masks, close) && masks->close) masks->close(state);
        return status;
    }
    memcpy(&m->masks, masks, masks->size < sizeof m->masks ? masks->size : sizeof m->masks);
    m->state = state;
    mesh->masking = m;
    if (view)
        memcpy(m->sum.view, view, EM_VIEW_BYTES);
    else
        status = draw_view(mesh, m->sum.view, err);
    if (status != EM_OK) emi_masking_close(mesh);
    return status;
}

void emi_masking_close(em_mesh *mesh)
{
    struct emi_masking *m = mesh->masking;
    if (!m) return;
    if (m->masks.close) m->masks.close(m->state);
    emi_free(m);
    mesh->masking = NULL;
}

void emi_masking_follow(em_mesh *mesh, const void *block, size_t bytes)
{
    em_error err = {0};
    struct emi_masking *m = mesh->masking;
    if (!m || emi_mesh_failed(mesh)) return;
    stick(mesh, m->masks.follow(m->state, m->sum.view, block, bytes, &err), &err);
}

/* ---- policies ------------------------------------------------------------------------------------------------------- */

void emi_masked_rows(em_mesh *mesh, const uint64_t *own, uint64_t all)
{
    em_error err = {0};
    const struct emi_masking *m = mesh->masking;
    for (int i = 0; m->masks.rows && i < mesh->hosted; i++)
        stick(mesh, m->masks.rows(m->state, mesh->first + i, own[i], all, &err), &err);
}

void emi_masked_consent(em_mesh *mesh, int columns, int features)
{
    em_error err = {0};
    const struct emi_masking *m = mesh->masking;
    for (int i = 0; m->masks.answer && i < mesh->hosted; i++)
        stick(mesh, m->masks.answer(m->state, mesh->first + i, columns, features, &err), &err);
}

/* ---- a sum ---------------------------------------------------------------------------------------------------------- */

/* Turn a node's numbers into words; `room` has as many for what digits are filled with. */
typedef em_status to_words(void *context, int i, uint64_t *words, uint64_t *room, em_error *err);

/* What is added up, and where the total goes. */
typedef struct sum_task {
    em_mesh *mesh;
    em_sum sum;
    size_t numbers;
    to_words *convert;
    void *context;
    emi_field words;  /* of all nodes here: numbers, zeros, the view */
    uint64_t **rooms; /* [threads] */
} sum_task;

static uint64_t *words_of(const emi_field *field, int i)
{
    return (uint64_t *)(void *)emi_at(field, i).v;
}

static em_status mask_body(void *context, int i, int worker, em_error *err)
{
    const sum_task *t = context;
    const struct emi_masking *m = t->mesh->masking;
    uint64_t *words = words_of(&t->words, i);
    em_status status = t->convert(t->context, i, words, t->rooms[worker], err);
    memset(words + t->sum.count - CHECK, 0, CHECK * sizeof *words);
    memcpy(words + t->sum.count, t->sum.view, EM_VIEW_BYTES);
    if (status == EM_OK) status = m->masks.mask(m->state, t->mesh->first + i, &t->sum, words, err);
    if (status != EM_OK && err) err->node = t->mesh->first + i;
    return status;
}

void emi_masking_add(em_mesh *mesh, int child, double *into, const double *from, size_t size)
{
    const em_sum *sum = &mesh->masking->sum;
    uint64_t *words = (uint64_t *)(void *)into;
    const uint64_t *more = (const uint64_t *)(const void *)from;
    if (memcmp(words + size - VIEW, more + size - VIEW, EM_VIEW_BYTES) != 0 && !emi_mesh_failed(mesh))
        mesh->failure.code =
            emi_fail_at(&mesh->failure, EM_ENET, child,
                        "fit: node %d, or one behind it, was asked something else than this node; try again", child);
    emi_add_fixed(words, more, size - VIEW, sum->words);
}

/* At the root: is the total one of numbers, or noise? */
static void check_total(em_mesh *mesh, const uint64_t *words, size_t count)
{
    for (size_t n = count - CHECK; n < count; n++)
        if (words[n] != 0 && !emi_mesh_failed(mesh))
            mesh->failure.code =
                emi_fail(&mesh->failure, EM_ENET,
                         "fit: the nodes do not agree on what was asked, and their sum is noise; try again");
}

static em_status alloc_rooms(sum_task *t, em_error *err)
{
    int threads = emi_pool_size(t->mesh->pool);
    em_status status = emi_field_alloc(&t->words, t->mesh->hosted, (int)t->sum.count + VIEW, 1, err);
    if (status != EM_OK) return status;
    t->rooms = emi_calloc((size_t)threads, sizeof *t->rooms);
    for (int n = 0; t->rooms && n < threads; n++) {
        t->rooms[n] = emi_calloc(t->numbers * t->sum.words, sizeof **t->rooms);
        if (!t->rooms[n]) return emi_fail_memory(err, "masks");
    }
    return t->rooms ? EM_OK : emi_fail_memory(err, "masks");
}

static void free_rooms(sum_task *t)
{
    for (int n = 0; t->rooms && n < emi_pool_size(t->mesh->pool); n++) emi_free(t->rooms[n]);
    emi_free(t->rooms);
    emi_field_free(&t->words);
}

/* The words of the total are with node 0 then.  The sum's number is taken before anything leaves, and never given back. */
static void add_up(sum_task *t, em_sum_kind kind, unsigned words)
{
    em_mesh *mesh = t->mesh;
    struct emi_masking *m = mesh->masking;
    em_error err = {0};
    if (emi_mesh_failed(mesh)) return;
    if (t->numbers > MOST / words) {
        stick(mesh, emi_fail(&err, EM_ENOTSUP, "masks: %zu numbers at once are too many; try fewer", t->numbers), &err);
        return;
    }
    m->sum.kind = kind;
    m->sum.words = words;
    m->sum.count = t->numbers * words + CHECK;
    t->sum = m->sum;
    m->sum.number++;
    stick(mesh, alloc_rooms(t, &err), &err);
    if (emi_mesh_failed(mesh)) return;
    double cost = (double)t->sum.count * mesh->hosted * mesh->graph->nodes;
    emi_mesh_run(mesh, 8 * cost, mask_body, t);
    emi_words_up(mesh, &t->words);
    if (emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh)) check_total(mesh, words_of(&t->words, 0), t->sum.count);
}

/* ---- the largest ------------------------------------------------------------------------------------------------------ */

typedef struct maximum {
    em_mesh *mesh;
    const int *own;
} maximum;

/* Random words in the places up to one's own number, and zeros above. */
static em_status places_of(void *context, int i, uint64_t *words, uint64_t *room, em_error *err)
{
    const maximum *t = context;
    const struct emi_masking *m = t->mesh->masking;
    (void)room;
    return t->own[i] > 0 ? m->masks.random(m->state, words, (size_t)t->own[i], err) : EM_OK;
}

void emi_masked_maximum(em_mesh *mesh, const int *own, int most, int *largest)
{
    maximum context = {mesh, own};
    sum_task t = {.mesh = mesh, .numbers = (size_t)most, .convert = places_of, .context = &context};
    double told = most;
    add_up(&t, EM_SUM_MAXIMUM, 1);
    if (emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh))
        while (told > 0 && words_of(&t.words, 0)[(size_t)told - 1] == 0) told--;
    free_rooms(&t);
    emi_tree_give(mesh, &told, 1);
    if (!(told >= 0 && told <= most) && !emi_mesh_failed(mesh))
        mesh->failure.code = emi_fail(&mesh->failure, EM_ENET, "fit: the root says %g, of %d; try again", told, most);
    *largest = emi_mesh_failed(mesh) ? 0 : (int)told;
}

/* ---- whole numbers ------------------------------------------------------------------------------------------------------ */

typedef struct counts {
    const uint64_t *own;
    size_t count;
} counts;

static em_status counts_of(void *context, int i, uint64_t *words, uint64_t *room, em_error *err)
{
    const counts *t = context;
    (void)room, (void)err;
    memcpy(words, t->own + (size_t)i * t->count, t->count * sizeof *words);
    return EM_OK;
}

void emi_masked_counts(em_mesh *mesh, const uint64_t *own, size_t count, uint64_t *totals)
{
    counts context = {own, count};
    sum_task t = {.mesh = mesh, .numbers = count, .convert = counts_of, .context = &context};
    add_up(&t, EM_SUM_COUNT, 1);
    if (emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh))
        memcpy(totals, words_of(&t.words, 0), count * sizeof *totals);
    free_rooms(&t);
    emi_tree_give(mesh, (double *)(void *)totals, count); /* as they are: nothing looks into it */
}

/* ---- numbers ------------------------------------------------------------------------------------------------------------ */

typedef struct fixed {
    em_mesh *mesh;
    const emi_field *parts;
    size_t count;
    const int *places; /* [count] of a word each; NULL: four words, */
    int exponent;      /* of numbers divided by 2^this              */
} fixed;

static em_status too_large(em_error *err)
{
    return emi_fail(err, EM_EDATA,
                    "fit: a number of this node's is none, or larger than masked sums hold; try scale=std");
}

/* What is filled in follows from the numbers in their units, so that it is another one in others.  These lie at the end of the
 * words until they are turned into words themselves, from the first on: none is overwritten before that. */
static em_status fix(void *context, int i, uint64_t *words, uint64_t *room, em_error *err)
{
    const fixed *t = context;
    const struct emi_masking *m = t->mesh->masking;
    const double *x = emi_at(t->parts, i).v;
    const size_t of_number = t->places ? 1 : EMI_WIDE_WORDS;
    uint64_t *scaled = words + (of_number - 1) * t->count;
    for (size_t n = 0; n < t->count; n++) {
        double y = ldexp(x[n], t->places ? t->places[n] : -t->exponent);
        memcpy(scaled + n, &y, sizeof y);
    }
    em_status status =
        m->masks.fill(m->state, t->mesh->first + i, scaled, t->count * sizeof *x, room, t->count * of_number, err);
    for (size_t n = 0; n < t->count && status == EM_OK; n++) {
        size_t at = n * of_number;
        double y;
        memcpy(&y, scaled + n, sizeof y);
        int wrong = t->places ? emi_fix(y, room[n], words + n) : emi_fix_wide(y, room + at, words + at);
        if (wrong) status = too_large(err);
    }
    return status;
}

static size_t size_of(const emi_field *parts)
{
    return (size_t)parts->rows * (size_t)parts->cols;
}

void emi_masked_sums(em_mesh *mesh, const emi_field *parts, int exponent, double *totals)
{
    fixed context = {.mesh = mesh, .parts = parts, .count = size_of(parts), .exponent = exponent};
    sum_task t = {.mesh = mesh, .numbers = context.count, .convert = fix, .context = &context};
    add_up(&t, EM_SUM_WIDE, EMI_WIDE_WORDS);
    for (size_t n = 0; emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh) && n < context.count; n++)
        totals[n] = ldexp(emi_unfix_wide(words_of(&t.words, 0) + EMI_WIDE_WORDS * n), exponent);
    free_rooms(&t);
    emi_tree_give(mesh, totals, context.count);
}

/* The places of all its numbers; NULL: it is no answer, which would show a node's own, or there is no memory. */
static int *places_for(em_mesh *mesh, size_t count)
{
    if (emi_mesh_failed(mesh)) return NULL;
    if (!emi_question_fits(&mesh->question, count)) {
        mesh->failure.code = emi_fail(&mesh->failure, EM_ENOTSUP,
                                      "fit: what was to be sent is not masked; try method krylov, without a truth");
        return NULL;
    }
    int *places = emi_calloc(count, sizeof *places);
    if (!places) mesh->failure.code = emi_fail_memory(&mesh->failure, "masks");
    return places;
}

void emi_masked_answers(em_mesh *mesh, const emi_field *parts, double *totals)
{
    size_t count = size_of(parts);
    int *places = places_for(mesh, count);
    fixed context = {.mesh = mesh, .parts = parts, .count = count, .places = places};
    sum_task t = {.mesh = mesh, .numbers = count, .convert = fix, .context = &context};
    if (!places) return;
    emi_question_places(&mesh->question, count, places);
    mesh->question.open = 0;
    add_up(&t, EM_SUM_BLOCK, 1);
    for (size_t n = 0; emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh) && n < count; n++)
        totals[n] = emi_unfix(words_of(&t.words, 0)[n], places[n]);
    free_rooms(&t);
    emi_free(places);
}
