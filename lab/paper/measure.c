/* Running a set-up as one experiment. */
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "lab/paper/paper.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWN_SAMPLES = 10000, QUICK_SHARE = 4, NOTE_ROOM = 96 };

/* --quick does a quarter of them. */
static long iterations_of(const char *planned, const effort *how)
{
    long iterations = 0;
    (void)emi_text_long(planned, &iterations);
    if (how->quick) iterations = iterations / QUICK_SHARE + 1;
    return how->iterations_max && iterations > how->iterations_max ? how->iterations_max : iterations;
}

/* METHOD NAME=VALUE ..., after what is the same for all curves of the set-up. */
static em_status set_options(em_options *options, const char *method, const record *plan, const effort *how,
                             em_error *err)
{
    em_status status = EM_OK;
    const char *scale = record_text(plan, "scale");
    char all[512], word[128], number[32];
    (void)snprintf(all, sizeof all, "truth=compute trace=error tolerance=0 components=%s %s%s method=%s",
                   record_text(plan, "components"), *scale ? "scale=" : "", scale, method);
    for (const char *rest = all; next_word(&rest, " ", word, sizeof word);) {
        char *value = strchr(word, '=');
        if (!value) TRY(emi_fail(err, EM_EDATA, "figures.txt: '%s' is no NAME=VALUE; try mending it", word));
        *value++ = 0;
        (void)snprintf(number, sizeof number, "%ld", iterations_of(value, how));
        TRY(em_options_set(options, word, strcmp(word, "iterations") == 0 ? number : value, err));
    }
done:
    return status;
}

/* The lines of figures.txt as contenders. */
static em_status plan_contenders(lab_contender *list, const setup *s, const records *plans, const effort *how,
                                 em_error *err)
{
    static const char *const places[] = {
        [LAB_OVER_NETWORK] = "network", [LAB_IN_ONE_PLACE] = "one place", [LAB_EACH_ALONE] = "each alone"};
    enum { PLACES = sizeof places / sizeof *places };
    em_status status = EM_OK;
    const record *curves = records_find(plans, "curves", record_text(s->plan, "curves"));
    for (int c = 0; c < s->curve_count; c++) {
        const char *line = curves->fields[c].value;
        char place[32], words[256];
        int at = 0;
        (void)next_word(&line, ";", place, sizeof place);
        (void)next_word(&line, ";", words, sizeof words);
        while (at < PLACES && strcmp(places[at], place) != 0) at++;
        if (at == PLACES)
            TRY(emi_fail(err, EM_EDATA, "%s: '%s' is no place; try network, one place or each alone", curves->key,
                         place));
        list[c] = (lab_contender){.label = s->curves[c].key, .place = (lab_place)at};
        TRY(em_options_create(&list[c].options, err));
        TRY(set_options(list[c].options, words, s->plan, how, err));
    }
done:
    return status;
}

/* ---- what came of it ------------------------------------------------------------------------------------------ */

/* What a legend should say beside the name: where a run broke off, or why there is none. */
static em_status note_of(char **note, const lab_results *results, int contender, em_error *err)
{
    for (int run = 0; run < lab_results_runs(results, contender); run++) {
        const em_model *model = lab_results_model(results, contender, run);
        const em_info *info = model ? em_model_info(model) : NULL;
        if (info && info->reason != EM_STOPPED_DIVERGED) continue;
        *note = malloc(NOTE_ROOM);
        if (!*note) return emi_fail_memory(err, "note");
        if (info)
            (void)snprintf(*note, NOTE_ROOM, "diverged after %ld iterations", info->iterations);
        else
            (void)snprintf(*note, NOTE_ROOM, "did not run: %s",
                           em_status_text(lab_results_error(results, contender, run)->code));
        return EM_OK;
    }
    return EM_OK;
}

static em_status take_results(setup *s, const lab_experiment *x, em_error *err)
{
    em_status status = EM_OK;
    size_t rows = x->data ? em_data_rows(x->data) : x->drawn.samples;
    (void)snprintf(s->about, sizeof s->about, "d = %s, K = %s, N = %zu, M = %d, %s (%zu edges), %d trial%s",
                   record_text(s->plan, "features"), record_text(s->plan, "components"), rows, em_graph_nodes(x->graph),
                   record_text(s->plan, "topology"), em_graph_edges(x->graph), x->trials, x->trials == 1 ? "" : "s");
    for (int c = 0; c < s->curve_count; c++) {
        curve *one = &s->curves[c];
        one->rows = lab_results_curve(s->results, c, &one->count);
        one->runs = one->count ? lab_results_runs(s->results, c) : 0;
        TRY(note_of(&one->note, s->results, c, err));
    }
done:
    return status;
}

em_status setup_measure(setup *s, const records *plans, const em_data *table, const effort *how, int *stopped,
                        em_error *err)
{
    em_status status = EM_OK;
    double began = emi_seconds();
    const record *plan = s->plan;
    int features, components, nodes;
    em_graph *graph = NULL;
    lab_contender *contenders = calloc((size_t)s->curve_count, sizeof *contenders);
    if (!contenders) TRY(emi_fail_memory(err, s->key));
    TRY(plan_contenders(contenders, s, plans, how, err));
    TRY(record_count(plan, "features", &features, err));
    TRY(record_count(plan, "components", &components, err));
    TRY(record_count(plan, "nodes", &nodes, err));
    TRY(em_graph_create(&graph, record_text(plan, "topology"), nodes, how->seed, err));
    const lab_experiment x = {.graph = graph,
                              .data = table,
                              .drawn = {.features = (size_t)features,
                                        .samples = DRAWN_SAMPLES,
                                        .components = (size_t)components,
                                        .gap = record_number(plan, "gap")},
                              .contenders = contenders,
                              .contender_count = s->curve_count,
                              .trials = table ? 1 : how->trials,
                              .seed = how->seed,
                              .threads = how->threads,
                              .monitor = how->monitor,
                              .monitor_user = (void *)s->key};
    TRY(lab_experiment_run(&s->results, &x, err));
    *stopped = lab_results_stopped(s->results);
    TRY(take_results(s, &x, err));
    s->seconds = emi_seconds() - began;
done:
    em_graph_free(&graph);
    for (int c = 0; contenders && c < s->curve_count; c++) em_options_free(&contenders[c].options);
    free(contenders);
    return status;
}
