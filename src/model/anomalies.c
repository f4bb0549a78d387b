/* Rows that do not fit: Hotelling's T^2 and the squared distance Q, and what is usual of either. */
#include "base/memory.h"
#include "linalg/block.h"
#include "model/model.h"
#include "model/quantiles.h"

#include <math.h>
#include <string.h>

/* Rows are centred and scaled a block at a time, so that no copy of the data is made. */
enum { ROWS_AT_ONCE = 256 };

/* sum over k of z_k^2 / lambda_k; without variance there is nothing to measure by, nor a score. */
static double t2_of(const em_model *model, const double *z)
{
    double sum = 0;
    for (int k = 0; k < model->info.rank; k++)
        if (model->explained_variance[k] > 0) sum += z[k] / model->explained_variance[k] * z[k];
    return sum;
}

/* What is left of the rows themselves, not the difference of two squares: small ones keep their digits. */
em_status em_model_anomalies(const em_model *model, const double *rows, size_t count, double *t2, double *q,
                             em_error *err)
{
    size_t d = (size_t)model->d, K = (size_t)model->K, n;
    double *block = emi_doubles(ROWS_AT_ONCE * (d + K));
    if (!block) return emi_fail_memory(err, "anomalies");
    emi_block V = {model->d, model->K, model->components};
    for (size_t first = 0; first < count; first += n) {
        n = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;
        for (size_t r = 0; r < n; r++)
            for (size_t f = 0; f < d; f++)
                block[r * d + f] = (rows[(first + r) * d + f] - model->mean[f]) / model->scale[f];
        emi_block Y = {model->d, (int)n, block}, Z = {model->K, (int)n, block + n * d};
        emi_mul_tn(1, V, Y, 0, Z);
        for (size_t r = 0; t2 && r < n; r++) t2[first + r] = t2_of(model, Z.v + r * K);
        if (!q) continue;
        emi_mul(-1, V, Z, 1, Y);
        for (size_t r = 0; r < n; r++) q[first + r] = pow(emi_norm(model->d, block + r * d), 2);
    }
    emi_free(block);
    return EM_OK;
}

/* ---- limits ------------------------------------------------------------------------------------------- */

static em_status check_confidence(double confidence, em_error *err)
{
    if (confidence > 0 && confidence < 1) return EM_OK;
    return emi_fail(err, EM_EINVAL, "confidence %g: not between 0 and 1; try 0.99", confidence);
}

/* Where rows have faded, their weight: no more than as many rows know (files of before do not say). */
static double rows_that_count(const em_model *model)
{
    double n = (double)model->N, weight = model->info.weight;
    return weight > 0 && weight < n ? weight : n;
}

/* Of a row that is none of those fitted to: N. D. Tracy, J. C. Young and R. L. Mason, J. Quality Technology 24, 1992. */
em_status em_model_t2_limit(const em_model *model, double confidence, double *limit, em_error *err)
{
    double n = rows_that_count(model), K = model->info.rank;
    em_status status = check_confidence(confidence, err);
    if (status != EM_OK) return status;
    if (!(K >= 1 && n > K))
        return emi_fail(err, EM_ENOTSUP,
                        "T^2 limit: %g rows of %g components with variance leave no freedom; try more rows", n, K);
    *limit = K * (n - 1) / n * ((n + 1) / (n - K)) * emi_f_quantile(confidence, K, n - K);
    return EM_OK;
}

/* theta_1 [c sqrt(2 theta_2) h / theta_1 + 1 + theta_2 h (h - 1) / theta_1^2]^(1/h), h = 1 - 2 theta_1 theta_3 / (3 theta_2^2); here
 * with theta_1 = 1, as shares of it.  J. E. Jackson and G. S. Mudholkar, Technometrics 21, 1979. */
static double jackson_mudholkar(double deviate, double squares, double cubes)
{
    static const double tiny = 1e-6;
    double h = 1 - 2 * cubes / (3 * squares * squares), along = deviate * sqrt(2 * squares);
    if (fabs(h) < tiny) return exp(along - squares);
    return pow(fmax(0, 1 + h * (along + squares * (h - 1))), 1 / h);
}

double emi_model_rest(const em_model *model)
{
    double left = fmin((double)model->N, model->d) - model->K;
    return left > 0 ? left * model->noise_variance : 0;
}

/* Of nothing but rounding every row has some. */
static int leaves_nothing_out(const em_model *model)
{
    static const double rounding = 1e-13;
    double explained = 0;
    for (int k = 0; k < model->K; k++) explained += model->explained_variance[k];
    return emi_model_rest(model) <= rounding * explained;
}

em_status em_model_q_limit(const em_model *model, double confidence, double *limit, double *error, em_error *err)
{
    double rest = emi_model_rest(model), squares = model->rest_squares, cubes = model->rest_cubes, furthest = 0;
    em_status status = check_confidence(confidence, err);
    if (status != EM_OK) return status;
    if (leaves_nothing_out(model))
        return emi_fail(err, EM_ENOTSUP, "Q limit: the components leave no variance out; try fewer of them");
    if (!(squares > 0 && cubes > 0))
        return emi_fail(
            err, EM_ENOTSUP,
            "Q limit: the model does not say how the variance it leaves out is spread; try limits=yes in the fit");
    double deviate = emi_normal_quantile(confidence);
    *limit = rest * jackson_mudholkar(deviate, squares, cubes);
    for (int sign = -1; sign <= 1; sign += 2) { /* both are off the same way, as both are sums of large ones */
        double off2 = squares + sign * model->rest_squares_error, off3 = cubes + sign * model->rest_cubes_error;
        if (off2 > 0 && off3 > 0)
            furthest = fmax(furthest, fabs(rest * jackson_mudholkar(deviate, off2, off3) - *limit));
    }
    if (error) *error = furthest;
    return EM_OK;
}
