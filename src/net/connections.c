/* What becomes of a socket: a handshake, HELLO, then a link's frames; and dialling those who are to be dialled. */
#include "net/hub_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- beginning and end ---------------------------------------------------------------------------------------------------- */

/* What a connection reads into holds any frame. */
_Static_assert(EMI_START_MOST <= EMI_FRAME_MOST && EMI_STUDY_MOST <= EMI_FRAME_MOST, "frames of a study and its START");

static int knows(void *context, const unsigned char id[EMI_ID_BYTES])
{
    const emi_hub *hub = context;
    int site = emi_study_find(hub->options.study, id);
    return site >= 0 && emi_node_link((emi_node *)&hub->node, site) != NULL;
}

static void free_conn(emi_conn *c)
{
    emi_connection_close(&c->tls);
    free(c->in);
    free(c->first);
    free(c);
}

static void unlink_conn(emi_hub *hub, emi_conn *c)
{
    emi_conn **at = &hub->conns;
    while (*at && *at != c) at = &(*at)->next;
    if (*at) *at = c->next;
}

/* It is over, and a link that stood on it is down. */
void emi_conn_drop(emi_hub *hub, emi_conn *c, const char *why, double now)
{
    if (c->stage == EMI_LINKED)
        emi_node_gone(&hub->node, c->peer, why, now);
    else if (c->ended && c->stage == EMI_GREETS && c->dialled >= 0)
        emi_hub_tell(hub, EMI_NEWS_DOWN, c->peer, c->from, why);
    else if (why && (!c->ended || c->stage == EMI_SHAKES))
        emi_hub_tell(hub, EMI_NEWS_REFUSED, c->peer >= 0 ? c->peer : c->dialled, c->from, why);
    unlink_conn(hub, c);
    free_conn(c);
}

void emi_conn_add(emi_hub *hub, int socket, int dialled, const char *from, double now)
{
    em_error err;
    emi_conn *c = calloc(1, sizeof *c);
    if (!c || !(c->in = malloc(EMI_FRAME_HEAD + EMI_FRAME_MOST))) {
        free(c);
        (void)close(socket);
        return;
    }
    c->dialled = dialled;
    c->peer = -1;
    c->since = now;
    (void)snprintf(c->from, sizeof c->from, "%s", from);
    if (emi_connection_open(&c->tls, hub->tls, socket, dialled >= 0, knows, hub, &err) != EM_OK) {
        free_conn(c);
        return;
    }
    c->wants = POLLIN | POLLOUT;
    c->next = hub->conns;
    hub->conns = c;
}

static emi_conn *conn_of(const emi_hub *hub, int peer)
{
    for (emi_conn *c = hub->conns; c; c = c->next)
        if (c->stage == EMI_LINKED && c->peer == peer) return c;
    return NULL;
}

void emi_conns_drop_peer(emi_hub *hub, int peer, const char *why, double now)
{
    emi_conn *c = conn_of(hub, peer);
    if (c) emi_conn_drop(hub, c, why, now);
}

void emi_conns_close(emi_hub *hub)
{
    while (hub->conns) {
        emi_conn *c = hub->conns;
        hub->conns = c->next;
        free_conn(c);
    }
    for (int n = 0; n < hub->caller_count; n++) emi_dial_close(&hub->callers[n].dial);
}

/* ---- dialling --------------------------------------------------------------------------------------------------------------- */

static int is_dialled(const emi_hub *hub, int peer)
{
    for (const emi_conn *c = hub->conns; c; c = c->next)
        if (c->dialled == peer) return 1;
    return 0;
}

static void wait_longer(emi_caller *caller, double now)
{
    static const double least = 0.1, most = 5;
    caller->pause = caller->pause < least ? least : caller->pause * 2 > most ? most : caller->pause * 2;
    caller->next_try = now + caller->pause;
}

static void dial_one(emi_hub *hub, emi_caller *caller, double now)
{
    em_error err;
    int socket = -1;
    const emi_site *site = &hub->options.study->sites[caller->peer];
    if (!caller->dial) {
        if (now < caller->next_try || is_dialled(hub, caller->peer)) return;
        wait_longer(caller, now);
        const char *proxy = *hub->proxy_host ? hub->proxy_host : NULL;
        if (emi_dial_begin(&caller->dial, site->host, site->port, proxy, hub->proxy_port, &err) != EM_OK) return;
    }
    int step = emi_dial_step(caller->dial, now, &socket, &err);
    if (step == 0) return;
    emi_dial_close(&caller->dial);
    if (step > 0)
        emi_conn_add(hub, socket, caller->peer, site->host, now);
    else
        emi_hub_tell(hub, EMI_NEWS_DOWN, caller->peer, site->host, err.msg);
}

