/* Text as UTF-8, whatever a file has: UTF-16 with a byte-order mark is turned into it, and names in Latin-1 too. */
#ifndef EMI_DATA_ENCODING_H
#define EMI_DATA_ENCODING_H

#include "data/input.h"

/* Do the bytes begin as UTF-16 does, with its mark? */
int emi_is_utf16(const unsigned char *bytes, size_t count);

/* UTF-16 as UTF-8, held; what is no character becomes a question mark. */
em_status emi_from_utf16(const unsigned char *bytes, size_t count, const char *name, emi_bytes *out, em_error *err);

/* A copy that is valid UTF-8: bytes that are not are taken for Latin-1, all of them, and *latin1 is set.  NULL: no memory. */
char *emi_utf8_copy(const char *text, size_t length, int *latin1);

#endif
