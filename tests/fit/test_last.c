/* A fit that begins from the last answer: it finds what one from nothing finds, in fewer averages, and is not taken in by an
 * answer that is an invariant subspace, but not the leading one any more. */
#include "fit/options.h"
#include "model/model.h"
#include "support/check.h"
#include "support/plain_masks.h"
#include "support/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    const char *topology;
    int nodes, masked;
} place;

static const place alone = {"complete", 1, 0}, ring = {"cycle", 6, 0};

static em_status try_fit(em_model **model, const double *rows, size_t N, int d, const char *const *names,
                         const em_options *options, place where, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    assert_ok(em_data_from_array(&data, rows, EM_F64, N, (size_t)d, 0, 0, err), err);
    if (names) assert_ok(em_data_set_column_names(data, names, err), err);
    assert_ok(em_shards_split(&shards, data, where.nodes, NULL, 0, err), err);
    assert_ok(em_graph_create(&graph, where.topology, where.nodes, 1, err), err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, err), err);
    if (where.masked) assert_ok(plain_masks_set(mesh, 1, err), err);
    status = em_fit(model, options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

static em_model *fit(const double *rows, size_t N, int d, const em_options *options, place where)
{
    em_error err;
    em_model *model = NULL;
    assert_ok(try_fit(&model, rows, N, d, NULL, options, where, &err), &err);
    return model;
}

static em_options options_for(int K, double tolerance)
{
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = K;
    options.tolerance = tolerance;
    return options;
}

static double worst(const em_model *model, const double *vectors)
{
    double most = 0;
    size_t d = (size_t)model->d;
    for (size_t k = 0; k < (size_t)model->K; k++)
        most = fmax(most, truth_sin2(model->components + k * d, vectors + k * d, model->d));
    return sqrt(most);
}

/* ---- fewer averages ------------------------------------------------------------------------------------ */

enum { D = 120, ROWS = 6000 };

typedef double spectrum_of(int f, int K);

static double slow(int f, int K)
{
    (void)K;
    return 1.0 / (f + 1);
}

static double spiked(int f, int K)
{
    return f < K ? 10.0 / (1 + 0.3 * f) : 1 + 0.001 * f;
}

static double geometric(int f, int K)
{
    (void)K;
    return pow(0.9, f);
}

/* So slowly that nothing but the random columns can tell that nothing larger is hidden. */
static double flat(int f, int K)
{
    (void)K;
    return pow(0.97, f);
}

static double low_rank(int f, int K)
{
    return f < K ? 10.0 / (1 + 0.3 * f) : 0.005;
}

static void fewer_averages_than_from_nothing(void **state)
{
    (void)state;
    enum { K = 6, SHARES = 3 };
    static spectrum_of *const spectra[] = {slow, spiked, geometric, low_rank, flat};
    static const char *const names[] = {"slow", "spiked", "geometric", "low rank", "flat"};
    static const place places[] = {{"complete", 1, 0}, {"cycle", 6, 0}, {"er:0.5", 12, 0}, {"star", 5, 1}};
    static const size_t fresh[SHARES] = {0, ROWS / 100, ROWS / 20};
    double spectrum[D], values[D], *vectors = malloc(sizeof *vectors * D * D);
    for (int s = 0; s < 5; s++) {
        for (int f = 0; f < D; f++) spectrum[f] = spectra[s](f, K);
        double *rows = truth_rows(ROWS, D, spectrum, 5);
        truth_pca(rows, ROWS, D, values, vectors);
        for (int p = 0; p < 4; p++) {
            em_options options = options_for(K, 1e-9), on = options;
            em_model *cold = fit(rows, ROWS, D, &options, places[p]);
            long from_nothing = cold->info.iterations;
            printf("%-9s %-8s %2d nodes%s: %2ld averages from nothing;", names[s], places[p].topology, places[p].nodes,
                   places[p].masked ? ", masked" : "", from_nothing);
            for (int n = 0; n < SHARES; n++) {
                em_model *last = fit(rows, ROWS - fresh[n], D, &options, places[p]);
                em_options_set_last(&on, last);
                em_model *warm = fit(rows, ROWS, D, &on, places[p]);
                printf(" %2ld after %zu new rows", warm->info.iterations, fresh[n]);
                assert_int_equal(warm->info.reason, EM_CONVERGED);
                assert_true(worst(warm, vectors) < 1e-6);
                assert_true(warm->info.iterations < from_nothing);
                for (int k = 0; k < K; k++)
                    assert_close(warm->explained_variance[k], values[k] * ROWS / (ROWS - 1.0), 1e-12);
                if (fresh[n] == 0) assert_true(warm->info.turn < 1e-6);
                if (fresh[n] == 0 && places[p].nodes > 1 && !places[p].masked && s < 4) assert_true(warm->info.held);
                if (fresh[n] > 0) assert_true(!warm->info.held && warm->info.turn > 1e-4);
                em_model_free(&warm);
                em_model_free(&last);
            }
            printf("\n");
            em_model_free(&cold);
        }
        free(rows);
    }
    free(vectors);
}

/* ---- the trap ------------------------------------------------------------------------------------------ */

static double narrow_rest(int f, int K)
{
    return f < K ? 6 - 0.5 * f : 0.1;
}

static double wide_rest(int f, int K)
{
    return f < K ? 6 - 0.5 * f : 3 * pow(f - K + 2, -0.5);
}

static double close_rest(int f, int K)
{
    return f < K ? 6 - 0.5 * f : 3.9 * pow(0.98, f - K);
}

/* Every row twice. */
static void pair(double *rows, size_t N)
{
    for (size_t r = 0; r < N; r += 2) memcpy(rows + (r + 1) * D, rows + r * D, sizeof *rows * D);
}

/* Rows of one node get a direction that no row had before, as much as makes it the K-th, a little larger than the one that was, and
 * of either sign in rows that are the same: the last components stay eigenvectors, with no residual at all. */
static void hide(double *rows, int nodes, int node, const double *w, double variance)
{
    int each = ROWS / 4 / nodes;
    double length = sqrt(variance * ROWS / 4 / each);
    for (int r = node * each; r < (node + 1) * each; r++)
        for (int f = 0; f < D; f++) rows[r * D + f] += (r % 2 ? length : -length) * w[f];
}

static void a_larger_direction_is_not_missed(void **state)
{
    (void)state;
    enum { K = 4, N = ROWS / 4 };
    static spectrum_of *const spectra[] = {narrow_rest, wide_rest, close_rest};
    static const place places[] = {{"cycle", 6, 0}, {"complete", 1, 0}, {"star", 5, 1}};
    const unsigned seeds = SANITIZED ? 2 : 12;
    long most = 0, all = 0;
    double spectrum[D], values[D], *vectors = malloc(sizeof *vectors * D * D);
    for (unsigned seed = 0; seed < seeds; seed++)
        for (int s = 0; s < 3; s++)
            for (int p = 0; p < 3; p++) {
                for (int f = 0; f < D; f++) spectrum[f] = f < D - 1 ? spectra[s](f, K) : 0;
                double *rows = truth_rows(N, D, spectrum, seed);
                pair(rows, N);
                truth_pca(rows, N, D, values, vectors);
                em_options options = options_for(K, 1e-6);
                em_model *last = fit(rows, N, D, &options, places[p]);
                int nodes = places[p].nodes;
                hide(rows, nodes, nodes > 1 ? 1 + (int)seed % (nodes - 1) : 0, vectors + (D - 1) * D,
                     1.05 * values[K - 1]);
                truth_pca(rows, N, D, values, vectors);
                options.seed = seed;
                em_options_set_last(&options, last);
                em_model *warm = fit(rows, N, D, &options, places[p]);
                assert_int_equal(warm->info.reason, EM_CONVERGED);
                assert_true(worst(warm, vectors) < 1e-4);
                most = warm->info.iterations > most ? warm->info.iterations : most;
                all++;
                em_model_free(&warm);
                em_model_free(&last);
                free(rows);
            }
    printf("a direction 1.05 times as large as the last: seen %ld times of %ld, after %ld averages at most\n", all, all,
           most);
    free(vectors);
}

/* ---- any number of components, names, signs ------------------------------------------------------------- */

static void more_and_fewer_components(void **state)
{
    (void)state;
    enum { N = 2000 };
    static const int before[] = {1, 3, 5, 9, 40}, after[] = {1, 5, 12};
    double spectrum[D], values[D], *vectors = malloc(sizeof *vectors * D * D);
    for (int f = 0; f < D; f++) spectrum[f] = geometric(f, 0);
    double *rows = truth_rows(N, D, spectrum, 9);
    truth_pca(rows, N, D, values, vectors);
    for (int b = 0; b < 5; b++)
        for (int a = 0; a < 4; a++) { /* the last time, a fraction of the variance */
            em_options first = options_for(before[b], 1e-9), options = options_for(a < 3 ? after[a] : 0, 1e-9);
            if (a == 3) options.variance = 0.8;
            em_model *last = fit(rows, N - 20, D, &first, ring);
            em_options_set_last(&options, last);
            em_model *model = fit(rows, N, D, &options, ring);
            double sum = 0;
            for (int k = 0; k < model->K; k++) sum += model->explained_variance_ratio[k];
            if (a == 3) assert_true(sum > 0.8 && sum - model->explained_variance_ratio[model->K - 1] <= 0.8);
            assert_int_equal(model->info.reason, EM_CONVERGED);
            assert_true(worst(model, vectors) < 1e-6);
            assert_true(model->info.turn >= 0 && model->info.turn < 1);
            em_model_free(&model);
            em_model_free(&last);
        }
    free(rows);
    free(vectors);
}

static void signs_follow_the_last(void **state)
{
    (void)state;
    enum { N = 2000, K = 5 };
    double spectrum[D];
    for (int f = 0; f < D; f++) spectrum[f] = geometric(f, 0);
    double *rows = truth_rows(N, D, spectrum, 9);
    for (int way = 0; way < 4; way++) {
        em_options options = options_for(K, 1e-9);
        em_model *last = fit(rows, N - 100, D, &options, alone);
        for (int k = way % 2; k < K; k += 2) /* not as they would be by themselves */
            for (int f = 0; f < D; f++) last->components[k * D + f] *= -1;
        options.method = way == 0 ? "krylov" : way == 1 ? "covariance" : way == 2 ? "deepca" : "auto";
        em_options_set_last(&options, last);
        em_model *model = fit(rows, N, D, &options, way == 3 ? alone : ring);
        double largest = 0;
        for (int k = 0; k < K; k++) {
            double dot = 0;
            for (int f = 0; f < D; f++) dot += model->components[k * D + f] * last->components[k * D + f];
            assert_true(dot > 0.9);
            assert_close(model->turns[k], acos(fmin(1, dot)), 1e-6);
            largest = fmax(largest, model->turns[k]);
        }
        assert_true(model->info.turn > 0 && model->info.turn < 2 * largest);
        em_model_free(&model);
        em_model_free(&last);
    }
    free(rows);
}

/* Two eigenvalues that are the same: whatever basis of theirs the last model has, the new one keeps. */
static void equal_eigenvalues_keep_their_basis(void **state)
{
    (void)state;
    enum { F = 6, N = 2 * F, K = 3 };
    static const double axes[F] = {3, 2, 2, 1, 0.5, 0.25};
    double rows[N * F] = {0};
    for (int f = 0; f < F; f++) rows[2 * f * F + f] = axes[f], rows[(2 * f + 1) * F + f] = -axes[f];
    for (int turn = 0; turn < 8; turn++) {
        double angle = 0.7 * turn, c = cos(angle), s = sin(angle);
        em_options options = options_for(K, 1e-9);
        options.method = turn % 2 ? "krylov" : "covariance";
        em_model *last = fit(rows, N, F, &options, alone);
        double given[K][F] = {{1}, {0, c, s}, {0, -s, c}};
        memcpy(last->components, given, sizeof given);
        em_options_set_last(&options, last);
        em_model *model = fit(rows, N, F, &options, alone);
        for (int k = 0; k < K; k++) assert_true(model->turns[k] < 1e-7);
        for (int k = 1; k < K; k++) assert_true(model->explained_variance[k] <= model->explained_variance[k - 1]);
        em_model_free(&model);
        em_model_free(&last);
    }
}

static void features_are_matched_by_name(void **state)
{
    (void)state;
    enum { F = 5, N = 300, K = 2 };
    static const double spectrum[F] = {5, 3, 1, 0.5, 0.2};
    static const char *const names[F] = {"a", "b", "c", "d", "e"}, *const turned[F] = {"e", "c", "a", "b", "d"},
                             *const others[F] = {"a", "b", "c", "d", "f"};
    static const int from[F] = {4, 2, 0, 1, 3};
    em_error err;
    double *rows = truth_rows(N, F, spectrum, 3), *moved = malloc(sizeof *moved * N * F);
    for (int r = 0; r < N; r++)
        for (int f = 0; f < F; f++) moved[r * F + f] = rows[r * F + from[f]];
    em_options options = options_for(K, 1e-9);
    em_model *last = NULL, *model = NULL;
    assert_ok(try_fit(&last, rows, N, F, names, &options, alone, &err), &err);
    em_options_set_last(&options, last);
    assert_ok(try_fit(&model, moved, N, F, turned, &options, alone, &err), &err);
    assert_true(model->info.turn < 1e-7 && model->turns[0] < 1e-7);
    em_model_free(&model);
    assert_fails(try_fit(&model, rows, N, F, others, &options, alone, &err), EM_EINVAL,
                 "init: the data has no feature 'e', and the last model has", &err);
    assert_ok(try_fit(&model, rows, N, F, NULL, &options, alone, &err), &err); /* by place, where there are none */
    em_model_free(&model);
    assert_fails(try_fit(&model, rows, N, F - 1, NULL, &options, alone, &err), EM_EINVAL,
                 "init: the last model has 5 features, and the data 4", &err);
    options.scale = EMI_SCALE_STD;
    assert_fails(try_fit(&model, rows, N, F, names, &options, alone, &err), EM_EINVAL,
                 "init: the last model has scale none, and this fit std; try scale=none", &err);
    options.scale = EMI_SCALE_NONE;
    options.init = rows;
    assert_fails(try_fit(&model, rows, N, F, names, &options, alone, &err), EM_EINVAL, "one of them", &err);
    em_model_free(&last);
    free(moved);
    free(rows);
}

/* Rows without variance in most directions, one component of which nothing is left, more components than rows. */
static void small_and_degenerate(void **state)
{
    (void)state;
    enum { F = 8, N = 5 };
    double spectrum[F] = {4, 2, 1}; /* of rank three */
    double *rows = truth_rows(N, F, spectrum, 4);
    for (int K = 1; K <= N; K++)
        for (int last_K = 1; last_K <= N; last_K++) {
            em_options first = options_for(last_K, 1e-9), options = options_for(K, 1e-9);
            em_model *last = fit(rows, N, F, &first, alone);
            em_options_set_last(&options, last);
            em_model *model = fit(rows, N, F, &options, last_K % 2 ? alone : (place){"path", 2, 0});
            assert_int_equal(model->info.reason, EM_CONVERGED);
            assert_int_equal(model->info.rank, K < 3 ? K : 3);
            assert_true(model->info.turn < 1e-6);
            em_model_free(&model);
            em_model_free(&last);
        }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_averages_than_from_nothing),
        cmocka_unit_test(a_larger_direction_is_not_missed),
        cmocka_unit_test(more_and_fewer_components),
        cmocka_unit_test(signs_follow_the_last),
        cmocka_unit_test(equal_eigenvalues_keep_their_basis),
        cmocka_unit_test(features_are_matched_by_name),
        cmocka_unit_test(small_and_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
