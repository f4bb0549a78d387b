/* The paper's synthetic data: its spectrum, its basis, and the same numbers for the same seed. */
#include "lab/tables/generate.h"
#include "support/check.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *generated(size_t d, size_t N, size_t K, double gap, uint64_t seed)
{
    em_data *data = NULL;
    em_error err = {0};
    double *rows = malloc(d * N * sizeof *rows);
    assert_non_null(rows);
    assert_ok(lab_generate(&data, d, N, K, gap, seed, &err), &err);
    assert_int_equal(em_data_rows(data), N);
    assert_int_equal(em_data_columns(data), d);
    assert_int_equal(em_data_type(data), EM_F64);
    assert_ok(em_data_read(data, 0, N, rows, &err), &err);
    em_data_free(&data);
    return rows;
}

/* All of a Gaussian's samples, with either basis. */
static double *samples_of(lab_gaussian *g)
{
    double *rows = malloc(g->samples * (size_t)g->d * sizeof *rows);
    assert_non_null(rows);
    for (size_t first = 0; first < g->samples; first += g->at_once)
        lab_gaussian_block(g, first, rows + first * (size_t)g->d);
    return rows;
}

/* The sample covariance of N Gaussian samples has eigenvalues within lambda (1 +- 2 sqrt(d / N)), and its own scatter
 * of lambda sqrt(2 / N); the bound is twice the sum of both (Wainwright, "High-dimensional statistics", theorem 6.1). */
static void check_spectrum(int d, int K, double gap, const double *wanted)
{
    enum { N = 40000 };
    em_error err = {0};
    for (lab_basis basis = LAB_BASIS_DENSE; basis <= LAB_BASIS_WALK; basis++) {
        lab_gaussian g;
        assert_ok(lab_gaussian_open(&g, d, N, K, gap, 7, basis, &err), &err);
        double values[8], vectors[64], *rows = samples_of(&g);
        truth_pca(rows, N, d, values, vectors);
        for (int k = 0; k < d; k++)
            assert_close(values[k] / wanted[k], 1, 2 * (2 * sqrt((double)d / N) + sqrt(2.0 / N)));
        free(rows);
        lab_gaussian_close(&g);
    }
}

static void the_spectrum_is_the_papers(void **state)
{
    (void)state;
    check_spectrum(6, 3, 0.5, (double[]){1, 0.9, 0.8, 0.4, 0.25, 0.1});
    check_spectrum(5, 1, 0.6, (double[]){1, 0.6, 0.6 - 0.5 / 3, 0.6 - 1.0 / 3, 0.1});
    check_spectrum(4, 2, 0.9, (double[]){1, 0.8, 0.72, 0.1});
    check_spectrum(3, 2, 0.7, (double[]){1, 0.8, 0.56});         /* a tail of one */
    check_spectrum(4, 1, 0.05, (double[]){1, 0.05, 0.05, 0.05}); /* below the floor: level */
    check_spectrum(2, 1, 1, (double[]){1, 1});
}

/* Components differ between draws: the basis is random, not the axes. */
static void the_basis_is_no_axis(void **state)
{
    (void)state;
    enum { N = 4000, D = 5 };
    double values[D], vectors[D * D], *rows = generated(D, N, 1, 0.2, 3);
    truth_pca(rows, N, D, values, vectors);
    for (int f = 0; f < D; f++) assert_true(fabs(vectors[f]) < 0.999);
    free(rows);
}

/* The walk's basis, column by column: axes turned. */
static double *basis_of(const lab_walk *walk)
{
    size_t d = (size_t)walk->d;
    double *Q = malloc(d * d * sizeof *Q), *panel = malloc(d * LAB_WALK_LANES * sizeof *panel);
    assert_non_null(Q);
    assert_non_null(panel);
    for (size_t first = 0; first < d; first += LAB_WALK_LANES) {
        memset(panel, 0, d * LAB_WALK_LANES * sizeof *panel);
        for (size_t lane = 0; lane < LAB_WALK_LANES && first + lane < d; lane++)
            panel[(first + lane) * LAB_WALK_LANES + lane] = 1;
        lab_walk_turn(walk, panel);
        for (size_t lane = 0; lane < LAB_WALK_LANES && first + lane < d; lane++)
            for (size_t f = 0; f < d; f++) Q[(first + lane) * d + f] = panel[f * LAB_WALK_LANES + lane];
    }
    free(panel);
    return Q;
}

