/* Masked sums: each kind comes out right, in the same bits on any network and however it is hosted; nothing else leaves; and no
 * mask is used twice. */
#include "mesh/masking.h"
#include "mesh/question.h"
#include "support/check.h"
#include "support/crowd.h"
#include "support/faulty_engine.h"
#include "support/watched_masks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 12, D = 6, COLS = 2, PLACES = 40, COUNTS = 3, ANSWERS = (D + 1) * COLS, TRIANGLE = D * (D + 1) / 2 };

static const char *const topologies[] = {"path", "star", "er:0.5", "complete"};
static const unsigned char view[EM_VIEW_BYTES] = {1, 2, 3};

/* ---- every kind of sum -------------------------------------------------------------------------------------------- */

static int place_of(int node)
{
    return (node * 7 + 3) % 31;
}

static uint64_t count_of(int node, int n)
{
    return (uint64_t)node * 1000003 + (uint64_t)n * UINT64_C(0x123456789ab);
}

/* Of either sign, and of orders from 1e-30 to 1e8. */
static double wide_of(int node, int n)
{
    return ldexp(sin(node * 13 + n * 5 + 1), -100 + (node * 11 + n * 29) % 127);
}

/* Below 1, as answers about data of unit deviations are. */
static double answer_of(int node, int n)
{
    return 0.9 * cos(node * 17 + n * 3);
}

/* What comes out; sums at the root are set there. */
typedef struct totals {
    double wide[D], answers[ANSWERS], matrix[TRIANGLE];
    uint64_t counts[COUNTS];
    int largest;
} totals;

static emi_field field_of(const em_mesh *mesh, int size, double (*entry)(int node, int n))
{
    emi_field field;
    em_error err;
    if (emi_field_alloc(&field, mesh->hosted, size, 1, &err) != EM_OK) abort();
    for (int i = 0; i < mesh->hosted; i++)
        for (int n = 0; n < size; n++) emi_at(&field, i).v[n] = entry(mesh->first + i, n);
    return field;
}

static void ask_identity(em_mesh *mesh)
{
    double x[D * COLS] = {0}, deviation[D];
    for (int f = 0; f < D; f++) deviation[f] = 1;
    for (int k = 0; k < COLS; k++) x[k * D + k] = 1;
    emi_question_about(mesh, deviation, D, D);
    emi_tree_give(mesh, x, D * COLS);
    emi_question_ask(mesh, (emi_block){D, COLS, x});
}

static void sum_all(em_mesh *mesh, totals *t)
{
    int own[NODES];
    uint64_t counts[NODES * COUNTS];
    emi_field wide = field_of(mesh, D, wide_of), answers = field_of(mesh, ANSWERS, answer_of),
              matrix = field_of(mesh, TRIANGLE, answer_of);
    for (int i = 0; i < mesh->hosted; i++) {
        own[i] = place_of(mesh->first + i);
        for (int n = 0; n < COUNTS; n++) counts[i * COUNTS + n] = count_of(mesh->first + i, n);
    }
    emi_masked_maximum(mesh, own, PLACES, &t->largest);
    emi_masked_counts(mesh, counts, COUNTS, t->counts);
    emi_masked_sums(mesh, &wide, 0, t->wide);
    ask_identity(mesh);
    emi_tree_sum_at_root(mesh, &answers, t->answers);
    emi_question_ask_all(mesh, D);
    emi_tree_sum_at_root(mesh, &matrix, t->matrix);
    emi_field_free(&wide);
    emi_field_free(&answers);
    emi_field_free(&matrix);
}

static void check_numbers(const double *got, int count, double (*entry)(int node, int n))
{
    for (int n = 0; n < count; n++) {
        long double wanted = 0, size = 0;
        for (int i = 0; i < NODES; i++) wanted += entry(i, n), size += fabs(entry(i, n));
        assert_true(fabsl(got[n] - wanted) <= 0x1p-52L * size);
    }
}

