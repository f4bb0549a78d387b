/* The arithmetic of the claims, on curves that are made up. */
#include "lab/paper/paper.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, CURVES_MAX = 10 };

/* A curve that falls from 1 by `factor` an iteration to a floor, sending `units` an iteration. */
static curve made_up(const char *key, double factor, double lowest, double units)
{
    lab_curve_row *rows = calloc(ROWS, sizeof *rows);
    assert_non_null(rows);
    for (int t = 0; t < ROWS; t++)
        rows[t] = (lab_curve_row){
            .iteration = t, .units = units * t, .bytes = 8 * units * t, .error = fmax(lowest, pow(factor, t))};
    return (curve){.key = key, .label = key, .runs = 1, .count = ROWS, .rows = rows};
}

static void release(setup *s)
{
    for (int c = 0; c < s->curve_count; c++) free((void *)s->curves[c].rows);
}

static const claim *find(const reproduction *r, const char *key)
{
    for (int c = 0; c < r->claim_count; c++)
        if (strcmp(r->claims[c].key, key) == 0) return &r->claims[c];
    fail_msg("no claim %s", key);
    return NULL;
}

/* Judge one set-up, and return what was found of one claim. */
static claim judged(const char *setup_key, curve *curves, int count, const char *claim_key)
{
    em_error err = {0};
    setup one = {.key = setup_key, .title = "made up", .curve_count = count, .curves = curves};
    reproduction r = {.setup_count = 1, .setups = &one};
    assert_ok(claims_judge(&r, &err), &err);
    claim found = *find(&r, claim_key);
    claims_free(&r);
    release(&one);
    return found;
}

static void ends_and_reaches(void **state)
{
    (void)state;
    curve c = made_up("dsa-0.1", 0.5, 1e-3, 2);
    assert_close(curve_end(&c), 1e-3, 1e-12);
    assert_close(curve_reaches(&c, 0.5, AXIS_ITERATIONS), 1, 0);
    assert_close(curve_reaches(&c, 0.01, AXIS_UNITS), 14, 0);
    assert_close(curve_reaches(&c, 0.01, AXIS_BYTES), 112, 0);
    assert_true(isinf(curve_reaches(&c, 1e-4, AXIS_UNITS)));
    assert_true(isnan(curve_end(NULL)));
    assert_true(isinf(curve_reaches(NULL, 1, AXIS_UNITS)));
    curve empty = {.key = "none", .count = 0};
    assert_true(isnan(curve_end(&empty)));
    /* the last tenth, and at least one row */
    lab_curve_row rows[] = {{.error = 8}, {.error = 4}, {.error = 2}};
    assert_close(curve_end(&(curve){.count = 3, .rows = rows}), 2, 0);
    free((void *)c.rows);
}

static void nothing_run_is_said(void **state)
{
    (void)state;
    em_error err = {0};
    reproduction r = {0};
    assert_ok(claims_judge(&r, &err), &err);
    assert_true(r.claim_count > 10);
    for (int c = 0; c < r.claim_count; c++) {
        assert_int_equal(r.claims[c].verdict, NOT_RUN);
        assert_int_equal(r.claims[c].evidence_count, 0);
    }
    claims_free(&r);
}

static void collaboration(void **state)
{
    (void)state;
    for (int pays = 0; pays < 2; pays++) {
        curve curves[] = {made_up("dsa-0.1", 0.9, 1e-4, 1), made_up("gha-alone-0.1", 0.9, pays ? 0.1 : 5e-4, 0),
                          made_up("gha-0.1", 0.9, 1e-15, 0)};
        claim c = judged("fig1a", curves, 3, "fig1a-collaboration");
        assert_int_equal(c.verdict, pays ? HOLDS : FAILS);
        assert_int_equal(c.evidence_count, 1);
        assert_non_null(strstr(c.evidence[0].text, pays ? "single nodes end at 0.1" : "single nodes end at 0.0005"));
    }
}