void emi_conns_dial(emi_hub *hub, double now)
{
    enum { STEADY_SECONDS = 1 };
    for (int n = 0; n < hub->caller_count; n++) {
        emi_caller *caller = &hub->callers[n];
        const emi_conn *c = conn_of(hub, caller->peer);
        if (!c)
            dial_one(hub, caller, now);
        else if (now - c->since > STEADY_SECONDS) /* one that breaks at once, each time, is not dialled at once again */
            caller->pause = 0;
    }
}

/* ---- who is there -------------------------------------------------------------------------------------------------------------- */

static int write_first(emi_conn *c, const void *bytes, size_t count)
{
    free(c->first);
    c->first = malloc(count);
    if (!c->first) return -1;
    memcpy(c->first, bytes, count);
    c->first_size = count;
    c->first_at = 0;
    return 0;
}

static int write_hello(emi_hub *hub, emi_conn *c)
{
    unsigned char frame[EMI_FRAME_HEAD + EMI_HELLO_BYTES];
    emi_node_write_hello(&hub->node, c->peer, frame);
    return write_first(c, frame, sizeof frame);
}

static int write_study(emi_hub *hub, emi_conn *c)
{
    const emi_study *study = hub->options.study;
    size_t size = study->canonical_size < EMI_STUDY_MOST ? study->canonical_size : EMI_STUDY_MOST;
    unsigned char *frame = malloc(EMI_FRAME_HEAD + size);
    if (!frame) return -1;
    emi_frame_write(&(emi_frame){.kind = EMI_STUDY, .length = (uint32_t)size}, frame);
    memcpy(frame + EMI_FRAME_HEAD, study->canonical, size);
    int status = write_first(c, frame, EMI_FRAME_HEAD + size);
    free(frame);
    return status;
}

/* After the handshake.  The dialler speaks first: who came may be somebody that is here already. */
static const char *learn_peer(emi_hub *hub, emi_conn *c)
{
    c->peer = emi_study_find(hub->options.study, emi_connection_peer(c->tls));
    if (c->peer < 0) return "its key is not in the study";
    if (c->dialled >= 0 && c->peer != c->dialled) {
        c->peer = -1;
        return "somebody answers in its place: a proxy that opens TLS?";
    }
    c->stage = EMI_GREETS;
    if (c->dialled >= 0 && write_hello(hub, c)) return "out of memory";
    return NULL;
}

/* Its first frame. */
static const char *greet(emi_hub *hub, emi_conn *c, const emi_frame *frame, double now)
{
    const char *why = NULL;
    if (frame->kind == EMI_STUDY) {
        emi_node_other_study(&hub->node, c->peer, frame);
        if (c->stage == EMI_PARTS) return "has another study";
        c->stage = EMI_PARTS;
        return write_study(hub, c) ? "out of memory" : NULL;
    }
    if (c->stage == EMI_PARTS) return "has another study";
    int met = emi_node_meet(&hub->node, c->peer, frame, now, &why);
    if (met < 0) {
        c->stage = EMI_PARTS;
        return write_study(hub, c) ? "out of memory" : NULL;
    }
    if (met == 0) return why;
    emi_conn *before = conn_of(hub, c->peer);
    if (before) {
        unlink_conn(hub, before);
        free_conn(before);
    }
    c->stage = EMI_LINKED;
    return c->dialled < 0 && write_hello(hub, c) ? "out of memory" : NULL;
}

/* ---- moving on --------------------------------------------------------------------------------------------------------------------- */

static const char *take_frames(emi_hub *hub, emi_conn *c, double now)
{
    size_t at = 0, used;
    emi_frame frame;
    const char *why = NULL;
    int is = 0;
    while (!why && (is = emi_frame_read(c->in + at, c->in_count - at, &frame, &used)) > 0) {
        int linked = c->stage == EMI_LINKED;
        if (!linked)
            why = greet(hub, c, &frame, now);
        else if (emi_node_frame(&hub->node, c->peer, &frame, now, &why) == 0)
            why = NULL;
        at += used;
    }
    memmove(c->in, c->in + at, c->in_count - at);
    c->in_count -= at;
    return why ? why : is < 0 ? "sent what is no frame" : NULL;
}

