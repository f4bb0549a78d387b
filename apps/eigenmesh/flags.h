/* The library speaks of options, "try method=krylov" or "option seed"; here they are flags: --method krylov, --seed. */
#ifndef EIGENMESH_FLAGS_H
#define EIGENMESH_FLAGS_H

#include <eigenmesh/eigenmesh.h>

enum { FLAG_ROOM = 64 };

/* "--seed"; of a switch that is on by default "--no-center". */
const char *flag_of(const em_option_info *option, char room[FLAG_ROOM]);

/* The text in these words; returns `out`. */
const char *in_flags(const char *text, char *out, size_t room);

/* The same of a message, whose subject, such as a file's name, stays as it is. */
void error_in_flags(em_error *err);

#endif
