/* Simulate a network: correlated rows over ten nodes of an Erdos-Renyi graph, by dsa, and watch the error
 * fall.
 *
 *     cc simulate_network.c $(pkg-config --cflags --libs eigenmesh) -o simulate_network && ./simulate_network */
#include <eigenmesh/eigenmesh.h>

#include <stdio.h>

enum { NODES = 10, FEATURES = 20, SAMPLES = 10000, COMPONENTS = 5 };

/* Between -1 and 1. */
static double uniform(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (double)*state / 2147483648.0 - 1;
}

/* Rows that vary along COMPONENTS random directions, each less than the one before, with noise all around. */
static void make_up(double rows[SAMPLES][FEATURES])
{
    double directions[COMPONENTS][FEATURES];
    unsigned state = 1;
    for (int k = 0; k < COMPONENTS; k++)
        for (int f = 0; f < FEATURES; f++) directions[k][f] = uniform(&state);
    for (int r = 0; r < SAMPLES; r++) {
        for (int f = 0; f < FEATURES; f++) rows[r][f] = 0.5 * uniform(&state);
        for (int k = 0; k < COMPONENTS; k++) {
            double along = (1 - 0.15 * k) * uniform(&state);
            for (int f = 0; f < FEATURES; f++) rows[r][f] += along * directions[k][f];
        }
    }
}

static void show(const em_model *model)
{
    const em_trace_row *row;
    const em_info *info = em_model_info(model);
    printf("iteration      units      error  consensus\n");
    for (size_t r = 0; (row = em_model_trace_row(model, r)); r += 200)
        printf("%9ld %10.0f %10.2e %10.2e\n", row->iteration, row->units, row->error, row->consensus);
    printf("%s after %ld iterations with step %.3f\n", em_reason_text(info->reason), info->iterations, info->step);
}

/* The truth is computed too, so that the error is known. */
static em_status ask(em_options *options, em_error *err)
{
    static const char *const wishes[][2] = {
        {"method", "dsa"}, {"components", "5"}, {"step", "0.1"}, {"trace", "all"}, {"truth", "compute"}};
    em_status status = EM_OK;
    for (size_t n = 0; !status && n < sizeof wishes / sizeof *wishes; n++)
        status = em_options_set(options, wishes[n][0], wishes[n][1], err);
    return status;
}

int main(void)
{
    em_error err;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options *options = NULL;

    static double rows[SAMPLES][FEATURES];
    make_up(rows);
    int failed = em_options_create(&options, &err) || ask(options, &err) ||
                 em_data_from_array(&data, rows, EM_F64, SAMPLES, FEATURES, 0, 0, &err) ||
                 em_shards_split(&shards, data, NODES, "contiguous", 0, &err) ||
                 em_graph_create(&graph, "er:0.5", NODES, 1, &err) || em_mesh_open(&mesh, "local", graph, 0, &err) ||
                 em_fit(&model, options, mesh, shards, &err);
    if (failed) {
        (void)fprintf(stderr, "simulate_network: %s\n", err.msg);
    } else {
        show(model);
        failed = em_model_info(model)->reason < 0 || !(em_model_info(model)->error < 1e-2);
    }
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
    return failed;
}
