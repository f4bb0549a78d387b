/* Running an experiment: trials side by side on the cores, or one trial with its nodes spread over them. */
#include "lab/experiment.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "lab/tables/generate.h"

#include <pthread.h>
#include <stdatomic.h>

static const double report_every = 0.05; /* seconds */

/* An experiment under way.  `lock` guards what the trials report. */
typedef struct experiment {
    const lab_experiment *about;
    lab_results *results;
    int mesh_threads; /* of the network in each trial */
    atomic_int stop;  /* a monitor, or a failure, ends it all */
    pthread_mutex_t lock;
    int finished, total;
    double *under_way; /* [trials] of the run that each is at */
} experiment;

typedef struct trial {
    experiment *x;
    int index;
    em_data *drawn;
    em_shards *split, *whole;
    const em_shards *shards;
    em_graph *one_node;
    em_mesh *network, *alone; /* a node by itself has one thread: its bits must not depend on the cores */
    double *truth;            /* d x K, once a contender over the network has found it */
    size_t truth_columns;
} trial;

/* ---- reporting ----------------------------------------------------------------------------- */

/* The monitor of one run: stands between the fit and the experiment's own monitor. */
typedef struct watch {
    experiment *x;
    const lab_contender *contender;
    int trial;
    double reported;
} watch;

static void report(experiment *x, const watch *w, double done, int finished)
{
    const lab_experiment *about = x->about;
    (void)pthread_mutex_lock(&x->lock);
    x->under_way[w->trial] = done;
    x->finished += finished;
    lab_experiment_progress progress = {
        .finished = x->finished, .total = x->total, .label = w->contender->label, .trial = w->trial};
    for (int t = 0; t < about->trials; t++) progress.under_way += x->under_way[t];
    if (about->monitor && about->monitor(&progress, about->monitor_user)) atomic_store(&x->stop, 1);
    (void)pthread_mutex_unlock(&x->lock);
}

static int watch_run(const em_progress *progress, void *user)
{
    watch *w = user;
    const lab_contender *own = w->contender;
    double now = emi_seconds();
    if (own->monitor && own->monitor(progress, own->monitor_user)) atomic_store(&w->x->stop, 1);
    if (now - w->reported > report_every) {
        w->reported = now;
        report(w->x, w, progress->limit > 0 ? (double)progress->iteration / (double)progress->limit : 0, 0);
    }
    return atomic_load(&w->x->stop);
}

/* ---- one run ---------------------------------------------------------------------------------- */

/* What goes wrong in one method, with its numbers or for want of memory, is a result; all else is wrong with the
 * problem, for every method alike. */
