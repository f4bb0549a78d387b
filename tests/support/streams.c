#include "support/streams.h"

#include "support/check.h"

#include <stdlib.h>

em_options stream_options(const char *method, int components)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = components;
    options.tolerance = 1e-12;
    return options;
}

em_status stream_try_fit(em_model **model, em_data *const *tables, int nodes, const em_options *options, em_error *err)
{
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    assert_ok(em_shards_of(&shards, (const em_data *const *)tables, nodes, err), err);
    assert_ok(em_graph_create(&graph, nodes > 2 ? "cycle" : "path", nodes, 1, err), err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 2, err), err);
    em_status status = em_fit(model, options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return status;
}

em_model *stream_fit(em_data *const *tables, int nodes, const em_options *options)
{
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(stream_try_fit(&model, tables, nodes, options, &err), &err);
    return model;
}

/* Rows order[0 .. count) as one batch. */
void stream_add(em_moments *m, const double *rows, int d, const size_t *order, size_t count, em_dtype type)
{
    em_data *data = NULL;
    em_error err = {0};
    double *batch = malloc(count * (size_t)d * sizeof *batch);
    float *narrow = malloc(count * (size_t)d * sizeof *narrow);
    assert_non_null(batch);
    assert_non_null(narrow);
    for (size_t r = 0; r < count; r++)
        for (int f = 0; f < d; f++) {
            batch[r * (size_t)d + (size_t)f] = rows[order[r] * (size_t)d + (size_t)f];
            narrow[r * (size_t)d + (size_t)f] = (float)rows[order[r] * (size_t)d + (size_t)f];
        }
    assert_ok(em_data_from_array(&data, type == EM_F32 ? (void *)narrow : batch, type, count, (size_t)d, 0, 0, &err),
              &err);
    assert_ok(em_moments_update(m, data, &err), &err);
    em_data_free(&data);
    free(narrow);
    free(batch);
}
