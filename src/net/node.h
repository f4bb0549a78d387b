/* A node of a study, as a machine without sockets, threads or clock: connections, frames and time in; frames out.
 *
 * Who is here goes up the tree, as signed entries; when all are, the root says START, which goes down, and what it holds gives the
 * run its name.  A process that comes back has a new entry, so there is a new START, and all go on from the root's last step.  All
 * that is said is said again on every connection: nothing depends on one message arriving. */
#ifndef EIGENMESH_NET_NODE_H
#define EIGENMESH_NET_NODE_H

#include "net/link.h"
#include "net/pace.h"

/* The end of a study: how long who is done waits for a parent to know it, which is done too, and may be gone; and how long one that
 * came back stays for those who may not have heard that it knows: they dial every 5 s. */
enum { EMI_PARENT_SECONDS = 60, EMI_ASKED_SECONDS = 10 };

/* Why a process ends, as others are told: texts stay at home. */
typedef enum emi_leave {
    EMI_LEAVE_INTERRUPTED = 1,
    EMI_LEAVE_PATIENCE, /* it waited too long                             */
    EMI_LEAVE_DATA,     /* its data cannot be used                        */
    EMI_LEAVE_MEMORY,
    EMI_LEAVE_DISK,
    EMI_LEAVE_SIZE,     /* a block of another size came                   */
    EMI_LEAVE_FAILED,   /* anything else of its own                       */
    EMI_LEAVE_ROOT,     /* the root has decided that it is over, for all  */
    EMI_LEAVE_FINISHED, /* the study is done: the model is everywhere     */
    EMI_LEAVE_REHEARSED,
    EMI_LEAVE_KNOWN,  /* to a child that has said so: it may go */
    EMI_LEAVE_POLICY, /* what is asked, or who takes part, is not what it goes along with */
    EMI_LEAVES
} emi_leave;

const char *emi_leave_text(int code);

/* What happens, for a log and for people. */
typedef enum emi_news {
    EMI_NEWS_UP,      /* a link is up                                       */
    EMI_NEWS_DOWN,    /* why                                                */
    EMI_NEWS_LEFT,    /* a neighbour said LEAVE: why                        */
    EMI_NEWS_REFUSED, /* a member that may not, or says what cannot be: why */
    EMI_NEWS_STUDY,   /* a neighbour has another study: the first line that differs */
    EMI_NEWS_DIFFERS, /* at the root: a site's columns are not the root's   */
    EMI_NEWS_START    /* a run was entered                                  */
} emi_news;

typedef struct emi_node_config {
    int site, sites;
    const int *parent; /* [sites] in the tree; the root's is -1     */
    const int *peers;  /* [links] the neighbours that there are links to */
    int links;
    unsigned char study[32];
    const char *canonical; /* the study's text, for a neighbour that has another */
    size_t canonical_size;

    void *context;
    int (*draw)(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES]);
    int (*random)(void *context, void *bytes, size_t count); /* these three: 0, or -1            */
    int (*sign)(void *context, const void *bytes, size_t count, unsigned char signature[64]);
    int (*verify)(void *context, int site, const void *bytes, size_t count, const unsigned char signature[64]);
    int (*name_run)(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES]); /* its digest */
    uint64_t (*iteration)(void *context,
                          const unsigned char *rows[]); /* at the root: of its state, where it is of these rows */
    const unsigned char *told;                          /* [sites] as it was noted; NULL: nobody */
    int (*note_told)(void *context, const unsigned char *told); /* 0: it is on the disk; NULL: no disk   */
    void (*audit)(void *context, unsigned char last[32]);
    void (*news)(void *context, emi_news what, int peer, const char *why);
} emi_node_config;

/* What a site brings about by being somebody new: its entry goes up, START comes down.  A member that is so without end is
 * heard less and less often, and others are not. */
typedef struct emi_coming {
    emi_pace entries, starts;
    int waits; /* its last entry, for its time to come: */
    emi_entry later;
} emi_coming;

