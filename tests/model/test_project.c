/* em_project against plain sums in long double: any type of rows, means near and far, many components. */
#include "support/check.h"
#include "support/matrix.h"

#include <eigenmesh/eigenmesh.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    size_t rows, d;
    int K;
} shape;

typedef struct problem {
    shape s;
    em_dtype type;
    void *values;
    double *exact; /* [rows * d] what they are */
    double *mean, *scale, *components;
} problem;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    assert_non_null(memory);
    return memory;
}

static problem make(shape s, em_dtype type, double offset)
{
    problem p = {.s = s, .type = type};
    size_t count = s.rows * s.d;
    p.values = room(count * 8);
    p.exact = room(count * sizeof(double));
    p.mean = room(s.d * sizeof(double));
    p.scale = room(s.d * sizeof(double));
    p.components = room(s.d * (size_t)s.K * sizeof(double));
    matrix_fill(p.exact, count, 11);
    matrix_fill(p.mean, s.d, 12);
    matrix_fill(p.components, s.d * (size_t)s.K, 13);
    for (size_t n = 0; n < count; n++) {
        double value = type == EM_U8 ? floor(100 * (p.exact[n] + 1)) : p.exact[n] + offset;
        if (type == EM_F64) ((double *)p.values)[n] = value;
        if (type == EM_F32) value = ((float *)p.values)[n] = (float)value;
        if (type == EM_U8) value = ((unsigned char *)p.values)[n] = (unsigned char)value;
        p.exact[n] = value;
    }
    for (size_t f = 0; f < s.d; f++) {
        p.mean[f] += type == EM_U8 ? 100 : offset;
        p.scale[f] = 0.5 + fabs(sin((double)f));
    }
    return p;
}

static void unmake(problem *p)
{
    free(p->values);
    free(p->exact);
    free(p->mean);
    free(p->scale);
    free(p->components);
}

static void project(const problem *p, int scaled, em_dtype as, void *scores, int threads)
{
    em_error err = {0};
    em_data *data = NULL;
    static const size_t sizes[] = {[EM_F64] = 8, [EM_F32] = 4, [EM_U8] = 1};
    ptrdiff_t size = (ptrdiff_t)sizes[p->type];
    assert_ok(em_data_from_array(&data, p->values, p->type, p->s.rows, p->s.d, size * (ptrdiff_t)p->s.d, size, &err),
              &err);
    assert_ok(em_project(data, p->mean, scaled ? p->scale : NULL, p->components, p->s.K, as, scores, threads, &err),
              &err);
    em_data_free(&data);
}

/* Each score is off by no more than rounding of its own terms, about the mean. */
static void check_scores(const problem *p, int scaled, em_dtype as, const void *scores)
{
    double eps = as == EM_F32 ? 4e-7 : 1e-15;
    for (size_t r = 0; r < p->s.rows; r += 1 + p->s.rows / 13)
        for (int k = 0; k < p->s.K; k++) {
            long double exact = 0, size = 0;
            for (size_t f = 0; f < p->s.d; f++) {
                long double term = ((long double)p->exact[r * p->s.d + f] - p->mean[f]) / (scaled ? p->scale[f] : 1) *
                                   p->components[(size_t)k * p->s.d + f];
                exact += term;
                size += term * term;
            }
            size_t at = r * (size_t)p->s.K + (size_t)k;
            double found = as == EM_F32 ? (double)((const float *)scores)[at] : ((const double *)scores)[at];
            double within = eps * sqrt((double)p->s.d) * (2 + sqrt((double)size));
            assert_true(fabs(found - (double)exact) <= within);
        }
}

static void scores_are_the_formula(void **state)
{
    (void)state;
    static const shape shapes[] = {{1, 1, 1}, {7, 3, 2}, {130, 33, 10}, {2100, 20, 17}, {20, 70000, 20}};
    static const em_dtype types[] = {EM_F64, EM_F32, EM_U8};
    static const double offsets[] = {0, 1000};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int t = 0; t < 3; t++)
            for (int o = 0; o < 2; o++)
                for (int way = 0; way < 4; way++) {
                    problem p = make(shapes[s], types[t], offsets[o]);
                    em_dtype as = way & 1 ? EM_F32 : EM_F64;
                    size_t bytes = p.s.rows * (size_t)p.s.K * (as == EM_F32 ? 4 : 8);
                    void *one = room(bytes), *three = room(bytes);
                    project(&p, way >> 1, as, one, 1);
                    project(&p, way >> 1, as, three, 3);
                    assert_memory_equal(one, three, bytes);
                    check_scores(&p, way >> 1, as, one);
                    free(three);
                    free(one);
                    unmake(&p);
                }
}

static void what_is_not_finite_shows(void **state)
{
    (void)state;
    problem p = make((shape){40, 9, 3}, EM_F64, 0);
    double scores[40 * 3];
    ((double *)p.values)[17 * 9 + 4] = NAN;
    ((double *)p.values)[18 * 9 + 4] = INFINITY;
    project(&p, 0, EM_F64, scores, 1);
    for (int r = 0; r < 40; r++)
        for (int k = 0; k < 3; k++) assert_true(isfinite(scores[r * 3 + k]) == (r != 17 && r != 18));
    unmake(&p);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    problem p = make((shape){4, 2, 1}, EM_F64, 0);
    em_error err = {0};
    em_data *data = NULL;
    double scores[4];
    assert_ok(em_data_from_array(&data, p.values, EM_F64, 4, 2, 16, 8, &err), &err);
    assert_fails(em_project(NULL, NULL, NULL, p.components, 1, EM_F64, scores, 1, &err), EM_EINVAL, "NULL", &err);
    assert_fails(em_project(data, NULL, NULL, NULL, 1, EM_F64, scores, 1, &err), EM_EINVAL, "NULL", &err);
    assert_fails(em_project(data, NULL, NULL, p.components, 0, EM_F64, scores, 1, &err), EM_EINVAL, "0 components",
                 &err);
    assert_fails(em_project(data, NULL, NULL, p.components, 1, EM_I8, scores, 1, &err), EM_EINVAL, "EM_F64", &err);
    assert_fails(em_project(data, NULL, NULL, p.components, 1, EM_F64, scores, -1, &err), EM_EINVAL, "-1 threads",
                 &err);
    p.scale[1] = 0;
    assert_fails(em_project(data, NULL, p.scale, p.components, 1, EM_F64, scores, 1, &err), EM_EINVAL, "scale 1 is 0",
                 &err);
    em_data_free(&data);
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_the_formula),
                                       cmocka_unit_test(what_is_not_finite_shows),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
