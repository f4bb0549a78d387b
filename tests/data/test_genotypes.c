/* Products with genotypes, and what a survey finds of them, against plain loops over the numbers that are read. */
#include "data/by_rows.h"
#include "data/genotypes.h"
#include "data/moments.h"
#include "support/genotypes.h"
#include "support/matrix.h"
#include "support/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More people than a block has, and more variants than a tile. */
enum { PEOPLE = 1203, VARIANTS = 133, NODES = 3, MOST_K = 70 };

typedef struct fixture {
    em_data *data;
    em_shards *shards;
    double *rows; /* [PEOPLE * VARIANTS] as they are read */
    double mean[VARIANTS], inverse[VARIANTS];
    emi_standard standard;
} fixture;

static void open_fixture(fixture *f, const char *split)
{
    unsigned char *copies = genotypes_draw(PEOPLE, VARIANTS, 1);
    em_error err = {0};
    *f = (fixture){.data = open_table(genotypes_write(
                       &(genotype_files){.name = "drawn", .people = PEOPLE, .variants = VARIANTS, .copies = copies}))};
    free(copies);
    f->rows = malloc(PEOPLE * VARIANTS * sizeof *f->rows);
    assert_non_null(f->rows);
    assert_ok(em_data_read(f->data, 0, PEOPLE, f->rows, &err), &err);
    assert_ok(em_shards_split(&f->shards, f->data, NODES, split, 7, &err), &err);
    for (int v = 0; v < VARIANTS; v++) {
        f->mean[v] = 1 + 0.5 * sin(v);
        f->inverse[v] = 1 / (0.5 + 0.001 * v);
    }
    f->standard = (emi_standard){.d = VARIANTS, .mean = f->mean, .inverse_scale = f->inverse};
}

static void close_fixture(fixture *f)
{
    em_shards_free(&f->shards);
    em_data_free(&f->data);
    free(f->rows);
}

/* A number as products are to see it. */
static double number(const fixture *f, size_t person, int v)
{
    double value = f->rows[person * VARIANTS + (size_t)v], mean = f->standard.mean ? f->mean[v] : 0;
    if (isnan(value)) value = f->standard.fill ? f->standard.fill[v] : mean;
    return (value - mean) * (f->standard.inverse_scale ? f->inverse[v] : 1);
}

static size_t person_of(const emi_shard *shard, size_t r)
{
    return shard->order ? shard->order[shard->first + r] : shard->first + r;
}

/* Scores of a shard's people, [count * K], and Z = weight Y' S, with squares behind it. */
static void by_loops(const fixture *f, const emi_operator *C, int K, const double *X, double *S, double *Z)
{
    for (size_t r = 0; r < C->shard->count; r++)
        for (int k = 0; k < K; k++) {
            double sum = 0;
            for (int v = 0; v < VARIANTS; v++)
                sum += number(f, person_of(C->shard, r), v) * X[(size_t)k * VARIANTS + (size_t)v];
            S[r * (size_t)K + (size_t)k] = sum;
        }
    for (int k = 0; k < K; k++) {
        double *squares = Z + (size_t)K * VARIANTS + k;
        *squares = 0;
        for (size_t r = 0; r < C->shard->count; r++)
            *squares += C->weight * S[r * (size_t)K + (size_t)k] * S[r * (size_t)K + (size_t)k];
        for (int v = 0; v < VARIANTS; v++) {
            double sum = 0;
            for (size_t r = 0; r < C->shard->count; r++)
                sum += number(f, person_of(C->shard, r), v) * S[r * (size_t)K + (size_t)k];
            Z[(size_t)k * VARIANTS + (size_t)v] = C->weight * sum;
        }
    }
}

static emi_operator operator_of(const fixture *f, int node, const emi_helpers *helpers)
{
    return (emi_operator){.kind = &emi_by_rows,
                          .d = VARIANTS,
                          .weight = 0.25,
                          .shard = &f->shards->shard[node],
                          .standard = &f->standard,
                          .helpers = helpers};
}