/* Beyond 2000 features too a sample is Q sqrt(Lambda) z, with the Q of the walk, which linalg.walk finds orthonormal, and
 * the very z that the seed gives: the covariance of the population has that spectrum and no other. */
static void many_features_have_the_walks_basis(void **state)
{
    (void)state;
    enum { D = 2001, N = 33, K = 10 }; /* a last block of one */
    em_error err = {0};
    emi_random random = emi_random_seed(4, EMI_STREAM_DATA);
    lab_walk walk;
    assert_ok(lab_walk_draw(&walk, D, &random, &err), &err);
    double *Q = basis_of(&walk), *rows = generated(D, N, K, 0.5, 4), *z = malloc(sizeof(double) * D * N);
    assert_non_null(z);
    emi_random_normals(&random, z, (size_t)D * N);
    for (int n = 0; n < N; n++)
        for (int k = 0; k < D; k++) {
            double along = 0, tail = 0.4 - 0.3 * (k - K) / (D - K - 1), lambda = k < K ? 1 - 0.2 * k / (K - 1) : tail;
            for (int f = 0; f < D; f++) along += Q[k * D + f] * rows[n * D + f];
            assert_close(along, sqrt(lambda) * z[n * D + k], 1e-12);
        }
    free(z);
    free(rows);
    free(Q);
    lab_walk_free(&walk);
}

/* What a PCA of the samples finds is the walk's first column. */
static void the_first_component_is_the_walks(void **state)
{
    (void)state;
    enum { D = 30, N = 40000 };
    em_error err = {0};
    lab_gaussian g;
    assert_ok(lab_gaussian_open(&g, D, N, 1, 0.3, 2, LAB_BASIS_WALK, &err), &err);
    double values[D], vectors[D * D], *rows = samples_of(&g), *Q = basis_of(&g.walk);
    truth_pca(rows, N, D, values, vectors);
    /* sin^2 is about sum_k lambda_1 lambda_k / (lambda_1 - lambda_k)^2 / N < 29 * 0.3 / 0.49 / N */
    assert_true(truth_sin2(vectors, Q, D) < 3 * 17.8 / N);
    free(Q);
    free(rows);
    lab_gaussian_close(&g);
}

/* FNV-1a of the numbers in units of 1e-4: what lies below is the processor's, as BLAS rounds by kernels of its own. */
static uint64_t digest(const double *values, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t n = 0; n < count; n++) {
        uint64_t whole = (uint64_t)llround(values[n] * 1e4);
        for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (whole >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* A seed's table is a promise: these are those of version 0.1.0. */
static void tables_stay_what_they_were(void **state)
{
    (void)state;
    const struct {
        size_t d, N, K;
        double gap;
        uint64_t seed, digest;
    } known[] = {{2, 1, 1, 1, 0, UINT64_C(0xc7d9e13b673ee4ea)},
                 {7, 600, 2, 0.5, 11, UINT64_C(0x6809f5e8017b13e7)},
                 {20, 10000, 5, 0.8, 0, UINT64_C(0x15b07a747e79d0fa)},
                 {300, 513, 10, 0.6, UINT64_MAX, UINT64_C(0x3caa58870bfd6249)},
                 {2000, 3, 10, 0.9, 1, UINT64_C(0xcb28b15122172143)},
                 {2001, 18, 10, 0.9, 1, UINT64_C(0x347a7cb634f1b5cb)}};
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        double *rows = generated(known[n].d, known[n].N, known[n].K, known[n].gap, known[n].seed);
        assert_true(digest(rows, known[n].d * known[n].N) == known[n].digest);
        free(rows);
    }
}

/* Made while they are read, in whatever pieces and order, the rows are those of the table in memory. */
static void check_rows_made_when_read(size_t d, size_t N)
{
    em_data *data = NULL;
    em_error err = {0};
    double *table = generated(d, N, 2, 0.5, 3), *part = malloc(d * N * sizeof *part);
    assert_non_null(part);
    assert_ok(lab_generate_rows(&data, d, N, 2, 0.5, 3, &err), &err);
    assert_int_equal(em_data_rows(data), N);
    assert_int_equal(em_data_columns(data), d);
    assert_int_equal(em_data_type(data), EM_F64);
    const size_t pieces[] = {1, 7, 16, 255, 256, 300, N};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++)
        for (size_t first = N; first > 0;) { /* backwards, piece by piece */
            size_t count = pieces[p] < first ? pieces[p] : first;
            first -= count;
            assert_ok(em_data_read(data, first, count, part, &err), &err);
            assert_memory_equal(part, table + first * d, count * d * sizeof *part);
        }
    assert_ok(em_data_read(data, N, 0, part, &err), &err);
    assert_fails(em_data_read(data, N, 1, part, &err), EM_EINVAL, "asked for", &err);
    em_data_free(&data);
    free(part);
    free(table);
}

