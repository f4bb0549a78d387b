#include "net/hub_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double emi_hub_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *emi_hub_name(const emi_hub *hub, int site)
{
    return site >= 0 && site < hub->options.study->site_count ? hub->options.study->sites[site].name : "nobody";
}

/* ---- what the machine asks for --------------------------------------------------------------------------------------------- */

static void take_news(void *context, emi_news what, int peer, const char *why)
{
    emi_hub *hub = context;
    emi_hub_tell(hub, what, peer, NULL, why);
    (void)pthread_cond_broadcast(&hub->changed);
}

/* The X25519 key is for masks: what is said of it is its public half, and the other is nowhere but here. */
static int draw_life(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    emi_hub *hub = context;
    size_t size = EMI_PUBLIC_BYTES, own = sizeof hub->secret;
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    int made = pair && EVP_PKEY_get_raw_public_key(pair, key, &size) == 1 && size == EMI_PUBLIC_BYTES &&
               EVP_PKEY_get_raw_private_key(pair, hub->secret, &own) == 1 && own == sizeof hub->secret;
    EVP_PKEY_free(pair);
    return made && emi_random_bytes(instance, EMI_INSTANCE_BYTES, NULL) == EM_OK ? 0 : -1;
}

static int draw_bytes(void *context, void *bytes, size_t count)
{
    (void)context;
    return emi_random_bytes(bytes, count, NULL) == EM_OK ? 0 : -1;
}

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    const emi_hub *hub = context;
    return emi_identity_sign(hub->options.identity, bytes, count, signature, NULL) == EM_OK ? 0 : -1;
}

static int verify(void *context, int site, const void *bytes, size_t count, const unsigned char signature[64])
{
    const emi_hub *hub = context;
    return emi_identity_verify(hub->options.study->sites[site].id, bytes, count, signature);
}

static int name_run(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES])
{
    static const char about[] = "eigenmesh run 1"; /* with its 0 */
    const emi_hub *hub = context;
    const emi_piece pieces[] = {{about, sizeof about}, {hub->options.study->digest, EMI_SHA_BYTES}, {start, count}};
    return emi_sha256(pieces, 3, run, NULL) == EM_OK ? 0 : -1;
}

static uint64_t iteration(void *context, const unsigned char *rows[])
{
    const emi_hub *hub = context;
    return hub->options.iteration ? hub->options.iteration(hub->options.user, rows) : 0;
}

static int note_told(void *context, const unsigned char *told)
{
    const emi_hub *hub = context;
    return hub->options.note_told ? hub->options.note_told(hub->options.user, told) : 0;
}

static void last_audit(void *context, unsigned char last[32])
{
    emi_hub *hub = context;
    em_error err = {0};
    if (!hub->options.audit) return;
    emi_hub_note_log(hub, emi_audit_sync(hub->options.audit, &err), &err); /* since a neighbour is told of it */
    memcpy(last, emi_audit_last(hub->options.audit), 32);
}

/* ---- opening ------------------------------------------------------------------------------------------------------------------ */

static int count_neighbours(const emi_hub *hub)
{
    const emi_study *study = hub->options.study;
    int count = 0;
    for (int other = 0; other < study->site_count; other++)
        if (emi_study_uses(study, hub->options.site, other)) hub->peers[count++] = other;
    return count;
}

static em_status open_node(emi_hub *hub, em_error *err)
{
    const emi_study *study = hub->options.study;
    size_t sites = (size_t)study->site_count;
    hub->parent = calloc(sites, sizeof *hub->parent);
    hub->peers = calloc(sites, sizeof *hub->peers);
    hub->waited = calloc(sites, sizeof *hub->waited);
    hub->callers = calloc(sites, sizeof *hub->callers);
    hub->told = calloc(sites, sizeof *hub->told);
    hub->logged = calloc(sites, sizeof *hub->logged);
    if (!hub->logged || !hub->told || !hub->parent || !hub->peers || !hub->waited || !hub->callers)
        return emi_no_memory(err);
    for (int n = 0; n < study->site_count; n++) hub->parent[n] = study->sites[n].parent;
    emi_node_config config = {.site = hub->options.site,
                              .sites = study->site_count,
                              .parent = hub->parent,
                              .peers = hub->peers,
                              .links = count_neighbours(hub),
                              .canonical = study->canonical,
                              .canonical_size = study->canonical_size,
                              .context = hub,
                              .draw = draw_life,
                              .random = draw_bytes,
                              .sign = sign,
                              .verify = verify,
                              .name_run = name_run,
                              .iteration = iteration,
                              .told = hub->options.told,
                              .note_told = note_told,
                              .audit = last_audit,
                              .news = take_news};
    memcpy(config.study, study->digest, EMI_SHA_BYTES);
    if (emi_node_open(&hub->node, &config, &hub->options.own))
        return em_fail(err, EM_ENOTSUP, "node: OpenSSL makes no X25519 or Ed25519 here; try without FIPS mode");
    for (int n = 0; n < config.links; n++)
        if (emi_study_dials(study, config.site, hub->peers[n]) == config.site)
            hub->callers[hub->caller_count++] = (emi_caller){.peer = hub->peers[n]};
    return EM_OK;
}

