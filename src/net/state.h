/* What outlives a process: a folder for each study and site, 0700, with a lock, so that no site is started twice on a machine. */
#ifndef EIGENMESH_NET_STATE_H
#define EIGENMESH_NET_STATE_H

#include "net/study.h"

enum { EMI_PATH_ROOM = 4096 };

typedef struct emi_state {
    char folder[EMI_PATH_ROOM];
    int lock; /* -1: not open */
} emi_state;

em_status emi_state_open(emi_state *state, const char *root, const emi_study *study, int site, em_error *err);
void emi_state_close(emi_state *state);

/* The path of a file in it. */
em_status emi_state_path(const emi_state *state, const char *name, char out[EMI_PATH_ROOM], em_error *err);

/* A small file, whole or not at all, on the disk when this returns. */
em_status emi_state_write(const emi_state *state, const char *name, const void *bytes, size_t count, em_error *err);

/* 1: it has just so many bytes, and here they are. */
int emi_state_read(const emi_state *state, const char *name, void *bytes, size_t count);
int emi_state_has(const emi_state *state, const char *name);
int64_t emi_state_time(const emi_state *state,
                       const char *name); /* when it was written, in seconds since 1970; 0: it is not there */
void emi_state_remove(const emi_state *state, const char *name);

#endif
