#define _DEFAULT_SOURCE /* winsize */
#include "message.h"
#include "cluster.h"
#include "command.h"

#include "base/clock.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
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

static void draw(double seconds_left, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line, and after it "3 s left", "2 min left", or nothing when that cannot be told. */
static void draw(double seconds_left, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size_t used = strlen(line), room = sizeof line - used;
    if (seconds_left < 100)
        (void)snprintf(line + used, room, "   %.0f s left", ceil(seconds_left));
    else if (seconds_left < 6000)
        (void)snprintf(line + used, room, "   %.0f min left", seconds_left / 60);
    else if (isfinite(seconds_left))
        (void)snprintf(line + used, room, "   %.0f h left", seconds_left / 3600);
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

/* The run that is being watched, from the first that was seen of it. */
static struct run {
    long first_iteration, last_iteration;
    long change_iteration; /* when a change was first known, and what it was */
    double first_change;
    char measure[48]; /* how far it is from the end, in words; "" before the first test */
} run = {.last_iteration = -1};

static void note_measure(const em_progress *now)
{
    const struct {
        const char *name;
        double value;
    } known[] = {{"error", now->error}, {"residual", now->residual}, {"change", now->change}};
    size_t n = 0;
    while (n < 2 && !isfinite(known[n].value)) n++;
    *run.measure = 0;
    if (isfinite(known[n].value))
        (void)snprintf(run.measure, sizeof run.measure, "   %s %.2e", known[n].name, known[n].value);
}

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
    note_measure(now);
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

/* By the clock on the wall, which also runs while a trace is measured. */
int progress_fit(const em_progress *now, void *label)
{
    interrupt_defer();
    follow(now);
    if (!due()) return interrupt_requested();
    char pace[32] = "";
    double rate = (double)(now->iteration - run.first_iteration) / (emi_seconds() - started);
    if (rate > 0) (void)snprintf(pace, sizeof pace, "   %.*f a second", rate < 10 ? 2 : 0, rate);
    draw(iterations_left(now) / rate, "%s%siteration %ld of %ld%s%s", label ? (const char *)label : "",
         label ? ": " : "", now->iteration, now->limit, run.measure, pace);
    return interrupt_requested();
}

int progress_experiment(const lab_experiment_progress *now, void *label)
{
    static const void *last_label;
    interrupt_defer();
    if (last_label != label) started = emi_seconds();
    last_label = label;
    if (due()) {
        double done = now->finished + now->under_way, pace = done / (emi_seconds() - started);
        draw(((double)now->total - done) / pace, "%s: %d of %d runs", (const char *)label, now->finished, now->total);
    }
    return interrupt_requested();
}

int progress_waits(const char *who, double seconds)
{
    char iteration[96] = "", time[DURATION_ROOM];
    if (!due()) return allowed;
    if (run.last_iteration > 0)
        (void)snprintf(iteration, sizeof iteration, "iteration %ld%s   ", run.last_iteration, run.measure);
    draw(INFINITY, "%swaiting for %s, %s", iteration, who, duration_text(floor(seconds), time));
    return 1;
}

void progress_rows(size_t done, size_t total)
{
    if (!due()) return;
    double rate = (double)done / (emi_seconds() - started);
    draw((double)(total - done) / rate, "row %zu of %zu   %.0f a second", done, total, rate);
}

/* ---- signals -------------------------------------------------------------------------------------- */

static volatile sig_atomic_t deferred, requested, pipe_closed;
static volatile time_t requested_at;

static void leave_now(void)
{
    static const char text[] = "eigenmesh: interrupted: nothing was written; try again\n";
    ssize_t written = cluster_speaks() ? write(STDERR_FILENO, text, sizeof text - 1) : 0;
    (void)written;
    _exit(1);
}

/* One Ctrl-C may arrive twice (timeout(1) signals a process and its group); a second
 * one that comes later is a user who does not want to wait. */
static void on_interrupt(int number)
{
    (void)number;
    time_t now = time(NULL);
    if (!deferred || (requested && now - requested_at > 1)) leave_now();
    if (!requested) requested_at = now;
    requested = 1;
}

static void on_closed_pipe(int number)
{
    (void)number;
    pipe_closed = 1;
}

static void install(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    (void)sigemptyset(&action.sa_mask);
    /* Whoever started us with the signal ignored (nohup) meant it. */
    if (number != SIGPIPE && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
    (void)sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
    install(SIGINT, on_interrupt);
    install(SIGTERM, on_interrupt);
    install(SIGPIPE, on_closed_pipe);
}

void interrupt_defer(void)
{
    deferred = 1;
}

int interrupt_requested(void)
{
    return requested;
}

int interrupt_pipe_closed(void)
{
    return pipe_closed;
}
