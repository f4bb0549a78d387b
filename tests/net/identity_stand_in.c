/* What the audit log needs of an identity, for its test, until src/net/identity.c is there.  The id's text has no checksum. */
#include "net/identity.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

struct emi_identity {
    EVP_PKEY *key;
    unsigned char public[EMI_ID_BYTES];
};

static const char letters[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

em_status emi_identity_from_seed(emi_identity **out, const unsigned char seed[32], em_error *err)
{
    size_t size = EMI_ID_BYTES;
    emi_identity *made = calloc(1, sizeof *made);
    *out = made;
    if (!made) return em_fail(err, EM_ENOMEM, "memory");
    made->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    if (made->key && EVP_PKEY_get_raw_public_key(made->key, made->public, &size) == 1) return EM_OK;
    return em_fail(err, EM_ENOTSUP, "no Ed25519");
}

void emi_identity_close(emi_identity **identity)
{
    if (!*identity) return;
    EVP_PKEY_free((*identity)->key);
    free(*identity);
    *identity = NULL;
}

const unsigned char *emi_identity_public(const emi_identity *identity)
{
    return identity->public;
}

em_status emi_identity_sign(const emi_identity *identity, const void *bytes, size_t count,
                            unsigned char signature[EMI_SIGNATURE_BYTES], em_error *err)
{
    size_t size = EMI_SIGNATURE_BYTES;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestSignInit(context, NULL, NULL, NULL, identity->key) == 1 &&
               EVP_DigestSign(context, signature, &size, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    return good ? EM_OK : em_fail(err, EM_ENOTSUP, "cannot sign");
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
    return good;
}

void emi_id_write(const unsigned char id[EMI_ID_BYTES], char text[EMI_ID_TEXT])
{
    memcpy(text, "em1", 3);
    memset(text + 3, 'q', EMI_ID_TEXT - 4);
    for (int bit = 0; bit < 256; bit++)
        if (id[bit / 8] >> (7 - bit % 8) & 1) {
            char *at = &text[3 + bit / 5];
            *at = letters[(strchr(letters, *at) - letters) | 16 >> bit % 5];
        }
    text[EMI_ID_TEXT - 1] = 0;
}

int emi_id_read(const char *text, unsigned char id[EMI_ID_BYTES])
{
    memset(id, 0, EMI_ID_BYTES);
    if (strlen(text) != EMI_ID_TEXT - 1 || strncmp(text, "em1", 3) != 0) return -1;
    for (int bit = 0; bit < 256; bit++) {
        const char *letter = strchr(letters, text[3 + bit / 5]);
        if (!letter) return -1;
        if ((letter - letters) >> (4 - bit % 5) & 1) id[bit / 8] |= (unsigned char)(128 >> bit % 8);
    }
    return 0;
}

em_status emi_sha256(const emi_piece *pieces, int count, unsigned char digest[EMI_SHA_BYTES], em_error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (int n = 0; good && n < count; n++) good = EVP_DigestUpdate(context, pieces[n].bytes, pieces[n].count) == 1;
    good = good && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return good ? EM_OK : em_fail(err, EM_ENOTSUP, "no SHA-256");
}