/* At the port of its address, on all of this machine's, unless it is told another place. */
static em_status open_listeners(emi_hub *hub, em_error *err)
{
    const emi_site *own = &hub->options.study->sites[hub->options.site];
    char host[256] = "";
    int port = own->port;
    if (hub->options.listen && emi_address_read(hub->options.listen, host, sizeof host, &port))
        return em_fail(err, EM_EINVAL, "listen: '%s' is no address; try 7473 or 10.0.0.5:7473", hub->options.listen);
    if (!hub->options.listen && !own->host) return EM_OK;
    return emi_listen(host, port, hub->listeners, EMI_LISTENERS, &hub->listener_count, err);
}

static em_status open_wake(emi_hub *hub, em_error *err)
{
    if (pipe(hub->wake) != 0) return em_fail(err, EM_ENET, "node: no pipe (%s); try fewer open files", strerror(errno));
    for (int n = 0; n < 2; n++) {
        (void)fcntl(hub->wake[n], F_SETFL, O_NONBLOCK);
        (void)fcntl(hub->wake[n], F_SETFD, FD_CLOEXEC);
    }
    return EM_OK;
}

static void *serve(void *context);

/* Signals are for the thread that waits, not for this one. */
static em_status open_thread(emi_hub *hub, em_error *err)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    hub->runs = pthread_create(&hub->thread, NULL, serve, hub) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return hub->runs ? EM_OK : em_fail(err, EM_ENOMEM, "node: no thread; try fewer processes");
}

static em_status open_all(emi_hub *hub, em_error *err)
{
    const char *proxy = hub->options.proxy;
    if (proxy &&
        (emi_address_read(proxy, hub->proxy_host, sizeof hub->proxy_host, &hub->proxy_port) || !*hub->proxy_host))
        return em_fail(err, EM_EINVAL, "proxy: '%s' is no address; try proxy.example.org:3128", proxy);
    em_status status = open_wake(hub, err);
    if (status == EM_OK) status = open_node(hub, err);
    if (status == EM_OK) status = emi_tls_open(&hub->tls, hub->options.identity, err);
    if (status == EM_OK) status = open_listeners(hub, err);
    return status == EM_OK ? open_thread(hub, err) : status;
}

em_status emi_hub_open(emi_hub **out, const emi_hub_options *options, em_error *err)
{
    emi_hub *hub = calloc(1, sizeof *hub);
    *out = NULL;
    if (!hub) return emi_no_memory(err);
    hub->options = *options;
    hub->patience = options->patience;
    hub->lost_patience = -1;
    hub->strangers_most = emi_strangers_most();
    hub->wake[0] = hub->wake[1] = -1;
    hub->last_note = &hub->notes;
    (void)pthread_mutex_init(&hub->lock, NULL);
    (void)pthread_mutex_init(&hub->voice, NULL);
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&hub->changed, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    em_status status = open_all(hub, err);
    if (status != EM_OK)
        emi_hub_close(&hub);
    else
        *out = hub;
    return status;
}

void emi_hub_wake(emi_hub *hub)
{
    ssize_t ignored = write(hub->wake[1], "", 1);
    (void)ignored; /* full: it will wake */
}

void emi_hub_close(emi_hub **closed)
{
    emi_hub *hub = *closed;
    if (!hub) return;
    if (hub->runs) {
        atomic_store(&hub->stop, 1);
        emi_hub_wake(hub);
        (void)pthread_join(hub->thread, NULL);
    }
    emi_hub_say(hub);
    emi_conns_close(hub);
    for (int n = 0; n < hub->listener_count; n++) (void)close(hub->listeners[n]);
    for (int n = 0; n < 2; n++)
        if (hub->wake[n] >= 0) (void)close(hub->wake[n]);
    emi_tls_close(&hub->tls);
    emi_node_close(&hub->node);
    (void)pthread_cond_destroy(&hub->changed);
    (void)pthread_mutex_destroy(&hub->voice);
    (void)pthread_mutex_destroy(&hub->lock);
    for (int n = 0; n < 2; n++) free(hub->polls[n].at);
    free(hub->callers);
    free(hub->logged);
    free(hub->told);
    free(hub->waited);
    free(hub->peers);
    free(hub->parent);
    OPENSSL_cleanse(hub->secret, sizeof hub->secret);
    free(hub);
    *closed = NULL;
}

