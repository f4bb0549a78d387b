#include "kernels.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "OPENBLAS_CORETYPE";
static int could_not_start;

static const char *chosen(void)
{
    const char *value = getenv(variable);
    return value ? value : "";
}

/* What to choose: the value in "OPENBLAS_CORETYPE=SkylakeX"; NULL where there is nothing to mend. */
static const char *better(void)
{
    const char *advice = em_blas_advice();
    return advice ? advice + sizeof variable : NULL;
}

/* By the name it was started by, which `ps` shows.  Where that is not the file that runs, something runs it for us, such as
 * ld.so, and would be started in our place. */
static void start_again(char **argv)
{
    struct stat named, running;
    const char *path = NULL;
    unsigned long address = getauxval(AT_EXECFN);
    memcpy(&path, &address, sizeof path);
    if (!path || stat(path, &named) != 0 || stat("/proc/self/exe", &running) != 0) return;
    if (named.st_dev == running.st_dev && named.st_ino == running.st_ino) (void)execv(path, argv);
}

void kernels_choose(char **argv)
{
    if (*chosen() || !better()) return;
    if (setenv(variable, better(), 1) == 0) start_again(argv);
    (void)unsetenv(variable);
    could_not_start = 1;
}

void kernels_note(void)
{
    if (!better()) return;
    const char *why = could_not_start ? ", and the program cannot start itself again with better ones" : "";
    const char *what = strcmp(chosen(), better()) == 0 ? "a newer OpenBLAS" : em_blas_advice();
    complain("note: %s: made for older CPUs, and slow on this one%s; try %s", em_blas(), why, what);
}
