/* Running an experiment: trials side by side on the cores, or one trial with its nodes spread over them.
 *
 * A trial draws its data, sets the problem up once, solves it exactly where a truth is asked for, and lets every
 * contender loose on it. */
#include "base/clock.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "study/results.h"
#include "study/setting.h"

#include <pthread.h>
#include <stdatomic.h>

static const double report_every = 0.05; /* seconds */

/* An experiment under way.  `lock` guards what the trials report. */
typedef struct experiment {
    const em_experiment *about;
    em_results *results;
    int mesh_threads; /* of each trial */
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
    emi_setting network, one_place; /* opened when first needed */
    emi_truth truth;
} trial;

/* ---- reporting ----------------------------------------------------------------------------- */

/* The monitor of one run: stands between the fit and the experiment's own monitor. */
typedef struct watch {
    experiment *x;
    const em_contender *contender;
    int trial;
    double reported;
} watch;

static void report(experiment *x, const watch *w, double done, int finished)
{
    const em_experiment *about = x->about;
    (void)pthread_mutex_lock(&x->lock);
    x->under_way[w->trial] = done;
    x->finished += finished;
    em_experiment_progress progress = {
        .finished = x->finished, .total = x->total, .label = w->contender->label, .trial = w->trial};
    for (int t = 0; t < about->trials; t++) progress.under_way += x->under_way[t];
    if (about->monitor && about->monitor(&progress, about->monitor_user)) atomic_store(&x->stop, 1);
    (void)pthread_mutex_unlock(&x->lock);
}

