/* Plain masks that remember every sum they were asked for, and nodes that answer so much and no more. */
#ifndef TESTS_SUPPORT_WATCHED_MASKS_H
#define TESTS_SUPPORT_WATCHED_MASKS_H

#include <eigenmesh/masks.h>
#include <pthread.h>

typedef struct watched_sum {
    int node;
    em_sum sum;
    uint64_t *words; /* [sum.count] masked */
} watched_sum;

/* Zeroed, but for what is chosen. */
typedef struct watched {
    uint64_t seed;     /* of words that nobody can guess                                               */
    uint64_t columns;  /* that each node answers; 0: any number                                        */
    uint64_t rows;     /* that each node must have; 0: any number                                      */
    int filled_alike;  /* what is filled in depends on the values alone, not on the node               */
    int silent;        /* a node that refuses gives no reason                                          */
    uint64_t answered; /* columns so far, by the first node here                                       */
    uint64_t filled;   /* digest of what the digits of the first node were filled for, the last time   */
    watched_sum *sums;
    size_t count, room;
    int closed; /* how often */
    void *plain;
    pthread_mutex_t lock;
} watched;

/* The masks of all who have the same view fit together. */
em_status watched_masks_set(em_mesh *mesh, watched *w, const unsigned char view[EM_VIEW_BYTES], em_error *err);

void watched_free(watched *w); /* after the mesh is closed */

#endif
