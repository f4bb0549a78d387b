/* Moments in place of rows: what methods ask of a node's rows they know, but for the rows themselves.
 *
 * About the network's mean mu, with delta = mean - mu, C_i = (M/W)(M2 + w delta delta'), w being the weight here and W that of all. */
#include "base/digest.h"
#include "base/memory.h"
#include "data/accumulate.h"
#include "data/by_rows.h"
#include "data/moments.h"
#include "data/row_kind.h"
#include "linalg/outer.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static em_status refuse_rows(const em_data *data, em_error *err)
{
    return emi_fail(err, EM_ENOTSUP, "%s: holds the moments of rows, and no row; try the rows themselves", data->name);
}

static double square_of(const em_moments *m, size_t f)
{
    return m->sketch ? m->sketch->squares[f] : m->scatter[f * (size_t)m->d + f];
}

/* Values whose squares are no doubles have left nothing here but their mean. */
static em_status refuse_tiny(const em_data *data, size_t f, em_error *err)
{
    return emi_fail(err, EM_EDATA,
                    "%s: feature %zu (from 0) is so small that sums of its squares are no doubles; try multiplying the "
                    "column by 1e200 before its moments are taken",
                    data->name, f);
}

/* What moments do not know are the extremes: two deviations to either side are of their order. */
static em_status survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                        emi_scratch scratch, em_error *err)
{
    static const double tiny = 0x1p-500;
    (void)helpers, (void)scratch;
    const em_moments *m = shard->data->state;
    size_t d = (size_t)m->d;
    for (size_t f = 0; f < d; f++) {
        double one = unit ? unit[f] : 1, square = square_of(m, f), reach = 2 * sqrt(square / m->weight);
        if (m->mean[f] != 0 && fabs(m->mean[f]) < tiny && square < tiny * tiny * m->weight)
            return refuse_tiny(shard->data, f, err);
        found[EMI_COUNT * d + f] = m->weight;
        found[EMI_SUM * d + f] = m->weight * (m->rest[f] / one);
        found[EMI_SQUARES * d + f] = square / one / one;
        found[EMI_HIGHEST * d + f] = (m->mean[f] + reach) / one;
        found[EMI_LOWEST * d + f] = (reach - m->mean[f]) / one;
        found[EMI_ORIGIN * d + f] = m->mean[f] / one;
    }
    return EM_OK;
}

/* Of a product with d x d numbers, as if they were rows'. */
static double width(const em_data *data)
{
    const em_moments *m = data->state;
    double rows = m->sketch ? m->sketch->held : m->d / 2.0;
    return (double)data->columns * rows / (double)data->rows;
}

static double weight_of(const em_data *data, double *squared)
{
    const em_moments *m = data->state;
    *squared = m->squared;
    return m->weight;
}

static double delta_of(const emi_operator *C, const em_moments *m, int f)
{
    double mu = C->standard->mean ? C->standard->mean[f] : 0;
    return (m->mean[f] - mu) + m->rest[f];
}

/* M2 X. */
static em_status multiply_scatter(const em_moments *m, emi_block X, emi_block Z, em_error *err)
{
    if (m->scatter) {
        emi_mul(1, (emi_block){m->d, m->d, m->scatter}, X, 0, Z);
        return EM_OK;
    }
    emi_block B = {m->d, m->sketch->held, m->sketch->rows}, sides = {B.cols, X.cols, NULL};
    sides.v = emi_doubles((size_t)sides.rows * (size_t)sides.cols + 1);
    if (!sides.v) return emi_fail_memory(err, "product");
    emi_mul_tn(1, B, X, 0, sides);
    emi_mul(1, B, sides, 0, Z);
    emi_free(sides.v);
    return EM_OK;
}

static em_status multiply(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    (void)real, (void)scratch;
    const em_moments *m = C->shard->data->state;
    const double *inverse = C->standard->inverse_scale;
    size_t d = (size_t)X.rows;
    double *delta = emi_doubles(d * ((size_t)X.cols + 1));
    if (!delta) return emi_fail_memory(err, "product");
    emi_block scaled = {X.rows, X.cols, delta + d};
    for (int f = 0; f < X.rows; f++) delta[f] = delta_of(C, m, f);
    for (size_t n = 0; n < d * (size_t)X.cols; n++) scaled.v[n] = inverse ? X.v[n] * inverse[n % d] : X.v[n];
    em_status status = multiply_scatter(m, scaled, Z, err);
    for (int k = 0; status == EM_OK && k < X.cols; k++) {
        double *z = emi_column_of(Z, k);
        cblas_daxpy(X.rows, m->weight * cblas_ddot(X.rows, delta, 1, emi_column_of(scaled, k), 1), delta, 1, z, 1);
        for (size_t f = 0; f < d; f++) z[f] *= C->weight * (inverse ? inverse[f] : 1);
        if (squares) squares[k] = cblas_ddot(X.rows, emi_column_of(X, k), 1, z, 1);
    }
    emi_free(delta);
    return status;
}

