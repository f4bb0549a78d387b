/* Files mapped into memory, and what happens to those who read one that gets shorter.
 *
 * The system then takes the pages past the new end away, and ends a process that touches them (SIGBUS).  Who has called
 * em_guard_files() is given pages of zeros in their place, and whoever reads learns of it by asking afterwards whether
 * the map is whole.  Bytes past the new end in its own page read as zeros without a signal, so that the file's size is
 * asked for too.
 *
 * INVARIANTS
 * (1) Every map is in the list before anyone reads it, and leaves the list before it is unmapped.
 * (2) The handler takes no lock: it only looks at a list of fixed size. */
#ifndef EMI_DATA_MAP_H
#define EMI_DATA_MAP_H

#include "base/error.h"

/* The first `size` bytes of an open file; *at is NULL where it cannot be mapped: it can still be read. */
em_status emi_map_open(void **at, const char *path, int file, size_t size, em_error *err);
void emi_map_close(void *at);

/* The map lost no page so far. */
int emi_map_is_covered(const void *at);

/* And the file is still as long, which the system is asked for. */
int emi_map_is_whole(const void *at);

#endif
