/* Damage under a checksum that holds: what gets past the seal of a file, down to those who read what is in it. */
#ifndef MUTATIONS_SEAL_H
#define MUTATIONS_SEAL_H

#include "bytes.h"

/* Mutate what is inside, and close the file again. */
typedef void seal_break(bytes *b, dice *d);

void seal_break_gzip(bytes *b, dice *d);       /* of a .gz          */
void seal_break_zip(bytes *b, dice *d);        /* of one entry      */
void seal_break_checkpoint(bytes *b, dice *d); /* CRC-32 at the end */

/* A ZIP of one entry. */
bytes zip_of(const char *entry, const bytes *content);

/* The name of an entry of the .npz at `path` with a float64 number that is not finite, among those of a model that must
 * be; "" when all are, and "?" for a file that is no such model.  It shares nothing with the library's own reader. */
const char *npz_not_finite(const char *path);

#endif
