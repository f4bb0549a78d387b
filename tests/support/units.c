#include "support/units.h"

#include "support/check.h"
#include "support/network.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double spectrum[D] = {9, 4, 2, 1, 0.5};

double *units_rows(void)
{
    double *rows = truth_rows(N, D, spectrum, 7);
    assert_non_null(rows);
    return rows;
}

em_options units_options(const char *method, emi_scale scale)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.scale = scale;
    options.tolerance = 1e-10;
    return options;
}

em_status units_fit(em_model **model, const double *rows, size_t count, int d, const em_options *options, em_error *err)
{
    network net;
    const network_plan plan = {rows, count, (size_t)d, "path", count < NODES ? 2 : NODES, 1};
    assert_ok(network_open(&net, &plan, err), err);
    em_status status = em_fit(model, options, net.mesh, net.shards, err);
    network_close(&net);
    return status;
}

void assert_all_finite(const em_model *model)
{
    int components = em_model_components_count(model), d = em_model_features(model);
    for (int n = 0; n < components * d; n++) assert_true(isfinite(em_model_components(model)[n]));
    for (int k = 0; k < components; k++) {
        assert_true(isfinite(em_model_explained_variance(model)[k]));
        assert_true(isfinite(em_model_explained_variance_ratio(model)[k]));
        assert_true(isfinite(em_model_singular_values(model)[k]));
    }
    for (int f = 0; f < d; f++) assert_true(isfinite(em_model_mean(model)[f]) && isnormal(em_model_scale(model)[f]));
    assert_true(isfinite(em_model_noise_variance(model)));
}

double *standardised(const double *rows, size_t count, int d, double *deviation)
{
    double *out = malloc(count * (size_t)d * sizeof *out);
    assert_non_null(out);
    for (size_t f = 0; f < (size_t)d; f++) {
        long double mean = 0, squares = 0;
        for (size_t r = 0; r < count; r++) mean += (long double)rows[r * (size_t)d + f] / (long double)count;
        for (size_t r = 0; r < count; r++) {
            long double y = rows[r * (size_t)d + f] - mean;
            squares += y * y;
        }
        long double divisor = sqrtl(squares / (long double)(count - 1));
        for (size_t r = 0; r < count; r++)
            out[r * (size_t)d + f] = (double)((rows[r * (size_t)d + f] - mean) / divisor);
        deviation[f] = (double)divisor;
    }
    return out;
}
