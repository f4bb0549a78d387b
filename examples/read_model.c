/* Read a model that `eigenmesh fit -o` wrote, and use it on a row.  Without an argument, makes one first.
 *
 *     cc read_model.c $(pkg-config --cflags --libs eigenmesh) -o read_model && ./read_model model.npz */
#include <eigenmesh/eigenmesh.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 500, FEATURES = 8 };

/* Numbers between -1 and 1 that look random, the later features the smaller ones. */
static void make_up(double rows[ROWS][FEATURES])
{
    unsigned state = 1;
    for (int r = 0; r < ROWS; r++)
        for (int f = 0; f < FEATURES; f++) {
            state = state * 1664525U + 1013904223U;
            rows[r][f] = ((double)state / 2147483648.0 - 1) / (f + 1);
        }
}

/* A small model to read, where the user has none at hand. */
static em_status make_model(const char *path, em_error *err)
{
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options *options = NULL;
    static double rows[ROWS][FEATURES];
    make_up(rows);
    em_status status = em_options_create(&options, err);
    if (!status) status = em_options_set(options, "components", "3", err);
    if (!status) status = em_data_from_array(&data, rows, EM_F64, ROWS, FEATURES, 0, 0, err);
    if (!status) status = em_shards_split(&shards, data, 1, NULL, 0, err);
    if (!status) status = em_graph_create(&graph, "complete", 1, 0, err);
    if (!status) status = em_mesh_open(&mesh, NULL, graph, 1, err);
    if (!status) status = em_fit(&model, options, mesh, shards, err);
    if (!status) status = em_model_save(model, path, err);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
    return status;
}

/* The mean has the scores zero, whatever the model. */
static em_status score_the_mean(const em_model *model, em_error *err)
{
    double *scores = calloc((size_t)em_model_components_count(model), sizeof *scores);
    if (!scores) return EM_ENOMEM;
    em_status status = em_model_transform(model, em_model_mean(model), 1, 0, scores, err);
    for (int k = 0; !status && k < em_model_components_count(model); k++)
        printf("component %d: variance %.4f, share %.1f %%, score of the mean %.1f\n", k + 1,
               em_model_explained_variance(model)[k], 100 * em_model_explained_variance_ratio(model)[k], scores[k]);
    free(scores);
    return status;
}

int main(int count, char **arguments)
{
    em_error err;
    em_model *model = NULL;
    const char *path = count > 1 ? arguments[1] : "example-model.npz";
    em_status status = count > 1 ? EM_OK : make_model(path, &err);
    if (!status) status = em_model_load(&model, path, &err);
    if (!status) {
        printf("%s: %d components of %d features, from %llu samples, by %s\n", path, em_model_components_count(model),
               em_model_features(model), (unsigned long long)em_model_samples(model), em_model_info(model)->method);
        status = score_the_mean(model, &err);
    }
    if (status) (void)fprintf(stderr, "read_model: %s\n", err.msg);
    em_model_free(&model);
    return status != EM_OK;
}
