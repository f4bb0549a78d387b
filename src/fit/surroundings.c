#include "fit/surroundings.h"

#include "base/clock.h"
#include "base/memory.h"
#include "methods/method.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TEST_EVERY = 5 };           /* iterations: divergence is noticed within a few */
static const double runaway = 1e3; /* a column's norm, where about 1 belongs */

em_status emi_surroundings_open(emi_surroundings *a, emi_solver *s, const em_options *options, emi_observer *observer,
                                double alpha, em_error *err)
{
    em_status status = EM_OK;
    *a = (emi_surroundings){.options = options, .observer = observer, .alpha = alpha, .column = -1, .change = NAN};
    TRY(emi_field_alloc(&a->good, s->mesh->hosted, s->d, s->K, err));
    TRY(emi_field_alloc(&a->numbers, s->mesh->hosted, 3, 1, err));
    s->around = a;
done:
    return status;
}

void emi_surroundings_close(emi_surroundings *a)
{
    emi_free(a->rows);
    emi_field_free(&a->numbers);
    emi_field_free(&a->good);
    *a = (emi_surroundings){0};
}

double emi_units(const em_mesh *mesh, int d, int K, uint64_t scalars)
{
    double unit = 2.0 * (double)mesh->graph->edges * d * K;
    return unit > 0 ? (double)scalars / unit : 0;
}

/* ---- the trace ------------------------------------------------------------------------------- */

static em_trace_row *new_row(emi_solver *s)
{
    emi_surroundings *a = s->around;
    if (a->row_count == a->row_room) {
        size_t room = a->row_room ? 2 * a->row_room : 256;
        em_trace_row *rows = emi_realloc(a->rows, room * sizeof *rows);
        if (!rows) {
            (void)emi_fail_memory(&s->mesh->failure, "trace");
            a->over = 1;
            return NULL;
        }
        a->rows = rows;
        a->row_room = room;
    }
    return &a->rows[a->row_count++];
}

static void trace(emi_solver *s)
{
    emi_surroundings *a = s->around;
    emi_observer *o = a->observer;
    em_trace_row *row = a->options->trace ? new_row(s) : NULL;
    if (!row) return;
    const emi_count *sent = &s->mesh->count[EM_METHOD];
    *row = (em_trace_row){.iteration = a->iteration,
                          .rounds = sent->rounds,
                          .messages = sent->messages,
                          .bytes = sent->scalars * sizeof(double),
                          .units = emi_units(s->mesh, s->d, s->K, sent->scalars),
                          .seconds = a->seconds};
    s->mesh->phase = EMI_OBSERVING;
    row->consensus = row->residual = NAN;
    if (a->options->trace != EM_TRACE_ERROR) {
        emi_observe_estimate(o);
        row->consensus = emi_observe_consensus(o);
        row->residual = emi_observe_residual(o);
    }
    row->error = emi_observe_error(o);
    s->mesh->phase = EM_METHOD;
}

/* ---- the test for the end ----------------------------------------------------------------------- */

typedef struct test_task {
    emi_solver *s;
    int first, count; /* the columns whose change decides */
    int request;
} test_task;

/* The distance between two columns, up to sign, relative to the first one's length. */
static double column_change(int d, const double *x, const double *before, double norm)
{
    double minus = 0, plus = 0;
    for (int n = 0; n < d; n++) {
        minus += (x[n] - before[n]) * (x[n] - before[n]);
        plus += (x[n] + before[n]) * (x[n] + before[n]);
    }
    return sqrt(minus < plus ? minus : plus) / norm;
}

/* What a process may ask of all: the larger one wins. */
enum { ASKS_NOTHING, ASKS_CHECKPOINT, ASKS_END };

static int request(const emi_surroundings *a)
{
    if (a->wish) return ASKS_END;
    return emi_checkpoint_is_due(a->checkpoint) ? ASKS_CHECKPOINT : ASKS_NOTHING;
}

static em_status test_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const test_task *t = context;
    emi_block X = emi_at(&t->s->X, i), good = emi_at(&t->s->around->good, i);
    double *numbers = emi_at(&t->s->around->numbers, i).v;
    int knows = t->s->knows_residual;
    numbers[0] = knows ? *emi_at(&t->s->residual, i).v : 0;
    numbers[1] = 0;
    numbers[2] = t->request;
    for (int k = t->first; k < t->first + t->count; k++) {
        const double *x = emi_column_of(X, k);
        double norm = emi_norm(X.rows, x);
        if (!knows) numbers[0] = fmax(numbers[0], column_change(X.rows, x, emi_column_of(good, k), norm));
        if (!(norm <= numbers[1])) numbers[1] = norm; /* written so that a NaN stays */
        if (isnan(norm)) break;
    }
    return EM_OK;
}

static void stop_for_user(emi_surroundings *a)
{
    a->reason = EM_STOPPED_USER;
    a->over = 1;
}

/* All nodes learn the largest change, or residual, and the largest norm of any, and so come to the same end; where they
 * hold the same numbers anyway and live together, they need not ask.  Returns whether it is under the tolerance. */
