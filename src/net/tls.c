/* The rules that all connections of a site have in common: which TLS, which algorithms, whose keys.  All of them are set here, so
 * that what OpenSSL's configuration file on a machine says about TLS changes none. */
#include "net/connection.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char alpn_list[] = "\x0b" EMI_ALPN; /* length, name: as TLS writes it */
enum { ALPN_LIST = sizeof alpn_list - 1 };

/* ---- whose key ---------------------------------------------------------------------------------------------------- */

/* In place of OpenSSL's judgement of the chain: the leaf's key is one that is expected, or it is refused.  What else a peer sends
 * (more certificates, names, dates) is not looked at.  That it has the key, OpenSSL finds out afterwards. */
static int check_leaf(X509_STORE_CTX *shown, void *unused)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(shown, SSL_get_ex_data_X509_STORE_CTX_idx());
    emi_connection *c = ssl ? SSL_get_app_data(ssl) : NULL;
    const X509 *leaf = X509_STORE_CTX_get0_cert(shown);
    const EVP_PKEY *key = leaf ? X509_get0_pubkey(leaf) : NULL;
    size_t size = EMI_ID_BYTES;
    (void)unused;
    X509_STORE_CTX_set_error(shown, X509_V_ERR_CERT_UNTRUSTED); /* the alert that follows is bad_certificate */
    if (!c) return 0;
    c->known = 0;
    c->seen = key && EVP_PKEY_is_a(key, "ED25519") && EVP_PKEY_get_raw_public_key(key, c->peer, &size) == 1 &&
              size == EMI_ID_BYTES;
    c->refusal = c->seen ? EMI_REFUSED_KEY : EMI_REFUSED_KEY_KIND;
    if (!c->seen || !c->knows || !c->knows(c->context, c->peer)) return 0;
    c->refusal = EMI_REFUSED_NOTHING;
    c->known = 1;
    X509_STORE_CTX_set_error(shown, X509_V_OK);
    return 1;
}

/* ---- which protocol ------------------------------------------------------------------------------------------------ */

