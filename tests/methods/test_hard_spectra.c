/* Spectra that methods stumble over: of low rank, with eigenvalues alike, over many orders of magnitude. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>

/* ---- how rows lie on the nodes --------------------------------------------------------------------- */

static void rows_sorted_by_class(void **state)
{
    (void)state;
    table t = sorted_classes(40, 9);
    check_fits(&t, &t, options_of(NULL, 4), "contiguous", every_exact);
    free(t.rows);
}

static void very_unequal_shards(void **state)
{
    (void)state;
    static const double spectrum[10] = {5, 3, 2, 1.2, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05};
    table t = table_of_spectrum(400, 10, spectrum, 3);
    check_fits(&t, &t, options_of(NULL, 3), "sizes:350,1,40,7,2", every_exact);
    free(t.rows);
}

/* What the root, whose own rows krylov starts from, knows nothing of. */
static void features_that_only_others_have(void **state)
{
    (void)state;
    enum { EACH = 40, OWN = 6, D = OWN * NODES };
    static const double size[NODES] = {0.1, 1, 3, 10, 2};
    table t = gaussian_table(EACH * NODES, D, 12);
    for (size_t r = 0; r < t.N; r++)
        for (size_t f = 0; f < D; f++) t.rows[r * D + f] *= f / OWN == r / EACH ? size[r / EACH] : 0;
    for (int K = 1; K <= 9; K += 4) check_fits(&t, &t, options_of(NULL, K), "contiguous", direct);
    free(t.rows);
}

/* ---- spectra --------------------------------------------------------------------------------------- */

static void rank_below_and_at_K(void **state)
{
    (void)state;
    static const double rank_three[9] = {3, 2, 1}, rank_one[9] = {3};
    check_spectrum(rank_three, 9, 3, every_exact);
    check_spectrum(rank_three, 9, 2, every_exact);
    check_spectrum(rank_three, 9, 5, every_exact);
    check_spectrum(rank_three, 9, 9, every_exact);
    check_spectrum(rank_one, 9, 1, every_exact);
    check_spectrum(rank_one, 9, 4, every_exact);
}

static void repeated_eigenvalues(void **state)
{
    (void)state;
    static const double triple[12] = {4, 2, 2, 2, 1, 0.8, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1};
    static const double all_alike[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    check_spectrum(triple, 12, 4, every_exact); /* the cluster is inside */
    check_spectrum(triple, 12, 5, every_exact);
    check_spectrum(triple, 12, 2, direct); /* and across the boundary */
    check_spectrum(triple, 12, 3, direct);
    check_spectrum(triple, 12, 11, direct);
    check_spectrum(all_alike, 8, 3, direct);
    check_spectrum(all_alike, 8, 8, direct);
}

/* Two alike to seven digits are two; two alike to ten are one cluster. */
static void nearly_repeated_eigenvalues(void **state)
{
    (void)state;
    static const double seven[10] = {4, 2, 2 - 4e-7, 1.5, 1, 0.8, 0.6, 0.4, 0.2, 0.1};
    static const double ten[10] = {4, 2, 2 - 4e-10, 1.5, 1, 0.8, 0.6, 0.4, 0.2, 0.1};
    for (int K = 2; K <= 4; K++) {
        check_spectrum(seven, 10, K, direct);
        check_spectrum(ten, 10, K, direct);
    }
}

static void eigenvalues_over_twelve_decades(void **state)
{
    (void)state;
    double spectrum[13];
    for (int k = 0; k < 13; k++) spectrum[k] = pow(10, -k);
    const int Ks[] = {1, 5, 8, 12, 13};
    for (int n = 0; n < 5; n++) check_spectrum(spectrum, 13, Ks[n], direct);
    for (int k = 0; k < 13; k++) spectrum[k] *= 1e-200; /* small numbers are no smaller a problem */
    check_spectrum(spectrum, 13, 5, direct);
}

/* Small components, whose residuals rounding keeps above the tolerance: all converge, each cluster known as well as is owed. */
static void check_limited(const table *t, const truth *exact, const char *method, int K)
{
    em_options options = options_of(method, K);
    options.tolerance = 1e-12;
    em_model *model = fit_table(t, &options, "contiguous");
    const em_info *info = em_model_info(model);
    const int64_t *cluster = em_model_clusters(model);
    if (info->reason != EM_CONVERGED || info->limited == 0)
        fail_msg("%s, K = %d: %s, %d limited", method, K, em_reason_text(info->reason), info->limited);
    for (int first = 0, end; first < K; first = end) {
        for (end = first + 1; end < K && cluster[end] == first;) end++;
        if (end == K && info->open_cluster) break; /* the rest of it was not asked for */
        double sine = svd_sine_of_span(&exact->exact, em_model_components(model) + first * t->d, first, end - first);
        double bound = em_model_subspace_bounds(model)[first], own = svd_own_error(&exact->exact, first, end - 1);
        if (!(bound <= 1e-3) || sine > bound + own)
            fail_msg("%s: components %d to %d are off by %g, %g was said", method, first, end - 1, sine, bound);
    }
    em_model_free(&model);
}

/* Two or three that come apart: one cluster, or components of their own, and at no distance neither of these. */
static void check_at_distance(double gap, int count)
{
    const double third = count == 3 ? 1e-8 * (1 - 2 * gap) : 1e-9;
    const double spectrum[7] = {1, 1e-3, 1e-6, 1e-8, 1e-8 * (1 - gap), third, 1e-10};
    table t = table_of_spectrum(60, 7, spectrum, 5);
    truth exact = truth_of(&t);
    for (int m = 0; direct[m]; m++)
        for (int K = 4; K <= 7; K++) check_limited(&t, &exact, direct[m], K); /* some of them not asked for, too */
    free_truth(&exact);
    free(t.rows);
}

static void neighbours_at_every_distance(void **state)
{
    (void)state;
    for (double gap = 1e-10; gap < 0.4; gap *= 1.5)
        for (int count = 2; count <= 3; count++) check_at_distance(gap, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sorted_by_class),
        cmocka_unit_test(very_unequal_shards),
        cmocka_unit_test(features_that_only_others_have),
        cmocka_unit_test(rank_below_and_at_K),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(nearly_repeated_eigenvalues),
        cmocka_unit_test(eigenvalues_over_twelve_decades),
        cmocka_unit_test(neighbours_at_every_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