static int is_a_result(em_status status)
{
    return status == EM_ENUMERIC || status == EM_ENOMEM || status == EM_ENOTSUP;
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

/* The contender's, but for what is the trial's. */
static em_status options_of(em_options **out, const trial *t, watch *w, em_error *err)
{
    char seed[32];
    em_status status = em_options_copy(out, w->contender->options, err);
    if (status != EM_OK) return status;
    unsigned long long own = t->x->about->seed + (uint64_t)t->index;
    (void)snprintf(seed, sizeof seed, "%llu", own);
    em_options_set_monitor(*out, watch_run, w);
    if (w->contender->place != LAB_OVER_NETWORK && t->truth)
        em_options_set_truth(*out, t->truth, em_shards_columns(t->shards), t->truth_columns);
    return em_options_set(*out, "seed", seed, err);
}

static em_status run_at(trial *t, int c, int number, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    em_status status = EM_OK;
    experiment *x = t->x;
    lab_run *run = &x->results->runs[c][t->index * x->results->each[c] + number];
    watch w = {.x = x, .contender = &x->about->contenders[c], .trial = t->index};
    em_error failure = {0};
    em_options *options = NULL;
    status = options_of(&options, t, &w, &failure);
    if (status == EM_OK) status = em_fit(&run->model, options, mesh, shards, &failure);
    em_options_free(&options);
    if (status == EM_OK && w.contender->place == LAB_OVER_NETWORK)
        status = keep_truth(t, run->model, &failure);
    else if (status == EM_OK && em_model_exact_components(run->model)) /* of its own data, which may be a part */
        status =
            emi_fail(&failure, EM_ENUMERIC, "%s: nobody over the network has found what to measure it by; try another",
                     w.contender->label);
    if (status != EM_OK && !is_a_result(status)) {
        if (err) *err = failure;
        return status;
    }
    if (status != EM_OK) run->error = failure;
    if (status != EM_OK) em_model_free(&run->model);
    report(x, &w, 0, 1);
    return EM_OK;
}

/* ---- one trial --------------------------------------------------------------------------------- */

static em_status begin_trial(trial *t, em_error *err)
{
    em_status status = EM_OK;
    const lab_experiment *about = t->x->about;
    const em_data *data = about->data;
    if (!about->shards && !data) {
        TRY(lab_generate(&t->drawn, about->drawn.features, about->drawn.samples, about->drawn.components,
                         about->drawn.gap, about->seed + (uint64_t)t->index, err));
        data = t->drawn;
    }
    if (data) {
        TRY(em_shards_split(&t->split, data, em_graph_nodes(about->graph), NULL, 0, err));
        TRY(em_shards_split(&t->whole, data, 1, NULL, 0, err));
    }
    t->shards = about->shards ? about->shards : t->split;
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
    em_shards_free(&t->whole);
    em_shards_free(&t->split);
    em_data_free(&t->drawn);
}

/* A node's own rows, which lie together in the table, as all the data there is. */
static em_status run_alone(trial *t, int c, int node, size_t first, em_error *err)
{
    em_status status = EM_OK;
    const em_data *data = t->drawn ? t->drawn : t->x->about->data;
    size_t rows = em_shards_rows(t->split, node), columns = em_data_columns(data);
    em_data *table = NULL;
    em_shards *own = NULL;
    double *values = emi_doubles(rows * columns);
    if (!values) TRY(emi_fail_memory(err, "experiment"));
    TRY(em_data_read(data, first, rows, values, err));
    TRY(em_data_from_array(&table, values, EM_F64, rows, columns, 0, 0, err));
    TRY(em_shards_split(&own, table, 1, NULL, 0, err));
    TRY(run_at(t, c, node, t->alone, own, err));
done:
    em_shards_free(&own);
    em_data_free(&table);
    emi_free(values);
    return status;
}

static em_status run_contender(trial *t, int c, em_error *err)
{
    em_status status = EM_OK;
    size_t first = 0;
    switch (t->x->about->contenders[c].place) {
    case LAB_OVER_NETWORK: return run_at(t, c, 0, t->network, t->shards, err);
    case LAB_IN_ONE_PLACE: return run_at(t, c, 0, t->alone, t->whole, err);
    case LAB_EACH_ALONE:
        for (int i = 0; i < em_shards_count(t->split) && !atomic_load(&t->x->stop); i++) {
            TRY(run_alone(t, c, i, first, err));
            first += em_shards_rows(t->split, i);
        }
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
    for (int c = 0; c < about->contender_count; c++) {
        const lab_contender *contender = &about->contenders[c];
        if (about->shards && contender->place != LAB_OVER_NETWORK)
            return emi_fail(err, EM_EINVAL, "experiment: %s needs the data as one table; try `data` for `shards`",
                            contender->label);
        over_network |= contender->place == LAB_OVER_NETWORK;
    }
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
    TRY(lab_results_new(&x.results, about, err));
    for (int c = 0; c < about->contender_count; c++) x.total += lab_results_runs(x.results, c);
    x.under_way = emi_calloc((size_t)about->trials, sizeof *x.under_way);
    if (!x.under_way) TRY(emi_fail_memory(err, "experiment"));
    (void)pthread_mutex_init(&x.lock, NULL);
    status = run_trials(&x, err);
    (void)pthread_mutex_destroy(&x.lock);
    TRY(status);
    x.results->stopped = atomic_load(&x.stop);
    TRY(lab_results_draw(x.results, err));
    *out = x.results;
    x.results = NULL;
done:
    lab_results_free(&x.results);
    emi_free(x.under_way);
    return status;
}