/* What somebody says it speaks, for a message: its first word alone, and nothing that a terminal would obey. */
static void keep_what_it_speaks(emi_connection *c, const unsigned char *list, unsigned size)
{
    size_t length = size ? list[0] : 0;
    if (length + 1 > size) return;
    if (length > EMI_SPEAKS_MOST) length = EMI_SPEAKS_MOST;
    for (size_t n = 0; n < length; n++) {
        unsigned char byte = list[1 + n];
        c->speaks[n] = (char)(byte > ' ' && byte < 127 ? byte : '?');
    }
    c->speaks[length] = 0;
}

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *list,
                       unsigned size, void *unused)
{
    emi_connection *c = SSL_get_app_data(ssl);
    (void)unused;
    for (unsigned at = 0; at < size && list[at] < size - at; at += 1U + list[at])
        if (list[at] == strlen(EMI_ALPN) && memcmp(list + at + 1, EMI_ALPN, strlen(EMI_ALPN)) == 0) {
            *out = list + at + 1;
            *length = list[at];
            return SSL_TLSEXT_ERR_OK;
        }
    keep_what_it_speaks(c, list, size);
    c->refusal = EMI_REFUSED_ALPN;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* ---- the rules ----------------------------------------------------------------------------------------------------- */

/* A ticket lets a peer back in without its key being looked at, also one that was struck off since: there are none. */
static int set_sessions(SSL_CTX *rules)
{
    uint64_t options = SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                       SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_ENABLE_MIDDLEBOX_COMPAT;
#ifdef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
    options |= SSL_OP_NO_RX_CERTIFICATE_COMPRESSION | SSL_OP_NO_TX_CERTIFICATE_COMPRESSION;
#endif
    (void)SSL_CTX_clear_options(rules, SSL_CTX_get_options(rules));
    (void)SSL_CTX_set_options(rules, options);
    (void)SSL_CTX_set_session_cache_mode(rules, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_num_tickets(rules, 0) && SSL_CTX_set_max_early_data(rules, 0) &&
           SSL_CTX_set_recv_max_early_data(rules, 0);
}

static int set_algorithms(SSL_CTX *rules)
{
    SSL_CTX_set_security_level(rules, 2);
    return SSL_CTX_set_min_proto_version(rules, TLS1_3_VERSION) &&
           SSL_CTX_set_max_proto_version(rules, TLS1_3_VERSION) &&
           SSL_CTX_set_ciphersuites(rules, TLS1_3_RFC_AES_256_GCM_SHA384 ":" TLS1_3_RFC_CHACHA20_POLY1305_SHA256
                                                                         ":" TLS1_3_RFC_AES_128_GCM_SHA256) &&
           SSL_CTX_set1_groups_list(rules, "X25519") && SSL_CTX_set1_sigalgs_list(rules, "ed25519") &&
           SSL_CTX_set1_client_sigalgs_list(rules, "ed25519");
}

static void set_peers(SSL_CTX *rules)
{
    SSL_CTX_set_verify(rules, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(rules, check_leaf, NULL);
    SSL_CTX_set_max_cert_list(rules, EMI_CERTIFICATES_MOST);
    SSL_CTX_set_alpn_select_cb(rules, select_alpn, NULL);
    SSL_CTX_set_mode(rules, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
}

/* Where OpenSSL is kept to what a standard approved, both may be missing. */
static em_status look_for_algorithms(em_error *err)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "ED25519", NULL);
    EVP_KEYEXCH *exchange = EVP_KEYEXCH_fetch(NULL, "X25519", NULL);
    em_status status = EM_OK;
    if (!signature || !exchange)
        status =
            em_fail(err, EM_ENOTSUP,
                    "TLS: OpenSSL on this machine has no %s (is it in FIPS mode?); try a machine where it has, or ask "
                    "those who set this one up",
                    signature ? "X25519" : "Ed25519");
    EVP_SIGNATURE_free(signature);
    EVP_KEYEXCH_free(exchange);
    return status;
}

static em_status set_rules(SSL_CTX *rules, const emi_identity *identity, em_error *err)
{
    X509 *certificate = NULL;
    em_status status = emi_certificate_make(&certificate, identity, err);
    if (status != EM_OK) return status;
    set_peers(rules);
    if (!set_sessions(rules) || !set_algorithms(rules) || SSL_CTX_set_alpn_protos(rules, alpn_list, ALPN_LIST) != 0 ||
        SSL_CTX_use_certificate(rules, certificate) != 1 ||
        SSL_CTX_use_PrivateKey(rules, emi_identity_key(identity)) != 1) {
        const char *why = ERR_reason_error_string(ERR_peek_last_error());
        status =
            em_fail(err, EM_ENOTSUP, "TLS: OpenSSL does not take the rules of a study (%s); try OpenSSL 3.0 or later",
                    why ? why : "it does not say why");
    }
    X509_free(certificate);
    return status;
}

em_status emi_tls_open(emi_tls **out, const emi_identity *identity, em_error *err)
{
    emi_tls *tls = NULL;
    *out = NULL;
    em_status status = look_for_algorithms(err);
    if (status != EM_OK) goto done;
    tls = calloc(1, sizeof *tls);
    if (tls) tls->rules = SSL_CTX_new(TLS_method());
    if (tls) tls->wire = emi_socket_bio();
    if (!tls || !tls->rules || !tls->wire) {
        status = em_fail(err, EM_ENOMEM, "TLS: OpenSSL does not begin, or memory is out; try `openssl version`");
        goto done;
    }
    status = set_rules(tls->rules, identity, err);
done:
    if (status == EM_OK)
        *out = tls;
    else
        emi_tls_close(&tls);
    ERR_clear_error();
    return status;
}

void emi_tls_close(emi_tls **tls)
{
    if (!tls || !*tls) return;
    SSL_CTX_free((*tls)->rules);
    BIO_meth_free((*tls)->wire);
    free(*tls);
    *tls = NULL;
}