typedef struct emi_node {
    emi_node_config config;
    emi_entry own;
    emi_entry *entries;   /* [sites] of its subtree, as far as they are here; at the root, of all */
    unsigned char *here;  /* [sites] */
    emi_coming *coming;   /* [sites] */
    unsigned char *start; /* the payload of the last START; NULL: none yet */
    unsigned char *later; /* of one whose time has not come; NULL: none    */
    unsigned char run[EMI_RUN_BYTES];
    uint64_t iteration;
    unsigned char (*entered)[EMI_RUN_BYTES]; /* runs of this life */
    size_t entered_count, entered_room;
    uint64_t generation; /* of runs that were entered; what was begun in another is over */
    emi_link *links;
    int waits_in_round;  /* somebody waits for the blocks of a round, */
    int waits_for_end;   /* or for the parent's word that all is done */
    int over;            /* an emi_leave that ends it here too; 0: none */
    int over_by;         /* the neighbour that said so, */
    int over_found;      /* or of which this node has found so itself: a block of another size came from it */
    int finished;        /* the model is everywhere: no run begins any more, and who comes back is told */
    unsigned char *told; /* [sites] then: children that are done too, a parent that knows; these may be gone for good */
    int differs;         /* at the root: a site whose columns are not the root's; -1: none   */
    int no_memory;
} emi_node;

/* columns, names and rows of the entry are the caller's.  0, or -1: no memory, or a callback's -1. */
int emi_node_open(emi_node *node, const emi_node_config *config, const emi_entry *own);
void emi_node_close(emi_node *node);

/* The link to a neighbour; NULL: it is none. */
emi_link *emi_node_link(emi_node *node, int peer);

/* This process is somebody new: another instance, another key.  Links are down, so that all neighbours meet it again. */
int emi_node_renew(emi_node *node, double now);

/* ---- connections: HELLO is the first frame on each, the dialler's before the other's ----------------------------------- */

void emi_node_write_hello(emi_node *node, int peer, unsigned char frame[EMI_FRAME_HEAD + EMI_HELLO_BYTES]);

/* What came first on a connection whose other end has the key of `peer`.  1: it is the link's connection from now on, and what
 * was the link's before is to be closed; 0: it is not, `why` says so; -1: it has another study, and STUDY is to be sent. */
int emi_node_meet(emi_node *node, int peer, const emi_frame *frame, double now, const char **why);
void emi_node_gone(emi_node *node, int peer, const char *why, double now);

/* A STUDY came instead: the first line that differs is news. */
void emi_node_other_study(emi_node *node, int peer, const emi_frame *frame);

/* A frame on a link that is up.  0; or -1: the link is to be closed, `why` says so.  Other links may be down afterwards too. */
int emi_node_frame(emi_node *node, int peer, const emi_frame *frame, double now, const char **why);

/* Time goes by: BEAT, silence.  Links that are silent for too long are to be closed: `silent` is called for each. */
void emi_node_tick(emi_node *node, double now, void (*silent)(void *context, int peer), void *context);

/* Bytes for a link. */
int emi_node_output(emi_node *node, int peer, const unsigned char **bytes, size_t *count);

/* ---- the run ------------------------------------------------------------------------------------------------------------- */

int emi_node_in_run(const emi_node *node);

/* A block leaves along a link, or is expected there. */
void emi_node_send(emi_node *node, int peer, const void *block, size_t bytes);
void emi_node_expect(emi_node *node, int peer, size_t bytes);
int emi_node_round_is_done(const emi_node *node);

/* The site that is really awaited, as far as is known here; -1: none. */
int emi_node_awaits(const emi_node *node);

/* The model is everywhere, and that is on the disk: neighbours are told, and whoever comes back.  Returns whether some of them
 * knew in another life. */
int emi_node_finish(emi_node *node);

/* LEAVE to every neighbour that is there. */
void emi_node_leave(emi_node *node, emi_leave code);

#endif
