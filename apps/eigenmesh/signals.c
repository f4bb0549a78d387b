#include "signals.h"
#include "cluster.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- interrupts and pipes ------------------------------------------------------------------------------ */

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

/* ---- the alarm ----------------------------------------------------------------------------------------- */

static char line[256];

static void on_alarm(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
    _exit(1); /* the launcher ends the others */
}

void guard_begin(double seconds, const char *done)
{
    static const double longest = 1e9;        /* an alarm cannot wait for ever */
    unsigned turn = cluster_speaks() ? 0 : 2; /* one voice is enough, unless it is the first process that hangs */
    struct sigaction action = {.sa_handler = on_alarm};
    if (seconds > longest) return;
    (void)snprintf(
        line, sizeof line,
        "eigenmesh: mpi: not all processes have %s within %g s, and the others wait; try to see what holds one "
        "up (a stopped process, a file system), or a longer --patience\n",
        done, seconds);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm((unsigned)ceil(seconds) + turn);
}

void guard_end(void)
{
    (void)alarm(0);
}
