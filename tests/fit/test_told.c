/* A run that goes on from the root's checkpoint, in two processes of which only the root's has one: the other ends with the
 * same bits, and believes nothing that it is told before it has looked at it.  The processes are threads, on an engine of
 * this test that alters what the second one hears. */
#include "base/error.h"
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/models.h"

#include <eigenmesh/engine.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 40, COLUMNS = 7, K = 2, ROOT = 0, OTHER = 1, MOST_BLOCKS = 4096, WORD = 8 };

static double values[2][ROWS * COLUMNS];
static char file[512], part[520]; /* what it is called, and where the root's is */

/* ---- an engine for two -------------------------------------------------------------------------------------------- */

typedef struct block {
    struct block *next;
    size_t bytes;
    double words[];
} block;

/* What the other one hears: one word of one block is another. */
typedef struct lie {
    int block, word; /* -1: none */
    uint64_t bits;
} lie;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    block *first[2], *last[2]; /* on their way to each */
    em_status failed[2];       /* what each has told   */
    long patience;             /* milliseconds         */
    lie lie;
    int heard; /* blocks, by the other one */
    size_t size[MOST_BLOCKS];
} wire = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .patience = 60000};

typedef struct end_of_wire {
    int here;
    int sends, hears; /* in this round */
    size_t bytes;
    const void *own;
    block *got;
} end_of_wire;

static em_status pair_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                            em_error *err)
{
    end_of_wire *e = state;
    (void)err;
    e->own = blocks[0];
    e->bytes = bytes;
    e->sends = e->hears = 0;
    for (size_t l = 0; l < count; l++) e->sends |= links[l].from == e->here, e->hears |= links[l].to == e->here;
    if (!e->sends) return EM_OK;
    block *b = malloc(sizeof *b + bytes);
    assert_non_null(b);
    b->next = NULL;
    b->bytes = bytes;
    memcpy(b->words, blocks[0], bytes);
    int to = 1 - e->here;
    (void)pthread_mutex_lock(&wire.lock);
    if (wire.first[to])
        wire.last[to]->next = b;
    else
        wire.first[to] = b;
    wire.last[to] = b;
    (void)pthread_cond_broadcast(&wire.changed);
    (void)pthread_mutex_unlock(&wire.lock);
    return EM_OK;
}

static void tell_lie(block *b)
{
    if (wire.heard < MOST_BLOCKS) wire.size[wire.heard] = b->bytes;
    if (wire.heard == wire.lie.block && (size_t)wire.lie.word < b->bytes / WORD)
        memcpy(&b->words[wire.lie.word], &wire.lie.bits, WORD);
    wire.heard++;
}

static em_status pair_end(void *state, const void **inbox, em_error *err)
{
    end_of_wire *e = state;
    int here = e->here, from = 1 - here;
    inbox[here] = e->own;
    if (!e->hears) return EM_OK;
    free(e->got);
    (void)pthread_mutex_lock(&wire.lock);
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += wire.patience % 1000 * 1000000L;
    until.tv_sec += wire.patience / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int late = 0;
    while (!wire.first[here] && wire.failed[from] == EM_OK && !late)
        late = pthread_cond_timedwait(&wire.changed, &wire.lock, &until) == ETIMEDOUT;
    e->got = wire.first[here];
    if (e->got) wire.first[here] = e->got->next;
    if (e->got && here == OTHER) tell_lie(e->got);
    em_status told = wire.failed[from];
    (void)pthread_mutex_unlock(&wire.lock);
    if (!e->got && late) return em_fail(err, EM_ENET, "pair: one waits for the other; try the same program in both");
    if (!e->got) return em_fail_elsewhere(err, told, from == ROOT ? "the root" : "the other");
    if (e->got->bytes != e->bytes) return em_fail(err, EM_ENET, "pair: %zu bytes; try the same program", e->got->bytes);
    inbox[from] = e->got->words;
    return EM_OK;
}

static void pair_fail(void *state, const em_error *err)
{
    const end_of_wire *e = state;
    (void)pthread_mutex_lock(&wire.lock);
    wire.failed[e->here] = err->code;
    (void)pthread_cond_broadcast(&wire.changed);
    (void)pthread_mutex_unlock(&wire.lock);
}

static void pair_close(void *state)
{
    free(((end_of_wire *)state)->got);
}

static const em_engine pair = {
    .size = sizeof pair, .name = "pair", .begin = pair_begin, .end = pair_end, .close = pair_close, .fail = pair_fail};

/* ---- a fit in both -------------------------------------------------------------------------------------------------- */

typedef struct process {
    em_options options;
    const em_graph *graph;
    end_of_wire end;
    em_status status;
    em_error err;
    em_model *model;
} process;

