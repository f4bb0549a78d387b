/* Is a vector ever wrong that is called converged?  Problems drawn anew in every run, against a decomposition of the pooled
 * rows in long double, which LAPACK's SVD must agree with.
 *
 *     EIGENMESH_TEST_SEED=S        the problems of an earlier run, which printed S
 *     EIGENMESH_TEST_PROBLEM=n     the n-th of them alone
 *     EIGENMESH_TEST_PROBLEMS=n    so many, in place of 600                                                    */
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/plain_masks.h"
#include "support/problems.h"
#include "support/svd.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct tally {
    uint64_t seed, number;
    int fits, converged, limited, rounding, failures;
    double worst_cosine; /* 1 - cos, of all that are well apart and not limited by rounding */
} tally;

typedef struct trial {
    tally *all;
    const problem *p;
    const svd *exact;
    const em_model *model;
    const em_info *info;
    int masked; /* so were its sums */
    int complaints;
} trial;

static void complain(trial *t, const char *format, ...)
{
    const problem *p = t->p;
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (t->complaints++ == 0)
        print_error("EIGENMESH_TEST_SEED=%llu EIGENMESH_TEST_PROBLEM=%llu: %s(%s) K = %d of %zu x %d, tolerance %g, "
                    "%d nodes%s, %s, %s; %s%s\n",
                    (unsigned long long)t->all->seed, (unsigned long long)t->all->number, p->method,
                    t->info ? t->info->method : "", p->K, p->N, p->d, p->tolerance, p->nodes,
                    t->masked ? ", masked" : "", p->topology, p->split, p->words,
                    t->info ? em_reason_text(t->info->reason) : "");
    print_error("    %s\n", words);
}

/* A column of this much of the data's length may pass for nothing: as data/rounding.h has it, scores are off by what features add up
 * to, at most the root of d lengths, and by some of the whole.  Masked words hold squares. */
static double past_the_rank(const trial *t)
{
    double lengths = sqrt(t->p->d), words = t->masked ? sqrt(t->p->nodes * 0x1p-56) * lengths : 0;
    return fmax(250 * DBL_EPSILON * (lengths + 4), words);
}

/* ---- what a component owes ------------------------------------------------------------------------------- */

/* Doubles cannot say a direction any better. */
static double representation(const trial *t)
{
    return 4 * DBL_EPSILON * sqrt(t->p->d);
}

static double eigenvalue(const trial *t, int k)
{
    double sigma = k < t->exact->count ? (double)t->exact->sigma[k] : 0;
    return sigma * sigma / (double)t->p->N;
}

/* The distance to the nearest other eigenvalue, relative to its own. */
static double relative_gap(const trial *t, int k)
{
    double own = eigenvalue(t, k), gap = k + 1 < t->p->d ? own - eigenvalue(t, k + 1) : INFINITY;
    if (k > 0) gap = fmin(gap, eigenvalue(t, k - 1) - own);
    return gap / own;
}

static int is_single(const trial *t, int k)
{
    const int64_t *cluster = em_model_clusters(t->model);
    if (cluster[k] != k || (k + 1 < t->p->K && cluster[k + 1] == k)) return 0;
    return k + 1 < t->p->K || !t->info->open_cluster;
}

/* The angle is never above its bound, whatever the verdict. */
static void check_angle(trial *t, int k)
{
    double sine = svd_sine(t->exact, em_model_components(t->model) + k * t->p->d, k);
    double own_error = svd_own_error(t->exact, k, k), bound = em_model_angle_bounds(t->model)[k];
    if (!(bound >= 0 && bound <= 1)) complain(t, "component %d: angle bound %g", k, bound);
    if (own_error < 1 && sine > bound * (1 + 1e-6) + own_error + representation(t))
        complain(t, "component %d: sine %g, said to be at most %g (eigenvalue %g of %g, gap %g)", k, sine, bound,
                 eigenvalue(t, k), eigenvalue(t, 0), relative_gap(t, k));
}

