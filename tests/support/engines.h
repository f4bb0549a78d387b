/* The engines that a suite runs on: those of the library, unless a program brings its own list in place of engines.c. */
#ifndef TESTS_SUPPORT_ENGINES_H
#define TESTS_SUPPORT_ENGINES_H

#include <eigenmesh/eigenmesh.h>

/* Around everything else in main. */
void engines_begin(int *argc, char ***argv);
void engines_end(void);

/* NULL past the end. */
const char *engines_name(int index);

/* Where a list of engines may differ from others, all of it. */
typedef struct engine_manner {
    int tells; /* of a process that fails all others hear, and one that is late is not taken for lost; 0: they wait for it as for
                  any other, and patience alone ends that */
    int quick; /* rounds cost next to nothing; 0: what the suites do over and over, and what is about methods alone, they leave
                  to engines that are */
    int device; /* that multiplies the rows: fit/options.h */
} engine_manner;

extern const engine_manner engines_manner;

/* A mesh on the engine of this name; on the first one for NULL.  Every process of it runs the same tests. */
em_status engines_open(em_mesh **out, const char *name, const em_graph *graph, int threads, em_error *err);

#endif
