/* What a neighbour sees of a fit: without masks enough to rebuild a small node's covariance, with masks nothing but noise, never
 * twice the same, and whatever the data are. */
#include "linalg/block.h"
#include "mesh/fixed.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/plain_masks.h"
#include "support/table_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW = EM_VIEW_BYTES / 8 };

static em_options options_for(const char *method, int K)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.wire = strcmp(method, "krylov") == 0 ? EMI_WIRE_64 : EMI_WIRE_AUTO;
    return options;
}

static void run(const table_fit *t)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(table_fit_run(t, &model, &err), &err);
    em_model_free(&model);
}

/* ---- uniform, whatever the data ------------------------------------------------------------------------------------- */

enum { WIDE = 2000, FEW = 64, BYTES = 8, BINS = 256 };

typedef struct histogram {
    double bins[BYTES][BINS], words;
} histogram;

static void add_words(histogram *h, const uint64_t *words, size_t count)
{
    for (size_t n = 0; n < count; n++)
        for (int b = 0; b < BYTES; b++) h->bins[b][words[n] >> 8 * b & 255]++;
    h->words += (double)count;
}

/* All that goes up the tree is masked, but for what is the same in all fits: the words of a leaf, of which its parent knows that
 * they are its alone. */
static histogram words_of_leaves(const double *values)
{
    em_options options = options_for("krylov", 10);
    watched w = {.seed = 1};
    seen s = {0};
    histogram *h = calloc(1, sizeof *h);
    table_fit t = {.values = values,
                   .rows = FEW,
                   .columns = WIDE,
                   .topology = "star",
                   .nodes = 8,
                   .threads = 2,
                   .options = &options,
                   .masks = &w,
                   .seen = &s};
    assert_non_null(h);
    run(&t);
    for (size_t n = 0; n < s.count; n++)
        if (s.blocks[n].sum >= 0) add_words(h, s.blocks[n].words, s.blocks[n].count - VIEW);
    seen_free(&s);
    watched_free(&w);
    histogram found = *h;
    free(h);
    return found;
}

/* 255 degrees: mean 255, deviation 22.6. */
static void assert_chi_square(double chi, const char *what, int byte)
{
    if (!(chi > 150 && chi < 380)) fail_msg("%s, byte %d: chi-square %g", what, byte, chi);
}

static void what_a_parent_hears_is_uniform(void **state)
{
    double *values = malloc(sizeof *values * FEW * WIDE);
    (void)state;
    assert_non_null(values);
    matrix_fill(values, FEW * WIDE, 1);
    histogram one = words_of_leaves(values);
    for (int n = 0; n < FEW * WIDE; n++) values[n] = n % 7 ? 0 : 1e-3 * values[n] + (n % WIDE == 0) * 1e6;
    histogram other = words_of_leaves(values);
    assert_true(one.words > 1e6 && other.words > 1e6);
    for (int b = 0; b < BYTES; b++) {
        double chi = 0, apart = 0, each = one.words / BINS, ratio = sqrt(other.words / one.words);
        for (int n = 0; n < BINS; n++) {
            double x = one.bins[b][n], y = other.bins[b][n], difference = x * ratio - y / ratio;
            chi += (x - each) * (x - each) / each;
            apart += difference * difference / (x + y);
        }
        assert_chi_square(chi, "one table", b);
        assert_chi_square(apart, "two tables", b);
    }
    free(values);
}

/* ---- no pad twice ------------------------------------------------------------------------------------------------------ */

/* Two of independent uniform words are 2^62 apart, on the average: by how many deviations of that mean are these off? */
static double doubt(const uint64_t *a, const uint64_t *b, size_t count)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        uint64_t apart = a[n] - b[n];
        sum += (double)(apart >> 63 ? ~apart + 1 : apart) * 0x1p-62;
    }
    return (sum / (double)count - 1) * sqrt(3.0 * (double)count);
}

/* Over every two payloads of a link's sender that have enough words, and over shifts by blocks of a stream cipher. */
static double worst_doubt(const seen *one, const seen *other)
{
    enum { ENOUGH = 24, SHIFT = 8, SHIFTS = 4 };
    double worst = 0;
    for (size_t a = 0; a < one->count; a++)
        for (size_t b = 0; b < (one == other ? a : other->count); b++) {
            const seen_block *x = &one->blocks[a], *y = &other->blocks[b];
            if (x->sum < 0 || y->sum < 0 || x->link.from != y->link.from) continue;
            size_t count = (x->count < y->count ? x->count : y->count) - VIEW;
            for (size_t shift = 0; shift <= SHIFT * SHIFTS && shift + ENOUGH <= count; shift += SHIFT) {
                worst = fmax(worst, fabs(doubt(x->words + shift, y->words, count - shift)));
                worst = fmax(worst, fabs(doubt(x->words, y->words + shift, count - shift)));
            }
        }
    return worst;
}

enum { ROWS = 120, COLUMNS = 30, NODES = 5, K = 4 };

static double values[ROWS * COLUMNS];

