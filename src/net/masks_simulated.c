/* Masks where all nodes live in one process, or under MPI: the same arithmetic, over keys that hide nothing from whoever knows the
 * seed.  For tests, and to see what masks cost. */
#include "net/masks.h"
#include "net/no_memory.h"

#include <eigenmesh/net.h>

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

typedef struct simulated {
    int nodes;
    unsigned char seed[EMI_PAIR_BYTES]; /* in the place of what two sites agree on */
} simulated;

static em_status mask(void *state, int node, const em_sum *sum, uint64_t *words, em_error *err)
{
    static const unsigned char no_run[EMI_RUN_BYTES]; /* the view, which the root draws, is another one for each mesh */
    const simulated *s = state;
    unsigned char pair[EMI_PAIR_BYTES];
    em_status status = EM_OK;
    for (int other = 0; other < s->nodes && status == EM_OK; other++) {
        if (other == node) continue;
        status = emi_pair_key(s->seed, no_run, node < other ? node : other, node < other ? other : node, pair, err);
        if (status == EM_OK) status = emi_mask_pair(pair, sum, node < other ? EMI_ADDS : EMI_SUBTRACTS, words, err);
    }
    return status;
}

static em_status fill(void *state, int node, const void *values, size_t bytes, uint64_t *words, size_t count,
                      em_error *err)
{
    static const char about[] = "eigenmesh simulated own 1"; /* with its 0 */
    const simulated *s = state;
    unsigned char info[sizeof about + 2], secret[EMI_SHA_BYTES];
    memcpy(info, about, sizeof about);
    emi_u16_write(info + sizeof about, (uint16_t)node);
    em_status status = emi_hkdf256((emi_piece){s->seed, sizeof s->seed}, (emi_piece){0}, (emi_piece){info, sizeof info},
                                   secret, sizeof secret, err);
    return status == EM_OK ? emi_fill(secret, values, bytes, words, count, err) : status;
}

static void close_simulated(void *state)
{
    OPENSSL_cleanse(state, sizeof(simulated));
    free(state);
}

em_status em_mesh_simulate_masks(em_mesh *mesh, uint64_t seed, em_error *err)
{
    static const em_masks table = {.size = sizeof table,
                                   .mask = mask,
                                   .follow = emi_masks_follow,
                                   .random = emi_masks_random,
                                   .fill = fill,
                                   .close = close_simulated};
    simulated *s = calloc(1, sizeof *s);
    if (!s) return emi_no_memory(err);
    s->nodes = em_mesh_nodes(mesh);
    emi_u64_write(s->seed, seed);
    return em_mesh_set_masks(mesh, &table, s, NULL, err);
}
