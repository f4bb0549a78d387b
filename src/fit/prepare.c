#include "fit/prepare.h"

#include "base/clock.h"
#include "base/memory.h"
#include "data/accumulate.h"
#include "data/form.h"
#include "data/genotypes.h"
#include "data/moments.h"
#include "data/row_kind.h"
#include "fit/check.h"
#include "fit/standardise.h"
#include "mesh/masking.h"
#include "mesh/question.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

em_status emi_problem_for_nodes(emi_problem *p, double cost, emi_loop_body *body, void *context, em_error *err)
{
    return emi_pool_run(p->mesh->pool, p->mesh->hosted, cost, body, context, err);
}

em_status emi_problem_status(const emi_problem *p, em_error *err)
{
    if (emi_mesh_failed(p->mesh) && err) *err = p->mesh->failure;
    return p->mesh->failure.code;
}

const emi_helpers *emi_problem_helpers(const emi_problem *p, int i)
{
    size_t all = 0;
    for (int j = 0; j < p->mesh->hosted; j++) all += p->shard[j].count;
    return p->shard[i].count > all / (size_t)p->threads ? &p->helpers : NULL;
}

double emi_problem_product_cost(const emi_problem *p, int K)
{
    return p->mesh->hosted * emi_operator_cost(&p->C[0], K);
}

int emi_problem_block(const emi_problem *p, const em_options *options, emi_real real)
{
    int block = p->K + emi_options_oversample(options), panel = emi_panel_width(real);
    if (p->mesh->graph->nodes == 1 && options->oversample < 0) block = (block + panel - 1) / panel * panel;
    return block < p->d ? block : p->d;
}

const char *emi_problem_feature(const emi_problem *p, int f, char out[64])
{
    const em_data *data = p->shard[0].data;
    if (data->names && *data->names[f])
        (void)snprintf(out, 64, "column '%.40s'", data->names[f]);
    else
        (void)snprintf(out, 64, "column %d (from 0)", f);
    return out;
}

/* On one node, where columns cost more than steps: what the kernel multiplies at once, or twice that where the basis will be so
 * large that the algebra of a step counts too. */
int emi_problem_narrow(const emi_problem *p, emi_real real)
{
    enum { MANY = 16 };
    return p->mesh->graph->nodes == 1 ? (p->K > MANY ? 2 : 1) * emi_panel_width(real) : p->d;
}

/* ---- the user's units ------------------------------------------------------------------------ */

double emi_problem_variance_of(const emi_problem *p, double eigenvalue)
{
    return ldexp(eigenvalue * (p->weight / p->degrees), 2 * p->exponent);
}

double emi_problem_sketch_bound(const emi_problem *p)
{
    double largest = p->standard.inverse_scale ? 0 : 1;
    for (int f = 0; p->standard.inverse_scale && f < p->d; f++) largest = fmax(largest, p->standard.inverse_scale[f]);
    return emi_problem_variance_of(p, p->shed / p->weight * largest * largest);
}

double emi_problem_singular_value_of(const emi_problem *p, double eigenvalue)
{
    return eigenvalue > 0 ? ldexp(sqrt(eigenvalue * p->weight), p->exponent) : 0;
}

/* ---- sizes ------------------------------------------------------------------------------- */

static em_status count_rows(emi_problem *p, em_error *err)
{
    enum { ROWS, WEIGHT, SQUARED, SHED, COUNTS };
    emi_field rows = {0};
    double total[COUNTS] = {0};
    em_status status = EM_OK;
    TRY(emi_field_alloc(&rows, p->mesh->hosted, COUNTS, 1, err));
    for (int i = 0; i < p->mesh->hosted; i++) {
        double *own = emi_at(&rows, i).v;
        own[ROWS] = (double)p->shard[i].count;
        own[WEIGHT] = emi_shard_weight(&p->shard[i], &own[SQUARED]);
        const em_moments *moments = em_data_moments(p->shard[i].data);
        own[SHED] = moments && moments->sketch ? moments->sketch->shed : 0;
    }
    emi_tree_sum(p->mesh, &rows, total);
    TRY(emi_problem_status(p, err));
    p->N = (uint64_t)total[ROWS];
    p->weight = total[WEIGHT];
    p->degrees = emi_degrees(total[WEIGHT], total[SQUARED]);
    p->shed = total[SHED];
done:
    emi_field_free(&rows);
    return status;
}

