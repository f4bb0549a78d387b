/* Which rows are drawn, where, and by which colour. */
#include "page/points.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12000, COLUMNS = 5, K = 3 };
static double values[ROWS * COLUMNS];

static em_model *fit_model(em_data **data)
{
    em_error err = {0};
    em_options *options = NULL;
    em_model *model = NULL;
    network net = {0};
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    const network_plan plan = {values, ROWS, COLUMNS, "complete", 1, 1};
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(em_options_create(&options, &err), &err);
    assert_ok(em_options_set(options, "components", "3", &err), &err);
    assert_ok(em_fit(&model, options, net.mesh, net.shards, &err), &err);
    em_options_free(&options);
    network_close(&net);
    assert_ok(em_data_from_array(data, values, EM_F64, ROWS, COLUMNS, 0, 0, &err), &err);
    return model;
}

/* Each point's scores are those of some row, by the formula; no row is drawn twice; missing values are the mean. */
static void points_are_rows(void **state)
{
    (void)state;
    em_data *data = NULL;
    em_error err = {0};
    em_model *model = fit_model(&data);
    emi_points points;
    const em_data *tables[] = {data};
    em_page page = {.size = sizeof page, .model = model, .tables = tables, .table_count = 1};
    assert_ok(emi_points_find(&points, &page, &err), &err);
    assert_int_equal(points.rows, ROWS);
    assert_int_equal(points.count, EMI_POINTS_MOST);
    assert_int_equal(points.columns, K);
    const double *W = em_model_components(model), *mean = em_model_mean(model);
    size_t row = 0;
    for (size_t n = 0; n < points.count; n++, row++) { /* in the order of the rows */
        for (; row < ROWS; row++) {
            double score = 0;
            for (int f = 0; f < COLUMNS; f++) score += (values[row * COLUMNS + (size_t)f] - mean[f]) * W[f];
            if (fabs(score - points.scores[n * K]) < 1e-12) break;
        }
        assert_true(row < ROWS);
    }
    assert_true(row >
                ROWS / 20 * 19); /* the last of them is near the end, and the first was found near the beginning */
    emi_points_free(&points);

    values[3] = NAN;
    assert_ok(em_data_set_column_names(data, (const char *const[]){"a", "b", "c", "d", "e"}, &err), &err);
    assert_ok(emi_points_find(&points, &page, &err), &err);
    for (size_t n = 0; n < points.count * K; n++) assert_true(isfinite(points.scores[n]));
    emi_points_free(&points);
    em_data_free(&data);
    em_model_free(&model);
}

static emi_classes sort_out(const char **labels, size_t count)
{
    emi_classes c;
    em_error err = {0};
    assert_ok(emi_classes_find(&c, &(emi_points){.count = count, .labels = labels}, &err), &err);
    return c;
}

static void few_labels_are_classes_in_order(void **state)
{
    (void)state;
    const char *labels[] = {"10", "9", "", "NA", "9", NULL, "beta", "10", "9"};
    emi_classes c = sort_out(labels, 9);
    assert_int_equal(c.count, 3);
    assert_string_equal(c.names[0], "9");
    assert_string_equal(c.names[1], "10");
    assert_string_equal(c.names[2], "beta");
    assert_int_equal(c.sizes[0], 3);
    assert_int_equal(c.nameless, 3);
    assert_int_equal(c.others, 0);
    assert_int_equal(c.of[0], 1);
    assert_int_equal(c.of[3], c.count + 1);
    emi_classes_free(&c);
}

static void of_many_labels_the_most_frequent_have_a_colour(void **state)
{
    (void)state;
    enum { KINDS = 40, EACH = 50 };
    static char names[KINDS][16];
    static const char *labels[KINDS * EACH];
    size_t count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        (void)snprintf(names[kind], sizeof names[kind], "k%02d", kind);
        for (int n = 0; n <= kind; n++) labels[count++] = names[kind];
    }
    emi_classes c = sort_out(labels, count);
    assert_int_equal(c.count, EMI_CLASSES_MOST - 1);
    assert_string_equal(c.names[0], "k25");
    assert_string_equal(c.names[14], "k39");
    assert_int_equal(c.kinds, KINDS - 15);
    assert_int_equal(c.others, 25 * 26 / 2);
    emi_classes_free(&c);
}

static void many_numbers_are_a_scale(void **state)
{
    (void)state;
    static char names[100][16];
    const char *labels[101];
    for (int n = 0; n < 100; n++) {
        (void)snprintf(names[n], sizeof names[n], "%d.5", n);
        labels[n] = names[n];
    }
    labels[100] = "";
    emi_classes c = sort_out(labels, 101);
    assert_true(c.is_scale);
    assert_int_equal(c.count, EMI_SCALE_STEPS);
    assert_close(c.least, 0.5, 0);
    assert_close(c.most, 99.5, 0);
    assert_int_equal(c.of[0], 0);
    assert_int_equal(c.of[99], EMI_SCALE_STEPS - 1);
    assert_int_equal(c.nameless, 1);
    emi_classes_free(&c);
    labels[7] = "seven"; /* which is no number */
    c = sort_out(labels, 101);
    assert_false(c.is_scale);
    emi_classes_free(&c);
}

/* Numbers that no scale could tell apart are classes as any other texts are. */
static void numbers_without_a_range_are_no_scale(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    static char names[COUNT][40];
    const char *labels[COUNT];
    for (int form = 0; form < 4; form++) /* one number; its last digits; next to nothing; more than there is */ {
        for (int n = 0; n < COUNT; n++) {
            if (form == 0)
                (void)snprintf(names[n], sizeof names[n], "1.%0*d", n + 1, 0);
            else if (form == 1)
                (void)snprintf(names[n], sizeof names[n], "1.0000000000000%02d", n);
            else if (form == 2)
                (void)snprintf(names[n], sizeof names[n], "%de-323", n);
            else
                (void)snprintf(names[n], sizeof names[n], "%s%d.5e307", n % 2 ? "-" : "", n % 17);
            labels[n] = names[n];
        }
        emi_classes c = sort_out(labels, COUNT);
        assert_false(c.is_scale);
        assert_int_equal(c.count, EMI_CLASSES_MOST - 1);
        for (int n = 0; n < COUNT; n++) assert_true(c.of[n] >= 0 && c.of[n] <= c.count);
        emi_classes_free(&c);
    }
}

static void no_label_is_no_class(void **state)
{
    (void)state;
    const char *labels[] = {"", "nan"};
    emi_classes c = sort_out(labels, 2);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.nameless, 2);
    assert_int_equal(c.of[1], c.count + 1);
    emi_classes_free(&c);
    c = sort_out(NULL, 2);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.nameless, 0);
    assert_int_equal(c.of[1], 0);
    emi_classes_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_rows),
        cmocka_unit_test(few_labels_are_classes_in_order),
        cmocka_unit_test(of_many_labels_the_most_frequent_have_a_colour),
        cmocka_unit_test(many_numbers_are_a_scale),
        cmocka_unit_test(numbers_without_a_range_are_no_scale),
        cmocka_unit_test(no_label_is_no_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
