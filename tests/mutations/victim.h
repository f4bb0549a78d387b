/* One run of the program in a process of its own, under limits that keep the machine safe, and the verdict on it. */
#ifndef MUTATIONS_VICTIM_H
#define MUTATIONS_VICTIM_H

/* The program as a function, which a fork calls; or, where it is NULL, the one at `path`, which a fork executes. */
typedef struct victim {
    int (*program)(int argc, char **argv);
    const char *path;
    unsigned seconds; /* more is a hang */
} victim;

typedef struct verdict {
    int status;      /* of the program; -1: ended by a signal */
    char fault[160]; /* what is wrong with how it ended; "": nothing */
    char said[512];  /* its stderr, cut */
} verdict;

/* Run it with these arguments (argv[0] is its name; NULL ends them) in the working directory.  What it must hold to: it
 * ends by itself, in time, with 0, 1 or 2; whatever it says is lines "eigenmesh: WHAT: WHY; try WHAT", of which a failure
 * has one at least, and few. */
verdict victim_run(const victim *v, char *const argv[]);

#endif
