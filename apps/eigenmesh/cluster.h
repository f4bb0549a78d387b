/* The processes that run this command together, under mpirun or srun; one, as a rule.
 *
 * All of them run the same command with the same arguments; joining fails where they do not.  The first one speaks for
 * all: it alone prints and writes files.  What one process does alone and may fail at is agreed on before they go on
 * together.  All that they tell each other is moved by the engine, so that this is one piece for every engine.
 *
 * Nobody waits for ever: a process that does not come is named, and all others end. */
#ifndef EIGENMESH_CLUSTER_H
#define EIGENMESH_CLUSTER_H

#include <eigenmesh/eigenmesh.h>

/* Join the others, if there are any; and part from them.  Between the two every process must come along: the last thing
 * they do together is to agree.  Parting does not return where one is lost. */
em_status cluster_join(int *argc, char ***argv, em_error *err);
void cluster_part(void);

/* How long to wait for another process: an hour, unless this says otherwise. */
void cluster_set_patience(double seconds);

int cluster_size(void);
int cluster_rank(void);
int cluster_speaks(void); /* is this the first, or the one that failed?  Or, where one is lost, that which found out */

/* The engine of this name, or without one that which the processes were started under, is the mesh's; *together: not local. */
em_status cluster_choose_engine(const char *name, int *together, em_error *err);

/* All succeeded, or the failure of the first that did not, which then is everyone's: there in its own words, elsewhere by
 * the rank and the code.  Words never leave the process that made them, since they may hold a cell of the data. */
em_status cluster_agree(em_status status, em_error *err);

/* The first process's bytes, and so many of them everywhere, in place of one's own. */
em_status cluster_share(void *bytes, size_t count, em_error *err);

/* The sum over all processes, at every one. */
em_status cluster_sum(size_t *number, em_error *err);

/* What every process has, one after the other, each with zeros up to the length of the longest, at the first, where *out is
 * the caller's to free; NULL elsewhere. */
em_status cluster_gather(const void *own, size_t bytes, char **out, size_t *size, em_error *err);

/* The nodes that live here, and the mesh. */
em_status cluster_nodes(int nodes, int *first, int *hosted, em_error *err);
em_status cluster_mesh(em_mesh **out, const em_graph *graph, int threads, em_error *err);
void cluster_close(em_mesh **mesh); /* unless a process is lost, which would have to join in */

#endif
