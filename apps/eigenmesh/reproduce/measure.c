#include "measure.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOTE_ROOM = 96 };

static int entry_count(const plan *p)
{
    int count = 0;
    while (p->entries[count].key) count++;
    return count;
}

static long iterations_of(const entry *e, const effort *how)
{
    long iterations = how->quick ? e->iterations / QUICK_SHARE + 1 : e->iterations;
    return how->iterations_max && iterations > how->iterations_max ? how->iterations_max : iterations;
}

static lab_contender contender_of(const plan *p, const entry *e, const effort *how)
{
    lab_contender c = {.label = e->key, .place = e->place, .options = em_options_default()};
    c.options.method = e->method;
    c.options.components = p->components;
    c.options.step = e->step;
    c.options.consensus_rounds = e->rounds;
    c.options.qr_signs = e->signs;
    c.options.iterations = iterations_of(e, how);
    c.options.tolerance = e->tolerance;
    c.options.scale = p->scale;
    c.options.truth_compute = 1;
    c.options.trace = EM_TRACE_ERROR;
    return c;
}

static void describe(setup *s, const plan *p, const em_graph *graph, const lab_experiment *x)
{
    size_t rows = x->data ? em_data_rows(x->data) : x->drawn.samples;
    (void)snprintf(s->about, sizeof s->about, "d = %d, K = %d, N = %zu, M = %d, %s (%zu edges), %d trial%s",
                   p->features, p->components, rows, p->nodes, p->topology, em_graph_edges(graph), x->trials,
                   x->trials == 1 ? "" : "s");
}

/* What a legend should say beside the name: where a run broke off, or why there is none. */
static em_status note_of(char **note, const lab_results *results, int contender, em_error *err)
{
    for (int run = 0; run < lab_results_runs(results, contender); run++) {
        const em_model *model = lab_results_model(results, contender, run);
        const em_info *info = model ? em_model_info(model) : NULL;
        if (info && info->reason != EM_STOPPED_DIVERGED) continue;
        *note = malloc(NOTE_ROOM);
        if (!*note) return refuse_memory(err, "note");
        if (info)
            (void)snprintf(*note, NOTE_ROOM, "diverged after %ld iterations", info->iterations);
        else
            (void)snprintf(*note, NOTE_ROOM, "did not run: %s",
                           em_status_text(lab_results_error(results, contender, run)->code));
        return EM_OK;
    }
    return EM_OK;
}

static em_status take_curves(setup *s, const plan *p, em_error *err)
{
    em_status status = EM_OK;
    s->curves = calloc((size_t)entry_count(p) + 1, sizeof *s->curves);
    if (!s->curves) TRY(refuse_memory(err, p->key));
    s->curve_count = entry_count(p);
    for (int c = 0; c < s->curve_count; c++) {
        curve *one = &s->curves[c];
        *one = (curve){.key = p->entries[c].key, .label = p->entries[c].label};
        one->rows = lab_results_curve(s->results, c, &one->count);
        one->runs = one->count ? lab_results_runs(s->results, c) : 0;
        TRY(note_of(&one->note, s->results, c, err));
    }
done:
    return status;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

em_status setup_measure(setup *out, const plan *p, const em_data *table, const effort *how, int *stopped, em_error *err)
{
    em_status status = EM_OK;
    double began = seconds_now();
    em_graph *graph = NULL;
    lab_experiment x = {.data = table,
                        .trials = table ? 1 : how->trials,
                        .seed = how->seed,
                        .threads = how->threads,
                        .contender_count = entry_count(p),
                        .monitor = progress_experiment,
                        .monitor_user = (void *)p->key};
    lab_contender *contenders = calloc((size_t)x.contender_count + 1, sizeof *contenders);
    *out = (setup){.key = p->key, .title = p->title};
    if (!contenders) TRY(refuse_memory(err, p->key));
    for (int c = 0; c < x.contender_count; c++) contenders[c] = contender_of(p, &p->entries[c], how);
    x.contenders = contenders;
    x.drawn.features = (size_t)p->features;
    x.drawn.samples = DRAWN_SAMPLES;
    x.drawn.components = (size_t)p->components;
    x.drawn.gap = p->gap;
    TRY(em_graph_create(&graph, p->topology, p->nodes, how->seed, err));
    x.graph = graph;
    TRY(lab_experiment_run(&out->results, &x, err));
    *stopped = lab_results_stopped(out->results);
    describe(out, p, graph, &x);
    TRY(take_curves(out, p, err));
    out->seconds = seconds_now() - began;
done:
    progress_erase();
    em_graph_free(&graph);
    free(contenders);
    return status;
}

void setup_free(setup *s)
{
    for (int c = 0; c < s->curve_count; c++) free(s->curves[c].note);
    free(s->curves);
    lab_results_free(&s->results);
    *s = (setup){0};
}

const curve *setup_curve(const setup *s, const char *key)
{
    for (int c = 0; c < s->curve_count; c++)
        if (strcmp(s->curves[c].key, key) == 0) return &s->curves[c];
    return NULL;
}
