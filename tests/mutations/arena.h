/* Where a damaged file meets the program: a directory with that file, the intact one, and afterwards nothing else. */
#ifndef MUTATIONS_ARENA_H
#define MUTATIONS_ARENA_H

#include "kinds.h"

/* Make the directory, with an intact file, and go there. */
void arena_enter(const char *path, const bytes *intact);

/* Give the program these bytes.  The verdict is also about what it leaves: files that nobody asked for, an output beside a
 * refusal, a model with a number that is not finite.  Everything it made is removed. */
verdict arena_trial(const victim *v, const kind *k, const bytes *damaged);

/* Keep the bytes, with what they need, in the folder `place`; prints the command that repeats the trial. */
void arena_keep(const char *place, const char *program, const kind *k, const bytes *damaged);

/* Remove a directory of files. */
void arena_remove(const char *path);

#endif
