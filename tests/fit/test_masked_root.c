/* A root that says what is not so is refused by the others, as far as they can know; and of a node's data nothing goes along any
 * link in the clear. */
#include "fit/certify.h"
#include "support/check.h"
#include "support/crowd.h"
#include "support/matrix.h"
#include "support/plain_masks.h"
#include "support/table_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 120, COLUMNS = 13, NODES = 5, K = 3 };

static double values[ROWS * COLUMNS];

static em_options options_for(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    return options;
}

/* ---- lies of the root ------------------------------------------------------------------------------------------------ */

/* One word of the nth block of so many words that the root tells. */
typedef struct lie {
    size_t size, word;
    int nth;
    void (*change)(double *word);
    int to; /* one node; 0: all */
    const char *words;
} lie;

typedef struct party {
    const lie *lie;
    em_options options;
    em_shards *shards;
    em_model *models[CROWD_MOST];
    int heard[NODES]; /* of that size */
} party;

static em_status fit_in_process(void *user, int process, em_mesh *mesh, em_error *err)
{
    party *p = user;
    em_status status = plain_masks_set(mesh, 3, err);
    return status == EM_OK ? em_fit(&p->models[process], &p->options, mesh, p->shards, err) : status;
}

static void tell_lie(void *user, em_link link, long number, void *block, size_t bytes)
{
    party *p = user;
    (void)number;
    if (link.from != 0 || !p->lie || bytes != p->lie->size * sizeof(double)) return;
    if (p->heard[link.to]++ != p->lie->nth || (p->lie->to && p->lie->to != link.to)) return;
    p->lie->change((double *)block + p->lie->word);
}

