/* Running an experiment: trials side by side on the cores, or one trial with its nodes spread over them. */
#include "lab/experiment.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "lab/tables/generate.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- what an experiment leaves behind ------------------------------------------------------ */

/* One fit: a model, or why there is none. */
typedef struct lab_run {
    em_model *model;
    em_error error;
} lab_run;

struct lab_results {
    int stopped, contenders;
    struct {
        int each, count; /* runs a trial, which are 1 or one a node, and in all */
        lab_run *runs;   /* a trial after another */
        size_t rows;
        lab_curve_row *curve;
    } of[]; /* [contenders] */
};

static em_status new_results(lab_results **out, const lab_experiment *about, em_error *err)
{
    size_t count = (size_t)about->contender_count;
    lab_results *r = *out = emi_calloc(1, sizeof *r + count * sizeof r->of[0]);
    if (!r) return emi_fail_memory(err, "experiment");
    r->contenders = about->contender_count;
    for (int c = 0; c < r->contenders; c++) {
        r->of[c].each = about->contenders[c].place == LAB_EACH_ALONE ? em_graph_nodes(about->graph) : 1;
        r->of[c].count = r->of[c].each * about->trials;
        r->of[c].runs = emi_calloc((size_t)r->of[c].count, sizeof *r->of[c].runs);
        if (!r->of[c].runs) return emi_fail_memory(err, "experiment");
    }
    return EM_OK;
}

void lab_results_free(lab_results **handle)
{
    lab_results *r = *handle;
    for (int c = 0; r && c < r->contenders; c++) {
        for (int n = 0; r->of[c].runs && n < r->of[c].count; n++) em_model_free(&r->of[c].runs[n].model);
        emi_free(r->of[c].runs);
        emi_free(r->of[c].curve);
    }
    emi_free(r);
    *handle = NULL;
}

int lab_results_runs(const lab_results *r, int contender)
{
    return r->of[contender].count;
}

const em_model *lab_results_model(const lab_results *r, int contender, int run)
{
    return r->of[contender].runs[run].model;
}

const em_error *lab_results_error(const lab_results *r, int contender, int run)
{
    return &r->of[contender].runs[run].error;
}

int lab_results_stopped(const lab_results *r)
{
    return r->stopped;
}