static void rows_can_be_made_when_read(void **state)
{
    (void)state;
    check_rows_made_when_read(9, 600);
    check_rows_made_when_read(33, 256);
    check_rows_made_when_read(2101, 50);
}

static void a_seed_is_a_table(void **state)
{
    (void)state;
    enum { D = 7, N = 600 };
    double *first = generated(D, N, 2, 0.5, 11), *again = generated(D, N, 2, 0.5, 11),
           *other = generated(D, N, 2, 0.5, 12);
    assert_memory_equal(first, again, D * N * sizeof *first);
    assert_int_not_equal(memcmp(first, other, D * N * sizeof *first), 0);
    for (size_t n = 0; n < D * N; n++) assert_true(isfinite(first[n]));
    free(other);
    free(again);
    free(first);
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    em_data *data = (em_data *)&state;
    em_error err = {0};
    assert_fails(lab_generate(&data, 1, 10, 1, 0.5, 0, &err), EM_EINVAL, "features: 1", &err);
    assert_null(data);
    assert_fails(lab_generate(&data, 5, 0, 1, 0.5, 0, &err), EM_EINVAL, "samples: 0", &err);
    assert_fails(lab_generate(&data, 5, 10, 0, 0.5, 0, &err), EM_EINVAL, "components: 0 of 5", &err);
    assert_fails(lab_generate(&data, 5, 10, 5, 0.5, 0, &err), EM_EINVAL, "try 1 to 4", &err);
    assert_fails(lab_generate(&data, 5, 10, 2, 0, 0, &err), EM_EINVAL, "gap: 0", &err);
    assert_fails(lab_generate(&data, 5, 10, 2, -1, 0, &err), EM_EINVAL, "gap: -1", &err);
    assert_fails(lab_generate(&data, 5, 10, 2, 1.01, 0, &err), EM_EINVAL, "gap: 1.01", &err);
    assert_fails(lab_generate(&data, 5, 10, 2, NAN, 0, &err), EM_EINVAL, "gap: ", &err);
    assert_fails(lab_generate(&data, 5, SIZE_MAX / 2, 2, 0.5, 0, &err), EM_EINVAL, "samples: ", &err);
    assert_fails(lab_generate_rows(&data, 5, SIZE_MAX / 2, 2, 0.5, 0, &err), EM_EINVAL, "samples: ", &err);
    assert_fails(lab_generate_rows(&data, 5, 10, 5, 0.5, 0, &err), EM_EINVAL, "try 1 to 4", &err);
    assert_fails(lab_generate(&data, SIZE_MAX, 10, 2, 0.5, 0, &err), EM_EINVAL, "features", &err);
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spectrum_is_the_papers),
        cmocka_unit_test(the_basis_is_no_axis),
        cmocka_unit_test(many_features_have_the_walks_basis),
        cmocka_unit_test(the_first_component_is_the_walks),
        cmocka_unit_test(tables_stay_what_they_were),
        cmocka_unit_test(rows_can_be_made_when_read),
        cmocka_unit_test(a_seed_is_a_table),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