static void check_lie(const lie *told)
{
    party p = {.lie = told, .options = options_for("krylov")};
    p.options.iterations = 2; /* so that there is something left to lie about */
    em_error err = {0};
    em_graph *graph = NULL;
    em_data *data = NULL;
    crowd_end ends[CROWD_MOST];
    int said = 0;
    assert_ok(em_graph_create(&graph, "star", NODES, 1, &err), &err);
    assert_ok(em_data_from_array(&data, values, EM_F64, ROWS, COLUMNS, 0, 0, &err), &err);
    assert_ok(em_shards_split(&p.shards, data, NODES, NULL, 0, &err), &err);
    crowd_run(&(crowd_plan){graph, NODES, 1, fit_in_process, tell_lie, &p}, ends);
    for (int n = 0; n < NODES; n++) {
        if (!told) assert_ok(ends[n].status, &ends[n].err);
        if (told && ends[n].status == EM_OK) fail_msg("node %d believes: %s", n, told->words);
        if (told) said += strstr(ends[n].err.msg, told->words) != NULL;
        assert_int_equal(p.models[n] != NULL, !told);
        em_model_free(&p.models[n]);
    }
    if (told && !said)
        fail_msg("nobody says \"%s\"; a leaf: %s; the root: %s", told->words, ends[1].err.msg, ends[0].err.msg);
    em_shards_free(&p.shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

static void a_hundredth_more(double *word)
{
    *word *= 1.01;
}

static void nothing(double *word)
{
    *word = 0;
}

/* The second component is the first one once more: all that is said of it is true. */
static void repeated(double *word)
{
    for (int kind = 0; kind < 3; kind++) word[kind * K] = word[kind * K - 1];
}

static void no_number(double *word)
{
    *word = NAN;
}

static void a_billion(double *word)
{
    *word = 1e9;
}

static void three(double *word)
{
    memcpy(word, &(uint64_t){3}, sizeof *word);
}

static void too_many(double *word)
{
    memcpy(word, &(uint64_t){UINT64_C(1) << 50}, sizeof *word);
}

static void a_bit(double *word)
{
    *word = nextafter(*word, 2);
}

enum {
    ONE = 1,                                                 /* the number of rows, then the largest order     */
    TOLD = 6 * K + (int)(sizeof(emi_said) / sizeof(double)), /* order, theta, residual, and others, [K] each    */
    SUMS = (COLUMNS + 1) * K,                                /* C x, and x' C x, of all                         */
    QUESTION = COLUMNS * (K + 2)                             /* as wide as a block of krylov is                 */
};

static void lies_are_refused(void **state)
{
    const lie lies[] = {
        {ONE, 0, 0, three, 0, "the root says that all nodes have 3 rows"},
        {ONE, 0, 0, too_many, 0, "the root says that all nodes have"},
        {ONE, 0, 1, no_number, 0, "the root says nan, of"},
        {ONE, 0, 1, a_billion, 0, "the root says 1e+09, of"},
        {TOLD, 1, 0, nothing, 0, "does not follow from the sums"},
        {TOLD, 1, 0, repeated, 0, "component 2, its place, does not follow"},
        {TOLD, K, 0, a_hundredth_more, 0, "component 1, its variance, does not follow"},
        {TOLD, K + 2, 0, no_number, 0, "component 3, its variance, does not follow"},
        {TOLD, 2 * K, 0, nothing, 0, "component 1, its residual, does not follow"},
        {TOLD, 2 * K + 1, 0, a_hundredth_more, 0, "component 2, its residual, does not follow"},
        {TOLD, 2 * K + 1, 0, no_number, 0, "component 2, its residual, does not follow"},
        {SUMS, 0, 0, a_hundredth_more, 0, "does not follow from the sums"},
        {SUMS, 0, 0, no_number, 0, "does not follow from the sums"},
        {SUMS, COLUMNS * K, 0, a_hundredth_more, 0, "its variance, does not follow"},
        {QUESTION, 5, 1, a_bit, 2, "was asked something else"},
        {QUESTION, 5, 0, a_hundredth_more, 0, "not orthonormal"},
        {COLUMNS, 0, 0, a_bit, 3, "was asked something else"}, /* the mean */
    };
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    check_lie(NULL);
    for (size_t n = 0; n < sizeof lies / sizeof *lies; n++) check_lie(&lies[n]);
}

/* ---- the same but for the data of two nodes ------------------------------------------------------------------------------ */

/* A node and the next one change places: all sums are the same. */
static void exchange(double *table, int node)
{
    enum { SIZE = ROWS / NODES * COLUMNS };
    double kept[SIZE], *first = table + (size_t)node * SIZE;
    memcpy(kept, first, sizeof kept);
    memcpy(first, first + SIZE, sizeof kept);
    memcpy(first + SIZE, kept, sizeof kept);
}

static void assert_same_but_for_masked_words(const seen *a, const seen *b, const watched *w)
{
    size_t masked = 0;
    assert_int_equal(a->count, b->count);
    for (size_t n = 0; n < a->count; n++) {
        const seen_block *x = &a->blocks[n], *y = &b->blocks[n];
        assert_memory_equal(&x->link, &y->link, sizeof x->link);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->sum, y->sum);
        size_t from = x->sum >= 0 ? w->sums[x->sum].sum.count : 0;
        assert_memory_equal(x->words + from, y->words + from, (x->count - from) * sizeof *x->words);
        masked += x->sum >= 0;
    }
    assert_true(masked > 20);
}

static void look_on(const em_options *options, int holes, watched *w, seen *s)
{
    em_model *model = NULL;
    em_error err = {0};
    const table_fit t = {.values = values,
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .holes = holes,
                         .topology = "path",
                         .nodes = NODES,
                         .options = options,
                         .masks = w,
                         .seen = s};
    assert_ok(table_fit_run(&t, &model, &err), &err);
    em_model_free(&model);
}

/* Over what masks go together with; of the root and its child, and of two that are none. */
static void every_byte_but_masked_words_is_the_same(void **state)
{
    static const char *const methods[] = {"krylov", "covariance"};
    (void)state;
    for (int way = 0; way < 24; way++) {
        em_options options = options_for(methods[way % 2]);
        int holes = way % 3 == 0;
        options.scale = (emi_scale)(way / 2 % 3);
        options.center = way / 6 % 2;
        if (way / 12) options.components = 0, options.variance = 0.9;
        matrix_fill_table(values, ROWS, COLUMNS, 1);
        for (int n = 0; holes && n < ROWS; n += 5) values[n * COLUMNS + n % COLUMNS] = NAN;
        seen before = {0};
        watched w = {.seed = 1, .filled_alike = 1};
        look_on(&options, holes, &w, &before);
        for (int node = 0; node < 3; node += 2) {
            seen after = {0};
            watched again = {.seed = 1, .filled_alike = 1};
            exchange(values, node);
            look_on(&options, holes, &again, &after);
            assert_same_but_for_masked_words(&before, &after, &w);
            exchange(values, node);
            seen_free(&after);
            watched_free(&again);
        }
        seen_free(&before);
        watched_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(every_byte_but_masked_words_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
