/* What an experiment leaves behind. */
#include "lab/experiment.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

em_status lab_results_new(lab_results **out, const lab_experiment *x, em_error *err)
{
    em_status status = EM_OK;
    size_t count = (size_t)x->contender_count;
    lab_results *r = emi_calloc(1, sizeof *r);
    if (!r) return emi_fail_memory(err, "experiment");
    *r = (lab_results){.contenders = x->contender_count, .trials = x->trials};
    r->each = emi_calloc(count, sizeof *r->each);
    r->runs = emi_calloc(count, sizeof(lab_run *));
    r->curves = emi_calloc(count, sizeof *r->curves);
    if (!r->each || !r->runs || !r->curves) TRY(emi_fail_memory(err, "experiment"));
    for (int c = 0; c < x->contender_count; c++) {
        r->each[c] = x->contenders[c].place == LAB_EACH_ALONE ? em_graph_nodes(x->graph) : 1;
        r->runs[c] = emi_calloc((size_t)r->each[c] * (size_t)x->trials, sizeof *r->runs[c]);
        if (!r->runs[c]) TRY(emi_fail_memory(err, "experiment"));
    }
    *out = r;
    r = NULL;
done:
    lab_results_free(&r);
    return status;
}

void lab_results_free(lab_results **handle)
{
    lab_results *r = *handle;
    if (!r) return;
    for (int c = 0; c < r->contenders; c++) {
        for (int run = 0; r->runs && r->runs[c] && run < lab_results_runs(r, c); run++)
            em_model_free(&r->runs[c][run].model);
        if (r->runs) emi_free(r->runs[c]);
        if (r->curves) emi_free(r->curves[c].rows);
    }
    emi_free(r->curves);
    emi_free(r->runs);
    emi_free(r->each);
    emi_free(r);
    *handle = NULL;
}

int lab_results_runs(const lab_results *r, int contender)
{
    return r->each[contender] * r->trials;
}

const em_model *lab_results_model(const lab_results *r, int contender, int run)
{
    return r->runs[contender][run].model;
}

const em_error *lab_results_error(const lab_results *r, int contender, int run)
{
    return &r->runs[contender][run].error;
}

int lab_results_stopped(const lab_results *r)
{
    return r->stopped;
}

const lab_curve_row *lab_results_curve(const lab_results *r, int contender, size_t *rows)
{
    *rows = r->curves[contender].count;
    return r->curves[contender].rows;
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Rows of the curve: up to where the last run converged, but not beyond where one broke off. */
static size_t length_of(const lab_results *r, int contender)
{
    size_t longest = 0, limit = SIZE_MAX;
    for (int run = 0; run < lab_results_runs(r, contender); run++) {
        const em_model *model = lab_results_model(r, contender, run);
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
    int runs = lab_results_runs(r, contender);
    lab_curve_row row = {.iteration = (long)at, .least = NAN, .most = NAN};
    for (int run = 0; run < runs; run++) {
        const em_model *model = lab_results_model(r, contender, run);
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

em_status lab_results_draw(lab_results *r, em_error *err)
{
    for (int c = 0; c < r->contenders; c++) {
        size_t count = r->curves[c].count = length_of(r, c);
        lab_curve_row *rows = r->curves[c].rows = emi_calloc(count ? count : 1, sizeof *rows);
        if (!rows) return emi_fail_memory(err, "curve");
        for (size_t at = 0; at < count; at++) rows[at] = row_at(r, c, at);
    }
    return EM_OK;
}