static void assert_near(const double *got, const double *wanted, size_t count, double tolerance)
{
    double size = 0;
    for (size_t n = 0; n < count; n++) size = fmax(size, fabs(wanted[n]));
    for (size_t n = 0; n < count; n++) assert_true(fabs(got[n] - wanted[n]) <= tolerance * size);
}

static void check_node(const fixture *f, int node, int K, const emi_helpers *helpers)
{
    static double X[VARIANTS * MOST_K], Z[(VARIANTS + 1) * MOST_K], exact[(VARIANTS + 1) * MOST_K];
    emi_operator C = operator_of(f, node, helpers);
    size_t count = C.shard->count * (size_t)K;
    double *S = malloc(count * sizeof *S), *scores = malloc(count * sizeof *scores);
    em_error err = {0};
    assert_true(S && scores);
    matrix_fill(X, (size_t)(VARIANTS * K), (uint64_t)K);
    const emi_block columns = {VARIANTS, K, X}, out = {VARIANTS, K, Z};
    by_loops(f, &C, K, X, S, exact);
    assert_ok(C.kind->measure(&C, columns, Z, (emi_scratch){0}, &err), &err);
    assert_near(Z, exact, (size_t)(VARIANTS * K), 1e-13);
    for (int k = 0; k < K; k++) assert_close(Z[VARIANTS * K + k], exact[VARIANTS * K + k], 1e-12);
    assert_ok(emi_by_rows_scores(&C, EMI_DOUBLE, columns, scores, (emi_scratch){0}, &err), &err);
    assert_near(scores, S, count, 1e-13);
    C.real = EMI_SINGLE;
    assert_ok(C.kind->apply(&C, columns, out, (emi_scratch){0}, &err), &err);
    assert_near(Z, exact, (size_t)(VARIANTS * K), 1e-6);
    assert_ok(emi_by_rows_scores(&C, EMI_SINGLE, columns, scores, (emi_scratch){0}, &err), &err);
    for (size_t n = 0; n < count; n++) assert_close(((const float *)(const void *)scores)[n], S[n], 1e-5);
    free(scores);
    free(S);
}

/* Shards that begin and end anywhere in a byte, and shuffled ones; a panel, and more columns than are multiplied at once. */
static void products_are_the_formula(void **state)
{
    (void)state;
    static const char *const splits[] = {"contiguous", "sizes:514,1,688", "shuffle"};
    for (size_t n = 0; n < sizeof splits / sizeof *splits; n++) {
        fixture f;
        open_fixture(&f, splits[n]);
        for (int node = 0; node < NODES; node++) {
            check_node(&f, node, 3, NULL);
            check_node(&f, node, MOST_K, NULL);
        }
        close_fixture(&f);
    }
}

/* Not centred, no scale, and values in place of those that are missing. */
static void standards_of_every_kind(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, NULL);
    f.standard.fill = f.mean;
    check_node(&f, 1, 3, NULL);
    f.standard.mean = NULL;
    check_node(&f, 1, 3, NULL);
    f.standard.inverse_scale = NULL;
    check_node(&f, 1, 3, NULL);
    close_fixture(&f);
}

