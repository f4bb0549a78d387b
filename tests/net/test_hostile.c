/* Masked fits between hubs, and members with altered software: a root that asks what it may not, a relay that asks the site behind it
 * something else.  Refused, or the total is noise.  And over all that was sent up: no mask is ever used for two sums. */
#include "net/engine.h"
#include "net/free_ports.h"
#include "net/masks.h"
#include "support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 4, D = 32, ROWS = 60, K = 3, BLOCK = 5, KEPT = 256, LIES_AT = 1, LIED_TO = 3, FEWEST = 120 };

typedef enum trick {
    HONEST,
    ASKS_NAN,       /* at the root: in a question, */
    ASKS_TWO,       /* a vector of norm 2,         */
    ASKS_TWICE,     /* one of them twice           */
    ASKS_SOME_ELSE, /* at a relay: another question to the site behind it, */
    HIDES_IT,       /* and of that one's view nothing is seen              */
    REUSES          /* everywhere: the same mask for sums of one size; the test of the tests */
} trick;

/* Words that left a site for its parent, without the view at their end. */
typedef struct record {
    uint64_t *words;
    size_t count;
} record;

typedef struct member {
    emi_study *study;
    emi_identity *identity;
    emi_hub *hub;
    int site;
    trick trick;
    atomic_int *stop;
    /* the engine that it is, and the one it stands on */
    const em_engine *inner;
    void *inner_state;
    double asked[D * BLOCK];
    uint64_t heard[D * BLOCK + 8];
    int lied, hears; /* it did so; and in this round words of the site that it lied to come */
    /* masks */
    emi_masks *masks;
    unsigned char view[EM_VIEW_BYTES];
    record sent[KEPT];
    int sent_count;
    em_status status;
    em_error err;
    pthread_t thread;
    double components[K * D];
} member;

/* ---- the study ------------------------------------------------------------------------------------------------------------- */

static emi_identity *identity_of(int site)
{
    em_error err = {0};
    emi_identity *identity;
    unsigned char seed[32];
    memset(seed, 70 + site, sizeof seed);
    assert_ok(emi_identity_from_seed(&identity, seed, &err), &err);
    return identity;
}

/* 0 has 1 and 2 behind it, 1 has 3. */
static emi_study *study_of(int port)
{
    char text[4096];
    em_error err = {0};
    emi_study *study;
    int size = snprintf(text, sizeof text, "[study]\nname = hostile\ncomponents = %d\ntolerance = 1e-9\n", K);
    for (int n = 0; n < SITES; n++) {
        char id[EMI_ID_TEXT];
        emi_identity *identity = identity_of(n);
        emi_id_write(emi_identity_public(identity), id);
        emi_identity_close(&identity);
        size += snprintf(text + size, sizeof text - (size_t)size, "[site s%d]\nid = %s\naddress = 127.0.0.1:%d\n", n,
                         id, port + n);
        if (n > 0) size += snprintf(text + size, sizeof text - (size_t)size, "neighbours = s%d\n", (n - 1) / 2);
    }
    assert_ok(emi_study_parse(&study, "hostile", text, (size_t)size, &err), &err);
    assert_true(study->masks);
    return study;
}

/* ---- an engine that lies, and remembers what went up ----------------------------------------------------------------------- */

static int is_question(const double *q)
{
    for (int a = 0; a < BLOCK; a++)
        for (int b = 0; b < BLOCK; b++) {
            double product = 0;
            for (int f = 0; f < D; f++) product += q[a * D + f] * q[b * D + f];
            if (!(fabs(product - (a == b)) < 1e-6)) return 0;
        }
    return 1;
}

static int sends_to_child(const member *m, const em_link *links, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (links[n].from == m->site && m->study->sites[links[n].to].parent == m->site) return 1;
    return 0;
}

static int lies_here(const member *m)
{
    return m->trick >= ASKS_NAN && m->trick <= ASKS_TWICE       ? m->site == 0
           : m->trick == ASKS_SOME_ELSE || m->trick == HIDES_IT ? m->site == LIES_AT
                                                                : 0;
}

static void alter(member *m, const double *q)
{
    memcpy(m->asked, q, sizeof m->asked);
    m->lied = 1;
    switch (m->trick) {
    case ASKS_NAN: m->asked[7] = NAN; break;
    case ASKS_TWO:
        for (int f = 0; f < D; f++) m->asked[f] *= 2;
        break;
    case ASKS_TWICE: memcpy(m->asked + D, m->asked, D * sizeof *m->asked); break;
    default: /* as orthonormal as before */
        for (int f = 0; f < D; f++) m->asked[f] = -m->asked[f];
    }
}

static void remember(member *m, const void *block, size_t bytes)
{
    size_t count = bytes / 8 > 4 ? bytes / 8 - 4 : 0;
    if (count < FEWEST || m->sent_count == KEPT) return;
    record *r = &m->sent[m->sent_count++];
    *r = (record){malloc(count * sizeof *r->words), count};
    memcpy(r->words, block, count * sizeof *r->words);
}

