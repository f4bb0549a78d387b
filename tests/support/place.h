/* Folders to write into, and what is found there. */
#ifndef SUPPORT_PLACE_H
#define SUPPORT_PLACE_H

#include "base/output.h"

/* A new directory inside the scratch directory. */
const char *new_place(void);

int entries_in(const char *directory);

void check_contents(const char *path, const char *wanted);

emi_output *open_and_write(const char *path, const char *text);

void inside(char *path, size_t room, const char *place, const char *name);

void check_place_refused(const char *path, const char *words);

#endif
