/* The masks of one site of a run: what it adds to its share of a sum, so that whoever sees the share sees noise, and in the
 * total of all sites nothing of it is left.
 *
 *     k_ij = HKDF-SHA256(X25519(i, j), salt: run, info: "eigenmesh pair 1\0", i u16, j u16), where i < j
 *     key  = HKDF-Expand(k_ij, "eigenmesh sum 1\0", number u64, kind u8, words a number u8, words in all u64, view)
 *     mask = ChaCha20(key, iv: 16 bytes of 0) as words of 64 bits, added at i, subtracted at j; words of a number carry
 *
 * All that a sum is goes into its key, so that no mask is ever used for two: it fits only where both have seen the same. */
#ifndef EIGENMESH_NET_MASKS_H
#define EIGENMESH_NET_MASKS_H

#include "net/frame.h"
#include "net/identity.h"

#include <eigenmesh/masks.h>

enum { EMI_PAIR_BYTES = 32 };

/* ---- the pieces ---------------------------------------------------------------------------------------------------------- */

/* What two keys agree on: X25519 (RFC 7748).  A public key of few points agrees on zeros, and is refused. */
em_status emi_agree(const unsigned char own[EMI_PUBLIC_BYTES], const unsigned char other[EMI_PUBLIC_BYTES],
                    unsigned char agreed[EMI_PAIR_BYTES], em_error *err);

/* k_ij; i < j. */
em_status emi_pair_key(const unsigned char agreed[EMI_PAIR_BYTES], const unsigned char run[EMI_RUN_BYTES], int i, int j,
                       unsigned char pair[EMI_PAIR_BYTES], em_error *err);

/* ChaCha20 (RFC 8439) of a key, from its first block on. */
em_status emi_stream_words(const unsigned char key[EMI_PAIR_BYTES], uint64_t *words, size_t count, em_error *err);

/* words[sum->count] and the mask of a pair. */
typedef enum emi_sign { EMI_ADDS, EMI_SUBTRACTS } emi_sign;
em_status emi_mask_pair(const unsigned char pair[EMI_PAIR_BYTES], const em_sum *sum, emi_sign sign, uint64_t *words,
                        em_error *err);

/* view <- SHA-256(view, length u64, bytes) */
em_status emi_view_follow(unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes, em_error *err);

/* Words that follow from a secret and these values alone: ChaCha20(HKDF-SHA256(secret, info: "eigenmesh fill 1\0",
 * SHA-256(values))). */
em_status emi_fill(const unsigned char secret[EMI_SHA_BYTES], const void *values, size_t bytes, uint64_t *words,
                   size_t count, em_error *err);

/* ---- of one site ---------------------------------------------------------------------------------------------------------- */

typedef struct emi_masks emi_masks;

typedef struct emi_mask_keys {
    int site, sites;
    unsigned char run[EMI_RUN_BYTES];
    unsigned char own[EMI_PUBLIC_BYTES];    /* private: of this process */
    unsigned char secret[EMI_SHA_BYTES];    /* private: emi_identity_own_secret */
    unsigned char (*all)[EMI_PUBLIC_BYTES]; /* [sites] public, as START has them */
} emi_mask_keys;

/* What the caller holds is to be wiped by the caller. */
em_status emi_masks_open(emi_masks **out, const emi_mask_keys *keys, em_error *err);
void emi_masks_close(emi_masks **masks); /* wiped; accepts NULL */

/* For em_masks, whatever the state: the view goes on as above; and words that nobody can guess. */
em_status emi_masks_follow(void *state, unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes,
                           em_error *err);
em_status emi_masks_random(void *state, uint64_t *words, size_t count, em_error *err);

/* For em_masks: those of all pairs that this site is one of; and the fill of its numbers. */
em_status emi_masks_add(const emi_masks *masks, const em_sum *sum, uint64_t *words, em_error *err);
em_status emi_masks_fill(const emi_masks *masks, const void *values, size_t bytes, uint64_t *words, size_t count,
                         em_error *err);

#endif
