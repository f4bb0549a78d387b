#define _DEFAULT_SOURCE /* winsize */
#include "message.h"
#include "signals.h"

#include "base/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

void complain(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* A file's name may hold anything; the message stays one line of text. */
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '?';
    progress_erase();
    (void)fprintf(stderr, "eigenmesh: %s\n", line);
}

/* ---- progress ------------------------------------------------------------------------------------- */

static int allowed, drawn;
static double started, last_drawn;

void progress_allow(int wanted)
{
    allowed = wanted && isatty(STDERR_FILENO);
    started = last_drawn = emi_seconds();
}

/* At most ten times a second, and not at all for work that is done before. */
static int due(void)
{
    if (!allowed) return 0;
    double now = emi_seconds();
    if (now - last_drawn < 0.1) return 0;
    last_drawn = now;
    return 1;
}

static void draw(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void draw(const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct winsize size;
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
    (void)fprintf(stderr, "\r%.*s\033[K", width, line);
    (void)fflush(stderr);
    drawn = 1;
}

void progress_erase(void)
{
    if (!drawn) return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    drawn = 0;
}

/* "3 s left", "2 min left"; "" when it cannot be told. */
static const char *time_left(double seconds, char *out, size_t size)
{
    if (!isfinite(seconds))
        *out = 0;
    else if (seconds < 100)
        (void)snprintf(out, size, "   %.0f s left", ceil(seconds));
    else if (seconds < 6000)
        (void)snprintf(out, size, "   %.0f min left", seconds / 60);
    else
        (void)snprintf(out, size, "   %.0f h left", seconds / 3600);
    return out;
}

/* The run that is being watched, from the first that was seen of it. */
static struct run {
    long first_iteration, last_iteration;
    long change_iteration; /* when a change was first known, and what it was */
    double first_change;
} run = {.last_iteration = -1};

/* Iterations that do not go on from the last one are those of another run. */
static void follow(const em_progress *now)
{
    if (run.last_iteration < 0 || now->iteration <= run.last_iteration) {
        run = (struct run){.first_iteration = now->iteration, .first_change = NAN};
        started = emi_seconds(); /* reading the data is over */
    }
    run.last_iteration = now->iteration;
    if (isnan(run.first_change) && now->change > 0) {
        run.first_change = now->change;
        run.change_iteration = now->iteration;
    }
}

/* Iterations still needed: at most up to the limit, and fewer where the change has been
 * falling geometrically towards the tolerance since it was first seen. */
static double iterations_left(const em_progress *now)
{
    double left = (double)(now->limit - now->iteration);
    if (!(now->change > 0) || !(now->tolerance > 0) || !(now->change < run.first_change)) return left;
    double slope = log(run.first_change / now->change) / (double)(now->iteration - run.change_iteration);
    return fmax(0, fmin(left, log(now->change / now->tolerance) / slope));
}

/* "   12 a second   3 s left"; "" after a single iteration.  By the clock on the wall, which also runs while a trace
 * is measured. */
static const char *pace_of(const em_progress *now, char *out, size_t size)
{
    double rate = (double)(now->iteration - run.first_iteration) / (emi_seconds() - started);
    *out = 0;
    if (rate > 0) {
        char left[32];
        (void)snprintf(out, size, "   %.*f a second%s", rate < 10 ? 2 : 0, rate,
                       time_left(iterations_left(now) / rate, left, sizeof left));
    }
    return out;
}

int progress_fit(const em_progress *now, void *label)
{
    interrupt_defer();
    follow(now);
    if (due()) {
        char pace[64], measure[48] = "";
        if (isfinite(now->error))
            (void)snprintf(measure, sizeof measure, "   error %.2e", now->error);
        else if (isfinite(now->change))
            (void)snprintf(measure, sizeof measure, "   change %.2e", now->change);
        draw("%s%siteration %ld of %ld%s%s", label ? (const char *)label : "", label ? ": " : "", now->iteration,
             now->limit, measure, pace_of(now, pace, sizeof pace));
    }
    return interrupt_requested();
}

int progress_experiment(const lab_experiment_progress *now, void *label)
{
    static const void *last_label;
    interrupt_defer();
    if (last_label != label) started = emi_seconds();
    last_label = label;
    if (due()) {
        char left[32];
        double done = now->finished + now->under_way, pace = done / (emi_seconds() - started);
        draw("%s: %d of %d runs%s", (const char *)label, now->finished, now->total,
             time_left(((double)now->total - done) / pace, left, sizeof left));
    }
    return interrupt_requested();
}

void progress_rows(size_t done, size_t total)
{
    if (!due()) return;
    char left[32];
    double rate = (double)done / (emi_seconds() - started);
    draw("row %zu of %zu   %.0f a second%s", done, total, rate,
         time_left((double)(total - done) / rate, left, sizeof left));
}
