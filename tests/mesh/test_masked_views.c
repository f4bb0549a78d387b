/* Masks fit only where all were asked the same: a root, or who hands on its words, that asks one node something else gets noise
 * and no total; and no node answers what it must not. */
#include "mesh/fixed.h"
#include "mesh/masking.h"
#include "mesh/question.h"
#include "support/check.h"
#include "support/crowd.h"
#include "support/watched_masks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 5, D = 6, COLS = 2, SIZE = D * COLS, WORDS = SIZE + 4 + 4, VIEW = EM_VIEW_BYTES / 8 };

static const double untouched = 77;
static const char noise[] = "do not agree on what was asked", other_view[] = "was asked something else than this node";

/* ---- one question to all ---------------------------------------------------------------------------------------------- */

/* What is done to it, and what came of it. */
typedef struct trial {
    const char *topology;
    int victim;                                /* the node that is lied to, or that has another view; -1: none     */
    int other_view;                            /* from the beginning                                               */
    int forged;                                /* what comes up from the victim carries the view of all others      */
    void (*change)(double q[SIZE], int alone); /* the question; by the root, to all, or to the victim alone         */
    uint64_t columns;                          /* that nodes answer                                                 */

    watched w[NODES];
    double total[NODES][SIZE];
    crowd_end ends[CROWD_MOST];
    unsigned char honest[EM_VIEW_BYTES]; /* the view of those who were not lied to, when they answered */
} trial;

/* C_i q with C_i = i + 1 times the identity. */
static double part_of(int node, const double *q, int n)
{
    return (node + 1) * q[n] / NODES;
}

static em_status ask_and_answer(void *user, int process, em_mesh *mesh, em_error *err)
{
    trial *t = user;
    double q[SIZE] = {0}, deviation[D];
    unsigned char view[EM_VIEW_BYTES] = {5};
    emi_field parts = {0};
    t->w[process].columns = t->columns;
    if (t->other_view && process == t->victim) view[31] = 1;
    em_status status = watched_masks_set(mesh, &t->w[process], view, err);
    if (status == EM_OK) status = emi_field_alloc(&parts, 1, D, COLS, err);
    if (status != EM_OK) return status;
    for (int f = 0; f < D; f++) deviation[f] = 1;
    for (int k = 0; k < COLS; k++) q[k * D + k] = 1;
    if (process == 0 && t->change && t->victim < 0) t->change(q, 0);
    emi_question_about(mesh, deviation, D, D);
    emi_tree_give(mesh, q, SIZE);
    emi_question_ask(mesh, (emi_block){D, COLS, q});
    for (int n = 0; n < SIZE; n++) parts.v[n] = part_of(process, q, n);
    emi_tree_sum_at_root(mesh, &parts, t->total[process]);
    emi_field_free(&parts);
    double done = 0;
    emi_tree_give(mesh, &done, 1); /* so that nobody is gone before the root has judged */
    *err = mesh->failure;
    return err->code;
}

/* Blocks of the size of a question go down to the victim changed, and those of an answer come up with another view. */
static void lie(void *user, em_link link, long number, void *block, size_t bytes)
{
    trial *t = user;
    unsigned char *view = (unsigned char *)block + (WORDS - VIEW) * sizeof(double);
    (void)number;
    if (bytes == SIZE * sizeof(double) && link.to == t->victim && t->change) t->change(block, 1);
    if (bytes != WORDS * sizeof(double)) return;
    if (link.from != t->victim) memcpy(t->honest, view, EM_VIEW_BYTES);
    if (link.from == t->victim && t->forged) memcpy(view, t->honest, EM_VIEW_BYTES);
}

static void run_trial(trial *t)
{
    em_error err;
    em_graph *graph = NULL;
    for (int i = 0; i < NODES; i++)
        for (int n = 0; n < SIZE; n++) t->total[i][n] = untouched;
    assert_ok(em_graph_create(&graph, t->topology, NODES, 1, &err), &err);
    crowd_run(&(crowd_plan){graph, NODES, 1, ask_and_answer, lie, t}, t->ends);
    em_graph_free(&graph);
}