static const char *read_some(emi_hub *hub, emi_conn *c, double now, char *words, size_t room)
{
    em_error err;
    enum { AT_MOST = 32 }; /* so that one link does not keep the others waiting */
    for (int n = 0; n < AT_MOST; n++) {
        size_t got = 0, space = EMI_FRAME_HEAD + EMI_FRAME_MOST - c->in_count;
        int step = emi_connection_read(c->tls, c->in + c->in_count, space, &got, &err);
        if (step == 0) return NULL;
        if (step < 0) {
            c->ended = 1;
            (void)snprintf(words, room, "%s", err.msg);
            return words;
        }
        c->in_count += got;
        if (c->stage == EMI_LINKED) emi_node_link(&hub->node, c->peer)->heard = now; /* a slow frame is no silence */
        const char *why = take_frames(hub, c, now);
        if (why) return why;
    }
    return NULL;
}

/* What a connection has to write: its first frame, then its link's. */
static int next_bytes(emi_hub *hub, emi_conn *c, const unsigned char **bytes, size_t *count)
{
    *count = c->first_size - c->first_at;
    if (*count) *bytes = c->first + c->first_at;
    if (*count || c->stage != EMI_LINKED) return 0;
    return emi_node_output(&hub->node, c->peer, bytes, count);
}

static const char *write_some(emi_hub *hub, emi_conn *c, char *words, size_t room)
{
    em_error err;
    enum { AT_MOST = 8 };
    c->wants = 0;
    for (int n = 0; n < AT_MOST; n++) {
        const unsigned char *bytes;
        size_t count, put = 0;
        if (next_bytes(hub, c, &bytes, &count)) return "out of memory";
        if (!count) return NULL;
        int step = emi_connection_write(c->tls, bytes, count, &put, &err);
        if (step < 0) {
            (void)snprintf(words, room, "%s", err.msg);
            return words;
        }
        if (step == 0) {
            c->wants = emi_connection_wants(c->tls);
            return NULL;
        }
        if (c->first_at < c->first_size)
            c->first_at += put;
        else
            emi_link_written(emi_node_link(&hub->node, c->peer), put);
    }
    c->wants = POLLOUT; /* there is more */
    return NULL;
}

static const char *shake(emi_hub *hub, emi_conn *c, char *words, size_t room)
{
    em_error err;
    int step = emi_connection_shake(c->tls, &err);
    c->wants = emi_connection_wants(c->tls);
    if (step > 0) return learn_peer(hub, c);
    if (step < 0) (void)snprintf(words, room, "%s", err.msg);
    return step < 0 ? words : NULL;
}

/* What is done with a connection; the words: why it is over. */
typedef const char *conn_fn(emi_hub *hub, emi_conn *c, double now, char *words, size_t room);

static const char *hear(emi_hub *hub, emi_conn *c, double now, char *words, size_t room)
{
    const char *why = c->stage == EMI_SHAKES ? shake(hub, c, words, room) : NULL;
    return why || c->stage == EMI_SHAKES ? why : read_some(hub, c, now, words, room);
}

static const char *tell(emi_hub *hub, emi_conn *c, double now, char *words, size_t room)
{
    enum {
        CONTROL_MOST = 1 << 20
    }; /* bytes: what is said beside blocks is short, and said again on the next connection */
    (void)now;
    const char *why = c->stage == EMI_SHAKES ? NULL : write_some(hub, c, words, room);
    if (!why && c->stage == EMI_LINKED && emi_node_link(&hub->node, c->peer)->control_size > CONTROL_MOST)
        why = "asks and does not listen";
    return why;
}

/* Links that the machine has taken down by itself. */
static void drop_left_over(emi_hub *hub, double now)
{
    for (emi_conn *c = hub->conns, *next; c; c = next) {
        next = c->next;
        if (c->stage == EMI_LINKED && !emi_node_link(&hub->node, c->peer)->up) emi_conn_drop(hub, c, NULL, now);
    }
}

static void for_all(emi_hub *hub, conn_fn *what, double now)
{
    char words[sizeof((em_error *)0)->msg];
    for (emi_conn *c = hub->conns, *next; c; c = next) {
        const char *why = what(hub, c, now, words, sizeof words);
        next = c->next; /* another connection of the same link may have gone meanwhile */
        if (why) emi_conn_drop(hub, c, why, now);
    }
}

/* All are heard before any is told: what one says may be for another, and must not wait for the next turn. */
void emi_conns_move(emi_hub *hub, double now)
{
    for_all(hub, hear, now);
    for_all(hub, tell, now);
    drop_left_over(hub, now);
}