static em_status scores(const emi_operator *C, emi_real real, emi_block X, void *out, emi_scratch scratch,
                        em_error *err)
{
    (void)real, (void)X, (void)out, (void)scratch;
    return refuse_rows(C->shard->data, err);
}

/* C_i itself. */
static em_status form(const emi_operator *C, double **out, em_error *err)
{
    const em_moments *m = C->shard->data->state;
    const double *inverse = C->standard->inverse_scale;
    size_t d = (size_t)m->d;
    double *dense = emi_doubles(d * d), *delta = emi_doubles(d);
    for (int f = 0; delta && f < m->d; f++) delta[f] = delta_of(C, m, f);
    if (dense && m->scatter) memcpy(dense, m->scatter, sizeof *dense * d * d);
    if (dense && m->sketch)
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, m->d, m->sketch->held, 1, m->sketch->rows, m->d, 0, dense,
                    m->d);
    for (size_t c = 0; dense && delta && c < d; c++)
        for (size_t r = 0; r <= c; r++) {
            double *entry = &dense[c * d + r];
            *entry = C->weight * (*entry + m->weight * delta[r] * delta[c]);
            if (inverse) *entry *= inverse[r] * inverse[c];
        }
    int whole = dense && delta;
    emi_free(delta);
    if (whole) emi_mirror(dense, m->d);
    if (!whole) emi_free(dense);
    *out = whole ? dense : NULL;
    return whole ? EM_OK : emi_fail_memory_try(err, "covariance", "method=krylov");
}

static uint64_t digest(const em_data *data)
{
    const em_moments *m = data->state;
    const size_t d = (size_t)m->d;
    const double weights[] = {m->weight, m->squared};
    uint64_t so_far = emi_digest(emi_digest_number(EMI_DIGEST_START, m->rows), weights, 2);
    so_far = emi_digest(so_far, m->mean, 2 * d); /* and the rest of it */
    if (m->scatter) return emi_digest(so_far, m->scatter, d * d);
    return emi_digest(emi_digest(so_far, m->sketch->rows, d * (size_t)m->sketch->held), m->sketch->squares, d);
}

const emi_row_kind emi_moment_rows = {.name = "moments",
                                      .width = width,
                                      .survey = survey,
                                      .multiply = multiply,
                                      .scores = scores,
                                      .weight = weight_of,
                                      .form = form,
                                      .digest = digest};

const emi_operator_kind emi_by_moments = {.name = "moments",
                                          .squared = 1,
                                          .cost = emi_by_rows_cost,
                                          .apply = emi_by_rows_apply,
                                          .measure = emi_by_rows_measure};

/* ---- as a table ---------------------------------------------------------------------------------------------------------------- */

static em_status read_rows(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    (void)first, (void)count, (void)out;
    return refuse_rows(data, err);
}

static em_status pick(em_data *data, em_error *err)
{
    em_moments *m = data->state;
    em_status status = emi_moments_pick(m, data->pick, data->columns, err);
    if (status == EM_OK && m->scatter) emi_mirror(m->scatter, m->d);
    return status;
}

static void close_owned(em_data *data)
{
    em_moments *m = data->state;
    em_moments_free(&m);
}

static void close_borrowed(em_data *data)
{
    (void)data;
}

static const emi_source owned_source = {
    .read = read_rows, .pick = pick, .close = close_owned, .rows = &emi_moment_rows};
static const emi_source borrowed_source = {.read = read_rows, .close = close_borrowed, .rows = &emi_moment_rows};

em_moments *em_data_moments(const em_data *data)
{
    return data->source->rows == &emi_moment_rows ? data->state : NULL;
}

em_status emi_moments_open(em_data *data, em_moments *m, int owned, em_error *err)
{
    em_status status = emi_moments_settle(m, err);
    if (status != EM_OK) return status;
    if (m->scatter) emi_mirror(m->scatter, m->d); /* products take both triangles, sums go on in one */
    data->columns = (size_t)m->d;
    if (m->names) status = em_data_set_column_names(data, (const char *const *)m->names, err);
    if (status != EM_OK) return status;
    data->format = "moments";
    (void)snprintf(data->remarks, sizeof data->remarks, "moments of rows, and no row");
    data->type = EM_F64;
    data->rows = (size_t)m->rows;
    data->state = m;
    data->source = owned ? &owned_source : &borrowed_source;
    return EM_OK;
}

em_status em_data_from_moments(em_data **out, em_moments *m, em_error *err)
{
    *out = NULL;
    if (em_moments_rows(m) == 0) return emi_fail(err, EM_EDATA, "moments: of no rows; try adding some first");
    em_data *data = emi_calloc(1, sizeof *data);
    if (data) data->name = emi_strdup("moments");
    em_status status = data && data->name ? emi_moments_open(data, m, 0, err) : emi_fail_memory(err, "moments");
    if (status != EM_OK) em_data_free(&data);
    *out = data;
    return status;
}