static void check_totals(const totals *t)
{
    int largest = 0;
    for (int i = 0; i < NODES; i++) largest = place_of(i) > largest ? place_of(i) : largest;
    assert_int_equal(t->largest, largest);
    for (int n = 0; n < COUNTS; n++) {
        uint64_t wanted = 0;
        for (int i = 0; i < NODES; i++) wanted += count_of(i, n);
        assert_true(t->counts[n] == wanted);
    }
    check_numbers(t->wide, D, wide_of);
    check_numbers(t->answers, ANSWERS, answer_of);
    check_numbers(t->matrix, TRIANGLE, answer_of);
}

/* ---- the same everywhere ---------------------------------------------------------------------------------------------- */

static em_graph *make_graph(const char *topology, int nodes)
{
    em_error err;
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, topology, nodes, 1, &err), &err);
    return graph;
}

static em_mesh *open_masked(const em_graph *graph, int threads, watched *w)
{
    em_error err = {0};
    em_mesh *mesh = NULL;
    assert_ok(em_mesh_open(&mesh, NULL, graph, threads, &err), &err);
    assert_ok(watched_masks_set(mesh, w, view, &err), &err);
    return mesh;
}

static totals totals_here(const char *topology, int threads)
{
    em_graph *graph = make_graph(topology, NODES);
    watched w = {.seed = (uint64_t)threads};
    em_mesh *mesh = open_masked(graph, threads, &w);
    totals t;
    memset(&t, 0, sizeof t);
    sum_all(mesh, &t);
    assert_ok(mesh->failure.code, &mesh->failure);
    em_mesh_close(&mesh);
    assert_int_equal(w.closed, 1);
    watched_free(&w);
    em_graph_free(&graph);
    return t;
}

/* A process: its masks outlive the mesh. */
typedef struct seat {
    totals t;
    watched w;
} seat;

static em_status sum_in_process(void *user, int process, em_mesh *mesh, em_error *err)
{
    seat *s = (seat *)user + process;
    s->w.seed = (uint64_t)process + 100;
    em_status status = watched_masks_set(mesh, &s->w, view, err);
    if (status != EM_OK) return status;
    sum_all(mesh, &s->t);
    *err = mesh->failure;
    return err->code;
}

static void check_crowd(const char *topology, int processes, const totals *wanted)
{
    seat seats[CROWD_MOST];
    crowd_end ends[CROWD_MOST];
    em_graph *graph = make_graph(topology, NODES);
    memset(seats, 0, sizeof seats);
    crowd_run(&(crowd_plan){graph, processes, 1, sum_in_process, NULL, seats}, ends);
    for (int p = 0; p < processes; p++) {
        assert_ok(ends[p].status, &ends[p].err);
        assert_int_equal(seats[p].t.largest, wanted->largest);
        assert_memory_equal(seats[p].t.counts, wanted->counts, sizeof wanted->counts);
        assert_memory_equal(seats[p].t.wide, wanted->wide, sizeof wanted->wide);
        watched_free(&seats[p].w);
    }
    assert_memory_equal(&seats[0].t, wanted, sizeof *wanted);
    em_graph_free(&graph);
}

static void sums_are_right_and_the_same_everywhere(void **state)
{
    totals first = totals_here("path", 1);
    (void)state;
    check_totals(&first);
    for (size_t n = 0; n < sizeof topologies / sizeof *topologies; n++) {
        for (int threads = 1; threads <= 3; threads++) {
            totals t = totals_here(topologies[n], threads);
            assert_memory_equal(&t, &first, sizeof t);
        }
        for (int processes = 2; processes <= NODES; processes += 5) check_crowd(topologies[n], processes, &first);
    }
}

