/* The kinds of files that the program reads, what a user types for each, and intact ones to begin with. */
#ifndef MUTATIONS_KINDS_H
#define MUTATIONS_KINDS_H

#include "seal.h"
#include "victim.h"

enum { KIND_BASES = 6, KIND_WORDS = 24 };

typedef struct kind {
    const char *name;
    const char *file;              /* what the damaged file is called */
    const char *bases[KIND_BASES]; /* intact files of this kind */
    const char *beside[2];         /* intact ones that are of no use without it, nor it without them; NULL: none */
    const char *const *command;    /* [KIND_WORDS] at most, NULL at the end */
    const char *output;            /* a file that the command makes, if it does; NULL: none */
    int text;
    seal_break *under_seal; /* NULL: there is none */
    int optional;           /* a build may lack the reader: then intact files are refused, and the kind is left out */
} kind;

extern const kind kinds[];
extern const size_t kind_count;

/* The file that commands need beside the damaged one. */
#define INTACT_FILE "intact.npy"

/* Make all intact files in the working directory, which is BASES_FOLDER to those who try damaged ones. */
#define BASES_FOLDER "../bases"
void make_bases(const victim *program);

#endif
