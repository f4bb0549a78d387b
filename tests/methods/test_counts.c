/* Exchanges to a given error.  They are counted, not timed: exact and repeatable. */
#include "base/random.h"
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "support/check.h"
#include "support/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
    const em_data *data;
    const char *topology;
    int nodes;
    uint64_t seed; /* of the network and the start */
} problem;

static em_model *traced_fit(const problem *p, em_options options)
{
    em_error err = {0};
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    options.trace = options.truth_compute = 1;
    options.seed = p->seed;
    assert_ok(em_shards_split(&shards, p->data, p->nodes, "contiguous", 0, &err), &err);
    assert_ok(em_graph_create(&graph, p->topology, p->nodes, p->seed, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 0, &err), &err);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return model;
}

static em_options options_of(const char *method, int K)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 1e-10;
    return options;
}

/* The first row of the trace whose error is this small. */
static em_trace_row reached(const em_model *model, double error)
{
    size_t rows;
    const em_trace_row *trace = trace_of(model, &rows);
    for (size_t r = 0; r < rows; r++)
        if (trace[r].error <= error) return trace[r];
    fail_msg("%s: E = %g at the end, %g was never reached", em_model_info(model)->method, trace[rows - 1].error, error);
    return trace[0];
}

/* ---- a stand-in for images of digits ----------------------------------------------------------------- */

enum { ROWS = 3000, PIXELS = 784, IMAGE_NODES = 20 };

static int by_first_score(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Row <- row - 2 (row . u) u, for a few unit vectors u: an orthogonal mixture of all pixels. */
static void mix_pixels(double *rows, emi_random *random)
{
    double u[PIXELS];
    for (int turn = 0; turn < 3; turn++) {
        double norm = 0;
        emi_random_normals(random, u, PIXELS);
        for (int f = 0; f < PIXELS; f++) norm += u[f] * u[f];
        for (int r = 0; r < ROWS; r++) {
            double *row = rows + r * PIXELS, along = 0;
            for (int f = 0; f < PIXELS; f++) along += row[f] * u[f];
            for (int f = 0; f < PIXELS; f++) row[f] -= 2 * along / norm * u[f];
        }
    }
}

/* Gaussian rows whose variances fall like 1/k^1.1 over the first few hundred, then to 1e-4; sorted by the first score,
 * every node sees another slice of the data, as it would with images sorted by class. */
static double *image_rows(int sorted)
{
    double *rows = malloc(sizeof *rows * ROWS * PIXELS);
    assert_non_null(rows);
    emi_random random = emi_random_seed(1, EMI_STREAM_DATA);
    emi_random_normals(&random, rows, (size_t)ROWS * PIXELS);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < PIXELS; k++) rows[r * PIXELS + k] *= sqrt(k < 300 ? pow(k + 1, -1.1) : 1e-4);
    if (sorted) qsort(rows, ROWS, sizeof *rows * PIXELS, by_first_score);
    mix_pixels(rows, &random);
    return rows;
}

static void krylov_on_images(void **state)
{
    (void)state;
    static const struct {
        int K, averages;
        double units;
    } wanted[] = {{10, 10, 2.5}, {40, 9, 2.5}};
    long averages[2][2];
    for (int sorted = 0; sorted < 2; sorted++) {
        em_error err = {0};
        em_data *data = NULL;
        double *rows = image_rows(sorted);
        assert_ok(em_data_from_array(&data, rows, EM_F64, ROWS, PIXELS, 0, 0, &err), &err);
        for (int c = 0; c < 2; c++) {
            em_model *model = traced_fit(&(problem){data, "er:0.5", IMAGE_NODES, 1}, options_of("krylov", wanted[c].K));
            em_trace_row row = reached(model, 1e-10);
            print_message("krylov, K = %d, sorted %d: %ld averages, %.3f units\n", wanted[c].K, sorted, row.iteration,
                          row.units);
            assert_true(row.iteration <= wanted[c].averages);
            assert_true(row.units <= wanted[c].units);
            averages[sorted][c] = row.iteration;
            em_model_free(&model);
        }
        em_data_free(&data);
        free(rows);
    }
    assert_memory_equal(averages[0], averages[1], sizeof averages[0]); /* how rows lie makes no difference */
}

/* ---- the paper's set-ups -------------------------------------------------------------------------------- */

enum { FEATURES = 20, SAMPLES = 10000, PAPER_K = 5, PAPER_NODES = 10 };