/* The same bits, whoever helps. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static double X[VARIANTS * 5], alone[VARIANTS * 5], helped[VARIANTS * 5];
    fixture f;
    em_error err = {0};
    open_fixture(&f, "sizes:1201,1,1");
    matrix_fill(X, sizeof X / sizeof *X, 1);
    for (int threads = 1; threads < 5; threads++) {
        emi_scratch scratch[4] = {{0}};
        emi_helpers helpers = {NULL, scratch};
        assert_ok(emi_pool_open(&helpers.pool, threads, &err), &err);
        emi_operator C = operator_of(&f, 0, &helpers);
        for (int real = EMI_DOUBLE; real <= EMI_SINGLE; real++) {
            const emi_block columns = {VARIANTS, 5, X}, first = {VARIANTS, 5, alone}, second = {VARIANTS, 5, helped};
            C.real = (emi_real)real;
            C.helpers = NULL;
            assert_ok(C.kind->apply(&C, columns, first, (emi_scratch){0}, &err), &err);
            C.helpers = &helpers;
            assert_ok(C.kind->apply(&C, columns, second, (emi_scratch){0}, &err), &err);
            assert_memory_equal(alone, helped, sizeof alone);
        }
        emi_pool_close(&helpers.pool);
    }
    close_fixture(&f);
}

/* One block of people in so many: what those alone give. */
static void a_sample_is_some_of_the_people(void **state)
{
    (void)state;
    static double X[VARIANTS], some[VARIANTS], first[VARIANTS], last[VARIANTS];
    enum { BLOCK = 512 };
    fixture f;
    em_error err = {0};
    open_fixture(&f, "sizes:1201,1,1");
    matrix_fill(X, VARIANTS, 1);
    emi_operator C = operator_of(&f, 0, NULL);
    C.every = 2;
    assert_ok(C.kind->apply(&C, (emi_block){VARIANTS, 1, X}, (emi_block){VARIANTS, 1, some}, (emi_scratch){0}, &err),
              &err);
    C.every = 0;
    emi_shard part = *C.shard;
    C.shard = &part;
    part.count = BLOCK;
    assert_ok(C.kind->apply(&C, (emi_block){VARIANTS, 1, X}, (emi_block){VARIANTS, 1, first}, (emi_scratch){0}, &err),
              &err);
    part = (emi_shard){f.data, 2 * BLOCK, 1201 - 2 * BLOCK, NULL};
    assert_ok(C.kind->apply(&C, (emi_block){VARIANTS, 1, X}, (emi_block){VARIANTS, 1, last}, (emi_scratch){0}, &err),
              &err);
    for (int v = 0; v < VARIANTS; v++) assert_close(some[v], first[v] + last[v], 1e-12);
    close_fixture(&f);
}

/* ---- what a survey finds: the same as of numbers ----------------------------------------------------------------- */

static void check_survey(const fixture *f, const double *unit)
{
    static double found[EMI_SURVEY * VARIANTS];
    em_error err = {0};
    for (int node = 0; node < NODES; node++) {
        const emi_shard *shard = &f->shards->shard[node];
        assert_ok(emi_survey(shard, unit, found, NULL, (emi_scratch){0}, &err), &err);
        for (size_t v = 0; v < VARIANTS; v++) {
            double n = 0, sum = 0, squares = 0, highest = -INFINITY, lowest = -INFINITY, by = unit ? unit[v] : 1;
            for (size_t r = 0; r < shard->count; r++) {
                double value = f->rows[person_of(shard, r) * VARIANTS + v] / by;
                if (isnan(value)) continue;
                n++, sum += value;
                highest = fmax(highest, value), lowest = fmax(lowest, -value);
            }
            for (size_t r = 0; r < shard->count; r++) {
                double away = f->rows[person_of(shard, r) * VARIANTS + v] / by - sum / n;
                if (!isnan(away)) squares += away * away;
            }
            assert_true(found[EMI_COUNT * VARIANTS + v] == n);
            assert_close(found[EMI_COUNT * VARIANTS + v] * found[EMI_ORIGIN * VARIANTS + v] +
                             found[EMI_SUM * VARIANTS + v],
                         sum, 1e-13);
            assert_close(found[EMI_SQUARES * VARIANTS + v], squares, 1e-12);
            assert_true(found[EMI_HIGHEST * VARIANTS + v] == highest && found[EMI_LOWEST * VARIANTS + v] == lowest);
        }
    }
}

static void a_survey_counts(void **state)
{
    (void)state;
    static const char *const splits[] = {"contiguous", "sizes:514,1,688", "shuffle"};
    double unit[VARIANTS];
    for (int v = 0; v < VARIANTS; v++) unit[v] = ldexp(1, v % 3);
    for (size_t n = 0; n < sizeof splits / sizeof *splits; n++) {
        fixture f;
        open_fixture(&f, splits[n]);
        check_survey(&f, NULL);
        check_survey(&f, unit);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_formula), cmocka_unit_test(standards_of_every_kind),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(a_sample_is_some_of_the_people),
        cmocka_unit_test(a_survey_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
