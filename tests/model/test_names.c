/* Names of features in a model and its file, there and back; and files of other versions. */
#include "data/names.h"
#include "model/model.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 4, MOST = 1 << 16 };

/* As tests/fit/files/make.py has them. */
static const char *const names[D] = {"height", "", "Gr\303\266\303\237e in \302\265m",
                                     "\344\275\223\351\207\215 \360\237\230\200"};

static const char *golden(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/fit/files/%s", EM_TEST_DATA, name);
    return path;
}

static size_t contents(const char *path, unsigned char *bytes)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, MOST, in);
    assert_true(size > 0 && size < MOST);
    assert_int_equal(fclose(in), 0);
    return size;
}

static em_model *small_model(void)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(emi_model_new(&model, 1, D, 10, &err), &err);
    for (int f = 0; f < D; f++) model->scale[f] = 1;
    return model;
}

static em_model *saved_and_loaded(const em_model *model)
{
    em_error err = {0};
    em_model *loaded = NULL;
    const char *path = scratch("model.npz");
    assert_ok(em_model_save(model, path, &err), &err);
    assert_ok(em_model_load(&loaded, path, &err), &err);
    return loaded;
}

static void check_names(const em_model *model)
{
    for (int f = 0; f < D; f++) assert_string_equal(em_model_feature_name(model, f), names[f]);
    assert_null(em_model_feature_name(model, -1));
    assert_null(em_model_feature_name(model, D));
}

static void a_file_keeps_them(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = small_model();
    assert_ok(emi_model_name_features(model, names, &err), &err);
    check_names(model);
    em_model *loaded = saved_and_loaded(model);
    check_names(loaded);
    em_model_free(&loaded);
    assert_ok(emi_model_name_features(model, NULL, &err), &err);
    assert_null(em_model_feature_name(model, 0));
    em_model_free(&model);
}

/* A stored entry of a ZIP archive lies there as it is: the array is, byte for byte, the one that numpy.save writes. */
static void the_array_is_numpys(void **state)
{
    (void)state;
    static unsigned char wanted[MOST], file[MOST];
    em_error err = {0};
    em_model *model = small_model();
    assert_ok(emi_model_name_features(model, names, &err), &err);
    const char *path = scratch("numpy.npz");
    assert_ok(em_model_save(model, path, &err), &err);
    em_model_free(&model);
    size_t size = contents(golden("names.npy"), wanted), room = contents(path, file), found = 0;
    for (size_t at = 0; at + size <= room; at++) found += memcmp(file + at, wanted, size) == 0;
    assert_int_equal(found, 1);
}

static void what_numpy_wrote_is_read(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(em_model_load(&model, golden("names.npz"), &err), &err);
    check_names(model);
    em_model_free(&model);
}

static void a_model_without_names_has_none(void **state)
{
    (void)state;
    em_model *model = small_model(), *loaded = saved_and_loaded(model);
    for (int f = 0; f < D; f++) assert_null(em_model_feature_name(loaded, f));
    em_model_free(&loaded);
    em_model_free(&model);
}

/* Latin-1, and a name without an end. */
static void odd_names_stay_readable(void **state)
{
    (void)state;
    static char endless[5000];
    em_error err = {0};
    const char *const odd[D] = {"caf\xe9", endless, "\n", " "};
    memset(endless, 'n', sizeof endless - 1);
    em_model *model = small_model();
    assert_ok(emi_model_name_features(model, odd, &err), &err);
    em_model *loaded = saved_and_loaded(model);
    assert_string_equal(em_model_feature_name(loaded, 0), "caf\xef\xbf\xbd");
    assert_int_equal(strlen(em_model_feature_name(loaded, 1)), EMI_NAME_LONGEST);
    assert_string_equal(em_model_feature_name(loaded, 2), "\n");
    assert_string_equal(em_model_feature_name(loaded, 3), " ");
    em_model_free(&loaded);
    em_model_free(&model);
}

/* Numbers from a text file. */
static void read_table(const char *name, double *values, size_t count)
{
    em_error err = {0};
    em_data *data = NULL;
    assert_ok(em_data_open(&data, golden(name), NULL, &err), &err);
    assert_int_equal(em_data_rows(data) * em_data_columns(data), count);
    assert_ok(em_data_read(data, 0, em_data_rows(data), values, &err), &err);
    em_data_free(&data);
}

static void models_of_the_first_format_are_read(void **state)
{
    (void)state;
    enum { ROWS = 12 };
    static const struct {
        const char *name;
        int K, rank, nodes;
    } cases[] = {{"plain", 2, 2, 3}, {"std", 2, 2, 1}, {"rank", 4, 3, 1}, {"python", 2, 2, 2}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char file[64];
        em_error err = {0};
        em_model *model = NULL;
        double rows[ROWS * D], scores[ROWS * D], wanted[ROWS * D];
        (void)snprintf(file, sizeof file, "format-1/%s.npz", cases[n].name);
        assert_ok(em_model_load(&model, golden(file), &err), &err);
        assert_int_equal(em_model_components_count(model), cases[n].K);
        assert_int_equal(em_model_info(model)->rank, cases[n].rank);
        assert_int_equal(em_model_info(model)->nodes, cases[n].nodes);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        assert_null(em_model_feature_name(model, 0));
        (void)snprintf(file, sizeof file, "format-1/%s-rows.csv", cases[n].name);
        read_table(file, rows, ROWS * D);
        (void)snprintf(file, sizeof file, "format-1/%s-scores.csv", cases[n].name);
        read_table(file, wanted, (size_t)(ROWS * cases[n].K));
        assert_ok(em_model_transform(model, rows, ROWS, 0, scores, &err), &err);
        for (int s = 0; s < ROWS * cases[n].K; s++) assert_close(scores[s], wanted[s], 1e-14);
        em_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_keeps_them),        cmocka_unit_test(the_array_is_numpys),
        cmocka_unit_test(what_numpy_wrote_is_read), cmocka_unit_test(a_model_without_names_has_none),
        cmocka_unit_test(odd_names_stay_readable),  cmocka_unit_test(models_of_the_first_format_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