/* The same where nobody's own number is to be seen; then each node may say that it is too few. */
static em_status count_masked_rows(emi_problem *p, em_error *err)
{
    const uint64_t most = UINT64_C(1) << 40; /* for which sums of squares have room */
    uint64_t *rows = emi_calloc((size_t)p->mesh->hosted, sizeof *rows), here = 0;
    if (!rows) return emi_fail_memory(err, "rows");
    for (int i = 0; i < p->mesh->hosted; i++) here += rows[i] = p->shard[i].count;
    emi_masked_counts(p->mesh, rows, 1, &p->N);
    em_status status = emi_problem_status(p, err);
    if (status == EM_OK && (p->N < here || p->N > most))
        status = emi_fail(err, EM_ENET, "fit: the root says that all nodes have %llu rows; try again",
                          (unsigned long long)p->N);
    if (status == EM_OK) emi_masked_rows(p->mesh, rows, p->N);
    p->weight = (double)p->N;
    p->degrees = emi_degrees(p->weight, p->weight);
    emi_free(rows);
    return status == EM_OK ? emi_problem_status(p, err) : status;
}

/* What takes rows. */
static em_status refuse_moments(const emi_problem *p, const em_options *options, em_error *err)
{
    const char *what = emi_mesh_is_masked(p->mesh)            ? "masks are of rows alone; try them, or without masks"
                       : options->scale == EMI_SCALE_BINOMIAL ? "scale=binomial is of genotypes; try scale=std"
                                                              : NULL;
    for (int i = 0; what && i < p->mesh->hosted; i++)
        if (emi_is_moments(&p->shard[i]))
            return emi_fail_at(err, EM_ENOTSUP, p->mesh->first + i, "%s: holds moments, and %s", p->shard[i].data->name,
                               what);
    return EM_OK;
}

/* Components to begin with, where a fraction of the variance says how many there will be. */
static uint64_t at_first(const em_options *options)
{
    enum { SOME = 16 };
    return options->last ? (uint64_t)options->last->K : SOME;
}

static em_status check_sizes(emi_problem *p, const em_options *options, em_error *err)
{
    if (p->shards->count != p->mesh->hosted && p->shards->count != p->mesh->graph->nodes)
        return emi_fail(err, EM_EINVAL, "shards: %d of them for the %d nodes here; try one a node", p->shards->count,
                        p->mesh->hosted);
    p->shard = p->shards->shard + (p->shards->count == p->mesh->hosted ? 0 : p->mesh->first);
    p->rows = &emi_by_rows;
    em_status status = refuse_moments(p, options, err);
    if (status != EM_OK) return status;
    const emi_row_kind *kind = emi_rows_of(&p->shard[0]);
    p->compact = kind && kind != &emi_on_gpu;
    if (p->shards->columns > (size_t)(INT_MAX / 2))
        return emi_fail(err, EM_EINVAL, "data: %zu features are too many; try fewer columns", p->shards->columns);
    p->d = (int)p->shards->columns;
    status = emi_mesh_is_masked(p->mesh) ? count_masked_rows(p, err) : count_rows(p, err);
    if (status == EM_OK) status = emi_options_check(options, p->N, p->d, err);
    uint64_t rows = options->center && p->N > 1 ? p->N - 1 : p->N, most = p->N < (uint64_t)p->d ? p->N : (uint64_t)p->d;
    p->rank = rows < (uint64_t)p->d ? (int)rows : p->d;
    p->K = options->variance == 0 ? options->components : (int)(most < at_first(options) ? most : at_first(options));
    return status;
}

static em_status alloc_problem(emi_problem *p, int width, em_error *err)
{
    enum { LINE = 8 }; /* of the cache, in numbers */
    int gram = p->gram_fits && p->N < (uint64_t)p->d;
    size_t all,
        d = (size_t)p->d, needs = emi_method_needs(p->d, width),
        other[] = {emi_moments_needs(p->d), emi_form_needs(p->d, p->d), gram ? emi_gram_needs((int)p->N, p->d) : 0};
    for (int i = 0; i < 3; i++) needs = needs > other[i] ? needs : other[i];
    p->mean = emi_calloc(d, sizeof *p->mean);
    p->scale = emi_doubles(d);
    p->deviation = emi_calloc(d, sizeof *p->deviation);
    p->offset = emi_calloc(d, sizeof *p->offset);
    p->C = emi_calloc((size_t)p->mesh->hosted, sizeof *p->C);
    p->threads = emi_pool_size(p->mesh->pool);
    p->scratch = emi_calloc((size_t)p->threads, sizeof *p->scratch);
    if (!p->mean || !p->scale || !p->deviation || !p->offset || !p->C || !p->scratch)
        return emi_fail_memory(err, "problem");
    for (size_t f = 0; f < d; f++) p->scale[f] = 1;
    needs = (needs + LINE - 1) / LINE * LINE; /* theirs lie side by side */
    if (!emi_size_overflows((size_t)p->threads, needs, &all)) p->room = emi_room(all);
    if (!p->room) return emi_fail_memory(err, "problem");
    for (int t = 0; t < p->threads; t++) p->scratch[t] = (emi_scratch){p->room + (size_t)t * needs, needs};
    p->standard.d = p->d;
    p->helpers = (emi_helpers){p->mesh->pool, p->scratch};
    return EM_OK;
}

