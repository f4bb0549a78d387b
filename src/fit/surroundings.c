#include "fit/surroundings.h"

#include "base/clock.h"
#include "base/larger.h"
#include "base/memory.h"
#include "methods/method.h"

#include <cblas.h>
#include <string.h>

enum { TEST_EVERY = 5 };           /* iterations: divergence is noticed within a few */
static const double runaway = 1e3; /* how much larger than it should be a run is that has come apart */

/* What a node says in the test for the end: its residual, where it knows it; the largest number it holds, against what
 * belongs there; what its process asks for; how many columns the root asks for next.  A node that does not know its
 * residual also says how far each column moved, and its idea of each eigenvalue. */
enum { RESIDUAL, SIZE, REQUEST, WIDTH, NUMBERS };

em_status emi_surroundings_open(emi_surroundings *a, emi_solver *s, const em_options *options, emi_observer *observer,
                                double alpha, em_error *err)
{
    em_status status = EM_OK;
    *a = (emi_surroundings){
        .options = options, .observer = observer, .alpha = alpha, .column = -1, .change = NAN, .reserve = 0.1};
    a->before = s->mesh->count[EM_METHOD];
    TRY(emi_field_alloc(&a->good, s->mesh->hosted, s->d, s->K, err));
    TRY(emi_field_alloc(&a->numbers, s->mesh->hosted, NUMBERS + 2 * s->K, 1, err));
    if (!s->knows_residual) TRY(emi_field_alloc(&a->shown, s->mesh->hosted, s->d, s->K, err));
    a->largest = emi_doubles(NUMBERS + 2 * (size_t)s->K);
    if (!a->largest) TRY(emi_fail_memory(err, "stopping test"));
    s->around = a;
done:
    return status;
}

