/* The study: one small text file that all sites hold.  Who takes part, who is whose neighbour, what is asked.
 *
 * Sites are numbered in the file's order; the first is the root, and the tree is breadth-first from it, neighbours by number.
 * What must be the same everywhere is in the canonical text, whose SHA-256 is the study's digest; addresses are not. */
#ifndef EIGENMESH_NET_STUDY_H
#define EIGENMESH_NET_STUDY_H

#include "net/identity.h"

enum {
    EMI_SITE_NAME = 33, /* a-z, 0-9 and -, up to 32, and the 0 after it */
    EMI_SITES_MOST = 1024,
    EMI_FINGERPRINT_TEXT = 50 /* 160 bits as ten groups of four, with blanks between */
};

typedef struct emi_site {
    char name[EMI_SITE_NAME];
    unsigned char id[EMI_ID_BYTES];
    char *host; /* where others reach it; NULL: it only dials out */
    int port;
    int parent, depth; /* in the tree; the root's parent is -1 */
} emi_site;

typedef struct emi_edge {
    int a, b; /* a < b */
} emi_edge;

typedef struct emi_study {
    char name[EMI_SITE_NAME];
    int site_count;
    emi_site *sites;
    size_t edge_count;
    emi_edge *edges;     /* sorted */
    em_options *options; /* what is asked, all of it resolved */
    int masks;           /* `masks = yes`, the default */
    int follow;          /* `follow = yes`: models are made as rows come, until the root says that it is the end */
    char *canonical;
    size_t canonical_size;
    unsigned char digest[EMI_SHA_BYTES];
    char fingerprint[EMI_FINGERPRINT_TEXT]; /* of the digest, to be read on the telephone */
} emi_study;

em_status emi_study_open(emi_study **out, const char *path, em_error *err);

/* The same from memory; `name` is what messages call it. */
em_status emi_study_parse(emi_study **out, const char *name, const char *text, size_t size, em_error *err);
void emi_study_close(emi_study **study); /* accepts NULL */

/* Is this its fingerprint, with or without the blanks between, or hyphens, in small or capital letters? */
int emi_study_is(const emi_study *study, const char *fingerprint);

/* The site whose id this is; -1: none. */
int emi_study_find(const emi_study *study, const unsigned char id[EMI_ID_BYTES]);

/* Is the method one of those that mix with all neighbours, and not only along the tree? */
int emi_study_mixes(const emi_study *study);

/* The edges that the method uses, all or those of the tree: as a graph for a mesh. */
em_status emi_study_graph(const emi_study *study, em_graph **out, em_error *err);
int emi_study_uses(const emi_study *study, int a, int b);

/* Who dials along an edge: who has no address; where both have one, the later in the file. */
int emi_study_dials(const emi_study *study, int a, int b);

#endif
