#define _DEFAULT_SOURCE /* winsize */
#include "progress.h"
#include "interrupt.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int allowed, drawn;
static double started, last_drawn;

static double now_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_allow(int wanted)
{
    allowed = wanted && isatty(STDERR_FILENO);
    started = last_drawn = now_seconds();
}

/* At most ten times a second, and not at all for work that is done before. */
static int due(void)
{
    if (!allowed) return 0;
    double now = now_seconds();
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

/* Iterations still needed: at most up to the limit, and fewer where the change has been
 * falling geometrically towards the tolerance since it was first seen. */
static double iterations_left(const em_progress *now)
{
    static double first_change = NAN;
    static long first_iteration;
    double left = (double)(now->limit - now->iteration);
    if (isnan(first_change) && now->change > 0) {
        first_change = now->change;
        first_iteration = now->iteration;
    }
    if (!(now->change > 0) || !(now->tolerance > 0) || !(now->change < first_change)) return left;
    double slope = log(first_change / now->change) / (double)(now->iteration - first_iteration);
    return fmax(0, fmin(left, log(now->change / now->tolerance) / slope));
}

int progress_fit(const em_progress *now, void *unused)
{
    (void)unused;
    static long first_iteration = -1;
    interrupt_defer();
    if (first_iteration < 0) {
        first_iteration = now->iteration;
        started = now_seconds(); /* reading the data is over */
    }
    if (due()) {
        char left[32], measure[48] = "";
        /* By the clock on the wall, which also runs while a trace is measured. */
        double rate = (double)(now->iteration - first_iteration) / (now_seconds() - started);
        if (isfinite(now->error))
            (void)snprintf(measure, sizeof measure, "   error %.2e", now->error);
        else if (isfinite(now->change))
            (void)snprintf(measure, sizeof measure, "   change %.2e", now->change);
        draw("iteration %ld of %ld%s   %.*f a second%s", now->iteration, now->limit, measure, rate < 10 ? 2 : 0, rate,
             time_left(iterations_left(now) / rate, left, sizeof left));
    }
    return interrupt_requested();
}

void progress_rows(size_t done, size_t total)
{
    if (!due()) return;
    char left[32];
    double rate = (double)done / (now_seconds() - started);
    draw("row %zu of %zu   %.0f a second%s", done, total, rate,
         time_left((double)(total - done) / rate, left, sizeof left));
}
