/* The engines that a suite runs on: those of the library, unless a program brings its own list in place of engines.c. */
#ifndef TESTS_SUPPORT_ENGINES_H
#define TESTS_SUPPORT_ENGINES_H

#include <eigenmesh/eigenmesh.h>

/* Around everything else in main. */
void engines_begin(int *argc, char ***argv);
void engines_end(void);

/* NULL past the end. */
const char *engines_name(int index);

/* A mesh on the engine of this name; on the first one for NULL.  Every process of it runs the same tests. */
em_status engines_open(em_mesh **out, const char *name, const em_graph *graph, int threads, em_error *err);

#endif
