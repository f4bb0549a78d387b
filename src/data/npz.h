/* .npz: a ZIP archive of .npy arrays, as numpy.savez writes it.  Shared by the reader of tables and the model file.
 *
 * Nothing that the archive claims is believed before it is checked: an array's size comes from its own header, and memory
 * grows with the bytes that really arrive. */
#ifndef EMI_DATA_NPZ_H
#define EMI_DATA_NPZ_H

#include "data/input.h"
#include "data/npy.h"

#include <stdio.h>

typedef struct emi_npz emi_npz;

/* Over all bytes of an archive, which must outlive it.  `name` is for messages. */
em_status emi_npz_open(emi_npz **out, const emi_bytes *archive, const char *name, em_error *err);
void emi_npz_close(emi_npz **npz); /* accepts NULL */

int emi_is_zip(const unsigned char *bytes, size_t size);

size_t emi_npz_count(const emi_npz *npz);
const char *emi_npz_name(const emi_npz *npz, size_t index); /* as stored: "X.npy" */

/* The array "X", which is stored as "X.npy" or as "X"; -1: there is none. */
long emi_npz_find(const emi_npz *npz, const char *array);

/* An array's header alone. */
em_status emi_npz_header(emi_npz *npz, size_t index, emi_npy *header, em_error *err);

/* The array, its checksum found right: `bytes` has all of its .npy.  What is stored as it is is not copied: `bytes` are
 * borrowed from the archive's then; else they are held. */
em_status emi_npz_read(emi_npz *npz, size_t index, emi_npy *header, emi_bytes *bytes, em_error *err);

/* What a scalar of text says, NumPy's bytes or letters of ASCII, as far as there is room; "" where it is no such thing. */
em_status emi_npz_word(emi_npz *npz, size_t index, char *out, size_t room, em_error *err);

/* ---- and written ------------------------------------------------------------------------------- */

typedef struct emi_npz_writer emi_npz_writer;

em_status emi_npz_create(emi_npz_writer **out, em_error *err); /* to be freed in any case */
void emi_npz_writer_free(emi_npz_writer **writer);             /* accepts NULL */

/* Another array, of this dtype text and shape; its `size` bytes are the caller's to fill, before the archive is written. */
em_status emi_npz_add(emi_npz_writer *writer, const char *array, const char *descr, int dims, const size_t *shape,
                      size_t size, void **payload, em_error *err);

/* All of it, once; a failure of the stream itself is the stream's to tell. */
em_status emi_npz_write(emi_npz_writer *writer, FILE *stream, em_error *err);

#endif
