/* The BLAS kernels that this CPU should have.  OpenBLAS chooses them when it is loaded, which is before main: what it should
 * choose instead has to be in the environment of a program that starts. */
#ifndef EIGENMESH_KERNELS_H
#define EIGENMESH_KERNELS_H

/* Where OpenBLAS uses kernels of an older CPU, and the user has not chosen them, start this program again with better ones;
 * once, as they are then chosen.  Returns where there is nothing to mend, or it cannot be. */
void kernels_choose(char **argv);

/* Say on stderr, in one line, that the kernels in use are slow; nothing where they are not. */
void kernels_note(void);

#endif
