#include "problem.h"

#include "support/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void problem_open(problem *p, size_t N, int d, spectrum s, double mean, int single)
{
    em_error err = {0};
    size_t columns = (size_t)d, size = N * columns;
    double *lambda = malloc(sizeof *lambda * columns);
    assert_non_null(lambda);
    for (int k = 0; k < d; k++) lambda[k] = k < s.rank ? pow(s.falls, k / s.alike) : 0;
    if (s.first > 0) lambda[0] *= s.first;
    *p = (problem){.N = N, .d = d, .rows = truth_rows(N, d, lambda, 11)};
    p->floats = malloc(sizeof *p->floats * size);
    p->values = malloc(sizeof *p->values * columns);
    p->vectors = malloc(sizeof *p->vectors * columns * columns);
    assert_true(p->floats && p->values && p->vectors);
    for (size_t n = 0; n < size; n++) {
        p->rows[n] += mean - (1 + (double)(n % columns)); /* the means that they come with */
        p->floats[n] = (float)p->rows[n];
        if (single) p->rows[n] = p->floats[n];
    }
    truth_pca(p->rows, N, d, p->values, p->vectors);
    assert_ok(em_data_from_array(&p->data, single ? (void *)p->floats : (void *)p->rows, single ? EM_F32 : EM_F64, N,
                                 columns, 0, 0, &err),
              &err);
    free(lambda);
}

void problem_close(problem *p)
{
    em_data_free(&p->data);
    free(p->vectors);
    free(p->values);
    free(p->floats);
    free(p->rows);
}

em_status problem_fit(const problem *p, const em_options *options, em_model **out, em_error *err)
{
    em_status status = EM_OK;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    TRY(em_shards_split(&shards, p->data, 1, NULL, 0, err));
    TRY(em_graph_create(&graph, "complete", 1, 0, err));
    TRY(em_mesh_open(&mesh, NULL, graph, 2, err));
    TRY(em_fit(out, options, mesh, shards, err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return status;
}

em_model *problem_fitted(const problem *p, int K, double tolerance)
{
    em_error err = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = K;
    options.tolerance = tolerance;
    options.device = EMI_DEVICE_GPU;
    assert_ok(problem_fit(p, &options, &model, &err), &err);
    assert_string_equal(em_model_info(model)->device, "gpu");
    return model;
}

double problem_variance(const problem *p, const em_model *model, int k)
{
    return em_model_explained_variance(model)[k] * (double)(p->N - 1) / (double)p->N;
}

double problem_residual(const problem *p, const em_model *model, int k)
{
    const double *x = em_model_components(model) + (size_t)k * (size_t)p->d, theta = problem_variance(p, model, k);
    double square = 0;
    for (int j = 0; j < p->d; j++) {
        double along = 0;
        for (int f = 0; f < p->d; f++) along += p->vectors[(size_t)j * (size_t)p->d + (size_t)f] * x[f];
        square += pow((p->values[j] - theta) * along, 2);
    }
    return sqrt(square) / theta;
}

void problem_check(const problem *p, const em_model *model, int K, double tolerance, double digits)
{
    size_t d = (size_t)p->d;
    for (int k = 0; k < K; k++) {
        const double *x = em_model_components(model) + (size_t)k * d, *q = p->vectors + (size_t)k * d;
        assert_close(problem_variance(p, model, k) / p->values[0], p->values[k] / p->values[0], digits);
        double above = k ? p->values[k - 1] - p->values[k] : p->values[0],
               gap = fmin(above, p->values[k] - p->values[k + 1]);
        if (gap > 0.02 * p->values[k] && p->values[k] > 1e-6 * p->values[0])
            assert_true(truth_sin2(x, q, p->d) < pow(2 * tolerance * p->values[k] / gap, 2));
    }
}

int steps_there(const em_model *model)
{
    const char *told = strstr(em_model_info(model)->device_why, "; ");
    int steps = 0;
    return told && sscanf(told, "; %d step", &steps) == 1 ? steps : 0;
}
