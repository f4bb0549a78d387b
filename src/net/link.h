/* One link of a node, as a machine without sockets, threads or clock: what a neighbour said, a stream of blocks each way, and the
 * bytes that are to be written next.
 *
 * A block is cut into frames, all full but the last, numbered from 0 for each run and direction.  The sender's block stays where
 * it is until all of it is acknowledged: after a cut only what is missing goes again.  At most EMI_WINDOW frames are on their
 * way; a receiver that does not expect them yet keeps as many, and acknowledges them when it does. */
#ifndef EIGENMESH_NET_LINK_H
#define EIGENMESH_NET_LINK_H

#include "net/frame.h"

enum { EMI_WINDOW = 64 };

/* What a frame did. */
typedef enum emi_outcome {
    EMI_FINE,
    EMI_BROKEN,     /* no frame that a neighbour may send: the link is to be closed              */
    EMI_OTHER_SIZE, /* part of a block that is not of the size that is expected: the run is over */
    EMI_SET_BACK,   /* a count that cannot be: one of the two is not who it was, and enters anew  */
    EMI_NO_MEMORY
} emi_outcome;

typedef struct emi_kept_frame {
    unsigned char *bytes;
    uint32_t length;
} emi_kept_frame;

typedef struct emi_link {
    int peer; /* the neighbour's number */

    /* As the connection has it; all of it is said again on every one. */
    int up;
    double heard, beat;                         /* when something came last, and when a BEAT left last     */
    unsigned char instance[EMI_INSTANCE_BYTES]; /* of the peer, as of the last HELLO                        */
    unsigned char peer_run[EMI_RUN_BYTES];      /* what it said it is in, and how much of it it has         */
    uint64_t peer_received;
    unsigned char peer_audit[32];                    /* the digest of its last line that it said in HELLO, */
    unsigned char own_audit[32];                     /* and that this node said */
    int greeted;                                     /* it has said HELLO, and waits for the other one */
    unsigned char said_instance[EMI_INSTANCE_BYTES]; /* as whom */
    unsigned char said_run[EMI_RUN_BYTES];           /* what this node said it is in */
    int peer_awaits, said_awaits;                    /* a site, or EMI_NOBODY: what the last BEAT of each said */
    int left;                                        /* why it said it leaves; 0: it did not */
    int said_leave;                                  /* and whether this node said so to it */

    /* Out. */
    const unsigned char *block; /* the sender's; NULL: nothing to send */
    size_t block_size;
    uint64_t first, end;        /* the frames that it is                              */
    uint64_t next, sent, acked; /* to be written; ever written; that the peer has     */

    /* In. */
    unsigned char *inbox;
    size_t inbox_room, expected, got; /* bytes; expected 0: nothing */
    uint64_t received, told;          /* frames; as many were acknowledged */
    emi_kept_frame early[EMI_WINDOW];
    int early_count;

    /* What is to be written: other frames first. */
    unsigned char *control, *out;
    size_t control_size, control_room, out_size, out_at;

    /* For those who ask. */
    uint64_t bytes_sent, bytes_got;   /* of blocks */
    uint64_t blocks_sent, blocks_got; /* in this run */
    double down_since, down_for;      /* since it was up first */
    int was_up, downs;                /* without a word; who said LEAVE was not cut off */
} emi_link;

void emi_link_free(emi_link *l);

/* A frame beside the stream.  0, or -1: no memory. */
int emi_link_say(emi_link *l, emi_frame_kind kind, const unsigned char run[EMI_RUN_BYTES], const void *payload,
                 size_t length);

/* A connection came, or went. */
void emi_link_up(emi_link *l, double now);
void emi_link_down(emi_link *l, double now);

/* Both streams begin at 0. */
void emi_link_enter(emi_link *l);

/* What the peer has of this node's stream, in the run that both are in. */
emi_outcome emi_link_peer_has(emi_link *l, uint64_t received);
emi_outcome emi_link_acked(emi_link *l, uint64_t count);

/* What was acknowledged may have been lost with a connection: once more. */
emi_outcome emi_link_acknowledge_again(emi_link *l, const unsigned char run[EMI_RUN_BYTES]);

/* A part of a block. */
emi_outcome emi_link_data(emi_link *l, const unsigned char run[EMI_RUN_BYTES], const emi_frame *frame);

/* A block leaves; a block of this size is expected, which may be here already. */
void emi_link_send(emi_link *l, const void *block, size_t size);
emi_outcome emi_link_expect(emi_link *l, const unsigned char run[EMI_RUN_BYTES], size_t size);

int emi_link_has_sent(const emi_link *l); /* and all of it is acknowledged */
int emi_link_has_got(const emi_link *l);

/* The bytes to write next, if any: some of them were.  `flows`: the peer is in the same run.  -1: no memory. */
int emi_link_output(emi_link *l, const unsigned char run[EMI_RUN_BYTES], int flows, const unsigned char **bytes,
                    size_t *count);
void emi_link_written(emi_link *l, size_t count);

#endif
