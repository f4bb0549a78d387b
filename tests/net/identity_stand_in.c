/* Keys from a seed, for the tests of TLS, until src/net/identity.c is there: then this file goes. */
#include "net/identity.h"

#include <stdlib.h>

struct emi_identity {
    EVP_PKEY *key;
    unsigned char public[EMI_ID_BYTES];
};

em_status emi_identity_from_seed(emi_identity **out, const unsigned char seed[32], em_error *err)
{
    emi_identity *identity = calloc(1, sizeof *identity);
    size_t size = EMI_ID_BYTES;
    if (!identity) return em_fail(err, EM_ENOMEM, "identity: out of memory");
    identity->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    if (!identity->key || EVP_PKEY_get_raw_public_key(identity->key, identity->public, &size) != 1) {
        emi_identity_close(&identity);
        return em_fail(err, EM_ENOTSUP, "identity: no Ed25519");
    }
    *out = identity;
    return EM_OK;
}

void emi_identity_close(emi_identity **identity)
{
    if (!identity || !*identity) return;
    EVP_PKEY_free((*identity)->key);
    free(*identity);
    *identity = NULL;
}

const unsigned char *emi_identity_public(const emi_identity *identity)
{
    return identity->public;
}

EVP_PKEY *emi_identity_key(const emi_identity *identity)
{
    return identity->key;
}
