#include "net/lookup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Held by whoever asks and by the thread; both ends of the pipe live until both have let go, so that neither ever writes to
 * one that is closed. */
struct emi_lookup {
    atomic_int holders;
    int pipe[2];
    char *host;
    char service[EMI_PORT_TEXT];
    struct addrinfo hints;
    struct addrinfo *found; /* the thread's, until `done` */
    int code, number;       /* of getaddrinfo, and its errno */
    atomic_int done;
};

static void let_go(emi_lookup *l)
{
    if (atomic_fetch_sub(&l->holders, 1) > 1) return;
    if (l->found) freeaddrinfo(l->found);
    for (int n = 0; n < 2; n++)
        if (l->pipe[n] >= 0) (void)close(l->pipe[n]);
    free(l->host);
    free(l);
}

static void *ask(void *context)
{
    emi_lookup *l = context;
    l->code = getaddrinfo(l->host, l->service, &l->hints, &l->found);
    l->number = errno;
    atomic_store(&l->done, 1);
    ssize_t told = write(l->pipe[1], "", 1); /* an empty pipe takes it, and no signal comes to this thread */
    (void)told;
    let_go(l);
    return NULL;
}

/* Signals are for the threads of the program. */
static int start(emi_lookup *l)
{
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread, NULL, ask, l);
    if (code == 0) (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

em_status emi_lookup_begin(emi_lookup **out, const char *host, int port, em_error *err)
{
    em_status status = EM_ENOMEM;
    emi_lookup *l = calloc(1, sizeof *l);
    *out = NULL;
    if (!l) return em_fail(err, status, "%s: out of memory for looking up its addresses", host);
    l->pipe[0] = l->pipe[1] = -1;
    atomic_init(&l->done, 0);
    atomic_init(&l->holders, 1);
    status = emi_address_hints(host, port, &l->hints, l->service, err);
    if (status != EM_OK) goto failed;
    l->host = strdup(host);
    int bad =
        !l->host || pipe(l->pipe) != 0 || emi_socket_prepare(l->pipe[0]) != 0 || emi_socket_prepare(l->pipe[1]) != 0;
    if (!bad) {
        atomic_store(&l->holders, 2);
        bad = start(l) != 0;
        if (bad) atomic_store(&l->holders, 1);
    }
    if (!bad) {
        *out = l;
        return EM_OK;
    }
    status = em_fail(
        err, EM_ENOMEM,
        "%s: no memory, file or thread is left for looking up its addresses; try fewer links, or a larger `ulimit -n`",
        host);
failed:
    let_go(l);
    return status;
}

void emi_lookup_close(emi_lookup **lookup)
{
    if (!lookup || !*lookup) return;
    let_go(*lookup);
    *lookup = NULL;
}

int emi_lookup_socket(const emi_lookup *lookup)
{
    return lookup->pipe[0];
}

int emi_lookup_step(emi_lookup *l, const struct addrinfo **addresses, em_error *err)
{
    if (!atomic_load(&l->done)) return 0;
    *addresses = l->found;
    if (l->code == 0 && l->found) return 1;
    (void)em_fail(err, EM_ENET, "%s: its addresses are not found (%s); try the name with `getent hosts`, or an address",
                  l->host, l->code == EAI_SYSTEM ? strerror(l->number) : gai_strerror(l->code));
    return -1;
}