const lab_curve_row *lab_results_curve(const lab_results *r, int contender, size_t *rows)
{
    *rows = r->of[contender].rows;
    return r->of[contender].curve;
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Rows of the curve: up to where the last run converged, but not beyond where one broke off. */
static size_t length_of(const lab_results *r, int contender)
{
    size_t longest = 0, limit = SIZE_MAX;
    for (int n = 0; n < r->of[contender].count; n++) {
        const em_model *model = lab_results_model(r, contender, n);
        if (!model) return 0;
        size_t rows = em_model_trace_rows(model);
        if (em_model_info(model)->reason < 0 && rows < limit) limit = rows;
        if (rows > longest) longest = rows;
    }
    return longest < limit ? longest : limit;
}

/* The least and the most pass over a NaN: without a truth they are NaN, like the mean. */
static lab_curve_row row_at(const lab_results *r, int contender, size_t at)
{
    int runs = r->of[contender].count;
    lab_curve_row row = {.iteration = (long)at, .least = NAN, .most = NAN};
    for (int n = 0; n < runs; n++) {
        const em_model *model = lab_results_model(r, contender, n);
        size_t rows = em_model_trace_rows(model);
        const em_trace_row *now = em_model_trace_row(model, at < rows ? at : rows - 1);
        row.rounds += (double)now->rounds / runs;
        row.bytes += (double)now->bytes / runs;
        row.units += now->units / runs;
        row.error += now->error / runs;
        row.least = fmin(row.least, now->error);
        row.most = fmax(row.most, now->error);
    }
    return row;
}

static em_status draw_curves(lab_results *r, em_error *err)
{
    for (int c = 0; c < r->contenders; c++) {
        size_t rows = r->of[c].rows = length_of(r, c);
        lab_curve_row *curve = r->of[c].curve = emi_calloc(rows ? rows : 1, sizeof *curve);
        if (!curve) return emi_fail_memory(err, "curve");
        for (size_t at = 0; at < rows; at++) curve[at] = row_at(r, c, at);
    }
    return EM_OK;
}

/* ---- one run ---------------------------------------------------------------------------------- */

/* An experiment under way.  `lock` guards what the trials report. */
typedef struct experiment {
    const lab_experiment *about;
    lab_results *results;
    int mesh_threads; /* of the network in each trial */
    atomic_int stop;  /* a monitor, or a failure, ends it all */
    pthread_mutex_t lock;
    lab_experiment_progress progress;
} experiment;

typedef struct trial {
    experiment *x;
    int index;
    const em_data *data;
    em_data *drawn;
    em_shards *split; /* over the nodes */
    em_graph *one_node;
    em_mesh *network, *alone; /* a node by itself has one thread: its bits must not depend on the cores */
    double *truth;            /* d x K, once a contender over the network has found it */
    size_t truth_columns;
    const lab_contender *contender; /* that runs */
    double done, reported;          /* of its run, and when that was told */
} trial;

static void report(trial *t, double done, int finished)
{
    experiment *x = t->x;
    lab_experiment_progress *now = &x->progress;
    (void)pthread_mutex_lock(&x->lock);
    now->under_way = fmax(0, now->under_way + done - t->done); /* not less by rounding */
    now->finished += finished;
    now->label = t->contender->label;
    now->trial = t->index;
    if (x->about->monitor && x->about->monitor(now, x->about->monitor_user)) atomic_store(&x->stop, 1);
    (void)pthread_mutex_unlock(&x->lock);
    t->done = done;
}

/* The monitor of one run: stands between the fit and the experiment's own monitor. */
static int watch_run(const em_progress *progress, void *user)
{
    const double report_every = 0.05; /* seconds */
    trial *t = user;
    double now = emi_seconds();
    if (now - t->reported > report_every) {
        t->reported = now;
        report(t, progress->limit > 0 ? (double)progress->iteration / (double)progress->limit : 0, 0);
    }
    return atomic_load(&t->x->stop);
}

/* The exact answer, K x d in the model, as the d x K that options take. */
static em_status keep_truth(trial *t, const em_model *model, em_error *err)
{
    const double *exact = em_model_exact_components(model);
    if (!exact || t->truth) return EM_OK;
    size_t d = (size_t)em_model_features(model), K = t->truth_columns = (size_t)em_model_components_count(model);
    t->truth = emi_doubles(d * K);
    if (!t->truth) return emi_fail_memory(err, "truth");
    for (size_t k = 0; k < K; k++)
        for (size_t f = 0; f < d; f++) t->truth[f * K + k] = exact[k * d + f];
    return EM_OK;
}

/* The contender's options, but for what is the trial's. */
static em_status set_options(em_options *options, trial *t, em_error *err)
{
    char seed[32];
    unsigned long long number = t->x->about->seed + (uint64_t)t->index;
    (void)snprintf(seed, sizeof seed, "%llu", number);
    em_options_set_monitor(options, watch_run, t);
    if (t->contender->place != LAB_OVER_NETWORK && t->truth)
        em_options_set_truth(options, t->truth, em_shards_columns(t->split), t->truth_columns);
    return em_options_set(options, "seed", seed, err);
}

static em_status fit(em_model **model, trial *t, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    em_status status = EM_OK;
    em_options *options = NULL;
    TRY(em_options_copy(&options, t->contender->options, err));
    TRY(set_options(options, t, err));
    TRY(em_fit(model, options, mesh, shards, err));
    if (t->contender->place == LAB_OVER_NETWORK)
        TRY(keep_truth(t, *model, err));
    else if (em_model_exact_components(*model)) /* of its own data, which may be a part */
        TRY(emi_fail(err, EM_ENUMERIC, "%s: nobody over the network has found what to measure it by; try another",
                     t->contender->label));
done:
    if (status != EM_OK) em_model_free(model);
    em_options_free(&options);
    return status;
}

/* What goes wrong in one method, with its numbers or for want of memory, is a result; all else is wrong with the
 * problem, for every method alike. */
static em_status run_at(trial *t, int c, int number, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    lab_results *r = t->x->results;
    lab_run *of = &r->of[c].runs[t->index * r->of[c].each + number];
    em_error failure = {0};
    em_status status = fit(&of->model, t, mesh, shards, &failure);
    if (status != EM_OK && status != EM_ENUMERIC && status != EM_ENOMEM && status != EM_ENOTSUP) {
        if (err) *err = failure;
        return status;
    }
    of->error = failure;
    report(t, 0, 1);
    return EM_OK;
}

/* ---- one trial --------------------------------------------------------------------------------- */

static em_status begin_trial(trial *t, em_error *err)
{
    em_status status = EM_OK;
    const lab_experiment *about = t->x->about;
    t->data = about->data;
    if (!t->data) {
        TRY(lab_generate(&t->drawn, about->drawn.features, about->drawn.samples, about->drawn.components,
                         about->drawn.gap, about->seed + (uint64_t)t->index, err));
        t->data = t->drawn;
    }
    TRY(em_shards_split(&t->split, t->data, em_graph_nodes(about->graph), NULL, 0, err));
    TRY(em_graph_create(&t->one_node, "complete", 1, 0, err));
    TRY(em_mesh_open(&t->network, NULL, about->graph, t->x->mesh_threads, err));
    TRY(em_mesh_open(&t->alone, NULL, t->one_node, 1, err));
done:
    return status;
}

static void end_trial(trial *t)
{
    emi_free(t->truth);
    em_mesh_close(&t->alone);
    em_mesh_close(&t->network);
    em_graph_free(&t->one_node);
    em_shards_free(&t->split);
    em_data_free(&t->drawn);
}

/* Rows that lie together in the table, as all the data there is. */
static em_status run_rows(trial *t, int c, int number, size_t first, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    size_t columns = em_data_columns(t->data);
    em_data *part = NULL;
    em_shards *own = NULL;
    double *values = NULL;
    if (rows < em_data_rows(t->data)) {
        values = emi_doubles(rows * columns);
        if (!values) TRY(emi_fail_memory(err, "experiment"));
        TRY(em_data_read(t->data, first, rows, values, err));
        TRY(em_data_from_array(&part, values, EM_F64, rows, columns, 0, 0, err));
    }
    TRY(em_shards_split(&own, part ? part : t->data, 1, NULL, 0, err));
    TRY(run_at(t, c, number, t->alone, own, err));
done:
    em_shards_free(&own);
    em_data_free(&part);
    emi_free(values);
    return status;
}

static em_status run_contender(trial *t, int c, em_error *err)
{
    em_status status = EM_OK;
    size_t first = 0;
    t->contender = &t->x->about->contenders[c];
    if (t->contender->place == LAB_OVER_NETWORK) return run_at(t, c, 0, t->network, t->split, err);
    if (t->contender->place == LAB_IN_ONE_PLACE) return run_rows(t, c, 0, 0, em_data_rows(t->data), err);
    for (int i = 0; i < em_shards_count(t->split) && !atomic_load(&t->x->stop); i++) {
        TRY(run_rows(t, c, i, first, em_shards_rows(t->split, i), err));
        first += em_shards_rows(t->split, i);
    }
done:
    return status;
}

static em_status trial_body(void *context, int index, int worker, em_error *err)
{
    (void)worker;
    experiment *x = context;
    em_status status = EM_OK;
    trial t = {.x = x, .index = index};
    if (atomic_load(&x->stop)) return EM_OK;
    TRY(begin_trial(&t, err));
    for (int others = 0; others < 2; others++)
        for (int c = 0; c < x->about->contender_count && !atomic_load(&x->stop); c++)
            if ((x->about->contenders[c].place != LAB_OVER_NETWORK) == others) TRY(run_contender(&t, c, err));
done:
    if (status != EM_OK) atomic_store(&x->stop, 1);
    end_trial(&t);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static em_status check(const lab_experiment *about, em_error *err)
{
    int over_network = 0;
    if (!about->graph || about->contender_count < 1 || about->trials < 1)
        return emi_fail(err, EM_EINVAL, "experiment: a graph, a contender and a trial are needed; try one of each");
    if (about->threads < 0 || about->threads > 4096)
        return emi_fail(err, EM_EINVAL, "threads: %d; try 0 (all cores) or more", about->threads);
    for (int c = 0; c < about->contender_count; c++) over_network |= about->contenders[c].place == LAB_OVER_NETWORK;
    if (!over_network)
        return emi_fail(err, EM_EINVAL, "experiment: no contender runs over the network; try one that does");
    return EM_OK;
}

/* Several trials share the cores, one thread each; a single one has them all. */
static em_status run_trials(experiment *x, em_error *err)
{
    em_status status = EM_OK;
    emi_pool *pool = NULL;
    int trials = x->about->trials;
    TRY(emi_pool_open(&pool, x->about->threads, err));
    x->mesh_threads = trials > 1 ? 1 : emi_pool_size(pool);
    TRY(trials > 1 ? emi_pool_run(pool, trials, 1e12, trial_body, x, err) : trial_body(x, 0, 0, err));
done:
    emi_pool_close(&pool);
    return status;
}

em_status lab_experiment_run(lab_results **out, const lab_experiment *about, em_error *err)
{
    em_status status = EM_OK;
    experiment x = {.about = about};
    *out = NULL;
    TRY(check(about, err));
    TRY(new_results(&x.results, about, err));
    for (int c = 0; c < about->contender_count; c++) x.progress.total += x.results->of[c].count;
    (void)pthread_mutex_init(&x.lock, NULL);
    status = run_trials(&x, err);
    (void)pthread_mutex_destroy(&x.lock);
    TRY(status);
    x.results->stopped = atomic_load(&x.stop);
    TRY(draw_curves(x.results, err));
    *out = x.results;
    x.results = NULL;
done:
    lab_results_free(&x.results);
    return status;
}