/* ---- operators ------------------------------------------------------------------------------ */

static em_status form_body(void *context, int i, int worker, em_error *err)
{
    emi_problem *p = context;
    return p->C[i].kind->form(&p->C[i], p->scratch[worker], err);
}

static void choose_scaling(emi_problem *p, int genotypes)
{
    if (p->scaling == EMI_SCALE_AUTO) p->scaling = genotypes ? EMI_SCALE_BINOMIAL : EMI_SCALE_NONE;
}

/* What kind of numbers a node has is its own, and rows in double will do; only whether somebody has genotypes must be known. */
static em_status judge_masked(emi_problem *p, em_error *err)
{
    int genotypes = 0, *own = emi_calloc((size_t)p->mesh->hosted, sizeof *own);
    if (!own) return emi_fail_memory(err, "problem");
    for (int i = 0; i < p->mesh->hosted; i++) own[i] = emi_is_genotypes(p->shard[i].data);
    if (p->scaling == EMI_SCALE_AUTO) emi_masked_maximum(p->mesh, own, 1, &genotypes);
    emi_free(own);
    choose_scaling(p, genotypes);
    p->filled = 1;
    return emi_problem_status(p, err);
}

/* The share of a row's numbers that there is to multiply. */
static double filled_of(const emi_shard *shard)
{
    const emi_row_kind *rows = emi_rows_of(shard);
    return rows && rows->width ? rows->width(shard->data) / (double)shard->data->columns : 1;
}

/* Into half of the memory, in every process: what is decided by it must be decided alike.  Rows of a kind of their own are not to be
 * copied as numbers, as the side of the rows would. */
static em_status judge_memory(emi_problem *p, em_error *err)
{
    enum { MEMORY, DIGITS, GENOTYPES, FILLED, MOMENTS, SUMMING, KNOWN };
    double half = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2, rows = (double)p->N;
    double most[KNOWN] = {[MEMORY] = 8.0 * p->mesh->hosted * p->d * p->d / half};
    if (emi_mesh_is_masked(p->mesh)) return judge_masked(p, err);
    for (int i = 0; i < p->mesh->hosted; i++) {
        const emi_shard *shard = &p->shard[i];
        most[DIGITS] = fmax(most[DIGITS], !emi_dtype_is_single(shard->data->type));
        most[GENOTYPES] = fmax(most[GENOTYPES], emi_is_genotypes(shard->data));
        most[FILLED] = fmax(most[FILLED], filled_of(shard));
        const em_moments *moments = em_data_moments(shard->data);
        if (moments) {
            most[MOMENTS] = 1;
            most[SUMMING] = fmax(most[SUMMING], emi_moments_rounding(moments));
        }
    }
    em_status status = emi_process_max(p->mesh, most, KNOWN, err);
    p->dense_fits = most[MEMORY] < 1;
    p->rows_are_single = most[DIGITS] == 0;
    p->filled = most[FILLED];
    if (most[MOMENTS] > 0) p->rows = &emi_by_moments;
    p->summing = most[SUMMING];
    p->gram_fits = p->mesh->graph->nodes == 1 && !emi_rows_of(&p->shard[0]) && 8 * rows * rows < half;
    choose_scaling(p, most[GENOTYPES] > 0);
    return status;
}

emi_rounding emi_problem_rounding(const emi_problem *p)
{
    return (emi_rounding){.deviation = p->deviation,
                          .offset = p->offset,
                          .total = p->variance,
                          .formed = p->C[0].kind->squared,
                          .single = p->C[0].real == EMI_SINGLE,
                          .answers = emi_question_rounding(p->mesh) + p->summing};
}

const emi_operator_kind *emi_problem_use(emi_problem *p, const emi_operator_kind *kind)
{
    const emi_operator_kind *before = p->C[0].kind;
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].kind = kind;
    return before;
}

