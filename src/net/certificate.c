/* The certificate that TLS wants: self-signed, in memory alone, the same bytes every time.  Nobody looks at anything but its key,
 * so names and dates are what is sure never to matter. */
#include "net/connection.h"

#include <openssl/x509.h>

static int set_names(X509 *certificate)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"eigenmesh", -1, -1, 0) &&
           X509_set_issuer_name(certificate, name);
}

/* Without end, as RFC 5280 writes that. */
static int set_dates(X509 *certificate)
{
    return ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20000101000000Z") &&
           ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z");
}

em_status emi_certificate_make(X509 **out, const emi_identity *identity, em_error *err)
{
    EVP_PKEY *key = emi_identity_key(identity);
    X509 *certificate = X509_new();
    if (certificate && X509_set_version(certificate, X509_VERSION_3) &&
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) && set_names(certificate) && set_dates(certificate) &&
        X509_set_pubkey(certificate, key) && X509_sign(certificate, key, NULL)) {
        *out = certificate;
        return EM_OK;
    }
    X509_free(certificate);
    return em_fail(err, EM_ENOTSUP,
                   "TLS: OpenSSL made no certificate with this site's key; try an OpenSSL that signs with Ed25519");
}
