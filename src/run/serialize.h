/* Numbers on their way to a file, or back, or from the root to all other processes: whoever describes them once, with the
 * functions below, can do all of it.
 *
 * The file: the magic word, the version, the numbers, all in 64-bit words of which the lowest byte comes first, and at the
 * end the CRC-32 of everything before it, a word too. */
#ifndef EMI_RUN_SERIALIZE_H
#define EMI_RUN_SERIALIZE_H

#include "mesh/mesh.h"

#include <stdio.h>

typedef struct emi_serializer {
    FILE *stream;
    em_mesh *mesh; /* not NULL: the root tells its numbers, the others load them */
    int loading;
    uint64_t left; /* loading a file: words still to come, without the checksum */
    uint32_t crc;  /* saving: of what was written                        */
    int spoiled;   /* loading: what is there cannot be what was saved    */
} emi_serializer;

/* Begin to save; what fails is told by the stream.  The stream stays the caller's. */
void emi_serializer_begin(emi_serializer *p, FILE *stream);
void emi_serializer_end(emi_serializer *p);

/* Is there a file that begins like a checkpoint, whole or not?  And: if there is any file, is it one? */
int emi_serialized_is_at(const char *path);
em_status emi_serialized_check_place(const char *path, em_error *err);

/* Begin to load: the file is there, is of this version, and is whole. */
em_status emi_serializer_open(emi_serializer *p, const char *path, em_error *err);
void emi_serializer_close(emi_serializer *p); /* accepts the zeroed */

/* Begin to tell, in all processes; the end needs none.  Costs the network nothing that is counted. */
emi_serializer emi_serializer_tell(em_mesh *mesh);

/* Each writes what it is given, or overwrites it with what was saved; a spoiled one changes nothing any more. */
void emi_serialize_words(emi_serializer *p, void *words, size_t count); /* doubles, or integers of 64 bits */
void emi_serialize_text(emi_serializer *p, char *text, size_t room);    /* of 256 bytes at most */
void emi_serialize_long(emi_serializer *p, long *value);
void emi_serialize_int(emi_serializer *p, int *value);

#endif