static int test(emi_solver *s, int first, int count)
{
    emi_surroundings *a = s->around;
    test_task task = {s, first, count, request(a)};
    double largest[3] = {NAN, NAN, 0};
    s->mesh->phase = EM_CONTROL;
    emi_mesh_run(s->mesh, 6.0 * s->mesh->hosted * s->d * count, test_turn, &task);
    if (s->traits & EMI_SAME_EVERYWHERE && !emi_mesh_is_spread(s->mesh))
        memcpy(largest, emi_at(&a->numbers, 0).v, sizeof largest);
    else
        emi_tree_max(s->mesh, &a->numbers, largest);
    s->mesh->phase = EM_METHOD;
    if (emi_mesh_failed(s->mesh)) return 0;
    if (!(largest[1] < runaway)) {
        emi_field_copy(&a->good, &s->X);
        a->reason = EM_STOPPED_DIVERGED;
        a->over = 1;
        return 0;
    }
    a->due = largest[2] == ASKS_CHECKPOINT;
    if (largest[2] == ASKS_END) stop_for_user(a);
    a->change = s->knows_residual ? largest[0] : largest[0] / (double)(a->iteration - a->tested);
    a->tested = a->iteration;
    emi_field_copy(&s->X, &a->good);
    if (s->traits & EMI_SAME_EVERYWHERE) return a->change <= a->options->tolerance; /* it is the true residual */
    /* A node's own residual does not see the disagreement that is left: a promise needs some reserve. */
    return a->change < (s->knows_residual ? 0.1 : 1) * a->options->tolerance;
}

/* ---- iterations ------------------------------------------------------------------------------------ */

static void ask_monitor(emi_solver *s)
{
    emi_surroundings *a = s->around;
    if (!a->options->monitor || a->over) return;
    em_progress progress = {.iteration = a->iteration,
                            .limit = s->iteration_limit,
                            .seconds = a->seconds,
                            .change = a->change,
                            .tolerance = a->options->tolerance,
                            .error = a->row_count ? a->rows[a->row_count - 1].error : NAN};
    if (!a->options->monitor(&progress, a->options->monitor_user)) return;
    if (emi_mesh_is_spread(s->mesh))
        a->wish = 1; /* the next test tells the others */
    else
        stop_for_user(a);
}

/* An iteration has ended; returns whether the columns sought are found. */
static int complete(emi_solver *s, int first, int count, long end)
{
    emi_surroundings *a = s->around;
    int found = 0;
    a->running = 0;
    s->iteration = ++a->iteration;
    int every = s->traits & EMI_SAME_EVERYWHERE ? 1 : TEST_EVERY;
    if (!emi_mesh_failed(s->mesh) && (a->iteration % every == 0 || a->iteration == end)) found = test(s, first, count);
    a->seconds += emi_seconds() - a->resumed;
    a->over |= emi_mesh_failed(s->mesh);
    if (!a->over || a->reason == EM_STOPPED_USER) trace(s);
    ask_monitor(s);
    return found;
}

static double step_at(const emi_surroundings *a)
{
    double t = (double)a->iteration;
    switch (a->options->step_decay) {
    case EM_DECAY_SQRT: return a->alpha / sqrt(t + 1);
    case EM_DECAY_POWER: return a->alpha / pow(t + 1, a->options->step_power);
    case EM_DECAY_CONSTANT: break;
    }
    return a->alpha;
}

/* Once, when the method is ready: from its start, or from where a checkpoint left it, whatever it has prepared. */
static void begin(emi_solver *s)
{
    emi_surroundings *a = s->around;
    em_error err = {0};
    if (a->began) return;
    a->began = 1;
    if (emi_checkpoint_resumes(a->checkpoint) && !emi_mesh_failed(s->mesh)) {
        em_status status = emi_checkpoint_restore(a->checkpoint, s, &err);
        if (status != EM_OK) emi_solver_fail(s, status, &err);
        return;
    }
    emi_field_copy(&s->X, &a->good);
    trace(s);
}

/* With another iteration to come, or the monitor ending the run: all processes save, or none. */
static void keep(emi_solver *s, long end)
{
    emi_surroundings *a = s->around;
    em_error err = {0};
    int asked = a->over ? a->reason == EM_STOPPED_USER : a->due && !a->found && a->iteration < end;
    if (!asked || !emi_checkpoint_is_on(a->checkpoint) || emi_mesh_failed(s->mesh)) return;
    a->due = 0;
    em_status status = emi_checkpoint_save(a->checkpoint, s, &err);
    if (status != EM_OK) emi_solver_fail(s, status, &err);
}

static int another(emi_solver *s, int first, int count, long end)
{
    emi_surroundings *a = s->around;
    if (a->running) a->found = complete(s, first, count, end);
    keep(s, end);
    if (a->over || a->found) return 0;
    if (a->iteration >= end) {
        a->unfinished++;
        return 0;
    }
    s->step = step_at(a);
    a->resumed = emi_seconds();
    a->running = 1;
    return 1;
}

int emi_next(emi_solver *s)
{
    begin(s);
    return another(s, 0, s->K, s->iteration_limit);
}

int emi_next_column(emi_solver *s, int k, long limit)
{
    emi_surroundings *a = s->around;
    begin(s);
    if ((a->over && !a->running) || k < a->column) return 0; /* the run has ended; or was resumed when it was past k */
    if (a->column != k) {
        a->column = k;
        a->found = 0;
        a->column_end = a->iteration + limit;
    }
    return another(s, k, 1, a->column_end);
}

void emi_solver_fail(emi_solver *s, em_status status, const em_error *err)
{
    if (emi_mesh_failed(s->mesh)) return;
    s->mesh->failure = *err;
    s->mesh->failure.code = status;
    s->around->over = 1;
}

em_status emi_finish(emi_solver *s)
{
    emi_surroundings *a = s->around;
    if (!a->over) a->reason = a->unfinished ? EM_STOPPED_ITERATIONS : EM_CONVERGED;
    return s->mesh->failure.code;
}
