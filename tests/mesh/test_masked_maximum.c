/* Of a masked maximum nothing is learnt but itself. */
#include "mesh/fixed.h"
#include "mesh/masking.h"
#include "support/check.h"
#include "support/watched_masks.h"

#include <string.h>

enum { NODES = 12, PLACES = 40, RUNS = 5120, BINS = 16 };

/* Chi-square of the top digit of the total in each place up to the largest, over runs; above it the total is 0. */
static void check_places(const int own[NODES], int largest)
{
    const unsigned char view[EM_VIEW_BYTES] = {1};
    em_error err = {0};
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    watched w = {.seed = 17};
    assert_ok(em_graph_create(&graph, "star", NODES, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    assert_ok(watched_masks_set(mesh, &w, view, &err), &err);
    static double bins[PLACES][BINS];
    memset(bins, 0, sizeof bins);
    for (int r = 0; r < RUNS; r++) {
        int found = -1;
        uint64_t total[PLACES] = {0};
        size_t before = w.count;
        emi_masked_maximum(mesh, own, PLACES, &found);
        assert_int_equal(found, largest);
        for (size_t s = before; s < w.count; s++) emi_add_fixed(total, w.sums[s].words, PLACES, 1);
        for (int n = 0; n < PLACES; n++) assert_int_equal(total[n] != 0, n < largest);
        for (int n = 0; n < largest; n++) bins[n][total[n] >> 60]++;
    }
    for (int n = 0; n < largest; n++) {
        double chi = 0, each = RUNS / BINS;
        for (int b = 0; b < BINS; b++) chi += (bins[n][b] - each) * (bins[n][b] - each) / each;
        assert_true(chi < 50); /* 15 degrees: beyond 50 once in 1e5 */
    }
    em_mesh_close(&mesh);
    watched_free(&w);
    em_graph_free(&graph);
}

static void of_a_maximum_nothing_else_is_learnt(void **state)
{
    (void)state;
    check_places((int[NODES]){0, 0, 0, 5}, 5);                         /* one node alone, */
    check_places((int[NODES]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 5); /* all alike, */
    check_places((int[NODES]){0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0}, 5); /* or some of each: uniform up to it, 0 above */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_maximum_nothing_else_is_learnt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