static em_status lying_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                             em_error *err)
{
    member *m = state;
    const void *altered[] = {m->asked};
    int down = sends_to_child(m, links, count), up = 0;
    m->hears = 0;
    for (size_t n = 0; n < count; n++) {
        up |= links[n].from == m->site && links[n].to == m->study->sites[m->site].parent;
        m->hears |= links[n].from == LIED_TO && links[n].to == m->site && bytes == sizeof m->heard;
    }
    if (up) remember(m, blocks[0], bytes);
    if (lies_here(m) && down && bytes == sizeof m->asked && is_question(blocks[0])) {
        alter(m, blocks[0]);
        blocks = altered;
    }
    return m->inner->begin(m->inner_state, links, count, blocks, bytes, err);
}

/* What the site that was lied to sends has another view at its end. */
static em_status lying_end(void *state, const void **inbox, em_error *err)
{
    member *m = state;
    em_status status = m->inner->end(m->inner_state, inbox, err);
    if (status == EM_OK && m->trick == HIDES_IT && m->lied && m->hears) {
        memcpy(m->heard, inbox[LIED_TO], sizeof m->heard);
        memcpy(m->heard + D * BLOCK + 4, m->view, EM_VIEW_BYTES);
        inbox[LIED_TO] = m->heard;
    }
    return status;
}

static void lying_fail(void *state, const em_error *err)
{
    const member *m = state;
    (m->inner->fail)(m->inner_state, err);
}

static void lying_close(void *state)
{
    const member *m = state;
    m->inner->close(m->inner_state);
}

static const em_engine lying = {.size = sizeof lying,
                                .name = "lying",
                                .begin = lying_begin,
                                .end = lying_end,
                                .close = lying_close,
                                .fail = lying_fail};

/* ---- masks, as a site of the study has them ------------------------------------------------------------------------------------ */

static em_status mask(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err)
{
    member *m = state;
    em_sum same = *sum;
    (void)node;
    memcpy(m->view, sum->view, sizeof m->view);
    if (m->trick == REUSES) {
        same.number = 0;
        memset(same.view, 0, sizeof same.view);
    }
    return emi_masks_add(m->masks, &same, words, err);
}

static em_status fill(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err)
{
    const member *m = state;
    (void)node;
    return emi_masks_fill(m->masks, values, bytes, words, count, err);
}

static const em_masks table = {
    .size = sizeof table, .mask = mask, .follow = emi_masks_follow, .random = emi_masks_random, .fill = fill};

static em_status set_masks(member *m, uint64_t generation, em_mesh *mesh)
{
    unsigned char all[SITES][EMI_PUBLIC_BYTES];
    emi_mask_keys keys = {.site = m->site, .sites = SITES, .all = all}, again = keys;
    em_status status = emi_identity_own_secret(m->identity, keys.secret, &m->err);
    if (status == EM_OK) status = emi_hub_keys(m->hub, generation, &keys, &m->err);
    if (status == EM_OK && emi_hub_keys(m->hub, generation, &again, NULL) == EM_OK) return EM_ENUMERIC; /* once a run */
    if (status == EM_OK) status = emi_masks_open(&m->masks, &keys, &m->err);
    return status == EM_OK ? em_mesh_set_masks(mesh, &table, m, keys.run, &m->err) : status;
}

/* ---- a fit of all of them -------------------------------------------------------------------------------------------------------- */

static void *fit(void *context)
{
    member *m = context;
    uint64_t generation = 0;
    double rows[ROWS * D];
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    for (int n = 0; n < ROWS * D; n++) rows[n] = sin(1.7 * n * n + 3 * m->site) * (1 + n % D);
    m->status = emi_hub_enter(m->hub, 0, &generation, &m->err);
    if (m->status == EM_OK) m->status = em_data_from_array(&data, rows, EM_F64, ROWS, D, 0, 0, &m->err);
    if (m->status == EM_OK) m->status = em_shards_of(&shards, (const em_data *const *)&data, 1, &m->err);
    if (m->status == EM_OK) m->status = emi_study_graph(m->study, &graph, &m->err);
    if (m->status == EM_OK)
        m->status = emi_net_engine_open(&m->inner, &m->inner_state, m->hub, generation, SITES, m->site, &m->err);
    if (m->status == EM_OK) m->status = em_mesh_open_on(&mesh, &lying, m, m->site, 1, graph, 1, &m->err);
    if (m->status == EM_OK) m->status = set_masks(m, generation, mesh);
    if (m->status == EM_OK) m->status = em_fit(&model, m->study->options, mesh, shards, &m->err);
    if (m->status == EM_OK) memcpy(m->components, em_model_components(model), sizeof m->components);
    if (m->status != EM_OK) atomic_store(m->stop, 1); /* nobody waits for it */
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return NULL;
}

static void open_member(member *m, int site, int port, trick how, atomic_int *stop)
{
    em_error err = {0};
    m->study = study_of(port);
    m->identity = identity_of(site);
    m->site = site;
    m->trick = how;
    m->stop = stop;
    m->lied = 0;
    m->err = (em_error){0};
    const emi_hub_options options = {.study = m->study,
                                     .site = site,
                                     .identity = m->identity,
                                     .own = {.columns = D},
                                     .patience = 60,
                                     .interrupted = stop};
    assert_ok(emi_hub_open(&m->hub, &options, &err), &err);
}

