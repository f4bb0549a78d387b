/* Every allocation is made to fail once.  Whatever the library was doing, it says so, gives everything back, and
 * works the next time. */
#include "base/config.h"
#include "base/error.h"
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "lab/tables/writer.h"
#include "model/model.h"
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/matrix.h"
#include "support/network.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 12, COLUMNS = 3, NODES = 3, K = 2 };

typedef em_status workflow(const void *how, em_error *err);

/* Run it with the n-th allocation failing, for every n until none does.  Returns how many there are. */
static long fail_each_once(workflow *run, const void *how)
{
    long n = 0, before = memory_live();
    for (;; n++) {
        em_error err = {0};
        memory_fail_at(n);
        em_status status = run(how, &err);
        int failed = memory_has_failed();
        memory_fail_at(-1);
        assert_int_equal(memory_live(), before);
        if (!failed) {
            assert_ok(status, &err);
            return n;
        }
        assert_fails(status, EM_ENOMEM, "", &err);
        assert_true(strlen(err.msg) > 0);
    }
}

/* ---- from an array to a model, its file, and scores ---------------------------------------- */

typedef struct fit_plan {
    const char *method;
    int nodes, threads;
    emi_scale scale;
    double variance; /* in place of K components */
    const char *path;
} fit_plan;

static em_status save_and_load(const em_model *model, const char *path, em_error *err)
{
    em_status status;
    em_model *loaded = NULL;
    double rows[2 * COLUMNS] = {1, 2, 3, 4, 5, 6}, scores[2 * K];
    TRY(em_model_save(model, path, err));
    TRY(em_model_load(&loaded, path, err));
    TRY(em_model_transform(loaded, rows, 2, 1, scores, err));
    TRY(em_model_inverse(loaded, scores, 2, 1, rows, err));
done:
    em_model_free(&loaded);
    return status;
}