static void *run_process(void *context)
{
    process *p = context;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_mesh *mesh = NULL;
    int here = p->end.here;
    p->status = em_data_from_array(&data, values[here], EM_F64, ROWS, COLUMNS, 0, 0, &p->err);
    if (p->status == EM_OK) p->status = em_shards_of(&shards, (const em_data *const *)&data, 1, &p->err);
    if (p->status == EM_OK) p->status = em_mesh_open_on(&mesh, &pair, &p->end, here, 1, p->graph, 1, &p->err);
    if (p->status == EM_OK) p->status = em_fit(&p->model, &p->options, mesh, shards, &p->err);
    em_mesh_close(&mesh);
    em_shards_free(&shards);
    em_data_free(&data);
    return NULL;
}

static void fit_both(process both[2], const em_options options[2], lie what)
{
    em_error err = {0};
    em_graph *graph = NULL;
    pthread_t thread;
    assert_ok(em_graph_create(&graph, "path", 2, 0, &err), &err);
    wire.lie = what;
    wire.heard = 0;
    for (int r = 0; r < 2; r++) {
        both[r] = (process){.options = options[r], .graph = graph, .end = {.here = r}};
        wire.failed[r] = EM_OK;
    }
    assert_int_equal(pthread_create(&thread, NULL, run_process, &both[OTHER]), 0);
    (void)run_process(&both[ROOT]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int r = 0; r < 2; r++)
        for (block *next; wire.first[r]; wire.first[r] = next) {
            next = wire.first[r]->next;
            free(wire.first[r]);
        }
    em_graph_free(&graph);
}

static void free_both(process both[2])
{
    for (int r = 0; r < 2; r++) em_model_free(&both[r].model);
}

static const lie nothing = {-1, 0, 0};

/* The second one knows of no checkpoint. */
static void set_options(em_options options[2])
{
    for (int r = 0; r < 2; r++) {
        options[r] = emi_options_default();
        options[r].method = "krylov";
        options[r].components = K;
        options[r].oversample = 0;
        options[r].tolerance = 0;
        options[r].iterations = 12;
        options[r].trace = EMI_TRACE_ALL;
        options[r].precision = EMI_PRECISION_DOUBLE;
        options[r].wire = EMI_WIRE_64;
    }
}

static int stop_at(const em_progress *progress, void *user)
{
    (void)user;
    return progress->iteration == 4;
}

/* A checkpoint of the root's, of iteration 5, where the other one has heard that the user asked for the end. */
static void leave_checkpoint(em_options options[2])
{
    process both[2];
    set_options(options);
    (void)remove(part);
    options[ROOT].checkpoint = file;
    options[ROOT].monitor = stop_at;
    fit_both(both, options, nothing);
    for (int r = 0; r < 2; r++) assert_ok(both[r].status, &both[r].err);
    assert_int_equal(em_model_info(both[OTHER].model)->iterations, 5);
    free_both(both);
    options[ROOT].monitor = NULL;
    options[ROOT].resume = 1;
}

static void both_go_on(void **state)
{
    em_options options[2], left_alone[2];
    process whole[2], both[2];
    (void)state;
    set_options(left_alone);
    fit_both(whole, left_alone, nothing);
    leave_checkpoint(options);
    fit_both(both, options, nothing);
    for (int r = 0; r < 2; r++) {
        assert_ok(whole[r].status, &whole[r].err);
        assert_ok(both[r].status, &both[r].err);
        assert_int_equal(em_model_info(both[r].model)->resumed, 5);
        assert_same_model(whole[r].model, both[r].model);
    }
    assert_same_model(both[ROOT].model, both[OTHER].model);
    free_both(both);
    free_both(whole);
}

/* ---- a root that lies ------------------------------------------------------------------------------------------------- */

enum { OFFER = 6, COURSE = 7, COUNTS = 20 }; /* words of what is told, which no other block here has */

static int find_block(size_t words)
{
    for (int n = 0; n < wire.heard && n < MOST_BLOCKS; n++)
        if (wire.size[n] == words * WORD) return n;
    fail_msg("nothing of %zu words was told", words);
    return -1;
}