static member members[SITES];

static void forget(void)
{
    for (int n = 0; n < SITES; n++) {
        for (int k = 0; k < members[n].sent_count; k++) free(members[n].sent[k].words);
        members[n].sent_count = 0;
    }
}

static void run(trick how)
{
    atomic_int stop = 0;
    int port = free_ports(SITES);
    for (int n = 0; n < SITES; n++) open_member(&members[n], n, port, how, &stop);
    for (int n = 0; n < SITES; n++) assert_int_equal(pthread_create(&members[n].thread, NULL, fit, &members[n]), 0);
    for (int n = 0; n < SITES; n++) assert_int_equal(pthread_join(members[n].thread, NULL), 0);
    for (int n = 0; n < SITES; n++) {
        emi_hub_close(&members[n].hub);
        emi_masks_close(&members[n].masks);
        emi_identity_close(&members[n].identity);
        emi_study_close(&members[n].study);
    }
}

/* One of the sites ends in these words, and none with a model. */
static void ends_in(trick how, int site, const char *words)
{
    run(how);
    for (int n = 0; n < SITES; n++) assert_int_not_equal(members[n].status, EM_OK);
    if (!strstr(members[site].err.msg, words)) fail_msg("site %d: '%s', not '%s'", site, members[site].err.msg, words);
    forget();
}

/* ---- what is refused --------------------------------------------------------------------------------------------------------- */

/* Who fails first stops the others: one of those that were asked says why. */
static void refused_by_one_at_least(trick how)
{
    int refused = 0;
    run(how);
    for (int n = 0; n < SITES; n++) {
        assert_int_not_equal(members[n].status, EM_OK);
        refused += n > 0 && strstr(members[n].err.msg, "vectors that are not orthonormal") != NULL;
    }
    if (!refused) fail_msg("nobody refused: '%s'", members[1].err.msg);
    forget();
}

static void questions_that_are_none(void **state)
{
    (void)state;
    refused_by_one_at_least(ASKS_NAN);
    refused_by_one_at_least(ASKS_TWO);
    refused_by_one_at_least(ASKS_TWICE);
}

static void another_question_to_one_site(void **state)
{
    (void)state;
    ends_in(ASKS_SOME_ELSE, LIES_AT, "node 3, or one behind it, was asked something else");
    ends_in(HIDES_IT, 0, "do not agree on what was asked, and their sum is noise");
}

/* ---- no mask twice ------------------------------------------------------------------------------------------------------------- */

/* Two uses of one mask are as near to each other as what is under it: as signed numbers, a good deal nearer than by chance. */
static double distance(const record *a, size_t shift, const record *b)
{
    double sum = 0;
    size_t count = a->count - shift < b->count ? a->count - shift : b->count;
    for (size_t n = 0; n < count; n++) {
        uint64_t difference = a->words[n + shift] - b->words[n];
        sum += difference >> 63 ? (double)(~difference + 1) : (double)difference;
    }
    return sum / (double)count / 0x1p62; /* 1, by chance, give or take 0.58 / sqrt(count) */
}

/* Of all pairs the nearest; as words were sent, and shifted by whole blocks of the cipher. */
static double nearest(const record *all, int count)
{
    enum { CIPHER_BLOCK = 8 };
    double least = INFINITY;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            for (size_t shift = 0; shift + FEWEST <= all[a].count; shift += CIPHER_BLOCK) {
                if ((a == b && shift == 0) || (shift == 0 && b > a)) continue;
                least = fmin(least, distance(&all[a], shift, &all[b]));
            }
    return least;
}

static double nearest_of_two_runs(trick how)
{
    enum { MOST = SITES * KEPT };
    static record all[MOST];
    int count = 0;
    double models[2][K * D];
    for (int n = 0; n < 2; n++) {
        run(how);
        for (int site = 0; site < SITES; site++) {
            assert_ok(members[site].status, &members[site].err);
            assert_memory_equal(members[site].components, members[0].components, sizeof members[0].components);
        }
        memcpy(models[n], members[0].components, sizeof models[n]);
    }
    assert_memory_equal(models[0], models[1], sizeof models[0]); /* sums are exact: whatever the masks */
    for (int site = 0; site < SITES; site++)
        for (int k = 0; k < members[site].sent_count; k++) all[count++] = members[site].sent[k];
    assert_true(count > 20);
    double least = nearest(all, count);
    forget();
    return least;
}

static void no_mask_twice(void **state)
{
    (void)state;
    double fresh = nearest_of_two_runs(HONEST), reused = nearest_of_two_runs(REUSES);
    print_message("nearest: %.2f of chance, and %.3f where masks are used twice\n", fresh, reused);
    assert_true(fresh > 0.6);
    assert_true(reused < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(questions_that_are_none),
                                       cmocka_unit_test(another_question_to_one_site), cmocka_unit_test(no_mask_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
