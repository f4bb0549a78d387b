/* What crosses a link: frames, each a head of 24 bytes and a payload.  Numbers are little-endian.
 *
 *     kind u8, three zero bytes, length u32, the first 8 bytes of the run, sequence u64; payload
 *
 * One reader, for bytes of which nothing is known: what is no frame of a fixed form is none.  It believes no length that the
 * kind does not have. */
#ifndef EIGENMESH_NET_FRAME_H
#define EIGENMESH_NET_FRAME_H

#include <stddef.h>
#include <stdint.h>

typedef enum emi_frame_kind {
    EMI_HELLO = 1, /* first, both ways: who is there, in which run, how far                        */
    EMI_STUDY,     /* where studies differ: the canonical text                                      */
    EMI_ENTRY,     /* child to parent: a site of its subtree is here                                */
    EMI_START,     /* parent to child: all are                                                      */
    EMI_RUN,       /* the run that this node has entered, and DATA frames received in it here       */
    EMI_DATA,      /* the next part of a block                                                      */
    EMI_ACK,       /* DATA frames received in this run on this link                                 */
    EMI_BEAT,      /* who is awaited                                                                */
    EMI_LEAVE,     /* a code: this process ends                                                     */
    EMI_KINDS
} emi_frame_kind;

#ifndef EMI_FRAME_MOST        /* small ones make tests fast */
#define EMI_FRAME_MOST 262144 /* bytes of a payload of DATA */
#endif

enum {
    EMI_FRAME_HEAD = 24,
    EMI_START_MOST = 262144, /* of a START's; and of a STUDY's: both hold the largest study, see study_canonical.c */
    EMI_STUDY_MOST = 262144,
    EMI_RUN_BYTES = 32,      /* what a run is called */
    EMI_INSTANCE_BYTES = 16, /* what a process calls itself, as long as it lives */
    EMI_PUBLIC_BYTES = 32,   /* an X25519 key */
    EMI_ENTRY_SIGNED = 118,  /* of an entry: what its signature is about, beside the study */
    EMI_ENTRY_BYTES = 182,
    EMI_START_HEAD = 24,
    EMI_NOBODY = 0xffff /* in BEAT */
};

typedef struct emi_frame {
    emi_frame_kind kind;
    uint32_t length;
    unsigned char run[8];
    uint64_t sequence;
    const unsigned char *payload; /* inside the bytes that were read */
} emi_frame;

void emi_frame_write(const emi_frame *frame, unsigned char head[EMI_FRAME_HEAD]);

/* The frame at the beginning of `bytes`, and how long it is.  1: it is here; 0: there is more to come; -1: it is none. */
int emi_frame_read(const unsigned char *bytes, size_t count, emi_frame *frame, size_t *used);

typedef struct emi_hello {
    unsigned char study[32];
    uint16_t site;
    unsigned char instance[EMI_INSTANCE_BYTES];
    unsigned char run[EMI_RUN_BYTES]; /* 0: none */
    uint64_t received;                /* DATA frames of it, on this link */
    unsigned char audit[32];          /* digest of the sender's last line */
} emi_hello;

enum { EMI_HELLO_BYTES = 122, EMI_RUN_PAYLOAD = EMI_RUN_BYTES + 8 };

void emi_hello_write(const emi_hello *hello, unsigned char payload[EMI_HELLO_BYTES]);
void emi_hello_read(const unsigned char payload[EMI_HELLO_BYTES], emi_hello *hello);

/* A site that is here: signed, so that all can believe it, whoever hands it on. */
typedef struct emi_entry {
    uint16_t site;
    unsigned char instance[EMI_INSTANCE_BYTES];
    unsigned char key[EMI_PUBLIC_BYTES];
    uint32_t columns;
    unsigned char names[32]; /* digest of the sorted names of its columns */
    unsigned char rows[32];  /* keyed digest of its rows */
    unsigned char signature[64];
} emi_entry;

void emi_entry_write(const emi_entry *entry, unsigned char payload[EMI_ENTRY_BYTES]);
void emi_entry_read(const unsigned char payload[EMI_ENTRY_BYTES], emi_entry *entry);

void emi_u16_write(unsigned char *to, uint16_t value);
void emi_u32_write(unsigned char *to, uint32_t value);
void emi_u64_write(unsigned char *to, uint64_t value);
uint16_t emi_u16_read(const unsigned char *from);
uint32_t emi_u32_read(const unsigned char *from);
uint64_t emi_u64_read(const unsigned char *from);

#endif
