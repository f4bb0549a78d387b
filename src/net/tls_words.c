/* Why a connection is over, in words: OpenSSL's reasons and the other side's alerts, for somebody who runs a study. */
#include "net/connection.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

#define NO_STUDY                                                                                                       \
    "no eigenmesh is there, or something between opens TLS; try the address, and an exception for it from inspection"
#define NOT_KNOWN                                                                                                      \
    "the other side does not know this site's key; try comparing the study file and `key show` of both sites"

typedef struct reason {
    int code; /* 1000 and an alert: the other side said so */
    const char *words;
} reason;

static const reason reasons[] = {
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, NOT_KNOWN},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, NOT_KNOWN},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, NOT_KNOWN},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, NOT_KNOWN},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, NOT_KNOWN},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, NOT_KNOWN},
    {SSL_R_TLSV1_ALERT_ACCESS_DENIED, NOT_KNOWN},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, NOT_KNOWN},
    {SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL,
     "this program speaks " EMI_ALPN ", and the other side does not; try the same version of eigenmesh at both sites"},
    {SSL_R_NO_APPLICATION_PROTOCOL,
     "the other side does not speak " EMI_ALPN "; try the same version of eigenmesh at both sites"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "the other side refuses TLS 1.3: " NO_STUDY},
    {SSL_R_UNSUPPORTED_PROTOCOL, "the other side does not offer TLS 1.3: " NO_STUDY},
    {SSL_R_WRONG_VERSION_NUMBER, "what came is no TLS: " NO_STUDY},
    {SSL_R_HTTP_REQUEST, "what came is HTTP, as from a browser or a proxy: " NO_STUDY},
    {SSL_R_HTTPS_PROXY_REQUEST, "what came is HTTP, as from a browser or a proxy: " NO_STUDY},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, "the other side refuses Ed25519 and X25519: " NO_STUDY},
    {SSL_R_NO_SUITABLE_KEY_SHARE, "the other side does not offer X25519: " NO_STUDY},
    {SSL_R_NO_SHARED_GROUPS, "the other side does not offer X25519: " NO_STUDY},
    {SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, "the other side does not take Ed25519: " NO_STUDY},
    {SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS, "the other side does not take Ed25519: " NO_STUDY},
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "the other side shows no Ed25519 key: " NO_STUDY},
    {SSL_R_EXCESSIVE_MESSAGE_SIZE,
     "the other side's handshake is too large (certificates to 4 KB are taken): " NO_STUDY},
};

static const char *words_of_refusal(const emi_connection *c)
{
    switch (c->refusal) {
    case EMI_REFUSED_NOTHING: return NULL;
    case EMI_REFUSED_KEY:
        return c->dials
                   ? "the key at this address is another one: somebody answers in its place (a proxy that opens TLS?); "
                     "try the address, and asking that site for its id"
                   : "somebody called whose key is none that is expected here; try comparing study files, if it was a "
                     "site";
    case EMI_REFUSED_KEY_KIND: return "the other side's key is not Ed25519: " NO_STUDY;
    case EMI_REFUSED_ALPN:
        return c->speaks[0] ? "another version"
                            : "this program speaks " EMI_ALPN
                              ", and the other side does not say what it speaks: " NO_STUDY;
    case EMI_REFUSED_RESUMED: return "the other side took up an old session, which no study has: " NO_STUDY;
    }
    return NULL;
}

/* The first error in OpenSSL's queue that this table knows. */
static const char *words_of_queue(void)
{
    unsigned long code;
    while ((code = ERR_get_error()))
        for (size_t n = 0; n < sizeof reasons / sizeof *reasons; n++)
            if (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == reasons[n].code) return reasons[n].words;
    return NULL;
}

/* A client's handshake is done before the server has looked at its key: a refusal then looks like this. */
static const char *words_of_silence(const emi_connection *c)
{
    if (!c->shaken) return "the other side hung up during the handshake: " NO_STUDY;
    if (!c->heard && c->dials) return "the other side hung up before it said anything: perhaps " NOT_KNOWN;
    return "the other side hung up without a goodbye; try whether its process and the network between are up";
}

int emi_connection_end(emi_connection *c, int ssl_error, em_error *err)
{
    const char *own = ERR_reason_error_string(ERR_peek_error()), *words = words_of_refusal(c);
    int lost = c->hung_up || c->socket_error == ECONNRESET || c->socket_error == EPIPE;
    if (!words) words = words_of_queue();
    if (!words && ssl_error == SSL_ERROR_ZERO_RETURN)
        words = c->dials && !c->heard
                    ? "the other side closed the connection before it said anything; try whether this "
                      "site was started twice"
                    : "the other side closed the connection";
    if (!words && lost) words = words_of_silence(c);
    if (c->refusal == EMI_REFUSED_ALPN && c->speaks[0])
        (void)em_fail(&c->why, EM_ENET,
                      "TLS: this program speaks " EMI_ALPN
                      ", the other side %s; try the same version of eigenmesh at both sites",
                      c->speaks);
    else if (words)
        (void)em_fail(&c->why, EM_ENET, "TLS: %s", words);
    else
        (void)em_fail(&c->why, EM_ENET, "TLS: the connection broke (%s); try whether the network between is up",
                      c->socket_error ? strerror(c->socket_error)
                      : own           ? own
                                      : "OpenSSL does not say why");
    ERR_clear_error();
    c->over = 1;
    if (err) *err = c->why;
    return -1;
}
