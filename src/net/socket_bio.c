/* Between OpenSSL and a socket.  OpenSSL's own way writes with write(), which raises SIGPIPE where the other side is gone; what to
 * do about signals is the program's business, not a library's, so this one sends with MSG_NOSIGNAL. */
#include "net/connection.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>

/* What send or recv returned, as OpenSSL wants it: with a flag where it is to be tried again. */
static int settle(BIO *bio, ssize_t moved, int retry_flag)
{
    emi_connection *c = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (moved >= 0) return (int)moved;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
    else
        c->socket_error = errno;
    return -1;
}

static int send_bytes(BIO *bio, const char *bytes, int count)
{
    const emi_connection *c = BIO_get_data(bio);
    return settle(bio, send(c->socket, bytes, (size_t)count, MSG_NOSIGNAL), BIO_FLAGS_WRITE);
}

static int receive_bytes(BIO *bio, char *bytes, int room)
{
    emi_connection *c = BIO_get_data(bio);
    ssize_t moved = recv(c->socket, bytes, (size_t)room, 0);
    if (moved == 0 && room > 0) c->hung_up = 1;
    return settle(bio, moved, BIO_FLAGS_READ);
}

static long control(BIO *bio, int what, long number, void *pointer)
{
    const emi_connection *c = BIO_get_data(bio);
    (void)number, (void)pointer;
    if (what == BIO_CTRL_EOF) return c->hung_up;
    return what == BIO_CTRL_FLUSH; /* nothing is kept here */
}

/* The kind has no number of its own: OpenSSL has but 127 to give to a process, and never takes one back. */
BIO_METHOD *emi_socket_bio(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "eigenmesh socket");
    if (method && BIO_meth_set_write(method, send_bytes) && BIO_meth_set_read(method, receive_bytes) &&
        BIO_meth_set_ctrl(method, control))
        return method;
    BIO_meth_free(method);
    return NULL;
}

int emi_socket_bio_attach(emi_connection *c, BIO_METHOD *method)
{
    BIO *bio = BIO_new(method);
    if (!bio) return -1;
    BIO_set_data(bio, c);
    BIO_set_init(bio, 1);
    SSL_set_bio(c->ssl, bio, bio);
    return 0;
}