/* ---- the thread ------------------------------------------------------------------------------------------------------------------ */

static void watch(struct emi_polls *p, int socket, short events)
{
    if (p->count == p->room) {
        size_t room = p->room ? 2 * p->room : 32;
        struct pollfd *more = realloc(p->at, room * sizeof *more);
        if (!more) return;
        p->at = more;
        p->room = room;
    }
    p->at[p->count++] = (struct pollfd){.fd = socket, .events = events};
}

/* Returns how long to wait, in milliseconds. */
static int watch_all(emi_hub *hub, struct emi_polls *p)
{
    int wait = 1000;
    p->count = 0;
    watch(p, hub->wake[0], POLLIN);
    int deaf = emi_hub_now() < hub->deaf_until;
    for (int n = 0; n < hub->listener_count && !deaf; n++) watch(p, hub->listeners[n], POLLIN);
    for (int n = 0; n < hub->caller_count; n++) {
        const emi_caller *caller = &hub->callers[n];
        if (caller->dial) watch(p, emi_dial_socket(caller->dial), emi_dial_wants(caller->dial));
        if (!emi_node_link(&hub->node, caller->peer)->up) wait = wait < 100 ? wait : 100;
    }
    for (const emi_conn *c = hub->conns; c; c = c->next) {
        short events = c->stage == EMI_SHAKES ? c->wants : (short)(POLLIN | c->wants);
        watch(p, emi_connection_socket(c->tls), events);
        if (c->stage != EMI_SHAKES && emi_connection_pending(c->tls)) wait = 0;
    }
    return wait;
}

void emi_hub_poll(emi_hub *hub, struct emi_polls *polls, int most)
{
    char drained[64];
    if (hub->notes) {
        (void)pthread_mutex_unlock(&hub->lock);
        emi_hub_say(hub);
        (void)pthread_mutex_lock(&hub->lock);
    }
    int wait = watch_all(hub, polls);
    (void)pthread_mutex_unlock(&hub->lock);
    (void)poll(polls->at, (nfds_t)polls->count, wait < most ? wait : most);
    while (read(hub->wake[0], drained, sizeof drained) == (ssize_t)sizeof drained) {
    }
    (void)pthread_mutex_lock(&hub->lock);
}

static void silent(void *context, int peer)
{
    emi_conns_drop_peer(context, peer, "was silent for 45 seconds", emi_hub_now());
}

void emi_hub_turn(emi_hub *hub)
{
    double now = emi_hub_now();
    for (int n = 0; n < hub->listener_count; n++) emi_conns_accept(hub, hub->listeners[n], now);
    emi_conns_dial(hub, now);
    emi_conns_move(hub, now);
    emi_conns_drop_late(hub, now);
    emi_node_tick(&hub->node, now, silent, hub);
    emi_hub_tell_hidden(hub);
    (void)pthread_cond_broadcast(&hub->changed);
}

int emi_hub_has_output(const emi_hub *hub)
{
    for (const emi_conn *c = hub->conns; c; c = c->next) {
        const emi_link *l = c->stage == EMI_LINKED ? emi_node_link((emi_node *)&hub->node, c->peer) : NULL;
        if (l && (l->control_size || l->out_at < l->out_size)) return 1;
    }
    return 0;
}

/* As long as the solver's thread does the work, or did so a moment ago, as it will soon again; where it waits for long, this one
 * looks less often. */
static void stand_back(emi_hub *hub)
{
    static const double moment = 0.005, pause = 0.1;
    struct timespec until;
    double began = emi_hub_now();
    while (!atomic_load(&hub->stop) && (hub->driven || emi_hub_now() - hub->left < moment)) {
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(1e9 * (hub->driven && emi_hub_now() - began > pause ? pause : moment));
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&hub->changed, &hub->lock, &until);
    }
}

static void *serve(void *context)
{
    enum { MOMENT = 2, SHORT = 10, LONG = 1000 };
    emi_hub *hub = context;
    double stopped = 0;
    (void)pthread_mutex_lock(&hub->lock);
    for (;;) {
        stand_back(hub);
        emi_hub_turn(hub);
        int stops = atomic_load(&hub->stop);
        if (stops && stopped == 0) stopped = emi_hub_now();
        if (stops && (!emi_hub_has_output(hub) || emi_hub_now() - stopped > MOMENT)) break;
        emi_hub_poll(hub, &hub->polls[0], stops ? SHORT : LONG);
    }
    (void)pthread_mutex_unlock(&hub->lock);
    return NULL;
}
