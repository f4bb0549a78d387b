#include "links.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least that TLS 1.3 asks for: a certificate of an Ed25519 key at the server. */
static SSL_CTX *context(int server)
{
    SSL_CTX *made = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
    (void)SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION);
    if (!server) return made;
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    X509 *certificate = X509_new();
    (void)X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    (void)X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    (void)X509_set_pubkey(certificate, key);
    (void)X509_sign(certificate, key, NULL);
    (void)SSL_CTX_use_certificate(made, certificate);
    (void)SSL_CTX_use_PrivateKey(made, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return made;
}

static int listening(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(socket_, (struct sockaddr *)at, size) != 0 || listen(socket_, 1) != 0) exit(1);
    (void)getsockname(socket_, (struct sockaddr *)at, &size);
    return socket_;
}

static SSL *connected(SSL_CTX *made, int socket_, int server)
{
    int one = 1;
    SSL *ssl = SSL_new(made);
    (void)setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)SSL_set_fd(ssl, socket_);
    if ((server ? SSL_accept(ssl) : SSL_connect(ssl)) != 1) exit(1);
    return ssl;
}

static void write_all(SSL *ssl, const char *bytes, size_t count)
{
    size_t put;
    for (; count > 0; bytes += put, count -= put)
        if (SSL_write_ex(ssl, bytes, count, &put) != 1) exit(1);
}

static void read_all(SSL *ssl, char *bytes, size_t count)
{
    size_t got;
    for (; count > 0; bytes += got, count -= got)
        if (SSL_read_ex(ssl, bytes, count, &got) != 1) exit(1);
}

/* Each process has a connection to the one after it, and one from the one before. */
static void join_cycle(int number, const int *listeners, const struct sockaddr_in *at, int count, SSL *out[2])
{
    int socket_ = socket(AF_INET, SOCK_STREAM, 0), next = (number + 1) % count;
    if (connect(socket_, (const struct sockaddr *)&at[next], sizeof *at) != 0) exit(1);
    int came = accept(listeners[number], NULL, NULL);
    if (number % 2) { /* one end of each waits for the other */
        out[1] = connected(context(1), came, 1);
        out[0] = connected(context(0), socket_, 0);
    } else {
        out[0] = connected(context(0), socket_, 0);
        out[1] = connected(context(1), came, 1);
    }
}

static double go_around(int number, const int *listeners, const struct sockaddr_in *at, int count, size_t bytes,
                        int rounds)
{
    SSL *both[2];
    double began = 0;
    char *block = calloc(1, bytes);
    if (!block) exit(1);
    join_cycle(number, listeners, at, count, both);
    for (int n = -1; n < rounds; n++) {
        if (n == 0) began = seconds_now();
        for (int l = 0; l < 2; l++) write_all(both[l], block, bytes);
        for (int l = 0; l < 2; l++) read_all(both[l], block, bytes);
    }
    free(block);
    return (seconds_now() - began) / rounds;
}

double bare_cycle(int count, size_t bytes, int rounds)
{
    int listeners[16];
    struct sockaddr_in at[16];
    for (int n = 0; n < count; n++) listeners[n] = listening(&at[n]);
    for (int n = 1; n < count; n++)
        if (fork() == 0) {
            (void)go_around(n, listeners, at, count, bytes, rounds);
            _exit(0);
        }
    double seconds = go_around(0, listeners, at, count, bytes, rounds);
    while (wait(NULL) > 0) continue;
    for (int n = 0; n < count; n++) (void)close(listeners[n]);
    return seconds;
}

/* The reader says when it has all. */
double bare_seconds(size_t bytes, int rounds)
{
    struct sockaddr_in at;
    int listener = listening(&at);
    char *block = calloc(1, bytes);
    if (!block) exit(1);
    if (fork() == 0) {
        SSL *reader = connected(context(1), accept(listener, NULL, NULL), 1);
        for (int n = 0; n < rounds; n++) read_all(reader, block, bytes);
        write_all(reader, block, 1);
        _exit(0);
    }
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(socket_, (struct sockaddr *)&at, sizeof at) != 0) exit(1);
    SSL *writer = connected(context(0), socket_, 0);
    double began = seconds_now();
    for (int n = 0; n < rounds; n++) write_all(writer, block, bytes);
    read_all(writer, block, 1);
    double seconds = (seconds_now() - began) / rounds;
    (void)wait(NULL);
    free(block);
    SSL_free(writer);
    (void)close(socket_);
    (void)close(listener);
    return seconds;
}
