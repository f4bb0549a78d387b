/* Every allocation is made to fail once: of networks, of tables in every format, and of fits of the kinds that tables come in. */
#include "base/config.h"
#include "base/error.h"
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "lab/tables/writer.h"
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/genotypes.h"
#include "support/network.h"

#include <stdio.h>
#include <stdlib.h>

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

static em_status text_workflow(const void *how, em_error *err)
{
    static const char text[] = "a,b,kind\n1,2,x\n3,4,y\n";
    em_data *data = NULL;
    em_status status = em_data_from_text(&data, "a text", text, sizeof text - 1, how, err);
    em_data_free(&data);
    return status;
}

static void tables_of_text(void **state)
{
    (void)state;
    assert_true(fail_each_once(text_workflow, NULL) > 5);
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

/* Genotypes, all of them or those of another file, over two nodes; and scores of all people. */
static em_status genotype_workflow(const void *how, em_error *err)
{
    enum { PEOPLE = 9, VARIANTS = 4 };
    em_status status;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    double scores[PEOPLE];
    em_options options = emi_options_default();
    options.components = 1;
    options.method = "krylov";
    TRY(em_data_open(&data, scratch("people.bed"), how, err));
    TRY(em_shards_split(&shards, data, 2, "shuffle", 0, err));
    TRY(em_graph_create(&graph, "path", 2, 0, err));
    TRY(em_mesh_open(&mesh, NULL, graph, 1, err));
    TRY(em_fit(&model, &options, mesh, shards, err));
    TRY(em_project(data, em_model_mean(model), em_model_scale(model), em_model_components(model), 1, EM_F64, scores, 1,
                   err));
done:
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

static void genotypes(void **state)
{
    (void)state;
    static const char *const wanted[] = {"rs3 1 3 A G", "rs1 1 1 A G", "rs2 1 2 A G"};
    unsigned char *copies = genotypes_draw(9, 4, 1);
    (void)genotypes_write(&(genotype_files){.name = "people", .people = 9, .variants = 4, .copies = copies});
    free(copies);
    const em_read_options plans[] = {
        {.size = sizeof(em_read_options)},
        {.size = sizeof(em_read_options), .columns = "2,1,0", .label = "FID"},
        {.size = sizeof(em_read_options), .features = wanted, .feature_count = 3, .features_of = "another"}};
    for (size_t n = 0; n < sizeof plans / sizeof *plans; n++)
        assert_true(fail_each_once(genotype_workflow, &plans[n]) > 60);
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

typedef struct sparse_plan {
    const char *method;
    int nodes, threads;
    emi_scale scale;
} sparse_plan;

/* Lent, with what has to be tidied in a copy, fitted by what each method takes, and scored. */
static em_status sparse_workflow(const void *how, em_error *err)
{
    const sparse_plan *plan = how;
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
    const sparse_plan plans[] = {{"krylov", 1, 1, EMI_SCALE_NONE},
                                 {"krylov", 2, 2, EMI_SCALE_STD},
                                 {"covariance", 1, 2, EMI_SCALE_NONE},
                                 {"auto", 2, 1, EMI_SCALE_STD}};
    for (size_t n = 0; n < sizeof plans / sizeof *plans; n++)
        assert_true(fail_each_once(sparse_workflow, &plans[n]) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs),
        cmocka_unit_test(draws),
        cmocka_unit_test(splits),
        cmocka_unit_test(files_of_every_format),
        cmocka_unit_test(tables_with_names),
        cmocka_unit_test(tables_of_text),
        cmocka_unit_test(genotypes),
        cmocka_unit_test(archives),
        cmocka_unit_test(sparse_files),
        cmocka_unit_test(sparse_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