static int watch_run(const em_progress *progress, void *user)
{
    watch *w = user;
    const em_options *own = &w->contender->options;
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

static em_options options_of(const trial *t, const em_contender *contender)
{
    em_options options = contender->options;
    options.seed = t->x->about->seed + (uint64_t)t->index;
    return options;
}

static em_status run_at(trial *t, int c, int number, emi_setting *setting, em_error *err)
{
    experiment *x = t->x;
    emi_run *run = &x->results->runs[c][t->index * x->results->each[c] + number];
    watch w = {.x = x, .contender = &x->about->contenders[c], .trial = t->index};
    em_options options = options_of(t, w.contender);
    options.monitor = watch_run;
    options.monitor_user = &w;
    em_error failure = {0};
    em_status status = emi_setting_solve(setting, &t->truth, &options, &run->model, &failure);
    if (status != EM_OK && !is_a_result(status)) {
        if (err) *err = failure;
        return status;
    }
    if (status != EM_OK) run->error = failure;
    report(x, &w, 0, 1);
    return EM_OK;
}

/* ---- one trial --------------------------------------------------------------------------------- */

static const emi_method *named(const em_options *options)
{
    return options->method ? emi_method_find(options->method) : NULL;
}

/* Products that the busiest contender of this place is expected to do. */
static long busiest(const em_experiment *about, em_place place)
{
    long most = 0;
    for (int c = 0; c < about->contender_count; c++) {
        const em_contender *contender = &about->contenders[c];
        long steps = emi_expected_products(named(&contender->options), &contender->options);
        if (contender->place == place && steps > most) most = steps;
    }
    return most;
}

/* Vectors that the widest block has beside the K asked for. */
static int widest(const em_experiment *about)
{
    int most = 0;
    for (int c = 0; c < about->contender_count; c++) {
        int extra = emi_options_oversample(&about->contenders[c].options);
        if (extra > most) most = extra;
    }
    return most;
}

static em_status open_setting(trial *t, emi_setting *setting, em_place place, const em_shards *shards, em_error *err)
{
    const em_experiment *about = t->x->about;
    em_options options = options_of(t, &about->contenders[0]);
    options.oversample = widest(about);
    return emi_setting_open(setting, place == EM_OVER_NETWORK ? about->graph : NULL, t->x->mesh_threads, shards,
                            &options, busiest(about, place), err);
}

/* Preparing the problem looks at the options of the first alone. */
static em_status check_options(const em_experiment *about, const emi_problem *p, em_error *err)
{
    em_status status = EM_OK;
    for (int c = 0; c < about->contender_count; c++)
        TRY(emi_options_check(&about->contenders[c].options, p->N, p->d, err));
done:
    return status;
}

static em_status begin_trial(trial *t, em_error *err)
{
    em_status status = EM_OK;
    const em_experiment *about = t->x->about;
    uint64_t seed = about->seed + (uint64_t)t->index;
    const em_data *data = about->data;
    em_options options = options_of(t, &about->contenders[0]);
    if (!about->shards && !data) {
        TRY(em_generate(&t->drawn, about->drawn.features, about->drawn.samples, about->drawn.components,
                        about->drawn.gap, seed, err));
        data = t->drawn;
    }
    if (data) {
        TRY(em_shards_split(&t->split, data, em_graph_nodes(about->graph), NULL, 0, err));
        TRY(em_shards_split(&t->whole, data, 1, NULL, 0, err));
    }
    t->shards = about->shards ? about->shards : t->split;
    TRY(open_setting(t, &t->network, EM_OVER_NETWORK, t->shards, err));
    TRY(check_options(about, &t->network.problem, err));
    TRY(emi_truth_find(&t->truth, &t->network.problem, &options, err));
done:
    return status;
}

static void end_trial(trial *t)
{
    emi_truth_free(&t->truth);
    emi_setting_close(&t->one_place);
    emi_setting_close(&t->network);
    em_shards_free(&t->whole);
    em_shards_free(&t->split);
    em_data_free(&t->drawn);
}

static em_status run_in_one_place(trial *t, int c, em_error *err)
{
    em_status status = EM_OK;
    if (!t->one_place.mesh) TRY(open_setting(t, &t->one_place, EM_IN_ONE_PLACE, t->whole, err));
    TRY(run_at(t, c, 0, &t->one_place, err));
done:
    return status;
}

static em_status run_alone(trial *t, int c, int node, em_error *err)
{
    em_status status = EM_OK;
    emi_setting setting = {0};
    em_shards own = {.count = 1, .columns = t->shards->columns, .shard = &t->shards->shard[node]};
    TRY(open_setting(t, &setting, EM_EACH_ALONE, &own, err));
    TRY(run_at(t, c, node, &setting, err));
done:
    emi_setting_close(&setting);
    return status;
}

static em_status run_contender(trial *t, int c, em_error *err)
{
    em_status status = EM_OK;
    switch (t->x->about->contenders[c].place) {
    case EM_OVER_NETWORK: return run_at(t, c, 0, &t->network, err);
    case EM_IN_ONE_PLACE: return run_in_one_place(t, c, err);
    case EM_EACH_ALONE:
        for (int i = 0; i < t->shards->count && !atomic_load(&t->x->stop); i++) TRY(run_alone(t, c, i, err));
    }
done:
    return status;
}

static em_status trial_turn(void *context, int index, int worker, em_error *err)
{
    (void)worker;
    experiment *x = context;
    em_status status = EM_OK;
    trial t = {.x = x, .index = index};
    if (atomic_load(&x->stop)) return EM_OK;
    TRY(begin_trial(&t, err));
    for (int c = 0; c < x->about->contender_count && !atomic_load(&x->stop); c++) TRY(run_contender(&t, c, err));
done:
    if (status != EM_OK) atomic_store(&x->stop, 1);
    end_trial(&t);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* What all share is prepared once, from the options of the first. */
static int asks_the_same(const em_options *a, const em_options *b)
{
    return a->components == b->components && !a->center == !b->center && a->scale == b->scale && a->truth == b->truth &&
           !a->truth_compute == !b->truth_compute;
}

static em_status check_contender(const em_experiment *about, const em_contender *contender, em_error *err)
{
    const em_contender *first = &about->contenders[0];
    const emi_method *method = NULL;
    if (about->shards && contender->place != EM_OVER_NETWORK)
        return emi_fail(err, EM_EINVAL, "experiment: %s needs the data as one table; try `data` for `shards`",
                        contender->label);
    if (contender->options.variance > 0)
        return emi_fail(err, EM_EINVAL,
                        "experiment: %s asks for a fraction of the variance; try a number of components",
                        contender->label);
    if (contender->options.checkpoint)
        return emi_fail(err, EM_EINVAL, "experiment: %s asks for a checkpoint; try em_fit, which makes them",
                        contender->label);
    if (!asks_the_same(&contender->options, &first->options))
        return emi_fail(err, EM_EINVAL,
                        "experiment: %s and %s differ in components, center, scale or truth; try the same",
                        contender->label, first->label);
    int nodes = contender->place == EM_OVER_NETWORK ? em_graph_nodes(about->graph) : 1;
    return emi_options_method(&contender->options, nodes, &method, err);
}

static em_status check(const em_experiment *about, em_error *err)
{
    em_status status = EM_OK;
    if (!about->graph || about->contender_count < 1 || about->trials < 1)
        TRY(emi_fail(err, EM_EINVAL, "experiment: a graph, a contender and a trial are needed; try one of each"));
    if (about->threads < 0 || about->threads > 4096)
        TRY(emi_fail(err, EM_EINVAL, "threads: %d; try 0 (all cores) or more", about->threads));
    for (int c = 0; c < about->contender_count; c++) TRY(check_contender(about, &about->contenders[c], err));
done:
    return status;
}

/* Several trials share the cores, one thread each; a single one has them all, for its nodes, or on a single node for the
 * BLAS library. */
static em_status run_trials(experiment *x, em_error *err)
{
    em_status status = EM_OK;
    emi_pool *pool = NULL;
    int trials = x->about->trials;
    TRY(emi_pool_open(&pool, x->about->threads, err));
    x->mesh_threads = trials > 1 ? 1 : emi_pool_size(pool);
    int blas_threads = trials == 1 && em_graph_nodes(x->about->graph) == 1 ? x->mesh_threads : 1;
    emi_blas_claim(blas_threads);
    if (trials > 1)
        status = emi_pool_run(pool, trials, 1e12, trial_turn, x, err);
    else
        status = trial_turn(x, 0, 0, err);
    emi_blas_release(blas_threads);
done:
    emi_pool_close(&pool);
    return status;
}

em_status em_experiment_run(em_results **out, const em_experiment *about, em_error *err)
{
    em_status status = EM_OK;
    experiment x = {.about = about};
    *out = NULL;
    TRY(check(about, err));
    TRY(emi_results_new(&x.results, about, err));
    for (int c = 0; c < about->contender_count; c++) x.total += em_results_runs(x.results, c);
    x.under_way = emi_calloc((size_t)about->trials, sizeof *x.under_way);
    if (!x.under_way) TRY(emi_fail_memory(err, "experiment"));
    (void)pthread_mutex_init(&x.lock, NULL);
    status = run_trials(&x, err);
    (void)pthread_mutex_destroy(&x.lock);
    TRY(status);
    x.results->stopped = atomic_load(&x.stop);
    TRY(emi_results_draw(x.results, err));
    *out = x.results;
    x.results = NULL;
done:
    em_results_free(&x.results);
    emi_free(x.under_way);
    return status;
}
