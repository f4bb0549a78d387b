#include "net/identity.h"

#include "net/bech32.h"
#include "net/key_file.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

static const char id_prefix[] = "em";

enum { ID_GROUPS = (8 * EMI_ID_BYTES + 4) / 5 };

/* The seed is in the key alone, which OpenSSL wipes. */
struct emi_identity {
    EVP_PKEY *key;
    unsigned char id[EMI_ID_BYTES];
};

/* ---- a key and its file --------------------------------------------------------------------------------------- */

em_status emi_identity_from_seed(emi_identity **out, const unsigned char seed[32], em_error *err)
{
    emi_identity *made = calloc(1, sizeof *made);
    size_t size = EMI_ID_BYTES;
    *out = NULL;
    if (!made) return em_fail(err, EM_ENOMEM, "key: out of memory; try a machine with more");
    made->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, EMI_SEED_BYTES);
    if (!made->key || EVP_PKEY_get_raw_public_key(made->key, made->id, &size) != 1 || size != EMI_ID_BYTES) {
        emi_identity_close(&made);
        return emi_crypto_refused("Ed25519", err);
    }
    *out = made;
    return EM_OK;
}

em_status emi_identity_open(emi_identity **out, const char *path, em_error *err)
{
    unsigned char seed[EMI_SEED_BYTES];
    *out = NULL;
    em_status status = emi_key_file_read(path, seed, err);
    if (status == EM_OK) status = emi_identity_from_seed(out, seed, err);
    OPENSSL_cleanse(seed, sizeof seed);
    return status;
}

void emi_identity_close(emi_identity **identity)
{
    if (!*identity) return;
    EVP_PKEY_free((*identity)->key);
    free(*identity);
    *identity = NULL;
}

em_status emi_identity_new(const char *path, char id[EMI_ID_TEXT], em_error *err)
{
    unsigned char seed[EMI_SEED_BYTES] = {0};
    emi_identity *made = NULL;
    em_status status = emi_identity_from_seed(&made, seed, err); /* can it be done at all?  Before a file is made */
    emi_identity_close(&made);
    if (status == EM_OK) status = emi_random_bytes(seed, sizeof seed, err);
    if (status == EM_OK) status = emi_identity_from_seed(&made, seed, err);
    if (status == EM_OK) status = emi_key_file_write(path, seed, err);
    if (status == EM_OK && made) emi_id_write(made->id, id);
    emi_identity_close(&made);
    OPENSSL_cleanse(seed, sizeof seed);
    return status;
}

const unsigned char *emi_identity_public(const emi_identity *identity)
{
    return identity->id;
}

EVP_PKEY *emi_identity_key(const emi_identity *identity)
{
    return identity->key;
}

/* ---- what a key is for ------------------------------------------------------------------------------------------ */

em_status emi_identity_sign(const emi_identity *identity, const void *bytes, size_t count,
                            unsigned char signature[EMI_SIGNATURE_BYTES], em_error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = EMI_SIGNATURE_BYTES;
    int good = context && EVP_DigestSignInit(context, NULL, NULL, NULL, identity->key) == 1 &&
               EVP_DigestSign(context, signature, &size, bytes, count) == 1 && size == EMI_SIGNATURE_BYTES;
    EVP_MD_CTX_free(context);
    return good ? EM_OK : emi_crypto_refused("Ed25519", err);
}

int emi_identity_verify(const unsigned char id[EMI_ID_BYTES], const void *bytes, size_t count,
                        const unsigned char signature[EMI_SIGNATURE_BYTES])
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, id, EMI_ID_BYTES);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = key && context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
               EVP_DigestVerify(context, signature, EMI_SIGNATURE_BYTES, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    if (!good) ERR_clear_error();
    return good;
}

em_status emi_identity_own_secret(const emi_identity *identity, unsigned char secret[EMI_SHA_BYTES], em_error *err)
{
    static const char info[] = "eigenmesh own 1"; /* with the 0 at its end */
    unsigned char seed[EMI_SEED_BYTES];
    size_t size = sizeof seed;
    em_status status = EVP_PKEY_get_raw_private_key(identity->key, seed, &size) == 1 && size == sizeof seed
                           ? EM_OK
                           : emi_crypto_refused("Ed25519", err);
    if (status == EM_OK)
        status = emi_hkdf256((emi_piece){seed, size}, (emi_piece){0}, (emi_piece){info, sizeof info}, secret,
                             EMI_SHA_BYTES, err);
    OPENSSL_cleanse(seed, sizeof seed);
    return status;
}

/* ---- ids as text ------------------------------------------------------------------------------------------------ */

void emi_id_write(const unsigned char id[EMI_ID_BYTES], char text[EMI_ID_TEXT])
{
    unsigned char groups[ID_GROUPS] = {0};
    char written[EMI_BECH32_TEXT] = "";
    for (int bit = 0; bit < 8 * EMI_ID_BYTES; bit++)
        groups[bit / 5] |= (unsigned char)((id[bit / 8] >> (7 - bit % 8) & 1) << (4 - bit % 5));
    (void)emi_bech32m_write(id_prefix, groups, ID_GROUPS, written); /* always of the same size, which fits */
    memcpy(text, written, EMI_ID_TEXT);
}

int emi_id_read(const char *text, unsigned char id[EMI_ID_BYTES])
{
    char prefix[EMI_BECH32_PREFIX];
    unsigned char groups[EMI_BECH32_GROUPS];
    size_t count;
    if (emi_bech32m_read(text, prefix, groups, &count) != 0) return -1;
    if (strcmp(prefix, id_prefix) != 0 || count != ID_GROUPS) return -1;
    if (groups[ID_GROUPS - 1] & 15) return -1; /* bits beyond the last byte: another spelling of the same id */
    memset(id, 0, EMI_ID_BYTES);
    for (int bit = 0; bit < 8 * EMI_ID_BYTES; bit++)
        id[bit / 8] |= (unsigned char)((groups[bit / 5] >> (4 - bit % 5) & 1) << (7 - bit % 8));
    return 0;
}