static void step_sizes(void **state)
{
    (void)state;
    static const char *const keys[] = {"dsa-0.01", "dsa-0.05", "dsa-0.1", "dsa-0.3", "dsa-0.5"};
    static const double factors[] = {0.9, 0.8, 0.7, 0.6, 0.5}, floors[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    curve curves[5], again[5];
    for (int i = 0; i < 5; i++) curves[i] = made_up(keys[i], factors[i], floors[i], 1);
    assert_int_equal(judged("fig1b", curves, 5, "fig1b-slow").verdict, HOLDS);
    /* one floor out of order: three of the four pairs bear it out */
    for (int i = 0; i < 5; i++) again[i] = made_up(keys[i], factors[i], i == 4 ? 1e-4 : floors[i], 1);
    claim c = judged("fig1b", again, 5, "fig1b-high");
    assert_int_equal(c.verdict, PARTLY);
    assert_int_equal(c.evidence_count, 4);
    assert_true(c.evidence[0].holds && c.evidence[1].holds && c.evidence[2].holds && !c.evidence[3].holds);
}

static void one_eigenvector(void **state)
{
    (void)state;
    /* the power method ends lower but sends more on the way */
    curve late[] = {made_up("dsa-0.1", 0.9, 1e-4, 1), made_up("dpgd-0.1", 0.9, 1e-4, 1),
                    made_up("seqdistpm-50", 0.6, 1e-9, 50)};
    claim c = judged("fig2-er", late, 3, "fig2-seqdistpm");
    assert_int_equal(c.verdict, PARTLY);
    assert_int_equal(c.evidence_count, 2);
    assert_non_null(strstr(c.evidence[0].text, "seqdistpm 500, dsa 44, dpgd 44"));
    curve early[] = {made_up("dsa-0.1", 0.9, 1e-4, 1), made_up("dpgd-0.1", 0.9, 1e-4, 1),
                     made_up("seqdistpm-50", 0.6, 1e-9, 2)};
    assert_int_equal(judged("fig2-er", early, 3, "fig2-seqdistpm").verdict, HOLDS);
    curve same[] = {made_up("dsa-0.1", 0.9, 1e-4, 1), made_up("dpgd-0.1", 0.9, 1.5e-4, 1)};
    assert_int_equal(judged("fig2-er", same, 2, "fig2-alike").verdict, HOLDS);
    curve apart[] = {made_up("dsa-0.1", 0.9, 1e-4, 1), made_up("dpgd-0.1", 0.9, 3e-4, 1)};
    assert_int_equal(judged("fig2-er", apart, 2, "fig2-alike").verdict, FAILS);
}

static void five_eigenvectors(void **state)
{
    (void)state;
    static const char *const keys[] = {"fig3-dpgd", "fig3-floor", "fig3-efficiency", "fig3-beginning", "fig3-end"};
    static const verdict wanted[] = {PARTLY, HOLDS, PARTLY, HOLDS, HOLDS};
    for (int k = 0; k < 5; k++) {
        curve curves[] = {made_up("dsa-0.1", 0.9, 1.1e-4, 1),     made_up("dpgd-0.1", 0.9, 1e-4, 1),
                          made_up("dpgd-free-0.1", 0.9, 0.1, 1),  made_up("seqdistpm-50", 0.9, 1e-6, 10),
                          made_up("seqdistpm-20", 0.9, 1e-6, 4),  made_up("seqdistpm-10", 0.9, 1e-6, 2),
                          made_up("seqdistpm-5", 0.9, 1e-6, 0.5), made_up("krylov", 0.1, 1e-20, 0.2)};
        claim c = judged("fig3-er-0.8", curves, 8, keys[k]);
        assert_int_equal(c.verdict, wanted[k]);
    }
}

static void many_eigenvectors_and_beyond(void **state)
{
    (void)state;
    curve curves[] = {made_up("dsa-0.7", 0.9, 1e-4, 1), made_up("seqdistpm-50", 0.9, 1e-6, 5),
                      made_up("krylov", 0.1, 1e-20, 0.2)};
    assert_int_equal(judged("fig5-10", curves, 3, "fig4-seqdistpm").verdict, HOLDS);
    curve again[] = {made_up("dsa-0.7", 0.9, 1e-4, 1), made_up("krylov", 0.1, 1e-20, 20)};
    assert_int_equal(judged("fig5-10", again, 2, "exact").verdict, FAILS);
}

static void sorted_by_class(void **state)
{
    (void)state;
    char note[] = "diverged after 35 iterations";
    for (int good = 0; good < 2; good++) {
        curve curves[] = {made_up("dsa-0.1", 0.9, 0.5, 1),    made_up("dsa-auto", 0.9, 0.2, 1),
                          made_up("deepca", 0.5, 1e-12, 3),   made_up("fastpca", 0.5, 1e-12, 2),
                          made_up("krylov", 0.1, 1e-20, 0.2), made_up("covariance", 0.1, good ? 1e-20 : 0.1, 0.2)};
        curves[0].note = note;
        claim c = judged("fig4-sorted", curves, 6, "sorted");
        assert_int_equal(c.verdict, good ? HOLDS : PARTLY);
        assert_int_equal(c.evidence_count, 6);
        assert_non_null(strstr(c.evidence[0].text, note));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_reaches),
        cmocka_unit_test(nothing_run_is_said),
        cmocka_unit_test(collaboration),
        cmocka_unit_test(step_sizes),
        cmocka_unit_test(one_eigenvector),
        cmocka_unit_test(five_eigenvectors),
        cmocka_unit_test(many_eigenvectors_and_beyond),
        cmocka_unit_test(sorted_by_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
