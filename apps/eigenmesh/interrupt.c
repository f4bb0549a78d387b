#include "interrupt.h"
#include "cluster.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    (void)sigemptyset(&action.sa_mask);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
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
