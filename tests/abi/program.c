/* A program of 0.2.0, which is compiled with the headers that are kept beside it and runs with the library of the day; as
 * C, and as C++, so that it is written in what both have.  Prints what it found, and fails where that is not right. */
#include <eigenmesh/eigenmesh.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, FEATURES = 4, NODES = 3 };

static em_error err;

static void check(int right, const char *what)
{
    if (right) return;
    (void)fprintf(stderr, "abi: %s: %s\n", what, err.msg);
    exit(1);
}

static int stop_after_three(const em_progress *progress, void *user)
{
    ++*(int *)user;
    return progress->iteration >= 3;
}

/* ---- records ------------------------------------------------------------------------------------------- */

/* A record of a program that is older than one of its members is read, and written, no further than it goes. */
static void sized_records(const char *csv)
{
    struct {
        em_read_options options;
        char beyond[256];
    } newer;
    union {
        em_graph_info info;
        unsigned char bytes[sizeof(em_graph_info)];
    } older;
    em_data *data = NULL;
    em_graph *graph = NULL;

    memset(&newer, 0, sizeof newer);
    newer.options.size = sizeof newer;
    newer.options.header = EM_HEADER_YES;
    newer.options.columns = "b";
    check(em_data_open(&data, csv, &newer.options, &err) == EM_OK, "a longer record of zeroes");
    check(em_data_columns(data) == 1 && strcmp(em_data_column_name(data, 0), "b") == 0, "its columns");
    em_data_free(&data);
    newer.beyond[255] = 1;
    check(em_data_open(&data, csv, &newer.options, &err) == EM_ENOTSUP && !data, "a wish that is not known");
    newer.options.size = offsetof(em_read_options, columns);
    check(em_data_open(&data, csv, &newer.options, &err) == EM_OK, "a shorter record");
    check(em_data_columns(data) == 2, "columns that it does not reach to");
    em_data_free(&data);
    newer.options.size = 0;
    check(em_data_open(&data, csv, &newer.options, &err) == EM_EINVAL, "a record without a size");

    check(em_graph_create(&graph, "cycle", NODES, 0, &err) == EM_OK, "graph");
    memset(&older, 0x5a, sizeof older);
    older.info.size = offsetof(em_graph_info, degree_min);
    check(em_graph_measure(graph, &older.info, &err) == EM_OK, "a shorter em_graph_info");
    check(older.info.nodes == NODES && older.info.edges == NODES, "what it has");
    for (size_t n = offsetof(em_graph_info, degree_min); n < sizeof older; n++)
        check(older.bytes[n] == 0x5a, "what is beyond it");
    older.info.size = 0;
    check(em_graph_measure(graph, &older.info, &err) == EM_EINVAL, "one without a size");
    em_graph_free(&graph);
}

/* ---- a fit ------------------------------------------------------------------------------------------------ */

static em_options *asked(const double *start, int *calls)
{
    static const char *const wishes[][2] = {{"components", "2"},  {"method", "dsa"},  {"trace", "all"},
                                            {"truth", "compute"}, {"tolerance", "0"}, {"iterations", "50"}};
    em_options *options = NULL, *copy = NULL;
    char value[32];
    check(em_options_create(&options, &err) == EM_OK, "options");
    for (size_t n = 0; n < sizeof wishes / sizeof *wishes; n++)
        check(em_options_set(options, wishes[n][0], wishes[n][1], &err) == EM_OK, wishes[n][0]);
    for (int i = 0; em_option(i); i++)
        check(em_options_get(options, em_option(i)->name, value, sizeof value) >= 0, em_option(i)->name);
    check(em_options_set(options, "components", "none", &err) == EM_EINVAL, "a wrong value");
    check(em_options_set(options, "no such", "1", &err) == EM_EINVAL, "a wrong option");
    em_options_set_start(options, start, FEATURES, 2);
    em_options_set_truth(options, NULL, 0, 0);
    em_options_set_monitor(options, stop_after_three, calls);
    check(em_options_copy(&copy, options, &err) == EM_OK, "a copy");
    em_options_free(&options);
    return copy;
}

static void look_at(const em_model *model)
{
    const em_info *info = em_model_info(model);
    check(info->reason == EM_STOPPED_USER && info->iterations == 3 && strcmp(info->method, "dsa") == 0, "em_info");
    check(info->traffic[EM_METHOD].messages > 0 && info->seconds >= 0 && info->samples == ROWS, "its traffic");
    check(em_model_trace_rows(model) == 4 && !em_model_trace_row(model, 4), "the rows of the trace");
    check(em_model_trace_row(model, 3)->iteration == 3 && em_model_trace_row(model, 3)->error >= 0, "the last row");
    check(em_model_components_count(model) == 2 && em_model_features(model) == FEATURES, "sizes");
    check(em_model_exact_variance(model)[0] > em_model_exact_variance(model)[1], "the truth");
}

static void fit(double rows[ROWS][FEATURES])
{
    static const double start[FEATURES * 2] = {1, 0, 0, 1, 0.1, 0.2, 0.3, 0.1};
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    int calls = 0;
    em_options *options = asked(start, &calls);
    check(em_data_from_array(&data, rows, EM_F64, ROWS, FEATURES, 0, 0, &err) == EM_OK, "data");
    check(em_shards_split(&shards, data, NODES, "contiguous", 0, &err) == EM_OK, "shards");
    check(em_graph_create(&graph, "complete", NODES, 0, &err) == EM_OK, "graph");
    check(em_mesh_open(&mesh, NULL, graph, 1, &err) == EM_OK, "mesh");
    check(em_fit(&model, options, mesh, shards, &err) == EM_OK, "fit");
    check(calls == 3, "the monitor");
    look_at(model);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
}

int main(int count, char **arguments)
{
    double rows[ROWS][FEATURES];
    check(count == 2, "usage: program A.csv");
    for (int r = 0; r < ROWS; r++)
        for (int f = 0; f < FEATURES; f++) rows[r][f] = cos(r * (f + 1.0)) * (FEATURES - f);
    sized_records(arguments[1]);
    fit(rows);
    printf("a program of %d.%d.%d runs with %s\n", EM_VERSION_MAJOR, EM_VERSION_MINOR, EM_VERSION_PATCH, em_version());
    return 0;
}