/* Resumed with this lie: both end; the other one in words of its own. */
static void refuses(int place, int word, uint64_t bits, em_status code, const char *words)
{
    em_options options[2];
    process both[2];
    set_options(options);
    options[ROOT].checkpoint = file;
    options[ROOT].resume = 1;
    fit_both(both, options, (lie){place, word, bits});
    assert_fails(both[OTHER].status, code, words, &both[OTHER].err);
    assert_fails(both[ROOT].status, code, "the other: has failed", &both[ROOT].err);
    free_both(both);
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void what_cannot_be_is_refused(void **state)
{
    static const char told[] = "checkpoint: what the root says of the run to go on from cannot be; try ";
    em_options options[2];
    process both[2];
    (void)state;
    leave_checkpoint(options);
    fit_both(both, options, nothing);
    free_both(both);
    int offer = find_block(OFFER), counts = find_block(COUNTS);
    int iteration = offer + 2, method = offer + 3, choice = offer + 4, in_double = offer + 5, at_root = offer + 6;
    const size_t course[COURSE] = {OFFER, 3, 1, 3, 32, 1, 1}, progress[] = {4, 1, 1};
    for (int n = 0; n < COURSE; n++) assert_int_equal(wire.size[offer + n], course[n] * WORD);
    for (int n = 0; n < 3; n++) assert_int_equal(wire.size[counts + 1 + n], progress[n] * WORD);
    const uint64_t no_number[] = {(uint64_t)-5, 0, (uint64_t)INT64_MAX, (uint64_t)1 << 63, bits_of(NAN)};
    for (int n = 0; n < 5; n++) refuses(iteration, 0, no_number[n], EM_ENET, told);
    refuses(method, 0, 0x6c6f76796c, EM_EINVAL, "checkpoint: made with method lyvol");
    refuses(method, 0, 0x0a0a0a, EM_ENET, told);
    refuses(choice, 0, 0x1b5b, EM_ENET, told); /* what a terminal would obey */
    for (int n = 0; n < 5; n++) {
        if (n != 1) refuses(in_double, 0, no_number[n], EM_ENET, told);
        refuses(at_root, 0, no_number[n], EM_ENET, told);
    }
    enum { TESTED, COLUMN, COLUMN_END, FOUND, UNFINISHED, CHANGE, SECONDS, TRAVELLED, RESERVE, PROGRESS };
    const int of_state[] = {TESTED, COLUMN, COLUMN_END, FOUND, UNFINISHED};
    for (size_t w = 0; w < sizeof of_state / sizeof *of_state; w++)
        for (int n = 0; n < 5; n++)
            if (n != 1) refuses(counts - PROGRESS + of_state[w], 0, no_number[n], EM_ENET, told);
    for (int n = 0; n < 3; n++) {
        const double no_time[] = {NAN, -1, INFINITY};
        refuses(counts - PROGRESS + SECONDS, 0, bits_of(no_time[n]), EM_ENET, told);
        refuses(counts - PROGRESS + RESERVE, 0, bits_of(no_time[n]), EM_ENET, told);
    }
    const uint64_t too_wide[] = {K + 1, 1 << 20, (uint64_t)-1, (uint64_t)1 << 40, bits_of(NAN)};
    for (int n = 0; n < 5; n++) refuses(counts + 2, 0, too_wide[n], EM_ENET, told);
    const uint64_t rows[] = {0, 5, 7, 1 << 20, UINT64_MAX, (uint64_t)1 << 60};
    for (int n = 0; n < 6; n++) refuses(counts + 3, 0, rows[n], EM_ENET, told);
}

/* Any word of any block, to the end of the fit: it comes to an end in both, and within bounds; by patience, where each is made
 * to wait for the other. */
static void whatever_is_told_does_no_harm(void **state)
{
    enum { WORDS = 6 };
    const uint64_t wild[] = {(uint64_t)-1, bits_of(NAN), bits_of(1e8), bits_of(-3), 1 << 20};
    em_options options[2];
    process both[2];
    (void)state;
    leave_checkpoint(options);
    fit_both(both, options, nothing);
    free_both(both);
    int blocks = wire.heard, refused = 0;
    size_t size[MOST_BLOCKS];
    assert_true(blocks > 40 && blocks < MOST_BLOCKS);
    memcpy(size, wire.size, sizeof size);
    wire.patience = 100;
    for (int b = 0; b < blocks; b++)
        for (int w = 0; w < WORDS && (size_t)w < size[b] / WORD; w++)
            for (size_t v = 0; v < sizeof wild / sizeof *wild; v++) {
                fit_both(both, options, (lie){b, w, wild[v]});
                if (both[OTHER].status != EM_OK) assert_non_null(strstr(both[OTHER].err.msg, "; try "));
                refused += both[OTHER].status != EM_OK;
                free_both(both);
            }
    wire.patience = 60000;
    assert_true(refused > blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_go_on),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(whatever_is_told_does_no_harm),
    };
    for (int r = 0; r < 2; r++) matrix_fill_table(values[r], ROWS, COLUMNS, 3 + (uint64_t)r);
    (void)snprintf(file, sizeof file, "%s", scratch("told.ck"));
    (void)snprintf(part, sizeof part, "%s.0-0", file);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