static table_fit usual(const em_options *options, watched *w, seen *s)
{
    return (table_fit){.values = values,
                       .rows = ROWS,
                       .columns = COLUMNS,
                       .topology = "star",
                       .nodes = NODES,
                       .options = options,
                       .masks = w,
                       .seen = s};
}

static void no_mask_covers_two_things(void **state)
{
    static const char *const methods[] = {"krylov", "covariance"};
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    for (int m = 0; m < 2; m++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
            em_options options = options_for(methods[m], K);
            options.scale = (emi_scale)scale;
            options.tolerance = 1e-10;
            watched w[2] = {{.seed = 1}, {.seed = 2}};
            seen s[2] = {{0}, {0}};
            const unsigned char later[EM_VIEW_BYTES] = {1};
            table_fit t = usual(&options, &w[0], &s[0]), again = usual(&options, &w[1], &s[1]);
            again.view = later;
            run(&t);
            run(&again); /* another run of the same fit */
            double within = worst_doubt(&s[0], &s[0]), between = worst_doubt(&s[0], &s[1]);
            if (within > 6 || between > 6) fail_msg("%s: %g, %g deviations", methods[m], within, between);
            for (int n = 0; n < 2; n++) seen_free(&s[n]), watched_free(&w[n]);
        }
}

/* The test sees what it is for: where the same view comes again, with other data, the difference of two payloads is that of the
 * answers. */
static void a_pad_that_comes_twice_is_seen(void **state)
{
    em_options options = options_for("krylov", K);
    watched w[2] = {{.seed = 1}, {.seed = 2}};
    seen s[2] = {{0}, {0}};
    (void)state;
    for (int n = 0; n < 2; n++) {
        matrix_fill_table(values, ROWS, COLUMNS, 1);
        values[0] += n;
        table_fit t = usual(&options, &w[n], &s[n]);
        run(&t);
    }
    assert_true(worst_doubt(&s[0], &s[1]) > 8);
    for (int n = 0; n < 2; n++) seen_free(&s[n]), watched_free(&w[n]);
}

/* ---- what a parent rebuilds ------------------------------------------------------------------------------------------------ */

enum { LEAF = 3, OWN = 12, MOST = 200 };

/* Questions that came down to the leaf, and what it sent up: as many columns. */
typedef struct evidence {
    double B[MOST * COLUMNS], Y[MOST * COLUMNS];
    int columns;
} evidence;

static double number_of(uint64_t word, int masked)
{
    double x;
    if (masked) return emi_unfix(word, 40); /* wherever the point is, noise is noise */
    memcpy(&x, &word, sizeof x);
    return x;
}

static void gather(const seen *s, int masked, evidence *e)
{
    const seen_block *asked = NULL;
    e->columns = 0;
    for (size_t n = 0; n < s->count; n++) {
        const seen_block *b = &s->blocks[n];
        size_t count = b->count - (b->sum >= 0 ? VIEW + 4 : 0);
        if (b->link.to == LEAF && b->count % COLUMNS == 0 && b->count > COLUMNS) asked = b;
        if (b->link.from != LEAF || !asked || count != asked->count || masked != (b->sum >= 0)) continue;
        int width = (int)(count / COLUMNS);
        for (size_t i = 0; i < count && e->columns + width <= MOST; i++) {
            e->B[(size_t)e->columns * COLUMNS + i] = number_of(asked->words[i], 0);
            e->Y[(size_t)e->columns * COLUMNS + i] = number_of(b->words[i], masked);
        }
        e->columns += width;
        asked = NULL;
    }
}

/* C = Y (B'Y)^+ Y', of which nothing is lost where C has no more rank than B has columns. */
static void rebuild(const evidence *e, double C[COLUMNS * COLUMNS])
{
    int b = e->columns;
    size_t size = (size_t)b * (size_t)b;
    double *G = malloc(size * sizeof *G), *V = malloc(size * sizeof *V), *values_of = malloc((size_t)b * sizeof *G);
    em_error err;
    assert_true(G && V && values_of);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double one = 0, other = 0; /* what is noise is not symmetric */
            for (int n = 0; n < COLUMNS; n++) {
                one += e->B[i * COLUMNS + n] * e->Y[j * COLUMNS + n];
                other += e->B[j * COLUMNS + n] * e->Y[i * COLUMNS + n];
            }
            G[j * b + i] = (one + other) / 2;
        }
    assert_ok(emi_top_eigen(G, b, b, values_of, V, &err), &err);
    memset(C, 0, COLUMNS * COLUMNS * sizeof *C);
    for (int k = 0; k < b; k++) {
        double z[COLUMNS] = {0};
        if (fabs(values_of[k]) < 1e-9 * fabs(values_of[0])) continue;
        for (int j = 0; j < b; j++)
            for (int n = 0; n < COLUMNS; n++) z[n] += e->Y[j * COLUMNS + n] * V[k * b + j];
        for (int i = 0; i < COLUMNS; i++)
            for (int n = 0; n < COLUMNS; n++) C[i * COLUMNS + n] += z[i] * z[n] / values_of[k];
    }
    free(G);
    free(V);
    free(values_of);
}

