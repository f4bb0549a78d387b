/* For test_liar: a hub as site 1 between a parent, 0, and a child, 2; and members with their own keys that say what they like. */
#ifndef TESTS_NET_LIAR_H
#define TESTS_NET_LIAR_H

#include "net/hub.h"
#include "net/tls.h"
#include "support/check.h"

enum { PARENT = 0, HUB = 1, CHILD = 2, SITES = 3, START_BYTES = EMI_START_HEAD + SITES * EMI_ENTRY_BYTES };

typedef struct stage {
    emi_study *study;
    int sites; /* 3, or more of them: all others are behind the child */
    emi_identity **identities;
    emi_hub *hub;
    atomic_int interrupted;
    int port, site; /* of the hub: 1, at this port; or 2, which dials 1 there */
    pthread_mutex_t lock;
    char news[8192]; /* all that the hub has told, a line each */
    /* a solver, which sends a block of so many bytes to the parent and waits for one from the child */
    pthread_t solver;
    size_t bytes;
    em_error end;
} stage;

void stage_open(stage *s);
void stage_open_as(stage *s, int site, int sites);
void stage_close(stage *s); /* the hub ends, whatever was done to it */

/* Is this told, within a few seconds? */
int is_told(stage *s, const char *words);
int is_told_now(stage *s, const char *words);

void solver_begin(stage *s, size_t bytes);
em_status solver_end(stage *s, int interrupt); /* what it came to, in s->end too */

typedef struct liar {
    stage *on;
    int site;
    emi_tls *tls;
    emi_connection *c;
    unsigned char instance[EMI_INSTANCE_BYTES];
    unsigned char run[EMI_RUN_BYTES];     /* that its frames say they are of */
    unsigned char hello[EMI_HELLO_BYTES]; /* the hub's */
    unsigned char in[EMI_FRAME_HEAD + EMI_FRAME_MOST];
    size_t count, used;
    emi_frame frame; /* the last that came */
} liar;

liar *liar_open(stage *s, int site); /* its key is known to the hub: the handshake is done */
liar *liar_answers(stage *s, int site, int listener, double seconds); /* a hub that dials; NULL: none did */
void liar_close(liar *l);

void liar_says(liar *l, emi_frame_kind kind, uint64_t sequence, const void *payload, size_t length);
void liar_writes(liar *l, const void *bytes, size_t count); /* as far as the hub takes it */

/* The next frame of this kind, others are passed over: 1; or 0: the hub closed the connection. */
int liar_hears(liar *l, emi_frame_kind kind);
int is_closed(liar *l); /* within a few seconds */
int is_open(liar *l);   /* and the hub still takes what it says */

void hello_of(const liar *l, emi_hello *hello);
void liar_greets(liar *l, const emi_hello *hello);

/* A good HELLO, and its answer. */
liar *member(stage *s, int site);

/* An entry of any site, signed with its key. */
void entry_of(stage *s, int site, unsigned char fill, emi_entry *entry);
void sign_entry(stage *s, emi_entry *entry);

/* A START that the hub enters, with its own entry as it sent it; and enter it: the parent's and the child's frames are of that run. */
size_t start_bytes(const stage *s);
void good_start(liar *parent, unsigned char *start);
void run_of(const stage *s, const unsigned char *start, unsigned char run[EMI_RUN_BYTES]);
void enter_run(liar *parent, liar *child);

#endif