/* 3 nodes, and as many as there may be. */
static void few_nodes_and_many(void **state)
{
    const int sizes[] = {3, 4, EMI_MASKED_NODES};
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        em_graph *graph = make_graph("star", sizes[n]);
        watched w = {0};
        em_mesh *mesh = open_masked(graph, 2, &w);
        uint64_t *own = calloc((size_t)sizes[n], sizeof *own), total = 0;
        double sum = 0;
        emi_field parts = field_of(mesh, 1, answer_of);
        assert_non_null(own);
        for (int i = 0; i < sizes[n]; i++) own[i] = (uint64_t)i + 1;
        emi_masked_counts(mesh, own, 1, &total);
        emi_masked_sums(mesh, &parts, 0, &sum);
        assert_ok(mesh->failure.code, &mesh->failure);
        assert_int_equal(total, sizes[n] * (sizes[n] + 1) / 2);
        long double wanted = 0;
        for (int i = 0; i < sizes[n]; i++) wanted += answer_of(i, 0);
        assert_true(fabsl(sum - wanted) <= 0x1p-52L * sizes[n]);
        free(own);
        emi_field_free(&parts);
        em_mesh_close(&mesh);
        watched_free(&w);
        em_graph_free(&graph);
    }
}

static void too_few_or_too_many_are_refused(void **state)
{
    const struct {
        int nodes;
        const char *words;
    } cases[] = {{1, "1 node;"}, {2, "by subtraction; try three"}, {EMI_MASKED_NODES + 1, "too many"}};
    (void)state;
    for (int n = 0; n < 3; n++) {
        em_error err = {0};
        em_mesh *mesh = NULL;
        watched w = {0};
        em_graph *graph = make_graph(cases[n].nodes == 1 ? "complete" : "path", cases[n].nodes);
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        assert_fails(watched_masks_set(mesh, &w, view, &err), EM_EINVAL, cases[n].words, &err);
        assert_int_equal(w.closed, 1); /* secrets are wiped all the same */
        assert_false(emi_mesh_is_masked(mesh));
        em_mesh_close(&mesh);
        assert_int_equal(w.closed, 1);
        watched_free(&w);
        em_graph_free(&graph);
    }
}

/* ---- nothing else leaves ------------------------------------------------------------------------------------------------ */

typedef void exchange(em_mesh *mesh, emi_field *parts, double *result);

static void by_neighbours(em_mesh *mesh, emi_field *parts, double *result)
{
    (void)result;
    emi_send_to_neighbours(mesh, parts);
    emi_receive(mesh);
}

static void by_mixing(em_mesh *mesh, emi_field *parts, double *result)
{
    emi_field mixed = field_of(mesh, parts->rows, answer_of);
    (void)result;
    emi_mix_begin(mesh, parts);
    if (!emi_mesh_failed(mesh)) emi_mix_end(mesh, &mixed);
    emi_field_free(&mixed);
}

static void what_is_not_masked_fails(void **state)
{
    exchange *const ways[] = {
        emi_tree_sum,  emi_tree_average, emi_tree_max, emi_tree_sum_at_root, emi_tree_average_at_root,
        by_neighbours, by_mixing};
    em_graph *graph = make_graph("er:0.5", NODES);
    watched w = {0};
    em_mesh *mesh = open_masked(graph, 1, &w);
    engine_fault count = {.at = FAULT_NEVER};
    double result[ANSWERS];
    (void)state;
    faulty_engine_install(mesh, &count);
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        emi_field parts = field_of(mesh, D, answer_of);
        for (int k = 0; k < D; k++) result[k] = 77;
        ways[n](mesh, &parts, result);
        assert_fails(mesh->failure.code, EM_ENOTSUP, "is not masked", &mesh->failure);
        assert_int_equal(count.calls, 0);
        for (int i = 0; i < NODES; i++) assert_true(emi_at(&parts, i).v[0] == answer_of(i, 0));
        mesh->failure = (em_error){0};
        emi_field_free(&parts);
    }
    assert_int_equal(w.count, 0);
    em_mesh_close(&mesh);
    watched_free(&w);
    em_graph_free(&graph);
}

