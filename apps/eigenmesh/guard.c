#include "guard.h"
#include "cluster.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    struct sigaction action;
    if (seconds > longest) return;
    (void)snprintf(
        line, sizeof line,
        "eigenmesh: mpi: not all processes have %s within %g s, and the others wait; try to see what holds one "
        "up (a stopped process, a file system), or a longer --patience\n",
        done, seconds);
    memset(&action, 0, sizeof action);
    (void)sigemptyset(&action.sa_mask);
    action.sa_handler = on_alarm;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm((unsigned)ceil(seconds) + turn);
}

void guard_end(void)
{
    (void)alarm(0);
}