/* Converged, and one of its own: what the tolerance promises of a gap, by Davis and Kahan. */
static void check_converged(trial *t, int k)
{
    double residual = em_model_residuals(t->model)[k], gap = relative_gap(t, k);
    if (t->info->limited == 0 && !(residual <= t->p->tolerance)) complain(t, "component %d: residual %g", k, residual);
    double bound = is_single(t, k) ? em_model_angle_bounds(t->model)[k] : em_model_subspace_bounds(t->model)[k];
    if (residual > t->p->tolerance && !(bound <= 1e-3)) complain(t, "component %d: limited, bound %g", k, bound);
    if (!is_single(t, k) || gap < 1e-3 || t->info->limited) return;
    double sine = svd_sine(t->exact, em_model_components(t->model) + k * t->p->d, k);
    double off = 1 - sqrt(fmax(0, 1 - sine * sine)), promised = 1.1 * t->p->tolerance / gap;
    if (eigenvalue(t, k) > 1e-7 * eigenvalue(t, 0) && off > fmax(1e-9, promised * promised / 2))
        complain(t, "component %d: 1 - cos = %g, the gap being %g", k, off, gap);
    t->all->worst_cosine = fmax(t->all->worst_cosine, gap >= 0.03 && t->p->tolerance <= 1e-6 ? off : 0);
}

static void check_variance(trial *t, int k)
{
    double N = (double)t->p->N, own = eigenvalue(t, k) * N / (N - 1);
    double found = em_model_explained_variance(t->model)[k];
    double rounding = 1e-13 * (double)((t->exact->sigma[0] + t->exact->offset) / t->exact->sigma[k]);
    if (t->masked)
        rounding = fmax(rounding, t->p->nodes * 0x1p-56 * pow(1e13 * rounding, 2)); /* of words for squares */
    const int64_t *cluster = em_model_clusters(t->model);
    int K = t->p->K, open = t->info->open_cluster && cluster[K - 1] == cluster[k] && K < t->exact->count;
    for (int j = 0; j < t->info->rank + open; j++) /* of those that cannot be told apart, variances are mixed too */
        if (j == K || cluster[j] == cluster[k])
            rounding = fmax(rounding, fabs(eigenvalue(t, j) / eigenvalue(t, k) - 1));
    if (fabs(found / own - 1) > fmax(1e-6, rounding))
        complain(t, "component %d: variance %.15g, is %.15g", k, found, own);
}

/* The residual that is told is the true one, up to rounding of C. */
static void check_residual(trial *t, int k)
{
    double N = (double)t->p->N, theta = em_model_explained_variance(t->model)[k] * (N - 1) / N;
    double is = svd_residual(t->exact, em_model_components(t->model) + k * t->p->d, theta, t->p->N) / theta;
    double told = em_model_residuals(t->model)[k], scale = eigenvalue(t, 0) + pow(t->exact->offset * 1e-8, 2) / N;
    if (fabs(is - told) > 1e-12 * scale / theta + 1e-3 * told)
        complain(t, "component %d: residual %g, is %g", k, told, is);
}

/* ---- what they owe together -------------------------------------------------------------------------------- */

static void check_clusters(trial *t)
{
    const int64_t *cluster = em_model_clusters(t->model);
    int rank = t->info->rank;
    for (int first = 0, end; first < rank; first = end) {
        for (end = first + 1; end < rank && cluster[end] == first;) end++;
        if (end == t->p->K && t->info->open_cluster) return; /* where it ends is not known */
        double sine = svd_sine_of_span(t->exact, em_model_components(t->model) + first * t->p->d, first, end - first);
        double own_error = svd_own_error(t->exact, first, end - 1), bound = em_model_subspace_bounds(t->model)[first];
        if (own_error < 1 && sine > bound * (1 + 1e-6) + own_error + representation(t) * (end - first))
            complain(t, "components %d to %d: sine %g, said to be at most %g", first, end - 1, sine, bound);
    }
}

/* Found to a few digits, though double as a whole could not tell it from 0: features may have digits of their own. */
static int is_right(const trial *t, int k)
{
    double N = (double)t->p->N;
    return fabs(em_model_explained_variance(t->model)[k] * (N - 1) / N / eigenvalue(t, k) - 1) < 1e-3;
}

