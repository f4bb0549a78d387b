/* One connection: handshake, bytes in, bytes out, goodbye, each as far as the socket lets it. */
#include "net/connection.h"

#include <openssl/err.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

em_status emi_connection_open(emi_connection **out, emi_tls *tls, int socket, int dials, emi_tls_knows *knows,
                              void *context, em_error *err)
{
    emi_connection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) {
        (void)close(socket);
        return em_fail(err, EM_ENOMEM, "TLS: out of memory; try fewer connections");
    }
    *c = (emi_connection){.socket = socket, .dials = dials, .knows = knows, .context = context};
    c->ssl = SSL_new(tls->rules);
    if (!c->ssl || !SSL_set_app_data(c->ssl, c) || emi_socket_bio_attach(c, tls->wire) != 0) {
        emi_connection_close(&c);
        return em_fail(err, EM_ENOMEM, "TLS: out of memory; try fewer connections");
    }
    if (dials)
        SSL_set_connect_state(c->ssl);
    else
        SSL_set_accept_state(c->ssl);
    *out = c;
    return EM_OK;
}

/* A socket that is closed while bytes lie in it unread is reset, and the reset overtakes the alert that tells the other side why:
 * so what is there already is read first. */
static void hang_up(int socket)
{
    char dropped[4096];
    int reads = 0; /* not for ever, whatever the other side sends */
    (void)shutdown(socket, SHUT_WR);
    while (reads < 64 && recv(socket, dropped, sizeof dropped, 0) > 0) reads++;
    (void)close(socket);
}

void emi_connection_close(emi_connection **connection)
{
    emi_connection *c = connection ? *connection : NULL;
    if (!c) return;
    if (c->shaken && (!c->over || c->refusal)) (void)SSL_shutdown(c->ssl);
    SSL_free(c->ssl);
    ERR_clear_error();
    hang_up(c->socket);
    free(c);
    *connection = NULL;
}

/* What follows a call of OpenSSL that did not succeed: wait for *wants (0), or the end (-1). */
static int wait_or_end(emi_connection *c, int result, short *wants, em_error *err)
{
    int code = SSL_get_error(c->ssl, result);
    *wants = code == SSL_ERROR_WANT_READ ? POLLIN : code == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
    return *wants ? 0 : emi_connection_end(c, code, err);
}

static int end_again(const emi_connection *c, em_error *err)
{
    if (err) *err = c->why;
    return -1;
}

/* ---- handshake ----------------------------------------------------------------------------------------------------- */

/* A client that offers no ALPN is never asked for it, and a session that is taken up again shows no key: OpenSSL calls both a
 * success. */
static emi_refusal judge(const emi_connection *c)
{
    const unsigned char *name = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(c->ssl, &name, &length);
    if (!c->known || SSL_session_reused(c->ssl) || SSL_version(c->ssl) != TLS1_3_VERSION) return EMI_REFUSED_RESUMED;
    return length == strlen(EMI_ALPN) && memcmp(name, EMI_ALPN, length) == 0 ? EMI_REFUSED_NOTHING : EMI_REFUSED_ALPN;
}

int emi_connection_shake(emi_connection *c, em_error *err)
{
    if (c->over) return end_again(c, err);
    if (c->shaken) return 1;
    ERR_clear_error();
    int result = SSL_do_handshake(c->ssl);
    if (result != 1) return wait_or_end(c, result, &c->reading, err);
    c->reading = 0;
    c->shaken = 1;
    c->refusal = judge(c);
    return c->refusal == EMI_REFUSED_NOTHING ? 1 : emi_connection_end(c, SSL_ERROR_NONE, err);
}

/* ---- bytes --------------------------------------------------------------------------------------------------------- */

/* Nothing goes in or out before the other side's key is known. */
static int is_up(emi_connection *c, em_error *err)
{
    if (c->over) return end_again(c, err);
    return c->shaken ? 1 : emi_connection_shake(c, err);
}

int emi_connection_read(emi_connection *c, void *bytes, size_t room, size_t *got, em_error *err)
{
    *got = 0;
    int up = is_up(c, err);
    if (up != 1) return up;
    c->reading = 0;
    while (*got < room) {
        size_t more = 0;
        ERR_clear_error();
        int result = SSL_read_ex(c->ssl, (char *)bytes + *got, room - *got, &more);
        if (result != 1) { /* an end after some bytes is told by the next call */
            int status = wait_or_end(c, result, &c->reading, err);
            return *got ? 1 : status;
        }
        *got += more;
        c->heard = 1;
    }
    return room > 0;
}

/* The other side may have said why it went before the socket broke: then that is the reason. */
static int end_of_writing(emi_connection *c, int result, em_error *err)
{
    int status = wait_or_end(c, result, &c->writing, err), socket_error = c->socket_error;
    char byte;
    size_t got;
    if (status == 0 || !socket_error) return status;
    result = SSL_peek_ex(c->ssl, &byte, 1, &got);
    if (result == 1) return status;
    return emi_connection_end(c, SSL_get_error(c->ssl, result), err);
}

/* One record.  Of one that the socket did not take OpenSSL has made the bytes to send already, and they must be asked for again
 * in the same length; the key is changed between records only. */
static int write_record(emi_connection *c, const char *bytes, size_t count, size_t *put)
{
    if (count > EMI_RECORD_MOST) count = EMI_RECORD_MOST;
    if (c->held) count = c->held;
    if (!c->held && c->records >= EMI_RECORDS_A_KEY) {
        if (SSL_key_update(c->ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1) return 0;
        c->records = 0;
    }
    int result = SSL_write_ex(c->ssl, bytes, count, put);
    c->held = result == 1 ? 0 : count;
    if (result == 1) c->records++;
    return result;
}

int emi_connection_write(emi_connection *c, const void *bytes, size_t count, size_t *put, em_error *err)
{
    *put = 0;
    int up = is_up(c, err);
    if (up != 1) return up;
    if (count < c->held) {
        (void)em_fail(err, EM_EINVAL, "TLS: %zu bytes after %zu that were not put; try the same again", count, c->held);
        return -1;
    }
    c->writing = 0;
    while (*put < count) {
        size_t more = 0;
        ERR_clear_error();
        int result = write_record(c, (const char *)bytes + *put, count - *put, &more);
        if (result != 1) {
            int status = end_of_writing(c, result, err);
            return *put ? 1 : status;
        }
        *put += more;
    }
    return count > 0;
}

/* ---- what it is ----------------------------------------------------------------------------------------------------- */

int emi_connection_socket(const emi_connection *c)
{
    return c->socket;
}

short emi_connection_wants(const emi_connection *c)
{
    return (short)(c->reading | c->writing);
}

int emi_connection_pending(const emi_connection *c)
{
    return SSL_pending(c->ssl) > 0;
}

const unsigned char *emi_connection_peer(const emi_connection *c)
{
    return c->seen ? c->peer : NULL;
}
