/* The model: rows to scores and back, and its file. */
#include "base/output.h"
#include "model/model.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 600 };

/* Any numbers will do, but for orthonormal components; row-major K x d is column-major d x K. */
static em_model *new_model(int K, int d)
{
    em_model *model = NULL;
    em_error err = {0};
    double *A = malloc(sizeof *A * (size_t)(d * d)), *Q = malloc(sizeof *Q * (size_t)(d * d));
    double *ones = malloc(sizeof *ones * (size_t)d);
    assert_true(A && Q && ones);
    for (int f = 0; f < d; f++) ones[f] = 1;
    matrix_of_spectrum(A, Q, d, ones, 17);
    assert_ok(emi_model_new(&model, K, d, 1234, &err), &err);
    memcpy(model->components, Q, sizeof *Q * (size_t)(K * d));
    for (int f = 0; f < d; f++) model->mean[f] = 10 - f, model->scale[f] = 0.5 + 0.25 * f;
    for (int k = 0; k < K; k++) {
        model->explained_variance[k] = 4.0 / (k + 1);
        model->explained_variance_ratio[k] = 0.5 / (k + 1);
        model->singular_values[k] = 70.0 / (k + 1);
        model->residuals[k] = 1e-7 * (k + 1);
    }
    model->noise_variance = 0.0625;
    free(ones);
    free(Q);
    free(A);
    return model;
}

static void fill_info(em_info *info)
{
    *info = (em_info){.method = "seqdistpm",
                      .operator_name = "implicit",
                      .reason = EM_STOPPED_DIVERGED,
                      .iterations = 1234567890123,
                      .step = NAN,
                      .tolerance = 1e-6,
                      .change = 2.5e-7,
                      .consensus = 1e-9,
                      .error = NAN,
                      .nodes = 20,
                      .threads = 4,
                      .samples = 1234,
                      .seed = UINT64_MAX,
                      .seconds_setup = 0.125,
                      .seconds = 7.75,
                      .constant_features = 3};
    for (int phase = 0; phase < EM_PHASES; phase++)
        info->traffic[phase] = (em_traffic){.rounds = 10 + (uint64_t)phase,
                                            .messages = UINT64_C(1) << (40 + phase),
                                            .bytes = 1000 * (uint64_t)phase,
                                            .units = 0.1 * phase};
}

/* ---- rows to scores, and back -------------------------------------------------------------- */

static void transforms_are_the_formulas(void **state)
{
    (void)state;
    enum { K = 3, D = 5 };
    em_model *model = new_model(K, D);
    static double rows[MOST * D], scores[MOST * K], back[MOST * D];
    const double *V = em_model_components(model);
    em_error err = {0};
    matrix_fill(rows, MOST * D, 1);
    const size_t counts[] = {0, 1, 255, 256, 257, MOST}; /* about the size of a block, and over two */
    for (int whiten = 0; whiten < 2; whiten++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t count = counts[c];
            for (int n = 0; n < MOST * K; n++) scores[n] = -99;
            assert_ok(em_model_transform(model, rows, count, whiten, scores, &err), &err);
            assert_ok(em_model_inverse(model, scores, count, whiten, back, &err), &err);
            for (size_t r = 0; r < count; r++) {
                double again[D] = {0};
                for (int k = 0; k < K; k++) {
                    double wanted = 0, deviation = whiten ? sqrt(model->explained_variance[k]) : 1;
                    for (int f = 0; f < D; f++)
                        wanted += V[k * D + f] * (rows[r * D + (size_t)f] - model->mean[f]) / model->scale[f];
                    assert_close(scores[r * K + (size_t)k], wanted / deviation, 1e-13);
                    for (int f = 0; f < D; f++) again[f] += V[k * D + f] * wanted;
                }
                for (int f = 0; f < D; f++)
                    assert_close(back[r * D + (size_t)f], again[f] * model->scale[f] + model->mean[f], 1e-13);
            }
            if (count < MOST) assert_true(scores[count * K] == -99); /* nothing beyond */
        }
    em_model_free(&model);
    assert_null(model);
    em_model_free(&model);
}

static void all_components_bring_rows_back(void **state)
{
    (void)state;
    enum { D = 6 };
    em_model *model = new_model(D, D);
    static double rows[MOST * D], scores[MOST * D], back[MOST * D];
    em_error err = {0};
    matrix_fill(rows, MOST * D, 2);
    for (int whiten = 0; whiten < 2; whiten++) {
        assert_ok(em_model_transform(model, rows, MOST, whiten, scores, &err), &err);
        assert_ok(em_model_inverse(model, scores, MOST, whiten, back, &err), &err);
        for (int n = 0; n < MOST * D; n++) assert_close(back[n], rows[n], 1e-13);
    }
    em_model_free(&model);
}

