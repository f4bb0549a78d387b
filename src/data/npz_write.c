/* A .npz is built in memory, and written when it is whole. */
#include "base/memory.h"
#include "data/npz.h"

#include <string.h>
#include <zip.h>

enum { HEADER_ROOM = 256, ARRAYS_MOST = 64 };

struct emi_npz_writer {
    zip_source_t *built;
    zip_t *archive;                    /* NULL once it is closed */
    unsigned char *bytes[ARRAYS_MOST]; /* which the archive borrows until then */
    int arrays;
};

em_status emi_npz_create(emi_npz_writer **out, em_error *err)
{
    zip_error_t why;
    emi_npz_writer *w = emi_calloc(1, sizeof *w);
    if (!w) return emi_fail_memory(err, "model");
    zip_error_init(&why);
    w->built = zip_source_buffer_create(NULL, 0, 0, &why);
    w->archive = w->built ? zip_open_from_source(w->built, ZIP_TRUNCATE, &why) : NULL;
    zip_error_fini(&why);
    if (w->archive) zip_source_keep(w->built); /* outlives the archive */
    *out = w;
    return w->archive ? EM_OK : emi_fail_memory(err, "model");
}

void emi_npz_writer_free(emi_npz_writer **writer)
{
    emi_npz_writer *w = *writer;
    if (!w) return;
    if (w->archive) zip_discard(w->archive);
    if (w->built) zip_source_free(w->built);
    for (int n = 0; n < w->arrays; n++) emi_free(w->bytes[n]);
    emi_free(w);
    *writer = NULL;
}

/* The archive borrows the bytes. */
static int add_file(zip_t *archive, const char *array, const unsigned char *bytes, size_t size)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s.npy", array);
    zip_source_t *source = zip_source_buffer(archive, bytes, size, 0);
    if (!source) return 0;
    zip_int64_t index = zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return 0;
    }
    (void)zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0);
    (void)zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 0x0021, 0); /* fixed: the same content, the same file */
    return 1;
}

em_status emi_npz_add(emi_npz_writer *w, const char *array, const char *descr, int dims, const size_t *shape,
                      size_t size, void **payload, em_error *err)
{
    unsigned char *bytes =
        size < SIZE_MAX - HEADER_ROOM && w->arrays < ARRAYS_MOST ? emi_malloc(HEADER_ROOM + size) : NULL;
    if (!bytes) return emi_fail_memory(err, "model");
    w->bytes[w->arrays++] = bytes;
    size_t header = emi_npy_format((char *)bytes, descr, dims, shape);
    *payload = bytes + header;
    return add_file(w->archive, array, bytes, header + size) ? EM_OK : emi_fail_memory(err, "model");
}

em_status emi_npz_write(emi_npz_writer *w, FILE *stream, em_error *err)
{
    char chunk[1 << 14];
    zip_int64_t got;
    if (zip_close(w->archive) != 0) return emi_fail(err, EM_EOUTPUT, "model: %s", zip_strerror(w->archive));
    w->archive = NULL;
    if (zip_source_open(w->built) != 0)
        return emi_fail(err, EM_EOUTPUT, "model: %s", zip_error_strerror(zip_source_error(w->built)));
    while ((got = zip_source_read(w->built, chunk, sizeof chunk)) > 0)
        if (fwrite(chunk, 1, (size_t)got, stream) != (size_t)got) break; /* the stream remembers it */
    (void)zip_source_close(w->built);
    return EM_OK;
}
