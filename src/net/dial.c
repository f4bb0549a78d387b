/* Dialling, one thing after the other: the name's addresses; each of them in turn, until one answers; the proxy's word, where there
 * is one. */
#include "net/dial.h"

#include "net/lookup.h"
#include "net/proxy.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double CONNECT_SECONDS = 10; /* for one address */
static const double PROXY_SECONDS = 30;   /* for its answer: it looks up and connects itself */

typedef enum stage { LOOKING_UP, CONNECTING, ASKING_PROXY, OVER } stage;

struct emi_dial {
    stage stage;
    emi_lookup *lookup;
    const struct addrinfo *next; /* the addresses that were not tried */
    int tried;
    char last[EMI_ADDRESS_TEXT]; /* the one that was tried last, and what became of it */
    int last_error;
    int socket;
    double until; /* when this stage has lasted too long */
    int through_proxy;
    emi_proxy proxy;
    char name[300]; /* whom it dials, for messages */
    em_error why;
};

em_status emi_dial_begin(emi_dial **out, const char *host, int port, const char *proxy_host, int proxy_port,
                         em_error *err)
{
    emi_dial *d = calloc(1, sizeof *d);
    struct addrinfo hints;
    char service[EMI_PORT_TEXT];
    *out = NULL;
    if (!d) return em_fail(err, EM_ENOMEM, "%s: out of memory for dialling", host);
    *d = (emi_dial){.socket = -1, .until = INFINITY, .through_proxy = proxy_host != NULL};
    (void)snprintf(d->name, sizeof d->name, "%s%s port %d", proxy_host ? "proxy " : "", proxy_host ? proxy_host : host,
                   proxy_host ? proxy_port : port);
    em_status status = emi_address_hints(host, port, &hints, service, err);
    if (status == EM_OK && (!*host || !port || (proxy_host && (!*proxy_host || !proxy_port))))
        status = em_fail(err, EM_EINVAL, "address: to dial, a host and a port are needed; try HOST:PORT");
    if (status == EM_OK && proxy_host) status = emi_proxy_begin(&d->proxy, host, port, err);
    if (status == EM_OK)
        status = emi_lookup_begin(&d->lookup, proxy_host ? proxy_host : host, proxy_host ? proxy_port : port, err);
    if (status == EM_OK)
        *out = d;
    else
        emi_dial_close(&d);
    return status;
}

void emi_dial_close(emi_dial **dial)
{
    if (!dial || !*dial) return;
    emi_lookup_close(&(*dial)->lookup);
    if ((*dial)->socket >= 0) (void)close((*dial)->socket);
    free(*dial);
    *dial = NULL;
}

/* ---- the addresses in turn --------------------------------------------------------------------------------------------- */

static void give_up_address(emi_dial *d, int why)
{
    if (d->socket >= 0) (void)close(d->socket);
    d->socket = -1;
    d->last_error = why;
}

static void try_address(emi_dial *d, const struct addrinfo *address, double now)
{
    emi_address_write(address->ai_addr, address->ai_addrlen, d->last);
    d->tried++;
    d->until = now + CONNECT_SECONDS;
    d->socket = emi_socket_for(address);
    if (d->socket < 0) {
        d->last_error = errno;
        return;
    }
    emi_socket_tune(d->socket);
    if (connect(d->socket, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS && errno != EINTR)
        give_up_address(d, errno);
}

static int no_address_answers(emi_dial *d, em_error *err)
{
    (void)em_fail(err, EM_ENET, "%s: %s (%s: %s); try whether it is up, and whether a firewall lets this port through",
                  d->name, d->tried == 1 ? "it does not answer" : "none of its addresses answers", d->last,
                  d->last_error == ETIMEDOUT ? "no answer in time" : strerror(d->last_error));
    return -1;
}

/* Has the socket connected?  1, 0, or -1: errno has why not. */
static int look_at_connect(const emi_dial *d, double now)
{
    struct pollfd about = {.fd = d->socket, .events = POLLOUT};
    int why = 0;
    socklen_t size = sizeof why;
    if (poll(&about, 1, 0) < 1) {
        errno = ETIMEDOUT;
        return now < d->until ? 0 : -1;
    }
    if (getsockopt(d->socket, SOL_SOCKET, SO_ERROR, &why, &size) != 0) return -1;
    errno = why;
    return why ? -1 : 1;
}

static int step_connect(emi_dial *d, double now, em_error *err)
{
    for (;;) {
        if (d->socket >= 0) {
            int result = look_at_connect(d, now);
            if (result >= 0) return result;
            give_up_address(d, errno);
        }
        const struct addrinfo *address = d->next;
        if (!address) return no_address_answers(d, err);
        d->next = address->ai_next;
        try_address(d, address, now);
    }
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

static int step_proxy(emi_dial *d, double now, em_error *err)
{
    int result = emi_proxy_step(&d->proxy, d->socket, err);
    if (result != 0 || now < d->until) return result;
    (void)em_fail(err, EM_ENET, "%s: it took the call and says nothing; try its port, and asking those who run it",
                  d->name);
    return -1;
}

/* What comes after a stage that is done. */
static void go_on(emi_dial *d, double now)
{
    if (d->stage == LOOKING_UP) {
        d->stage = CONNECTING;
    } else if (d->stage == CONNECTING && d->through_proxy) {
        d->stage = ASKING_PROXY;
        d->until = now + PROXY_SECONDS;
    } else {
        d->stage = OVER;
    }
}

static int step_stage(emi_dial *d, double now)
{
    switch (d->stage) {
    case LOOKING_UP: return emi_lookup_step(d->lookup, &d->next, &d->why);
    case CONNECTING: return step_connect(d, now, &d->why);
    case ASKING_PROXY: return step_proxy(d, now, &d->why);
    case OVER: break;
    }
    if (!d->why.code) (void)em_fail(&d->why, EM_EINVAL, "%s: it was dialled already; try dialling anew", d->name);
    return -1;
}

int emi_dial_step(emi_dial *d, double now, int *socket, em_error *err)
{
    int result;
    *socket = -1;
    do {
        result = step_stage(d, now);
        if (result == 1) go_on(d, now);
    } while (result == 1 && d->stage != OVER);
    if (result == 1) {
        *socket = d->socket;
        d->socket = -1;
    } else if (result < 0) {
        give_up_address(d, d->last_error);
        d->stage = OVER;
        if (err) *err = d->why;
    }
    return result;
}

int emi_dial_socket(const emi_dial *d)
{
    return d->stage == LOOKING_UP ? emi_lookup_socket(d->lookup) : d->socket;
}

short emi_dial_wants(const emi_dial *d)
{
    if (d->stage == LOOKING_UP) return POLLIN;
    return d->stage == CONNECTING ? POLLOUT : emi_proxy_wants(&d->proxy);
}

double emi_dial_next(const emi_dial *d, double now)
{
    return d->stage == LOOKING_UP ? INFINITY : d->until > now ? d->until - now : 0;
}