static void a_component_without_variance_is_not_blown_up(void **state)
{
    (void)state;
    em_model *model = new_model(1, 2);
    const double row[] = {3, 4};
    double plain, white;
    em_error err = {0};
    model->explained_variance[0] = 0;
    assert_ok(em_model_transform(model, row, 1, 0, &plain, &err), &err);
    assert_ok(em_model_transform(model, row, 1, 1, &white, &err), &err);
    assert_true(white == plain && isfinite(white));
    em_model_free(&model);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void assert_same_traffic(const em_info *a, const em_info *b)
{
    for (int phase = 0; phase < EM_PHASES; phase++) {
        assert_true(a->traffic[phase].rounds == b->traffic[phase].rounds);
        assert_true(a->traffic[phase].messages == b->traffic[phase].messages);
        assert_true(a->traffic[phase].bytes == b->traffic[phase].bytes);
        assert_true(a->traffic[phase].units == b->traffic[phase].units);
    }
}

static void assert_same_info(const em_info *a, const em_info *b)
{
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->operator_name, b->operator_name);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->iterations, b->iterations);
    assert_true(isnan(a->step) && isnan(b->step) && isnan(a->error) && isnan(b->error));
    assert_true(a->tolerance == b->tolerance && a->change == b->change && a->consensus == b->consensus);
    assert_true(a->nodes == b->nodes && a->threads == b->threads && a->samples == b->samples && a->seed == b->seed);
    assert_true(a->seconds_setup == b->seconds_setup && a->seconds == b->seconds);
    assert_int_equal(a->constant_features, b->constant_features);
    assert_same_traffic(a, b);
}

static void a_file_keeps_every_bit(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {1, 9}, {4, 4}, {3, 50}};
    for (int s = 0; s < 4; s++) {
        int K = sizes[s][0], d = sizes[s][1];
        em_model *model = new_model(K, d), *loaded = NULL;
        em_error err = {0};
        fill_info(&model->info);
        matrix_fill(model->mean, (size_t)d, 9);
        const char *path = scratch("model.npz");
        assert_ok(em_model_save(model, path, &err), &err);
        assert_ok(em_model_load(&loaded, path, &err), &err);
        assert_int_equal(em_model_components_count(loaded), K);
        assert_int_equal(em_model_features(loaded), d);
        assert_true(em_model_samples(loaded) == 1234);
        size_t Kd = sizeof(double) * (size_t)(K * d), each = sizeof(double) * (size_t)d, k = sizeof(double) * (size_t)K;
        assert_memory_equal(em_model_components(loaded), em_model_components(model), Kd);
        assert_memory_equal(em_model_mean(loaded), em_model_mean(model), each);
        assert_memory_equal(em_model_scale(loaded), em_model_scale(model), each);
        assert_memory_equal(em_model_explained_variance(loaded), em_model_explained_variance(model), k);
        assert_memory_equal(em_model_explained_variance_ratio(loaded), em_model_explained_variance_ratio(model), k);
        assert_memory_equal(em_model_singular_values(loaded), em_model_singular_values(model), k);
        assert_memory_equal(em_model_residuals(loaded), em_model_residuals(model), k);
        assert_true(em_model_noise_variance(loaded) == em_model_noise_variance(model));
        assert_null(em_model_exact_variance(loaded));
        assert_null(em_model_component_error(loaded));
        assert_same_info(em_model_info(loaded), em_model_info(model));
        size_t rows = 1;
        assert_null(trace_of(loaded, &rows));
        assert_int_equal(rows, 0);
        em_model_free(&loaded);
        em_model_free(&model);
    }
}

/* The bytes of a small model's file; the caller frees them. */
static unsigned char *small_file(size_t *size)
{
    em_model *model = new_model(1, 2);
    em_error err = {0};
    fill_info(&model->info);
    const char *path = scratch("small.npz");
    assert_ok(em_model_save(model, path, &err), &err);
    em_model_free(&model);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    (void)fclose(file);
    return bytes;
}

static void the_same_model_gives_the_same_file(void **state)
{
    (void)state;
    size_t a, b;
    unsigned char *first = small_file(&a), *second = small_file(&b);
    assert_int_equal(a, b);
    assert_memory_equal(first, second, a);
    free(first);
    free(second);
}

static void check_fails_cleanly(em_status status, const em_model *model, const em_error *err)
{
    assert_true(status == EM_EDATA || status == EM_EIO || status == EM_ENOTSUP);
    assert_int_equal(err->code, status);
    assert_true(strlen(err->msg) > 0 && !strchr(err->msg, '\n'));
    assert_null(model);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = small_file(&size);
    for (size_t length = 0; length < size; length++) {
        em_error err = {0};
        em_model *model = (em_model *)&err; /* must be left NULL */
        const char *path = scratch_file("cut.npz", bytes, length);
        em_status status = em_model_load(&model, path, &err);
        assert_int_not_equal(status, EM_OK);
        check_fails_cleanly(status, model, &err);
    }
    free(bytes);
}

