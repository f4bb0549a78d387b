#include "run/driver.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>

em_status emi_driver_open(emi_driver *driver, emi_solver *s, emi_observer *observer, em_error *err)
{
    driver->column = -1;
    driver->trace.before = s->mesh->count[EM_METHOD];
    s->driver = driver;
    return emi_stopping_open(&driver->stopping, s, observer, err);
}

void emi_driver_close(emi_driver *driver)
{
    emi_free(driver->trace.rows);
    emi_stopping_close(&driver->stopping);
    *driver = (emi_driver){0};
}

static void stop(emi_driver *driver, em_reason reason)
{
    driver->reason = reason;
    driver->over = 1;
}

void emi_solver_fail(emi_solver *s, em_status status, const em_error *err)
{
    if (emi_mesh_failed(s->mesh)) return;
    s->mesh->failure = *err;
    s->mesh->failure.code = status;
    s->driver->over = 1;
}

/* ---- the trace ----------------------------------------------------------------------------------- */

double emi_units(const em_mesh *mesh, int d, int K, double scalars)
{
    double unit = 2.0 * (double)mesh->graph->edges * d * K;
    return unit > 0 ? scalars / unit : 0;
}

static void look_on(em_trace_row *row, emi_solver *s, emi_observer *o, int all)
{
    s->mesh->phase = EMI_OBSERVING;
    row->consensus = row->residual = NAN;
    if (all || (s->traits & EMI_AT_ROOT && o->truth->vectors)) emi_observe_estimate(o);
    if (all) {
        row->consensus = emi_observe_consensus(o);
        row->residual = emi_observe_residual(o);
    }
    row->error = emi_observe_error(o);
    s->mesh->phase = EM_METHOD;
}

static void add_row(emi_trace *t, emi_solver *s, emi_observer *o, double seconds)
{
    const emi_count *now = &s->mesh->count[EM_METHOD], *before = &t->before;
    em_trace_row *rows = emi_grow(t->rows, &t->room, t->count + 1, sizeof *rows);
    if (!rows) {
        (void)emi_fail_memory(&s->mesh->failure, "trace");
        return;
    }
    t->rows = rows;
    rows[t->count] = (em_trace_row){.iteration = s->iteration,
                                    .rounds = now->rounds - before->rounds,
                                    .messages = now->messages - before->messages,
                                    .bytes = now->bytes - before->bytes,
                                    .units = (double)(now->scalars - before->scalars), /* see emi_units */
                                    .seconds = seconds};
    look_on(&rows[t->count++], s, o, t->kind != EMI_TRACE_ERROR);
}

/* A row for the iteration that the solver has completed, where one is asked for. */
static void trace(emi_driver *driver, emi_solver *s)
{
    if (driver->trace.kind) add_row(&driver->trace, s, driver->stopping.observer, driver->seconds);
    driver->over |= emi_mesh_failed(s->mesh);
}

/* ---- the user -------------------------------------------------------------------------------------- */

static int monitor_asks_end(const emi_driver *driver, const emi_solver *s)
{
    if (!driver->monitor) return 0;
    em_progress progress = {.iteration = s->iteration,
                            .limit = s->iteration_limit,
                            .seconds = driver->seconds,
                            .change = driver->stopping.change,
                            .tolerance = s->tolerance,
                            .error = driver->trace.count ? driver->trace.rows[driver->trace.count - 1].error : NAN,
                            .residual = s->knows_residual ? driver->stopping.change : NAN};
    return driver->monitor(&progress, driver->monitor_user);
}

static void ask_user(emi_driver *driver, emi_solver *s)
{
    if (driver->over) return;
    int is_late = driver->max_seconds > 0 && driver->seconds >= driver->max_seconds;
    if (!monitor_asks_end(driver, s) && !is_late) return;
    if (emi_mesh_is_spread(s->mesh))
        driver->wish = 1; /* the next test tells the others */
    else
        stop(driver, EM_STOPPED_USER);
}

/* ---- between two iterations -------------------------------------------------------------------- */

