/* Numbers on their way to a file, or back: whoever describes them once, with the functions below, can do both.
 *
 * The file: the magic word, the version, the numbers, all in 64-bit words of which the lowest byte comes first, and at the
 * end the CRC-32 of everything before it, a word too. */
#ifndef EMI_FIT_PARCEL_H
#define EMI_FIT_PARCEL_H

#include "base/error.h"

#include <stdio.h>

typedef struct emi_parcel {
    FILE *stream;
    int loading;
    uint64_t left; /* loading: words still to come, without the checksum */
    uint32_t crc;  /* saving: of what was written                        */
    int spoiled;   /* loading: what is there cannot be what was saved    */
} emi_parcel;

/* Begin to save; what fails is told by the stream.  The stream stays the caller's. */
void emi_parcel_begin(emi_parcel *p, FILE *stream);
void emi_parcel_end(emi_parcel *p);

/* Is there a file that begins like a parcel, whole or not?  And: if there is any file, is it one? */
int emi_parcel_is_at(const char *path);
em_status emi_parcel_check_place(const char *path, em_error *err);

/* Begin to load: the file is there, is a parcel of this version, and is whole. */
em_status emi_parcel_open(emi_parcel *p, const char *path, em_error *err);
void emi_parcel_close(emi_parcel *p); /* accepts the zeroed */

/* Each writes what it is given, or overwrites it with what was saved; a spoiled parcel changes nothing any more. */
void emi_parcel_words(emi_parcel *p, void *words, size_t count); /* doubles, or integers of 64 bits */
void emi_parcel_text(emi_parcel *p, char *text, size_t room);
void emi_parcel_real(emi_parcel *p, double *value);
void emi_parcel_long(emi_parcel *p, long *value);
void emi_parcel_int(emi_parcel *p, int *value);

#endif