/* Past the rank: exactly 0, and only where double cannot tell it from 0; the others have some. */
static void check_rank(trial *t)
{
    const double *variance = em_model_explained_variance(t->model);
    double all = (double)t->exact->sigma[0] + t->exact->offset;
    for (int k = 0; k < t->p->K; k++) {
        double sigma = k < t->exact->count ? (double)t->exact->sigma[k] : 0;
        if (k >= t->info->rank && (variance[k] != 0 || sigma > past_the_rank(t) * all))
            complain(t, "component %d: past the rank, variance %g, sigma is %g of %g", k, variance[k], sigma, all);
        if (k < t->info->rank && t->info->reason == EM_CONVERGED &&
            !(variance[k] > 0 && (sigma > DBL_EPSILON / 16 * all || is_right(t, k))))
            complain(t, "component %d: variance %g, but sigma is %g of %g", k, variance[k], sigma, all);
    }
}

static void check_numbers(trial *t)
{
    const problem *p = t->p;
    double sum = 0;
    for (int n = 0; n < p->K * p->d; n++) sum += em_model_components(t->model)[n];
    for (int k = 0; k < p->K; k++)
        sum += em_model_residuals(t->model)[k] + em_model_angle_bounds(t->model)[k] +
               em_model_subspace_bounds(t->model)[k] + em_model_singular_values(t->model)[k] +
               em_model_explained_variance_ratio(t->model)[k];
    if (!isfinite(sum + em_model_noise_variance(t->model) + t->info->residual)) complain(t, "not a number");
    double skew = matrix_departure_from_orthonormal(em_model_components(t->model), p->d, p->K);
    if (!(skew <= 1e-12)) complain(t, "orthonormal to %g only", skew);
}

/* The data's length over that of the smallest component that has one. */
static double spread_of(const trial *t)
{
    long double all = t->exact->sigma[0] + t->exact->offset;
    int last = t->p->K < t->exact->count ? t->p->K - 1 : t->exact->count - 1;
    while (last > 0 && t->exact->sigma[last] <= DBL_EPSILON * all) last--;
    return (double)(all / t->exact->sigma[last]);
}

/* Giving up is for problems where double has no digits left. */
static void check_verdict(trial *t)
{
    double spread = spread_of(t);
    em_reason reason = t->info->reason;
    t->all->converged += reason == EM_CONVERGED;
    t->all->limited += reason == EM_CONVERGED && t->info->limited > 0;
    t->all->rounding += reason == EM_STOPPED_ROUNDING;
    if (reason == EM_CONVERGED) return;
    if (reason != EM_STOPPED_ROUNDING) complain(t, "worst residual %g", t->info->worst_residual);
    int squares = strcmp(t->p->method, "covariance") == 0 || t->masked; /* which masked words have to hold too */
    double hard = squares ? 4.5 : 5;                                    /* decades */
    if (log10(spread) <= hard && t->p->decades <= hard) complain(t, "rounding is blamed, deviations span %g", spread);
}

static void check_model(trial *t)
{
    check_numbers(t);
    check_verdict(t);
    check_rank(t);
    for (int k = 0; k < t->info->rank; k++) {
        check_angle(t, k);
        if (t->info->reason != EM_CONVERGED) continue;
        check_variance(t, k);
        check_residual(t, k);
        check_converged(t, k);
    }
    check_clusters(t);
}

/* ---- a problem ----------------------------------------------------------------------------------------------- */

