/* Where the time of a fit went, process by process, so that a straggler shows. */
#ifndef EIGENMESH_RANKS_H
#define EIGENMESH_RANKS_H

#include "print.h"

#include <eigenmesh/eigenmesh.h>

/* What a rank does with the time of the iterations. */
enum { COMPUTING, SENDING, WAITING, RANK_SHARES };

typedef struct ranks {
    int count;
    double (*seconds)[RANK_SHARES]; /* [count] in the first process; NULL elsewhere */
} ranks;

/* Collective: the first process learns of all. */
em_status ranks_gather(ranks *out, const em_info *info, em_error *err);
void ranks_free(ranks *r); /* accepts the zeroed */

/* A line, and an array; nothing where there is one process. */
void ranks_print(const ranks *r);
void ranks_json(json *j, const ranks *r);

#endif