/* Some bytes do not matter (times, padding); then the model has the shape it had. */
static void a_damaged_byte_is_survived(void **state)
{
    (void)state;
    size_t size, harmless = 0;
    unsigned char *bytes = small_file(&size);
    for (size_t at = 0; at < size; at++) {
        em_error err = {0};
        em_model *model = NULL;
        bytes[at] ^= 0xff;
        em_status status = em_model_load(&model, scratch_file("damaged.npz", bytes, size), &err);
        bytes[at] ^= 0xff;
        if (status != EM_OK) {
            check_fails_cleanly(status, model, &err);
            continue;
        }
        harmless++;
        assert_int_equal(em_model_components_count(model), 1);
        assert_int_equal(em_model_features(model), 2);
        em_model_free(&model);
    }
    assert_true(harmless < size / 2);
    free(bytes);
}

static void check_refused(em_model **model, const char *words)
{
    em_error err = {0};
    const char *path = scratch("refused.npz");
    assert_ok(em_model_save(*model, path, &err), &err);
    em_model_free(model);
    assert_fails(em_model_load(model, path, &err), EM_EDATA, words, &err);
    assert_null(*model);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    em_model *model = new_model(2, 3);
    model->components[5] = NAN;
    check_refused(&model, "a number in it is not finite");
    model = new_model(2, 3);
    model->mean[2] = INFINITY;
    check_refused(&model, "a number in it is not finite");
    model = new_model(2, 3);
    model->scale[1] = 0;
    check_refused(&model, "scale is not positive");
    model = new_model(2, 3);
    model->scale[0] = -1;
    check_refused(&model, "scale is not positive");
}

static void files_that_are_no_models_are_refused(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    assert_fails(em_model_load(&model, "/no/such/model.npz", &err), EM_EIO, "/no/such/model.npz: cannot be read", &err);
    const char *path = scratch_file("text.npz", "a text, no archive", 18);
    assert_fails(em_model_load(&model, path, &err), EM_EDATA, "text.npz: no model", &err);
    assert_int_equal(em_model_load(&model, path, NULL), EM_EDATA);
    static const char empty_archive[22] = "PK\5\6";
    path = scratch_file("empty.npz", empty_archive, sizeof empty_archive);
    assert_fails(em_model_load(&model, path, &err), EM_EDATA, "components is missing", &err);
}

static void a_place_that_cannot_be_written_is_reported(void **state)
{
    (void)state;
    em_model *model = new_model(1, 2);
    em_error err = {0};
    emi_output *output = NULL;
    assert_fails(em_model_save(model, "/no/such/place/m.npz", &err), EM_EINVAL, "/no/such/place/m.npz", &err);
    if (access("/dev/full", W_OK) == 0) {
        assert_fails(em_model_save(model, "/dev/full", &err), EM_EOUTPUT, "/dev/full", &err);
        assert_ok(emi_output_open(&output, "/dev/full", &err), &err);
        (void)em_model_write(model, emi_output_stream(output), &err);
        assert_fails(emi_output_commit(&output, &err), EM_EOUTPUT, "/dev/full", &err);
    }
    em_model_free(&model);
}

static void a_model_may_be_written_to_an_open_output(void **state)
{
    (void)state;
    em_model *model = new_model(2, 4), *loaded = NULL;
    em_error err = {0};
    emi_output *output = NULL;
    const char *path = scratch("written.npz");
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_ok(em_model_write(model, emi_output_stream(output), &err), &err);
    assert_ok(emi_output_commit(&output, &err), &err);
    assert_ok(em_model_load(&loaded, path, &err), &err);
    assert_memory_equal(em_model_components(loaded), em_model_components(model), 8 * sizeof(double));
    em_model_free(&loaded);
    em_model_free(&model);
}

static void reasons_and_phases_have_names(void **state)
{
    (void)state;
    assert_string_equal(em_reason_text(EM_CONVERGED), "converged");
    assert_string_equal(em_reason_text(EM_STOPPED_DIVERGED), "diverged");
    assert_string_equal(em_reason_text((em_reason)5), "unknown");
    for (int phase = 0; phase < EM_PHASES; phase++) assert_string_not_equal(em_phase_name((em_phase)phase), "unknown");
    assert_string_equal(em_phase_name(EM_PHASES), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_the_formulas),
        cmocka_unit_test(all_components_bring_rows_back),
        cmocka_unit_test(a_component_without_variance_is_not_blown_up),
        cmocka_unit_test(a_file_keeps_every_bit),
        cmocka_unit_test(the_same_model_gives_the_same_file),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_damaged_byte_is_survived),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(files_that_are_no_models_are_refused),
        cmocka_unit_test(a_place_that_cannot_be_written_is_reported),
        cmocka_unit_test(a_model_may_be_written_to_an_open_output),
        cmocka_unit_test(reasons_and_phases_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