static const double gaps[] = {0.6, 0.8};
static const char *const topologies[] = {"er:0.5", "cycle", "star"};

typedef void paper_check(const problem *p, double gap);

static void on_every_set_up(paper_check *check)
{
    for (int g = 0; g < 2; g++) {
        em_error err = {0};
        em_data *data = NULL;
        assert_ok(lab_generate(&data, FEATURES, SAMPLES, PAPER_K, gaps[g], 1, &err), &err);
        for (int t = 0; t < 3; t++) check(&(problem){data, topologies[t], PAPER_NODES, 1}, gaps[g]);
        em_data_free(&data);
    }
}

/* Units to an error, which the method must reach. */
static double units_to(const problem *p, const char *method, double error)
{
    em_options options = options_of(method, PAPER_K);
    em_model *model = traced_fit(p, options);
    em_trace_row row = reached(model, error);
    print_message("%s on %s: E <= %g after %ld iterations, %.2f units\n", method, p->topology, error, row.iteration,
                  row.units);
    em_model_free(&model);
    return row.units;
}

static void check_exact_averages(const problem *p, double gap)
{
    (void)gap;
    assert_true(units_to(p, "krylov", 1e-10) <= 6);
    assert_true(units_to(p, "covariance", 1e-10) <= 6);
}

static void check_deepca(const problem *p, double gap)
{
    (void)gap;
    assert_true(units_to(p, "deepca", 1e-10) <= 350);
}

static void check_last_digits(const problem *p, double gap)
{
    (void)gap;
    (void)units_to(p, "deepca", 1e-14);
    (void)units_to(p, "fastpca", 1e-14);
}

static void krylov_and_covariance_within_six_units(void **state)
{
    (void)state;
    on_every_set_up(check_exact_averages);
}

static void deepca_within_its_units(void **state)
{
    (void)state;
    on_every_set_up(check_deepca);
}

/* Random graphs mix more or less slowly, and starts are better or worse: no lucky draw.  (One in a hundred is unlucky:
 * of 20 networks with 5 other starts each, 99 were within 60 units and one took 66.) */
static void deepca_within_sixty_units_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        em_error err = {0};
        em_data *data = NULL;
        assert_ok(lab_generate(&data, FEATURES, SAMPLES, PAPER_K, 0.6, seed, &err), &err);
        assert_true(units_to(&(problem){data, "er:0.5", PAPER_NODES, seed}, "deepca", 1e-10) <= 60);
        em_data_free(&data);
    }
}

static void tracking_is_exact_to_the_last_digits(void **state)
{
    (void)state;
    on_every_set_up(check_last_digits);
}

/* The error dsa ends at, on the paper's first set-up (d = 10, K = 3, gap 0.8). */
static double floor_of_dsa(const problem *p, double step)
{
    em_options options = options_of("dsa", 3);
    options.step = step;
    options.tolerance = 0;
    options.iterations = (long)(400 / step);
    em_model *model = traced_fit(p, options);
    double error = em_model_info(model)->error;
    em_model_free(&model);
    return error;
}

/* An O(alpha) neighbourhood, so that E falls like alpha^2, or nearly: 6.3e-5 at 0.1, 1.7e-5 at 0.05 in an independent
 * run, up to twice that with the draw. */
static void dsa_ends_at_its_floor(void **state)
{
    (void)state;
    em_error err = {0};
    em_data *data = NULL;
    assert_ok(lab_generate(&data, 10, 10000, 3, 0.8, 3, &err), &err);
    problem p = {.data = data, .nodes = 10, .topology = "er:0.5"};
    double coarse = floor_of_dsa(&p, 0.1), fine = floor_of_dsa(&p, 0.05);
    assert_true(coarse > 6.3e-5 / 2 && coarse < 6.3e-5 * 2);
    assert_true(fine > 1.7e-5 / 2 && fine < 1.7e-5 * 2);
    assert_true(coarse / fine > 3 && coarse / fine < 4.5);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(krylov_on_images),
        cmocka_unit_test(krylov_and_covariance_within_six_units),
        cmocka_unit_test(deepca_within_its_units),
        cmocka_unit_test(deepca_within_sixty_units_on_random_graphs),
        cmocka_unit_test(tracking_is_exact_to_the_last_digits),
        cmocka_unit_test(dsa_ends_at_its_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