static void free_trial(trial *t)
{
    for (int i = 0; i < NODES; i++) watched_free(&t->w[i]);
}

/* All have failed, one of them with these words, and the root has no total. */
static void assert_refused(const trial *t, const char *words)
{
    int said = 0;
    for (int i = 0; i < NODES; i++) {
        assert_true(t->ends[i].status != EM_OK);
        said += strstr(t->ends[i].err.msg, words) != NULL;
        for (int n = 0; n < SIZE; n++) assert_true(t->total[i][n] == untouched);
    }
    if (said == 0) fail_msg("nobody says \"%s\"; the root: %s", words, t->ends[0].err.msg);
}

static void who_is_asked_the_same_answers(void **state)
{
    trial t = {.topology = "path", .victim = -1};
    (void)state;
    run_trial(&t);
    for (int i = 0; i < NODES; i++) assert_ok(t.ends[i].status, &t.ends[i].err);
    for (int n = 0; n < SIZE; n++) assert_close(t.total[0][n], n % (D + 1) == 0 ? 3 : 0, 1e-15);
    free_trial(&t);
}

/* ---- another view --------------------------------------------------------------------------------------------------------- */

static void a_parent_names_the_link(void **state)
{
    static const char *const topologies[] = {"path", "star", "complete"};
    (void)state;
    for (int n = 0; n < 3; n++)
        for (int victim = 0; victim < NODES; victim++) {
            trial t = {.topology = topologies[n], .victim = victim, .other_view = 1};
            int named = 0;
            char words[64];
            run_trial(&t);
            assert_refused(&t, other_view);
            for (int i = 0; i < NODES; i++) {
                if (!strstr(t.ends[i].err.msg, other_view)) continue;
                int child = t.ends[i].err.node;
                (void)snprintf(words, sizeof words, "node %d, or one behind it", child);
                assert_non_null(strstr(t.ends[i].err.msg, words));
                assert_true(i == victim || child == victim); /* one end of the link has the other view */
                named++;
            }
            assert_true(named > 0);
            free_trial(&t);
        }
}

/* Where a node on the way hides that, what it adds is noise, and four words say so. */
static void noise_is_no_total(void **state)
{
    (void)state;
    for (int victim = 1; victim < NODES; victim++) {
        trial t = {.topology = "star", .victim = victim, .other_view = 1, .forged = 1};
        /* the first of all to be added up may be the victim's: it has to know the others' view */
        for (int turn = 0; turn < 2; turn++) {
            if (turn) free_trial(&t);
            for (int i = 0; i < NODES; i++) t.w[i] = (watched){0};
            run_trial(&t);
        }
        assert_refused(&t, noise);
        free_trial(&t);
    }
}

/* ---- another question for one node ---------------------------------------------------------------------------------------- */

static void ask_another(double q[SIZE], int alone)
{
    (void)alone;
    for (int k = 0; k < COLS; k++) { /* as orthonormal as the others */
        q[k * D + k] = 0;
        q[k * D + k + COLS] = 1;
    }
}

static void by_one_bit(double q[SIZE], int alone)
{
    (void)alone;
    q[0] = nextafter(q[0], 2);
}

/* The words of all, added up as the root does: without masks that fit, neither the victim's part nor that of the others. */
static void check_noise(const trial *t, int victim)
{
    uint64_t total[SIZE] = {0}, near_part = 0;
    for (int i = 0; i < NODES; i++)
        for (size_t s = 0; s < t->w[i].count; s++)
            if (t->w[i].sums[s].sum.kind == EM_SUM_BLOCK) emi_add_fixed(total, t->w[i].sums[s].words, SIZE, 1);
    for (int n = 0; n < SIZE; n++)
        for (int own = 0; own <= 1; own++) {
            double q = n == 0 ? 1 : 0, part = 0;
            for (int i = 0; i < NODES; i++)
                if ((i == victim) == own) part += part_of(i, &q, 0);
            double all = emi_unfix(total[n], EMI_BLOCK_BITS - 3 - 1 - 2);
            near_part += fabs(all - part) < 1e-6;
        }
    assert_int_equal(near_part, 0);
}

