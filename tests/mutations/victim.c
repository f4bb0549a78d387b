#define _DEFAULT_SOURCE /* RLIMIT_AS */
#include "victim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MOST_MEMORY = 1 << 30, MOST_FILE = 1 << 26, MOST_LINES = 4 };

static void limit(int what, rlim_t most)
{
    struct rlimit both = {most, most};
    (void)setrlimit((__rlimit_resource_t)what, &both);
}

/* The sanitizer keeps terabytes of addresses that it never uses; its own option limits what can be had. */
static void limit_all(const victim *v)
{
    if (!SANITIZED) limit(RLIMIT_AS, MOST_MEMORY);
    limit(RLIMIT_FSIZE, MOST_FILE);
    limit(RLIMIT_CORE, 0);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write that fails, as on a full disk */
    (void)alarm(v->seconds);        /* lasts beyond exec, and nothing in the program catches it */
}

static void be_victim(const victim *v, char *const argv[], int said)
{
    enum { MOST_WORDS = 32 };
    char *words[MOST_WORDS + 1] = {NULL}; /* a program may change its arguments */
    int argc = 0, nothing = open("/dev/null", O_RDWR);
    for (; argv[argc] && argc < MOST_WORDS; argc++) words[argc] = strdup(argv[argc]);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    (void)dup2(said, STDERR_FILENO);
    limit_all(v);
    if (v->program) exit(v->program(argc, words));
    (void)execv(v->path, words);
    _exit(127);
}

/* The next line, whose end is cut off; NULL after the last. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!*line) return NULL;
    *text = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    return line;
}

/* "eigenmesh: WHAT: WHY; try WHAT". */
static int is_message(const char *line)
{
    const char *what = strncmp(line, "eigenmesh: ", 11) == 0 ? line + 11 : NULL;
    const char *why = what ? strstr(what + 1, ": ") : NULL;
    const char *try = why ? strstr(why + 3, "; try ") : NULL;
    return try && try[6];
}

/* What others say by themselves: the sanitizer of memory it refused; HDF5, two lines, when a damaged file has left it unable
 * to close itself at the end of the process (any program that opens such a file ends like that). */
static int is_not_its_own(const char *line)
{
    return (SANITIZED && strstr(line, "WARNING: AddressSanitizer failed to allocate")) ||
           strcmp(line, "HDF5: infinite loop closing library") == 0 || strncmp(line, "      L,T_top,", 14) == 0;
}

static void judge_words(verdict *result)
{
    char copy[sizeof result->said], *rest = copy;
    int lines = 0;
    memcpy(copy, result->said, sizeof copy);
    for (const char *line; (line = next_line(&rest));) {
        if (is_not_its_own(line)) continue;
        lines++;
        if (!is_message(line)) (void)snprintf(result->fault, sizeof result->fault, "says '%.100s'", line);
    }
    if (lines == 0 && result->status != 0) (void)snprintf(result->fault, sizeof result->fault, "fails without a word");
    if (lines > MOST_LINES) (void)snprintf(result->fault, sizeof result->fault, "says %d lines", lines);
}

static void judge_ending(verdict *result, int ending)
{
    result->status = WIFEXITED(ending) ? WEXITSTATUS(ending) : -1;
    if (WIFSIGNALED(ending) && WTERMSIG(ending) == SIGALRM)
        (void)snprintf(result->fault, sizeof result->fault, "hangs");
    else if (WIFSIGNALED(ending))
        (void)snprintf(result->fault, sizeof result->fault, "crashes by signal %d", WTERMSIG(ending));
    else if (result->status > 2)
        (void)snprintf(result->fault, sizeof result->fault, "ends with status %d", result->status);
    else
        judge_words(result);
}

verdict victim_run(const victim *v, char *const argv[])
{
    verdict result = {0};
    int ending;
    FILE *said = tmpfile();
    if (!said) die("temporary file", strerror(errno));
    (void)fflush(NULL); /* or the child writes it once more */
    pid_t child = fork();
    if (child == 0) be_victim(v, argv, fileno(said));
    if (child < 0 || waitpid(child, &ending, 0) != child) die("fork", strerror(errno));
    rewind(said);
    size_t size = fread(result.said, 1, sizeof result.said - 1, said);
    (void)fclose(said);
    /* a NUL is no part of a message */
    for (size_t n = 0; n < size; n++)
        if (!result.said[n]) result.said[n] = '?';
    judge_ending(&result, ending);
    return result;
}