static em_status fit_workflow(const void *how, em_error *err)
{
    static const char *const named[COLUMNS] = {"a", "b", "c"};
    static double values[ROWS * COLUMNS];
    const fit_plan *plan = how;
    em_status status;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = plan->method;
    options.components = plan->variance > 0 ? 0 : K;
    options.variance = plan->variance;
    options.iterations = 4;
    options.truth_compute = options.trace = 1;
    options.scale = plan->scale;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    const network_plan small = {values, ROWS, COLUMNS, "er:0.7", plan->nodes, plan->threads};
    TRY(network_open(&net, &small, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    TRY(emi_model_name_features(model, named, err));
    TRY(save_and_load(model, plan->path, err));
done:
    em_model_free(&model);
    network_close(&net);
    return status;
}

static int stop_at_once(const em_progress *progress, void *user)
{
    (void)user;
    return progress->iteration == 1;
}

/* A fit that is stopped and leaves a checkpoint, and one that goes on from there. */
static em_status resume_workflow(const void *how, em_error *err)
{
    enum { MORE_COLUMNS = 12 };
    static double values[ROWS * MORE_COLUMNS];
    const fit_plan *plan = how;
    em_status status;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = plan->method;
    options.components = K;
    options.iterations = 4 * K;
    options.tolerance = 0;
    options.trace = EMI_TRACE_ALL;
    options.checkpoint = plan->path;
    options.monitor = stop_at_once;
    matrix_fill_table(values, ROWS, MORE_COLUMNS, 1);
    const network_plan small = {values, ROWS, MORE_COLUMNS, "er:0.7", plan->nodes, plan->threads};
    (void)remove(plan->path); /* of an attempt that failed after it */
    TRY(network_open(&net, &small, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    em_model_free(&model);
    options.monitor = NULL;
    options.resume = 1;
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    if (em_model_info(model)->resumed != 1) TRY(emi_fail(err, EM_EDATA, "%s: not resumed", plan->method));
    TRY(em_checkpoint_remove(&options, net.mesh, err));
done:
    em_model_free(&model);
    network_close(&net);
    return status;
}

static void fits_that_are_resumed(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++) {
        const em_method_info *method = em_method(m);
        const fit_plan plan = {method->name, method->single_node ? 1 : NODES, 1, EMI_SCALE_NONE, 0, scratch("fit.ck")};
        assert_true(fail_each_once(resume_workflow, &plan) > 60);
    }
}

static void fits_of_every_method(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++)
        for (int threads = 1; threads <= 2; threads++) {
            const em_method_info *method = em_method(m);
            const fit_plan plan = {method->name,        method->single_node ? 1 : NODES, threads, (emi_scale)(m % 3), 0,
                                   scratch("model.npz")};
            assert_true(fail_each_once(fit_workflow, &plan) > 60);
        }
}

/* Out of memory is no reason for auto to try another method. */
static void fits_by_auto_and_of_a_fraction(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= NODES; nodes += NODES - 1) {
        const fit_plan plain = {"auto", nodes, 1, EMI_SCALE_NONE, 0, scratch("model.npz")};
        assert_true(fail_each_once(fit_workflow, &plain) > 60);
        const fit_plan fraction = {"krylov", nodes, 2, EMI_SCALE_NONE, 0.7, scratch("model.npz")};
        assert_true(fail_each_once(fit_workflow, &fraction) > 60);
    }
}

/* ---- graphs, splits and synthetic data ------------------------------------------------------ */

static em_status graph_workflow(const void *how, em_error *err)
{
    em_status status;
    em_graph *graph = NULL;
    em_graph_info info = {.size = sizeof info};
    TRY(em_graph_create(&graph, how, 12, 1, err));
    TRY(em_graph_set_weights(graph, "lazy", err));
    TRY(em_graph_measure(graph, &info, err));
done:
    em_graph_free(&graph);
    return status;
}

static void graphs(void **state)
{
    (void)state;
    const char *const specs[] = {"er:0.4",   "cycle",     "star",      "path",        "complete",
                                 "grid:3x4", "torus:3x4", "regular:3", "scalefree:2", "smallworld:4:0.2"};
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) assert_true(fail_each_once(graph_workflow, specs[n]) > 5);
    static const char edges[] = "0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n8 9\n9 10\n10 11\n";
    char spec[600];
    (void)snprintf(spec, sizeof spec, "file:%s", scratch_file("edges.txt", edges, sizeof edges - 1));
    assert_true(fail_each_once(graph_workflow, spec) > 5);
}