static void who_is_asked_something_else_gives_noise(void **state)
{
    void (*const changes[])(double *, int) = {ask_another, by_one_bit};
    (void)state;
    for (int c = 0; c < 2; c++)
        for (int victim = 1; victim < NODES; victim++)
            for (int forged = 0; forged <= 1; forged++) {
                trial t = {.topology = "star", .victim = victim, .forged = forged, .change = changes[c]};
                for (int turn = 0; turn < 2; turn++) {
                    if (turn) free_trial(&t);
                    for (int i = 0; i < NODES; i++) t.w[i] = (watched){0};
                    run_trial(&t);
                }
                assert_refused(&t, forged ? noise : other_view);
                check_noise(&t, victim);
                free_trial(&t);
            }
}

/* ---- questions that are not answered ---------------------------------------------------------------------------------------- */

static void with_nan(double q[SIZE], int alone)
{
    (void)alone;
    q[SIZE - 1] = NAN;
}

static void with_infinity(double q[SIZE], int alone)
{
    (void)alone;
    q[3] = -INFINITY;
}

static void of_norm_two(double q[SIZE], int alone)
{
    (void)alone;
    q[0] = 2;
}

static void almost_unit(double q[SIZE], int alone)
{
    (void)alone;
    q[0] = 1 + 1e-7;
}

static void repeated(double q[SIZE], int alone)
{
    (void)alone;
    memcpy(q + D, q, D * sizeof *q);
}

static void of_zeros(double q[SIZE], int alone)
{
    (void)alone;
    memset(q, 0, SIZE * sizeof *q);
}

static void a_question_that_is_none_is_not_answered(void **state)
{
    void (*const changes[])(double *, int) = {with_nan, with_infinity, of_norm_two, almost_unit, repeated, of_zeros};
    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
        for (int victim = -1; victim < NODES; victim += 3) { /* to all; or to one alone, which refuses by itself */
            trial t = {.topology = "star", .victim = victim, .change = changes[c]};
            run_trial(&t);
            assert_refused(&t, "not orthonormal, and is not answered");
            for (size_t s = 0; victim < 0 && s < t.w[1].count; s++)
                assert_int_not_equal(t.w[1].sums[s].sum.kind, EM_SUM_BLOCK);
            free_trial(&t);
        }
}

static void nobody_answers_more_than_was_agreed(void **state)
{
    trial t = {.topology = "path", .victim = -1, .columns = COLS - 1};
    (void)state;
    run_trial(&t);
    assert_refused(&t, "more than were agreed to");
    for (int i = 0; i < NODES; i++) assert_int_equal(t.w[i].count, 0);
    free_trial(&t);
}

/* One that gives no reason has no words of others in its place. */
static void a_refusal_without_words(void **state)
{
    trial t = {.topology = "path", .victim = -1, .columns = COLS - 1};
    (void)state;
    for (int i = 0; i < NODES; i++) t.w[i].silent = 1;
    run_trial(&t);
    for (int i = 0; i < NODES; i++) assert_int_equal(t.ends[i].status, EM_EDATA);
    assert_true(strlen(t.ends[0].err.msg) < sizeof t.ends[0].err.msg);
    free_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_asked_the_same_answers),
        cmocka_unit_test(a_parent_names_the_link),
        cmocka_unit_test(noise_is_no_total),
        cmocka_unit_test(who_is_asked_something_else_gives_noise),
        cmocka_unit_test(a_question_that_is_none_is_not_answered),
        cmocka_unit_test(nobody_answers_more_than_was_agreed),
        cmocka_unit_test(a_refusal_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
