/* What the files of the hub share: hub.c has the thread, rounds.c and started.c the solver's side, connections.c what becomes of a socket,
 * strangers.c who comes, news.c what is told. */
#ifndef EIGENMESH_NET_HUB_PARTS_H
#define EIGENMESH_NET_HUB_PARTS_H

#include "net/dial.h"
#include "net/hub.h"
#include "net/no_memory.h"
#include "net/tls.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    EMI_LISTENERS = 8,
    EMI_STRANGERS = 64,       /* connections that have not said HELLO, in all; the oldest goes first */
    EMI_STRANGERS_EACH = 8,   /* of one address; again                                               */
    EMI_GREETING_SECONDS = 10 /* for a handshake and HELLO                                           */
};

typedef enum emi_stage {
    EMI_SHAKES, /* TLS's handshake                                             */
    EMI_GREETS, /* HELLO is awaited                                            */
    EMI_LINKED, /* it is its link's connection                                 */
    EMI_PARTS   /* STUDY was sent, since studies differ: the other's is awaited */
} emi_stage;

/* A socket with somebody at the other end. */
typedef struct emi_conn {
    emi_connection *tls;
    emi_stage stage;
    int dialled; /* the site that was; -1: it came */
    int peer;    /* whose key it has; -1: not known yet */
    char from[EMI_ADDRESS_TEXT];
    double since;
    int ended;         /* by the other side */
    short wants;       /* of the handshake, or of writing */
    unsigned char *in; /* [EMI_FRAME_HEAD + EMI_FRAME_MOST] */
    size_t in_count;
    unsigned char *first; /* what is written before all else: HELLO, STUDY */
    size_t first_size, first_at;
    struct emi_conn *next;
} emi_conn;

/* What dialling a neighbour has come to. */
typedef struct emi_caller {
    int peer;
    emi_dial *dial;
    double next_try, pause;
} emi_caller;

/* A line for people, until it is said. */
typedef struct emi_note {
    struct emi_note *next;
    emi_news what;
    char who[EMI_ADDRESS_TEXT];
    int has_why;
    char why[]; /* ends with 0 */
} emi_note;

/* A block of a round, as the log has it. */
typedef struct emi_block {
    int peer;
    const void *bytes;
    size_t size;
    unsigned char digest[EMI_SHA_BYTES];
} emi_block;

struct emi_hub {
    emi_hub_options options;
    pthread_t thread;
    int runs; /* the thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int wake[2];
    atomic_int stop;

    emi_node node;
    unsigned char secret[EMI_PUBLIC_BYTES]; /* of the X25519 key that the node's entry has the public half of */
    uint64_t keyed;                         /* the generation whose keys were handed out */
    int *parent, *peers;
    emi_tls *tls;
    int listeners[EMI_LISTENERS], listener_count;
    char proxy_host[256];
    int proxy_port;
    emi_caller *callers;
    int caller_count;
    emi_conn *conns;
    struct emi_polls {
        struct pollfd *at;
        size_t room, count;
    } polls[2];  /* of the hub's thread, and of the solver's */
    int driven;  /* the solver's thread does the work now, */
    double left; /* or did so until then                   */
    struct {
        char from[EMI_ADDRESS_TEXT];
        double last;
    } refused[32]; /* so that strangers do not fill the log */
    struct {
        double last[EMI_NEWS_DIFFERS]; /* when it was told, of each kind of news */
        uint64_t why;                  /* nobody answered: a digest of the words */
        emi_pace ups;                  /* a link that comes up again and again */
        int hidden;                    /* that it came up last was not told, so that it goes down is not either */
        uint64_t hidden_ups;           /* since one was told */
    } * told;                          /* [sites] */

    emi_note *notes, **last_note; /* in the order in which they came */
    pthread_mutex_t voice;        /* held by whoever calls back; never taken with the lock held */

    int strangers_most;
    double deaf_until; /* nobody who comes is listened to */

    double patience;
    int lost_patience; /* with a site, or -1 */
    em_error log_failure;
    emi_block *logged; /* [sites] of a round; the solver's alone, without the lock */
    double *waited;    /* [sites] seconds in which each was awaited */
};

double emi_hub_now(void); /* seconds */
void emi_hub_wake(emi_hub *hub);
const char *emi_hub_name(const emi_hub *hub, int site);

/* ---- news.c; the lock is held -------------------------------------------------------------------------------------------- */

void emi_hub_note_log(emi_hub *hub, em_status status, const em_error *err); /* a failure of the log, the first one */
void emi_hub_tell(emi_hub *hub, emi_news what, int peer, const char *from, const char *why);
void emi_hub_tell_hidden(emi_hub *hub); /* links that are up, and it was not told, where it may be now */

/* The lock is not held.  What was told is said to people, unless another thread is at it. */
void emi_hub_say(emi_hub *hub);

/* ---- hub.c; the lock is held ------------------------------------------------------------------------------------------- */

void emi_hub_turn(emi_hub *hub);

/* Wait for something to happen, for so many milliseconds at most; the lock is not held meanwhile. */
void emi_hub_poll(emi_hub *hub, struct emi_polls *polls, int most);

int emi_hub_has_output(const emi_hub *hub); /* for those who are there */

/* ---- rounds.c ----------------------------------------------------------------------------------------------------------- */

em_status emi_hub_anew(em_error *err); /* this run is over, and there is another */

/* ---- strangers.c; the lock is held -------------------------------------------------------------------------------------- */

int emi_strangers_most(void); /* at once */
void emi_conns_accept(emi_hub *hub, int listener, double now);
void emi_conns_drop_late(emi_hub *hub, double now); /* those that take too long */

/* ---- connections.c; the lock is held ------------------------------------------------------------------------------------ */

void emi_conn_add(emi_hub *hub, int socket, int dialled, const char *from, double now);
void emi_conn_drop(emi_hub *hub, emi_conn *c, const char *why, double now); /* a link that stood on it is down */
void emi_conns_dial(emi_hub *hub, double now);
void emi_conns_move(emi_hub *hub, double now); /* all of them, as far as they go */
void emi_conns_drop_peer(emi_hub *hub, int peer, const char *why, double now);
void emi_conns_close(emi_hub *hub);

#endif
