/* Principal components of an array in memory: one node, no network.
 *
 *     cc fit_array.c $(pkg-config --cflags --libs eigenmesh) -lm -o fit_array && ./fit_array */
#include <eigenmesh/eigenmesh.h>

#include <math.h>
#include <stdio.h>

enum { ROWS = 200, FEATURES = 3, COMPONENTS = 2 };

int main(void)
{
    /* An ellipse in the plane x = y, tilted: one long axis, one short, nothing across. */
    double rows[ROWS][FEATURES];
    for (int r = 0; r < ROWS; r++) {
        double angle = 2 * 3.14159265358979 * r / ROWS, along = 5 * cos(angle), up = 2 * sin(angle);
        rows[r][0] = rows[r][1] = along;
        rows[r][2] = up;
    }

    em_error err;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options *options = NULL;

    int failed = em_options_create(&options, &err) || em_options_set(options, "components", "2", &err) ||
                 em_options_set(options, "tolerance", "1e-12", &err) ||
                 em_data_from_array(&data, rows, EM_F64, ROWS, FEATURES, 0, 0, &err) ||
                 em_shards_split(&shards, data, 1, NULL, 0, &err) || em_graph_create(&graph, "complete", 1, 0, &err) ||
                 em_mesh_open(&mesh, NULL, graph, 0, &err) || em_fit(&model, options, mesh, shards, &err);
    if (failed) {
        (void)fprintf(stderr, "fit_array: %s\n", err.msg);
    } else {
        for (int k = 0; k < COMPONENTS; k++) {
            const double *x = em_model_components(model) + (size_t)k * FEATURES;
            printf("variance %8.4f along (%6.3f, %6.3f, %6.3f)\n", em_model_explained_variance(model)[k], x[0], x[1],
                   x[2]);
        }
        /* The long axis is (1, 1, 0) / sqrt(2), of variance 25 ROWS / (ROWS - 1). */
        failed = fabs(em_model_components(model)[0] - sqrt(0.5)) > 1e-9 ||
                 fabs(em_model_explained_variance(model)[0] - 25.0 * ROWS / (ROWS - 1)) > 1e-9;
    }
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
    return failed;
}
