/* Sparse matrices that a program lends: arrays of any content, of which only the sizes are right.  What is taken for a matrix is read,
 * multiplied and fitted. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef struct recipe {
    const uint8_t *at, *end;
} recipe;

static unsigned next(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* Mostly small, from -8 on. */
static int64_t next_whole(recipe *r)
{
    int64_t code = next(r);
    return code == 255 ? INT64_MIN : code == 254 ? INT32_MAX : code == 253 ? INT64_MAX : code - 8;
}

static double next_value(recipe *r)
{
    static const double rare[] = {0.0 / 0.0, 1 / 0.0, -1 / 0.0, 1e300, 1e-300};
    unsigned code = next(r);
    return code < 5 ? rare[code] : (double)code - 100;
}

typedef struct matrix {
    size_t rows, columns;
    int wide, single;
    int64_t starts[40], indices[256];
    double values[256];
} matrix;

static void make(matrix *m, recipe *r)
{
    int tame = (int)(next(r) % 4);
    *m = (matrix){.rows = next(r) % 32, .columns = next(r) % 32, .wide = tame & 1, .single = tame >> 1};
    int careful = (int)(next(r) % 2); /* starts rise: otherwise few would be matrices */
    for (size_t n = 0; n <= m->rows; n++) {
        m->starts[n] = n == 0 || !careful ? next_whole(r) : m->starts[n - 1] + next(r) % 8;
        if (careful && n == 0) m->starts[n] = 0;
        if (m->starts[n] > 256) m->starts[n] = 256; /* as long as the arrays are */
    }
    for (size_t n = 0; n < 256; n++) {
        m->indices[n] = careful && m->columns ? (int64_t)(next(r) % m->columns) : next_whole(r);
        m->values[n] = next_value(r);
    }
}

static em_status lend(em_data **data, const matrix *m, em_error *err)
{
    static int32_t starts[40], indices[256];
    static float values[256];
    for (size_t n = 0; n < 40; n++) starts[n] = (int32_t)m->starts[n];
    for (size_t n = 0; n < 256; n++) indices[n] = (int32_t)m->indices[n], values[n] = (float)m->values[n];
    return em_data_from_csr(data, m->single ? (const void *)values : m->values, m->single ? EM_F32 : EM_F64,
                            m->wide ? (const void *)m->indices : indices, m->wide ? (const void *)m->starts : starts,
                            m->wide ? EM_I64 : EM_I32, m->rows, m->columns, err);
}

static void use(const em_data *data, const matrix *m)
{
    static double rows[32 * 32], scores[32 * 3], components[3 * 32];
    em_error err = {0};
    fuzz_check_error(em_data_read(data, 0, m->rows, rows, &err), &err);
    for (size_t n = 0; n < 3 * m->columns; n++) components[n] = (double)n - 4;
    fuzz_check_error(em_project(data, rows, NULL, components, 3, EM_F64, scores, 1, &err), &err);
}

static void fit(const em_data *data)
{
    em_error err = {0};
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options *options = NULL;
    em_model *model = NULL;
    em_status status = em_shards_split(&shards, data, 1, NULL, 0, &err);
    if (status == EM_OK) status = em_graph_create(&graph, "path", 1, 0, &err);
    if (status == EM_OK) status = em_mesh_open(&mesh, NULL, graph, 1, &err);
    if (status == EM_OK) status = em_options_create(&options, &err);
    if (status == EM_OK) status = em_options_set(options, "components", "1", &err);
    if (status == EM_OK) status = em_options_set(options, "method", "krylov", &err);
    if (status == EM_OK) status = em_fit(&model, options, mesh, shards, &err);
    fuzz_check_error(status, &err);
    em_model_free(&model);
    em_options_free(&options);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recipe r = {bytes, bytes + size};
    matrix m;
    em_data *data = NULL;
    em_error err = {0};
    make(&m, &r);
    em_status status = lend(&data, &m, &err);
    fuzz_check_error(status, &err);
    if ((status == EM_OK) != (data != NULL)) abort();
    if (!data) return 0;
    use(data, &m);
    fit(data);
    em_data_free(&data);
    return 0;
}