static em_status split_workflow(const void *how, em_error *err)
{
    em_status status;
    em_data *data = NULL;
    em_shards *shards = NULL;
    TRY(lab_generate(&data, 4, 10, 2, 0.5, 1, err));
    TRY(em_shards_split(&shards, data, 2, how, 0, err));
done:
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

/* Data that is drawn, with either kind of basis, in memory and while it is read. */
static em_status draw_workflow(const void *features, em_error *err)
{
    em_status status;
    em_data *data = NULL;
    double row[2001];
    TRY(lab_generate(&data, *(const size_t *)features, 3, 2, 0.5, 1, err));
    em_data_free(&data);
    TRY(lab_generate_rows(&data, *(const size_t *)features, 3, 2, 0.5, 1, err));
    TRY(em_data_read(data, 2, 1, row, err));
done:
    em_data_free(&data);
    return status;
}

static void draws(void **state)
{
    (void)state;
    const size_t dense = 4, walk = 2001;
    assert_true(fail_each_once(draw_workflow, &dense) > 10);
    assert_true(fail_each_once(draw_workflow, &walk) > 10);
}

static void splits(void **state)
{
    (void)state;
    assert_true(fail_each_once(split_workflow, "contiguous") > 3);
    assert_true(fail_each_once(split_workflow, "shuffle") > 4);
    assert_true(fail_each_once(split_workflow, "sizes:9,1") > 3);
}

/* ---- files ------------------------------------------------------------------------------------ */

typedef struct file_plan {
    const char *write_as, *read_as;
} file_plan;

static em_status file_workflow(const void *how, em_error *err)
{
    const file_plan *plan = how;
    const double values[6] = {1, 2, 3, 4, 5, 6};
    double back[6];
    em_status status;
    lab_writer *writer = NULL;
    em_data *data = NULL;
    TRY(lab_writer_open(&writer, plan->write_as, EM_F32, 3, 2, err));
    TRY(lab_writer_rows(writer, values, 3, err));
    TRY(lab_writer_close(&writer, err));
    TRY(em_data_open(&data, plan->read_as, &(em_read_options){.size = sizeof(em_read_options), .columns = "1,0"}, err));
    TRY(em_data_read(data, 0, em_data_rows(data), back, err));
    if (back[0] != 2 || back[5] != 5) TRY(emi_fail(err, EM_EDATA, "%s: other numbers came back", plan->read_as));
done:
    em_data_free(&data);
    lab_writer_discard(&writer);
    return status;
}

static void files_of_every_format(void **state)
{
    (void)state;
    const char *const names[] = {"t.npy", "t.csv", "t.tsv", "t.idx", "t.npy.gz", "t.csv.gz", "t.idx.gz"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *path = scratch(names[n]);
        assert_true(fail_each_once(file_workflow, &(file_plan){path, path}) > 5);
    }
    char write_as[600], read_as[600];
    (void)snprintf(write_as, sizeof write_as, "raw:f32:%s", scratch("t.raw"));
    (void)snprintf(read_as, sizeof read_as, "raw:f32:2:%s", scratch("t.raw"));
    assert_true(fail_each_once(file_workflow, &(file_plan){write_as, read_as}) > 5);
}

static const char *const feature_names[] = {"b", "a"};

/* A CSV with everything that has to be remembered of one, and a fit of it. */
static em_status table_workflow(const void *how, em_error *err)
{
    em_status status;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.components = 1;
    TRY(em_data_open(&data, scratch("named.csv"), how, err));
    TRY(em_data_set_column_names(data, feature_names, err));
    TRY(em_shards_split(&shards, data, 2, NULL, 0, err));
    TRY(em_graph_create(&graph, "path", 2, 0, err));
    TRY(em_mesh_open(&mesh, NULL, graph, 1, err));
    TRY(em_fit(&model, &options, mesh, shards, err));
done:
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

static void tables_with_names(void **state)
{
    (void)state;
    static const char text[] = ",a,b,kind\n0,1,2,x\n1,NA,1,y\n2,3,7,\n3,2,5,z\n";
    (void)scratch_file("named.csv", text, sizeof text - 1);
    const em_read_options plans[] = {{.size = sizeof(em_read_options), .missing = EM_MISSING_MEAN},
                                     {.size = sizeof(em_read_options), .missing = EM_MISSING_DROP, .label = "kind"},
                                     {.size = sizeof(em_read_options), .missing = EM_MISSING_DROP, .columns = "-kind"},
                                     {.size = sizeof(em_read_options),
                                      .missing = EM_MISSING_MEAN,
                                      .features = feature_names,
                                      .feature_count = 2,
                                      .features_of = "another"}};
    for (size_t n = 0; n < sizeof plans / sizeof *plans; n++)
        assert_true(fail_each_once(table_workflow, &plans[n]) > 60);
}

/* One that NumPy made: named and found, in place and unpacked. */
static em_status archive_workflow(const void *how, em_error *err)
{
    double back[6];
    em_status status;
    em_data *data = NULL;
    TRY(em_data_open(&data, how, &(em_read_options){.size = sizeof(em_read_options), .columns = "1,0"}, err));
    TRY(em_data_read(data, 0, em_data_rows(data), back, err));
done:
    em_data_free(&data);
    return status;
}

static void archives(void **state)
{
    (void)state;
    static const char *const paths[] = {"stored.npz", "stored.npz:X", "deflated.npz", "deflated.npz:X", "beside.npz"};
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++) {
        char path[1024];
        (void)snprintf(path, sizeof path, EM_TEST_DATA "/data/files/%s", paths[n]);
        assert_true(fail_each_once(archive_workflow, path) > 5);
    }
}

/* ---- sparse matrices ------------------------------------------------------------------------------ */

typedef struct sparse_file {
    const char *path;
    int transpose;
} sparse_file;

static em_status sparse_file_workflow(const void *how, em_error *err)
{
    const sparse_file *plan = how;
    double back[20];
    em_status status;
    em_data *data = NULL;
    TRY(em_data_open(
        &data, plan->path,
        &(em_read_options){.size = sizeof(em_read_options), .columns = "1,0", .transpose = plan->transpose}, err));
    TRY(em_data_read(data, 0, em_data_rows(data), back, err));
done:
    em_data_free(&data);
    return status;
}

static void sparse_files(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n3 1 5\n1 1 2\n3 1 7\n";
    static const char *const saved[] = {"csr", "csr-i64", "csc", "coo"};
    (void)scratch_file("t.mtx", text, sizeof text - 1);
    for (int transpose = 0; transpose < 2; transpose++) {
        assert_true(fail_each_once(sparse_file_workflow, &(sparse_file){scratch("t.mtx"), transpose}) > 10);
        for (size_t n = 0; n < sizeof saved / sizeof *saved; n++) {
            char path[1024];
            (void)snprintf(path, sizeof path, EM_TEST_DATA "/data/files/sparse-%s.npz", saved[n]);
            assert_true(fail_each_once(sparse_file_workflow, &(sparse_file){path, transpose}) > 15);
        }
#if EMI_HAVE_HDF5
        const char *cells = EM_TEST_DATA "/data/files/cells-csc.h5ad";
        assert_true(fail_each_once(sparse_file_workflow, &(sparse_file){cells, transpose}) > 15);
#endif
    }
}

/* Lent, with what has to be tidied in a copy, fitted by what each method takes, and scored. */
static em_status sparse_workflow(const void *how, em_error *err)
{
    const fit_plan *plan = how;
    const int64_t indices[] = {0, 1, 1, 2, 0, 0, 1, 2, 2, 0}, starts[] = {0, 3, 4, 6, 8, 10};
    const double values[] = {1, 2, 3, 4, 5, 6, 1e6, 8, 9, 10};
    double scores[5];
    em_status status;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = plan->method;
    options.components = 1;
    options.scale = plan->scale;
    TRY(em_data_from_csr(&net.data, values, EM_F64, indices, starts, EM_I64, 5, 3, err));
    TRY(em_shards_split(&net.shards, net.data, plan->nodes, "shuffle", 0, err));
    TRY(em_graph_create(&net.graph, "path", plan->nodes, 1, err));
    TRY(em_mesh_open(&net.mesh, NULL, net.graph, plan->threads, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    TRY(em_project(net.data, em_model_mean(model), em_model_scale(model), em_model_components(model), 1, EM_F64, scores,
                   plan->threads, err));
done:
    em_model_free(&model);
    network_close(&net);
    return status;
}

static void sparse_matrices(void **state)
{
    (void)state;
    const fit_plan plans[] = {{"krylov", 1, 1, EMI_SCALE_NONE, 0, NULL},
                              {"krylov", 2, 2, EMI_SCALE_STD, 0, NULL},
                              {"covariance", 1, 2, EMI_SCALE_NONE, 0, NULL},
                              {"auto", 2, 1, EMI_SCALE_STD, 0, NULL}};
    for (size_t n = 0; n < sizeof plans / sizeof *plans; n++)
        assert_true(fail_each_once(sparse_workflow, &plans[n]) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_of_every_method),
        cmocka_unit_test(fits_that_are_resumed),
        cmocka_unit_test(fits_by_auto_and_of_a_fraction),
        cmocka_unit_test(graphs),
        cmocka_unit_test(draws),
        cmocka_unit_test(splits),
        cmocka_unit_test(files_of_every_format),
        cmocka_unit_test(tables_with_names),
        cmocka_unit_test(archives),
        cmocka_unit_test(sparse_files),
        cmocka_unit_test(sparse_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
