/* Who a site is: an Ed25519 key in a file of its own, whose public half, as text, is the site's id.  Keys, signatures and
 * digests are libcrypto's. */
#ifndef EIGENMESH_NET_IDENTITY_H
#define EIGENMESH_NET_IDENTITY_H

#include <eigenmesh/engine.h>
#include <openssl/evp.h>

enum {
    EMI_ID_BYTES = 32,
    EMI_ID_TEXT = 62, /* "em1..." in bech32m (BIP-350), and the 0 after it */
    EMI_SIGNATURE_BYTES = 64,
    EMI_SHA_BYTES = 32
};

typedef struct emi_identity emi_identity;

/* A new key in a new file, 0600, with its folders, 0700; never over another one. */
em_status emi_identity_new(const char *path, char id[EMI_ID_TEXT], em_error *err);

/* The key of a file that is its owner's alone. */
em_status emi_identity_open(emi_identity **out, const char *path, em_error *err);
em_status emi_identity_from_seed(emi_identity **out, const unsigned char seed[32], em_error *err);
void emi_identity_close(emi_identity **identity); /* wiped; accepts NULL */

const unsigned char *emi_identity_public(const emi_identity *identity); /* [EMI_ID_BYTES] */
EVP_PKEY *emi_identity_key(const emi_identity *identity);               /* borrowed, for TLS */

em_status emi_identity_sign(const emi_identity *identity, const void *bytes, size_t count,
                            unsigned char signature[EMI_SIGNATURE_BYTES], em_error *err);
int emi_identity_verify(const unsigned char id[EMI_ID_BYTES], const void *bytes, size_t count,
                        const unsigned char signature[EMI_SIGNATURE_BYTES]);

/* A secret that only this site can make, for digests that tell others nothing: HKDF-SHA256 of the key's seed, without salt, for
 * "eigenmesh own 1\0". */
em_status emi_identity_own_secret(const emi_identity *identity, unsigned char secret[EMI_SHA_BYTES], em_error *err);

/* The id as text, and back: 0, or -1 where it is none. */
void emi_id_write(const unsigned char id[EMI_ID_BYTES], char text[EMI_ID_TEXT]);
int emi_id_read(const char *text, unsigned char id[EMI_ID_BYTES]);

/* SHA-256 of a few pieces, one after the other. */
typedef struct emi_piece {
    const void *bytes;
    size_t count;
} emi_piece;

em_status emi_sha256(const emi_piece *pieces, int count, unsigned char digest[EMI_SHA_BYTES], em_error *err);

/* HKDF-SHA256 (RFC 5869), `size` bytes; a salt or info of no bytes is none. */
em_status emi_hkdf256(emi_piece key, emi_piece salt, emi_piece info, unsigned char *out, size_t size, em_error *err);

/* Its second half alone, for a key that is as good as random. */
em_status emi_hkdf256_expand(emi_piece key, emi_piece info, unsigned char *out, size_t size, em_error *err);

/* That this OpenSSL does not do something, in words.  Its queue of errors is left empty, for whoever asks it next. */
em_status emi_crypto_refused(const char *what, em_error *err);

/* Bytes that nobody can guess. */
em_status emi_random_bytes(void *bytes, size_t count, em_error *err);

#endif