/* The leaf's own covariance: of its rows, about the mean of all. */
static void true_covariance(double C[COLUMNS * COLUMNS])
{
    double mean[COLUMNS] = {0};
    int first = ROWS - 2 * OWN;
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < COLUMNS; n++) mean[n] += values[r * COLUMNS + n] / ROWS;
    memset(C, 0, COLUMNS * COLUMNS * sizeof *C);
    for (int r = first; r < first + OWN; r++)
        for (int i = 0; i < COLUMNS; i++)
            for (int n = 0; n < COLUMNS; n++)
                C[i * COLUMNS + n] +=
                    (values[r * COLUMNS + i] - mean[i]) * (values[r * COLUMNS + n] - mean[n]) * NODES / ROWS;
}

/* How far it is from the truth, whatever unit it is in. */
static double error_of(const double *C, const double *truth)
{
    double along = 0, size = 0, own = 0;
    for (int n = 0; n < COLUMNS * COLUMNS; n++)
        along += C[n] * truth[n], size += truth[n] * truth[n], own += C[n] * C[n];
    double left = 0, unit = along / own;
    for (int n = 0; n < COLUMNS * COLUMNS; n++) left += pow(unit * C[n] - truth[n], 2);
    return sqrt(left / size);
}

static double rebuilt_from(watched *w)
{
    static evidence e;
    em_options options = options_for("krylov", K);
    seen s = {0};
    double C[COLUMNS * COLUMNS], truth[COLUMNS * COLUMNS];
    table_fit t = usual(&options, w, &s);
    options.tolerance = 1e-11;
    t.split = "sizes:32,32,32,12,12";
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    run(&t);
    gather(&s, w != NULL, &e);
    assert_true(e.columns > OWN && e.columns <= MOST);
    rebuild(&e, C);
    true_covariance(truth);
    seen_free(&s);
    return error_of(C, truth);
}

static void a_small_node_is_rebuilt_without_masks_alone(void **state)
{
    watched w = {.seed = 1};
    (void)state;
    double without = rebuilt_from(NULL), with = rebuilt_from(&w);
    print_message("a leaf's covariance is rebuilt with an error of %.1e, of masked words %.2f\n", without, with);
    assert_true(without < 1e-6);
    assert_true(with > 0.8);
    watched_free(&w);
}

/* ---- all but two against two -------------------------------------------------------------------------------------------------- */

/* words -= the node's masks with the others, but for one of them. */
static void take_off(int node, int but, const em_sum *sum, uint64_t *words)
{
    uint64_t *masks = calloc(sum->count, sizeof *masks);
    assert_non_null(masks);
    for (int other = 0; other < NODES; other++)
        if (other != node && other != but) plain_masks_pair(node, other, sum, masks);
    for (uint64_t n = 0; n < sum->count; n++) words[n] -= masks[n];
    free(masks);
}

/* M - 2 nodes know all masks but the one between the two others: what they make of either is uniform, and the two add up to the
 * sum of the two, which is all that follows. */
static void colluding_nodes_learn_a_sum_of_two(void **state)
{
    enum { ONE = 1, TWO = 3 };
    em_options options = options_for("krylov", K);
    watched w = {.seed = 1};
    table_fit t = usual(&options, &w, NULL);
    static histogram left;
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    options.tolerance = 1e-11;
    run(&t);
    for (size_t a = 0; a < w.count; a++)
        for (size_t b = 0; b < w.count; b++) {
            const em_sum *sum = &w.sums[a].sum;
            if (w.sums[a].node != ONE || w.sums[b].node != TWO || sum->number != w.sums[b].sum.number) continue;
            if (sum->words != 1) continue;
            uint64_t *one = w.sums[a].words, *two = w.sums[b].words;
            take_off(ONE, TWO, sum, one);
            take_off(TWO, ONE, sum, two);
            add_words(&left, one, sum->count);
            uint64_t *own[2] = {calloc(sum->count, sizeof *one), calloc(sum->count, sizeof *one)};
            assert_true(own[0] && own[1]);
            plain_masks_pair(ONE, TWO, sum, own[0]);
            plain_masks_pair(TWO, ONE, sum, own[1]);
            for (uint64_t n = 0; n < sum->count; n++) {
                uint64_t x = one[n] - own[0][n], y = two[n] - own[1][n]; /* which takes the secret of the two */
                assert_true(one[n] + two[n] == x + y);
                assert_true(one[n] != x && two[n] != y);
                if (n + 4 >= sum->count) assert_true(x == 0 && y == 0); /* the four words: the algebra is right */
            }
            free(own[0]);
            free(own[1]);
        }
    assert_true(left.words > 1000);
    for (int b = 0; b < BYTES; b++) {
        double chi = 0, each = left.words / BINS;
        for (int n = 0; n < BINS; n++) chi += (left.bins[b][n] - each) * (left.bins[b][n] - each) / each;
        assert_chi_square(chi, "what is left", b);
    }
    watched_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_parent_hears_is_uniform),
        cmocka_unit_test(no_mask_covers_two_things),
        cmocka_unit_test(a_pad_that_comes_twice_is_seen),
        cmocka_unit_test(a_small_node_is_rebuilt_without_masks_alone),
        cmocka_unit_test(colluding_nodes_learn_a_sum_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