/* An answer fits one question, in size too, and once. */
static void an_answer_needs_its_question(void **state)
{
    em_graph *graph = make_graph("path", NODES);
    watched w = {0};
    em_mesh *mesh = open_masked(graph, 1, &w);
    const int sizes[] = {D * COLS - 1, D, TRIANGLE, D * COLS, D * COLS};
    double result[TRIANGLE];
    (void)state;
    ask_identity(mesh);
    for (int n = 0; n < 5; n++) {
        emi_field parts = field_of(mesh, sizes[n], answer_of);
        emi_tree_sum_at_root(mesh, &parts, result);
        if (n == 3)
            assert_ok(mesh->failure.code, &mesh->failure);
        else
            assert_fails(mesh->failure.code, EM_ENOTSUP, "is not masked", &mesh->failure);
        mesh->failure = (em_error){0};
        emi_field_free(&parts);
    }
    assert_int_equal(w.count, NODES);
    em_mesh_close(&mesh);
    watched_free(&w);
    em_graph_free(&graph);
}

/* The same shares in other units are filled, and so rounded, otherwise; in the same units alike, so that asking again is of no use. */
static void shares_are_rounded_anew_in_other_units(void **state)
{
    em_graph *graph = make_graph("path", NODES);
    watched w = {0};
    em_mesh *mesh = open_masked(graph, 1, &w);
    uint64_t before[2] = {0};
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        double x[D * COLS] = {0}, deviation[D], total[D * COLS];
        for (int f = 0; f < D; f++) deviation[f] = 1 << turn % 2;
        for (int k = 0; k < COLS; k++) x[k * D + k] = 1;
        emi_question_about(mesh, deviation, D, D * deviation[0] * deviation[0]);
        emi_question_ask(mesh, (emi_block){D, COLS, x});
        emi_field parts = field_of(mesh, D * COLS, answer_of);
        emi_tree_sum_at_root(mesh, &parts, total);
        assert_ok(mesh->failure.code, &mesh->failure);
        if (turn > 1) assert_true(w.filled == before[turn % 2]);
        before[turn % 2] = w.filled;
        emi_field_free(&parts);
    }
    assert_true(before[0] != before[1]);
    em_mesh_close(&mesh);
    watched_free(&w);
    em_graph_free(&graph);
}

/* ---- no mask twice -------------------------------------------------------------------------------------------------------- */

/* Whatever fails in between: a number that is none, a question that is not answered. */
static void no_sum_has_the_number_of_another(void **state)
{
    em_graph *graph = make_graph("star", NODES);
    watched w = {0};
    em_mesh *mesh = open_masked(graph, 2, &w);
    totals t;
    double sum[D];
    (void)state;
    for (int turn = 0; turn < 5; turn++) {
        sum_all(mesh, &t);
        assert_ok(mesh->failure.code, &mesh->failure);
        emi_field parts = field_of(mesh, D, wide_of);
        emi_at(&parts, turn).v[1] = turn % 2 ? NAN : 1e300;
        emi_masked_sums(mesh, &parts, 0, sum);
        assert_fails(mesh->failure.code, EM_EDATA, "larger than masked sums hold", &mesh->failure);
        assert_int_equal(mesh->failure.node, turn);
        mesh->failure = (em_error){0};
        emi_field_free(&parts);
    }
    for (size_t a = 0; a < w.count; a++)
        for (size_t b = 0; b < a; b++) {
            const em_sum *one = &w.sums[a].sum, *other = &w.sums[b].sum;
            int same_node = w.sums[a].node == w.sums[b].node;
            if (same_node) assert_true(one->number != other->number);
            if (one->number == other->number) assert_memory_equal(one, other, sizeof *one);
        }
    assert_true(w.count > 5 * 5 * NODES); /* also those of sums in which another node failed */
    em_mesh_close(&mesh);
    watched_free(&w);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_and_the_same_everywhere),
        cmocka_unit_test(few_nodes_and_many),
        cmocka_unit_test(too_few_or_too_many_are_refused),
        cmocka_unit_test(what_is_not_masked_fails),
        cmocka_unit_test(an_answer_needs_its_question),
        cmocka_unit_test(shares_are_rounded_anew_in_other_units),
        cmocka_unit_test(no_sum_has_the_number_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
