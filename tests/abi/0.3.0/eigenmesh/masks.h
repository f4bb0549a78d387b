/* Masked sums: what hides every node's share of a sum from all others, the root among them; only totals exist.
 *
 * The library turns numbers into words of 64 bits, in which addition is exact, adds them up over the tree and turns totals back.
 * Keys are whoever opens the mesh's: this table is what the library asks of them.  em_mesh_simulate_masks (net.h) makes one whose
 * keys come from a seed; a study's come from the keys that its sites agree on. */
#ifndef EIGENMESH_MASKS_H
#define EIGENMESH_MASKS_H

#include <eigenmesh/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EM_VIEW_BYTES = 32 };

/* What is added up. */
typedef enum em_sum_kind {
    EM_SUM_MAXIMUM = 1, /* random words up to a place of one's own: the last place that is not 0 is the largest */
    EM_SUM_COUNT,       /* whole numbers, a word each                                                             */
    EM_SUM_BLOCK,       /* numbers in fixed point, a word each                                                    */
    EM_SUM_WIDE         /* numbers in fixed point, four words each                                                */
} em_sum_kind;

typedef struct em_sum {
    uint64_t number; /* of this sum: 0, 1, ...; none comes twice as long as a mesh lives                          */
    em_sum_kind kind;
    unsigned words; /* a number                                                                                   */
    uint64_t count; /* words in all, with the four at the end that are 0 before they are masked                   */
    unsigned char view[EM_VIEW_BYTES]; /* what has come down so far: see em_mesh_set_masks                        */
} em_sum;

/* `mask`, `random` and `fill` may be called by several threads at once, for different nodes; the others are not. */
typedef struct em_masks {
    size_t size; /* sizeof(em_masks): what a later version adds is NULL in a table that does not know of it */

    /* Add the node's masks with all other nodes to words[sum->count]; over all nodes they cancel.  Of a number of several words,
     * least first, these carry into each other.  Called once for each node here and each sum. */
    em_status (*mask)(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err);

    /* view <- digest of view and the block.  Bytes of a block are as they came. */
    em_status (*follow)(void *state, unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes, em_error *err);

    /* Words that nobody can guess. */
    em_status (*random)(void *state, uint64_t *words, size_t count, em_error *err);

    /* Words that nobody but the node can guess, and that are the same every time for the same `values`: the digits that a number
     * does not have are filled with them, so that the last digits of a total are not those of the node with the smallest
     * numbers; and one that has more is rounded by them, so that how it is rounded says nothing of it. */
    em_status (*fill)(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err);

    /* A node's own policy: may it go on, now that all nodes have `all` rows together, and here are `own`? */
    em_status (*rows)(void *state, int node, uint64_t own, uint64_t all, em_error *err);

    /* The root asks for the product of C with so many orthonormal vectors, of which one has `features` numbers.  Before anything of
     * the answer leaves; an answer that is begun counts. */
    em_status (*answer)(void *state, int node, int columns, int features, em_error *err);

    /* Called once, when the mesh is closed or could not take them: secrets are wiped. */
    void (*close)(void *state);
} em_masks;

/* From now on every sum over this mesh is masked, and an exchange that would show a node's own numbers fails.  At least three
 * nodes, and no more than 1,024; `view` is the same at all of them, and for no other run; NULL: the root draws one, and tells
 * the others.  After every block that comes down the tree the view becomes what `follow` makes of it, so that masks fit only where
 * all were asked the same.  The state is the mesh's from then on, also where this fails.  `rows` and `answer` may be NULL. */
EM_API em_status em_mesh_set_masks(em_mesh *mesh, const em_masks *masks, void *state,
                                   const unsigned char view[EM_VIEW_BYTES], em_error *err);

#ifdef __cplusplus
}
#endif
#endif
