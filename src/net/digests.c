/* Digests, keys made of others and random bytes: libcrypto's, behind one call each. */
#include "net/identity.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

em_status emi_crypto_refused(const char *what, em_error *err)
{
    ERR_clear_error();
    return em_fail(err, EM_ENOTSUP,
                   "%s: this OpenSSL does not do it, as in FIPS mode; try OpenSSL 3 with its default provider", what);
}

em_status emi_sha256(const emi_piece *pieces, int count, unsigned char digest[EMI_SHA_BYTES], em_error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (int n = 0; good && n < count; n++) good = EVP_DigestUpdate(context, pieces[n].bytes, pieces[n].count) == 1;
    good = good && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return good ? EM_OK : emi_crypto_refused("SHA-256", err);
}

/* Both halves of it, or the second alone. */
static em_status derive(int mode, emi_piece key, emi_piece salt, emi_piece info, unsigned char *out, size_t size,
                        em_error *err)
{
    char sha256[] = "SHA256";
    OSSL_PARAM how[6], *next = how; /* OpenSSL takes what is in them as if it might write to it, and does not */
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, sha256, 0);
    *next++ = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key.bytes, key.count);
    if (salt.count) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt.bytes, salt.count);
    if (info.count) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info.bytes, info.count);
    *next = OSSL_PARAM_construct_end();
    EVP_KDF *hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = hkdf ? EVP_KDF_CTX_new(hkdf) : NULL;
    int good = context && EVP_KDF_derive(context, out, size, how) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(hkdf);
    return good ? EM_OK : emi_crypto_refused("HKDF-SHA256", err);
}

em_status emi_hkdf256(emi_piece key, emi_piece salt, emi_piece info, unsigned char *out, size_t size, em_error *err)
{
    return derive(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, key, salt, info, out, size, err);
}

em_status emi_hkdf256_expand(emi_piece key, emi_piece info, unsigned char *out, size_t size, em_error *err)
{
    return derive(EVP_KDF_HKDF_MODE_EXPAND_ONLY, key, (emi_piece){0}, info, out, size, err);
}

em_status emi_random_bytes(void *bytes, size_t count, em_error *err)
{
    unsigned char *at = bytes;
    while (count > 0) {
        int some = count < INT_MAX ? (int)count : INT_MAX;
        if (RAND_priv_bytes(at, some) != 1) return emi_crypto_refused("random bytes", err);
        at += some;
        count -= (size_t)some;
    }
    return EM_OK;
}