static em_status fit(const problem *p, int masked, em_model **model, em_error *err)
{
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options options = emi_options_default();
    options.method = p->method;
    options.components = p->K;
    options.tolerance = p->tolerance;
    options.seed = p->seed;
    assert_ok(em_data_from_array(&data, p->rows, EM_F64, p->N, (size_t)p->d, 0, 0, err), err);
    assert_ok(em_shards_split(&shards, data, p->nodes, p->split, 0, err), err);
    assert_ok(em_graph_create(&graph, p->topology, p->nodes, p->seed, err), err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1 + (int)(p->seed % 2), err), err);
    if (masked) assert_ok(plain_masks_set(mesh, p->seed, err), err);
    em_status status = em_fit(model, &options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

/* LAPACK, on the rows centred in double, finds the same singular values. */
static void check_truth(trial *t)
{
    const problem *p = t->p;
    int N = (int)p->N, d = p->d, count = t->exact->count;
    double *A = calloc(p->N * (size_t)d, sizeof *A), *sigma = calloc((size_t)count, sizeof *sigma), unused[1];
    assert_true(A && sigma);
    for (int f = 0; f < d; f++) {
        long double mean = 0;
        for (int r = 0; r < N; r++) mean += p->rows[r * d + f];
        for (int r = 0; r < N; r++) A[f * N + r] = (double)(p->rows[r * d + f] - mean / N);
    }
    assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', N, d, A, N, sigma, unused, 1, unused, 1), 0);
    for (int k = 0; k < count; k++)
        if (fabs((double)t->exact->sigma[k] - sigma[k]) > 1e-13 * sigma[0])
            complain(t, "the truth: sigma %d is %g, %g by LAPACK", k, (double)t->exact->sigma[k], sigma[k]);
    free(sigma);
    free(A);
}

/* Masked sums refuse features that are so small beside the largest value of all. */
static int may_be_refused(const problem *p)
{
    static const double far = 1e-19;
    double largest = 0, least = INFINITY;
    for (size_t n = 0; n < p->N * (size_t)p->d; n++) largest = fmax(largest, fabs(p->rows[n]));
    for (int f = 0; f < p->d; f++) {
        double highest = -INFINITY, lowest = INFINITY;
        for (size_t r = 0; r < p->N; r++) {
            highest = fmax(highest, p->rows[r * (size_t)p->d + (size_t)f]);
            lowest = fmin(lowest, p->rows[r * (size_t)p->d + (size_t)f]);
        }
        if (highest > lowest) least = fmin(least, highest - lowest);
    }
    return least < far * largest;
}

static void try_fit(trial *t, int masked)
{
    em_error err = {0};
    em_model *model = NULL;
    t->all->fits++;
    t->masked = masked;
    t->complaints = 0;
    t->info = NULL;
    em_status status = fit(t->p, masked, &model, &err);
    if (status != EM_OK) {
        if (!masked || status != EM_EDATA || !may_be_refused(t->p)) complain(t, "%s", err.msg);
    } else {
        t->model = model;
        t->info = em_model_info(model);
        check_model(t);
    }
    t->all->failures += t->complaints > 0;
    em_model_free(&model);
}

static int can_be_masked(const problem *p)
{
    static const char *const methods[] = {"auto", "krylov", "covariance"};
    int is_one = 0;
    for (int n = 0; n < 3; n++) is_one |= strcmp(p->method, methods[n]) == 0;
    return is_one && p->nodes >= 3;
}

static void try_problem(tally *all)
{
    problem p = problem_draw(all->seed, all->number);
    svd exact = svd_of_rows(p.rows, p.N, p.d);
    trial t = {.all = all, .p = &p, .exact = &exact};
    check_truth(&t);
    try_fit(&t, 0);
    if (can_be_masked(&p)) try_fit(&t, 1);
    svd_free(&exact);
    problem_free(&p);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t fresh_seed(void)
{
    uint64_t seed = (uint64_t)time(NULL);
    FILE *file = fopen("/dev/urandom", "rb");
    if (file && fread(&seed, sizeof seed, 1, file) != 1) seed = (uint64_t)time(NULL);
    if (file) (void)fclose(file);
    return seed >> 16;
}

static void nothing_wrong_is_called_converged(void **state)
{
    (void)state;
    enum { PROBLEMS = 600 };
    tally all = {.seed = number_from("EIGENMESH_TEST_SEED", fresh_seed())};
    uint64_t only = number_from("EIGENMESH_TEST_PROBLEM", UINT64_MAX), first = 0;
    uint64_t end = number_from("EIGENMESH_TEST_PROBLEMS", PROBLEMS);
    if (only != UINT64_MAX) first = only, end = only + 1;
    print_message("EIGENMESH_TEST_SEED=%llu\n", (unsigned long long)all.seed);
    for (all.number = first; all.number < end; all.number++) try_problem(&all);
    print_message("%d fits: %d converged, %d of them limited by rounding; %d given up for rounding; worst 1 - cos "
                  "of those well apart %.1e\n",
                  all.fits, all.converged, all.limited, all.rounding, all.worst_cosine);
    if (all.failures) fail_msg("%d of %d fits", all.failures, all.fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_wrong_is_called_converged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