em_status emi_problem_form(emi_problem *p, const emi_operator_kind *kind, em_error *err)
{
    double began = emi_seconds();
    (void)emi_problem_use(p, kind);
    if (!kind->form || kind->matrix(&p->C[0]).v) return EM_OK;
    em_status status = emi_problem_for_nodes(p, emi_form_cost((double)p->N, p->d), form_body, p, err);
    p->seconds_forming += emi_seconds() - began;
    return status;
}

int emi_problem_use_double(emi_problem *p)
{
    if (p->C[0].real == EMI_DOUBLE) return 0;
    for (int i = 0; i < p->mesh->hosted; i++) {
        emi_operator_free(&p->C[i]);
        p->C[i].real = EMI_DOUBLE;
    }
    return 1;
}

/* Squares of far larger or smaller numbers are none in single precision. */
static emi_real within_single(const emi_problem *p, emi_real real)
{
    enum { FAR = 30 };
    return p->standard.inverse_scale || abs(p->largest) <= FAR ? real : EMI_DOUBLE;
}

static void describe_operators(emi_problem *p, emi_real real)
{
    for (int i = 0; i < p->mesh->hosted; i++)
        p->C[i] = (emi_operator){.kind = p->rows,
                                 .d = p->d,
                                 .weight = (double)p->mesh->graph->nodes / p->weight,
                                 .shard = &p->shard[i],
                                 .helpers = emi_problem_helpers(p, i),
                                 .standard = &p->standard,
                                 .own_mean = p->mesh->graph->nodes == 1 && p->standard.mean,
                                 .gpu = p->device.rows ? &p->device.rows[i] : NULL,
                                 .real = within_single(p, real)};
}

/* ---- the whole --------------------------------------------------------------------------------- */

em_status emi_problem_open(emi_problem *p, em_mesh *mesh, const em_shards *shards, const em_options *options,
                           em_error *err)
{
    *p = (emi_problem){.mesh = mesh, .shards = shards, .scaling = options->scale};
    mesh->phase = EM_SETUP;
    if (p->scaling == EMI_SCALE_AUTO && !options->center)
        p->scaling = EMI_SCALE_NONE; /* genotypes are scaled by their mean */
    em_status status = check_sizes(p, options, err);
    if (status == EM_OK) status = judge_memory(p, err);
    return status == EM_OK ? alloc_problem(p, emi_problem_block(p, options, EMI_SINGLE), err) : status;
}

static em_status scale_features(emi_problem *p, const emi_overview *over, em_error *err)
{
    if (p->scaling == EMI_SCALE_STD) return emi_scale_by_deviation(p, over, err);
    return p->scaling == EMI_SCALE_BINOMIAL ? emi_scale_by_frequency(p, err) : emi_scale_by_range(p, over, err);
}

/* In the units that rows have now. */
static em_status prepare_questions(emi_problem *p, const emi_overview *over, em_error *err)
{
    em_status status = emi_find_variance(p, over, err);
    if (status != EM_OK) return status;
    emi_question_about(p->mesh, p->deviation, p->d, p->variance);
    return emi_problem_status(p, err);
}

em_status emi_problem_complete(emi_problem *p, const em_options *options, const emi_operator_kind *kind, emi_real real,
                               em_error *err)
{
    em_status status = EM_OK;
    emi_overview over = {0};
    double began = emi_seconds();
    TRY(emi_device_send(p, kind == &emi_by_covariance_there, err));
    TRY(emi_find_mean(p, &over, options->center, err));
    TRY(scale_features(p, &over, err));
    describe_operators(p, real);
    int doubtful = p->exponent && p->scaling == EMI_SCALE_NONE; /* found out before the work */
    if (doubtful) {
        TRY(prepare_questions(p, &over, err));
        TRY(emi_check_units(p, err));
    }
    TRY(emi_problem_form(p, kind, err));
    if (p->scaling == EMI_SCALE_SPECTRAL) {
        TRY(prepare_questions(p, &over, err));
        TRY(emi_scale_by_spectrum(p, err));
    }
    if (!doubtful) TRY(prepare_questions(p, &over, err));
    p->seconds = emi_seconds() - began - p->seconds_forming;
done:
    emi_overview_free(&over);
    return status;
}

void emi_problem_free(emi_problem *p)
{
    for (int i = 0; p->C && i < p->mesh->hosted; i++) emi_operator_free(&p->C[i]);
    emi_device_close(p);
    emi_free(p->room);
    emi_free(p->scratch);
    emi_free(p->C);
    emi_free(p->standard.inverse_scale);
    emi_free(p->offset);
    emi_free(p->deviation);
    emi_free(p->scale);
    emi_free(p->fill);
    emi_free(p->level);
    emi_free(p->mean);
    *p = (emi_problem){0};
}
