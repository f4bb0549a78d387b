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

static void stop_for_user(emi_driver *driver)
{
    driver->reason = EM_STOPPED_USER;
    driver->over = 1;
}

static void trace(emi_driver *driver, emi_solver *s)
{
    emi_trace_add(&driver->trace, s, driver->stopping.observer, driver->seconds);
    driver->over |= emi_mesh_failed(s->mesh);
}

static int monitor_asks_end(const emi_driver *driver, const emi_solver *s)
{
    if (!driver->monitor) return 0;
    em_progress progress = {.iteration = s->iteration,
                            .limit = s->iteration_limit,
                            .seconds = driver->seconds,
                            .change = driver->stopping.change,
                            .tolerance = s->tolerance,
                            .error = driver->trace.count ? driver->trace.rows[driver->trace.count - 1].error : NAN};
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
        stop_for_user(driver);
}

/* ---- between two iterations -------------------------------------------------------------------- */

static int is_due(const emi_driver *driver)
{
    return driver->between && driver->between->is_due(driver->between->context);
}

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
    if (driver->between && driver->between->resumes(driver->between->context) && !emi_mesh_failed(s->mesh)) {
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
    int request = driver->wish ? EMI_ASKS_END : is_due(driver) ? EMI_ASKS_SAVE : EMI_ASKS_NOTHING;
    emi_finding finding = emi_stopping_test(&driver->stopping, s, first, count, &request);
    if (emi_mesh_failed(s->mesh)) return 0;
    if (finding == EMI_DIVERGED) {
        driver->reason = EM_STOPPED_DIVERGED;
        driver->over = 1;
        return 0;
    }
    driver->due = request == EMI_ASKS_SAVE;
    if (request == EMI_ASKS_END) stop_for_user(driver);
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

void emi_solver_fail(emi_solver *s, em_status status, const em_error *err)
{
    if (emi_mesh_failed(s->mesh)) return;
    s->mesh->failure = *err;
    s->mesh->failure.code = status;
    s->driver->over = 1;
}

em_status emi_finish(emi_solver *s)
{
    emi_driver *driver = s->driver;
    if (!driver->over) driver->reason = driver->unfinished ? EM_STOPPED_ITERATIONS : EM_CONVERGED;
    return s->mesh->failure.code;
}