/* With another iteration to come, or the monitor ending the run: all processes save, or none. */
static void save(emi_driver *driver, emi_solver *s, long end)
{
    em_error err = {0};
    int asked = driver->over ? driver->reason == EM_STOPPED_USER : driver->due && !driver->found && s->iteration < end;
    if (!asked || !driver->between || emi_mesh_failed(s->mesh)) return;
    driver->due = 0;
    em_status status = driver->between->save(driver->between->context, s, &err);
    if (status != EM_OK) emi_solver_fail(s, status, &err);
}

/* Once, when the method is ready: from its start, or from where another run left it, whatever it has prepared. */
static void begin(emi_driver *driver, emi_solver *s)
{
    em_error err = {0};
    if (driver->began) return;
    driver->began = 1;
    if (driver->between && driver->between->restore && !emi_mesh_failed(s->mesh)) {
        em_status status = driver->between->restore(driver->between->context, s, &err);
        if (status != EM_OK) emi_solver_fail(s, status, &err);
        return;
    }
    emi_stopping_begin(&driver->stopping, s);
    trace(driver, s);
}

/* ---- iterations -------------------------------------------------------------------------------- */

/* Returns whether the columns sought are found. */
static int test(emi_driver *driver, emi_solver *s, int first, int count)
{
    int due = driver->between && driver->between->is_due(driver->between->context);
    int request = driver->wish ? EMI_ASKS_END : due ? EMI_ASKS_SAVE : EMI_ASKS_NOTHING;
    emi_finding finding = emi_stopping_test(&driver->stopping, s, first, count, &request);
    if (emi_mesh_failed(s->mesh)) return 0;
    driver->due = request == EMI_ASKS_SAVE;
    if (finding == EMI_DIVERGED)
        stop(driver, EM_STOPPED_DIVERGED);
    else if (request == EMI_ASKS_END)
        stop(driver, EM_STOPPED_USER);
    return finding == EMI_FOUND;
}

/* An iteration has ended; returns whether the columns sought are found. */
static int complete(emi_driver *driver, emi_solver *s, int first, int count, long end)
{
    int found = 0;
    driver->running = 0;
    s->iteration++;
    driver->stopping.travelled += s->step;
    if (!emi_mesh_failed(s->mesh) && emi_stopping_is_due(s, end)) found = test(driver, s, first, count);
    driver->seconds += emi_seconds() - driver->resumed;
    driver->over |= emi_mesh_failed(s->mesh);
    if (!driver->over || driver->reason == EM_STOPPED_USER) trace(driver, s);
    ask_user(driver, s);
    return found;
}

static double step_at(const emi_schedule *step, long iteration)
{
    double t = (double)iteration;
    switch (step->decay) {
    case EMI_DECAY_SQRT: return step->first / sqrt(t + 1);
    case EMI_DECAY_POWER: return step->first / pow(t + 1, step->power);
    case EMI_DECAY_CONSTANT: break;
    }
    return step->first;
}

static int another(emi_driver *driver, emi_solver *s, int first, int count, long end)
{
    if (driver->running) driver->found = complete(driver, s, first, count, end);
    save(driver, s, end);
    if (driver->over || driver->found) return 0;
    if (s->iteration >= end) {
        driver->unfinished++;
        return 0;
    }
    s->step = step_at(&driver->step, s->iteration);
    driver->resumed = emi_seconds();
    driver->running = 1;
    return 1;
}

int emi_next(emi_solver *s)
{
    begin(s->driver, s);
    return another(s->driver, s, 0, s->K, s->iteration_limit);
}

int emi_next_column(emi_solver *s, int k, long limit)
{
    emi_driver *driver = s->driver;
    begin(driver, s);
    if ((driver->over && !driver->running) || k < driver->column)
        return 0; /* the run has ended; or was resumed when it was past k */
    if (driver->column != k) {
        driver->column = k;
        driver->found = 0;
        driver->column_end = s->iteration + limit;
    }
    return another(driver, s, k, 1, driver->column_end);
}

em_status emi_finish(emi_solver *s)
{
    emi_driver *driver = s->driver;
    if (!driver->over) driver->reason = driver->unfinished ? EM_STOPPED_ITERATIONS : EM_CONVERGED;
    return s->mesh->failure.code;
}