void emi_surroundings_close(emi_surroundings *a)
{
    emi_free(a->rows);
    emi_free(a->largest);
    emi_field_free(&a->numbers);
    emi_field_free(&a->shown);
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
    const emi_count *now = &s->mesh->count[EM_METHOD], *before = &a->before;
    emi_count sent = {now->rounds - before->rounds, now->messages - before->messages, now->scalars - before->scalars};
    *row = (em_trace_row){.iteration = a->iteration,
                          .rounds = sent.rounds,
                          .messages = sent.messages,
                          .bytes = sent.scalars * sizeof(double),
                          .units = emi_units(s->mesh, s->d, s->K, sent.scalars),
                          .seconds = a->seconds};
    s->mesh->phase = EMI_OBSERVING;
    row->consensus = row->residual = NAN;
    int all = a->options->trace != EMI_TRACE_ERROR;
    if (all || (s->traits & EMI_AT_ROOT && o->truth->vectors)) emi_observe_estimate(o);
    if (all) {
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

/* Of what is iterated, and of what a method tracks beside it, which is as large as the covariances are. */
static double largest_number(const emi_solver *s, int i)
{
    emi_block X = emi_at(&s->X, i);
    double largest = 0, tracked = 0;
    for (int k = 0; k < X.cols; k++) largest = emi_larger(largest, emi_norm(X.rows, emi_column_of(X, k)));
    for (int n = 0; n < EMI_EXTRA_FIELDS && s->extra[n].v; n++) {
        emi_block E = emi_at(&s->extra[n], i);
        for (int k = 0; k < E.cols; k++) tracked = emi_larger(tracked, emi_norm(E.rows, emi_column_of(E, k)));
    }
    return emi_larger(largest, tracked / (1 + s->mesh->graph->nodes * s->variance));
}

/* A node's estimate as it would be reported, in `shown`: Sanger's columns are orthonormal only in the end, and those past
 * the rank do not become so at all. */
static void show(const emi_solver *s, int i, emi_scratch scratch, emi_block shown)
{
    emi_block X = emi_at(&s->X, i);
    memcpy(shown.v, X.v, sizeof *X.v * (size_t)X.rows * (size_t)X.cols);
    if (s->uses & EMI_USES_STEP && !(s->uses & EMI_USES_QR) && emi_gram_factor(X, scratch.v))
        emi_gram_orthonormalise(shown, scratch.v);
}

static em_status test_turn(void *context, int i, int worker, em_error *err)
{
    (void)err;
    const test_task *t = context;
    emi_solver *s = t->s;
    double *numbers = emi_at(&s->around->numbers, i).v, *change = numbers + NUMBERS, *theta = change + s->K;
    numbers[RESIDUAL] = s->knows_residual ? *emi_at(&s->residual, i).v : 0;
    numbers[SIZE] = largest_number(s, i);
    numbers[REQUEST] = t->request;
    numbers[WIDTH] = 0;
    if (s->knows_residual) return EM_OK;
    emi_scratch scratch = s->scratch[worker];
    size_t square = (size_t)s->K * (size_t)s->K;
    emi_block shown = emi_at(&s->around->shown, i), now = {s->d, s->K, scratch.v + square};
    show(s, i, scratch, now);
    for (int k = t->first; k < t->first + t->count; k++) {
        const double *x = emi_column_of(now, k);
        change[k] = column_change(s->d, x, emi_column_of(shown, k), emi_norm(s->d, x));
    }
    memcpy(shown.v, now.v, sizeof *now.v * (size_t)s->d * (size_t)s->K);
    memcpy(theta, emi_at(&s->theta, i).v, sizeof *theta * (size_t)s->K);
    return EM_OK;
}

/* How fast the columns move, in units of what their own eigenvalue moves them by: the change over the steps taken, where a
 * method takes steps; else the change an iteration.  A column past the rank does not count, as nothing pulls at it. */
static double rate_of(const emi_solver *s, int first, int count, const double *change, const double *theta)
{
    const emi_surroundings *a = s->around;
    double worst = 0, largest = 0;
    for (int k = 0; k < s->K; k++) largest = emi_larger(largest, theta[k]);
    for (int k = first; k < first + count; k++) {
        if (theta[k] <= EMI_ROUNDING * largest) continue;
        worst = emi_larger(worst, s->uses & EMI_USES_STEP ? change[k] / (a->travelled * theta[k])
                                                          : change[k] / (double)(a->iteration - a->tested));
    }
    return worst;
}

static void stop_for_user(emi_surroundings *a)
{
    a->reason = EM_STOPPED_USER;
    a->over = 1;
}

/* The largest of every number that any node says, so that all come to the same end.  Where the root decides and all
 * processes are this one, nobody needs to ask. */
static void gather(emi_solver *s, double *largest)
{
    emi_surroundings *a = s->around;
    emi_field said = a->numbers;
    said.rows = s->knows_residual ? NUMBERS : NUMBERS + 2 * s->K;
    s->mesh->phase = EM_CONTROL;
    if (s->traits & EMI_AT_ROOT && emi_mesh_has_root(s->mesh)) {
        emi_at(&said, 0).v[RESIDUAL] = s->answer.residual;
        emi_at(&said, 0).v[WIDTH] = s->width;
    }
    if (s->traits & EMI_AT_ROOT && !emi_mesh_is_spread(s->mesh))
        memcpy(largest, emi_at(&said, 0).v, NUMBERS * sizeof *largest);
    else
        emi_tree_max(s->mesh, &said, largest);
    s->mesh->phase = EM_METHOD;
}

static void diverge(emi_solver *s)
{
    emi_surroundings *a = s->around;
    emi_field_copy(&a->good, &s->X);
    a->reason = EM_STOPPED_DIVERGED;
    a->over = 1;
}

/* A node's own residual does not see all of the disagreement that is left.  Where it is small enough, the true one is found
 * out, by two exact averages; if that is not, it takes so much more. */
static int confirm(emi_solver *s)
{
    emi_surroundings *a = s->around;
    emi_observer *o = a->observer;
    double worst = 0, largest = 0, tolerance = a->options->tolerance;
    s->mesh->phase = EM_CONTROL;
    emi_observe_estimate(o);
    (void)emi_observe_residual(o);
    for (int k = 0; k < o->K; k++) largest = emi_larger(largest, o->theta[k]);
    for (int k = 0; k < o->K; k++)
        if (!(o->residual[k] * o->theta[k] <= EMI_ROUNDING * largest)) worst = emi_larger(worst, o->residual[k]);
    emi_tree_give(s->mesh, &worst, 1); /* the root's word: another CPU may see another last digit */
    s->mesh->phase = EM_METHOD;
    a->reserve *= worst > tolerance ? fmin(0.5, tolerance / worst) : 1;
    return worst <= tolerance || a->change == 0;
}

/* Returns whether what was sought is found: every residual is within the tolerance, or nothing moves any more. */
static int test(emi_solver *s, int first, int count)
{
    emi_surroundings *a = s->around;
    test_task task = {s, first, count, request(a)};
    double *largest = a->largest, tolerance = a->options->tolerance;
    emi_mesh_run(s->mesh, 6.0 * s->mesh->hosted * s->d * count, test_turn, &task);
    gather(s, largest);
    if (emi_mesh_failed(s->mesh)) return 0;
    if (!(largest[SIZE] < runaway) || isnan(largest[RESIDUAL])) {
        diverge(s);
        return 0;
    }
    a->due = largest[REQUEST] == ASKS_CHECKPOINT;
    if (largest[REQUEST] == ASKS_END) stop_for_user(a);
    s->width = (int)largest[WIDTH];
    a->change =
        s->knows_residual ? largest[RESIDUAL] : rate_of(s, first, count, largest + NUMBERS, largest + NUMBERS + s->K);
    a->tested = a->iteration;
    a->travelled = 0;
    emi_field_copy(&s->X, &a->good);
    if (!s->knows_residual || s->traits & EMI_AT_ROOT) return tolerance > 0 && a->change <= tolerance;
    return tolerance > 0 && a->change <= a->reserve * tolerance && confirm(s);
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
    a->travelled += s->step;
    int every = s->traits & EMI_AT_ROOT ? 1 : TEST_EVERY;
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
    case EMI_DECAY_SQRT: return a->alpha / sqrt(t + 1);
    case EMI_DECAY_POWER: return a->alpha / pow(t + 1, a->options->step_power);
    case EMI_DECAY_CONSTANT: break;
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
    for (int i = 0; i < a->shown.nodes && a->shown.v; i++) show(s, i, s->scratch[0], emi_at(&a->shown, i));
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
