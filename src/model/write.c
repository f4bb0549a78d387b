/* Write a model.  The archive is built in memory and then written through emi_output, so that the file appears whole
 * or not at all. */

#include "base/memory.h"
#include "base/output.h"
#include "data/npy.h"
#include "model/entries.h"
#include "model/names.h"

#include <string.h>
#include <zip.h>

enum { HEADER_ROOM = 256, UCS4 = 4 };

/* Characters of a text, or of the longest of several; NumPy has none of 0. */
static size_t width_of(const emi_entry *entry)
{
    if (entry->kind == EMI_NAMES) return emi_names_width(*(char ***)entry->values, entry->count);
    size_t length = strlen(entry->values);
    return length ? length : 1;
}

/* Bytes of the array; 0 where they are too many to count. */
static size_t payload_of(const emi_entry *entry)
{
    size_t size;
    switch (entry->kind) {
    case EMI_TEXT: return UCS4 * width_of(entry);
    case EMI_NAMES: return emi_size_overflows(entry->count, UCS4 * width_of(entry), &size) ? 0 : size;
    default: return sizeof(double) * entry->count; /* doubles and integers: eight bytes each */
    }
}

static const char *descr_of(const emi_entry *entry, char *room)
{
    switch (entry->kind) {
    case EMI_DOUBLES: return emi_npy_descr(EM_F64);
    case EMI_INT64: return emi_npy_descr(EM_I64);
    case EMI_UINT64: return emi_npy_descr(EM_U64);
    case EMI_TEXT:
    case EMI_NAMES: break;
    }
    const char *order = emi_npy_descr(EM_F64); /* its first letter is this machine's byte order */
    (void)sprintf(room, "%cU%zu", order[0], width_of(entry));
    return room;
}

/* NumPy's unicode: four bytes a character. */
static void put_text(const char *text, unsigned char *out)
{
    memset(out, 0, UCS4);
    for (; *text; text++, out += UCS4) {
        uint32_t code = (unsigned char)*text;
        memcpy(out, &code, UCS4);
    }
}

/* The .npy of one entry, into *out, which the caller frees. */
static em_status format_entry(const emi_entry *entry, const char *path, unsigned char **out, size_t *size,
                              em_error *err)
{
    char descr[32];
    size_t payload = payload_of(entry);
    unsigned char *bytes = *out =
        payload && payload < SIZE_MAX - HEADER_ROOM ? emi_malloc(HEADER_ROOM + payload) : NULL;
    if (!bytes) return emi_fail_memory(err, path);
    size_t header = emi_npy_format((char *)bytes, descr_of(entry, descr), entry->dims, entry->shape);
    if (entry->kind == EMI_TEXT)
        put_text(entry->values, bytes + header);
    else if (entry->kind == EMI_NAMES)
        emi_names_to_array(*(char ***)entry->values, entry->count, width_of(entry), bytes + header);
    else
        memcpy(bytes + header, entry->values, payload);
    *size = header + payload;
    return EM_OK;
}

/* The archive borrows the bytes until it is closed. */
static em_status add_entry(zip_t *archive, const char *entry, const unsigned char *bytes, size_t size, const char *path,
                           em_error *err)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s.npy", entry);
    zip_source_t *source = zip_source_buffer(archive, bytes, size, 0);
    if (!source) return emi_fail_memory(err, path);
    zip_int64_t index = zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return emi_fail_memory(err, path);
    }
    (void)zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0);
    (void)zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 0x0021, 0); /* fixed: the same fit, the same file */
    return EM_OK;
}

static em_status copy_out(zip_source_t *built, FILE *stream, const char *path, em_error *err)
{
    char chunk[1 << 14];
    zip_int64_t got;
    if (zip_source_open(built) != 0)
        return emi_fail(err, EM_EOUTPUT, "%s: %s", path, zip_error_strerror(zip_source_error(built)));
    while ((got = zip_source_read(built, chunk, sizeof chunk)) > 0)
        if (fwrite(chunk, 1, (size_t)got, stream) != (size_t)got) break; /* commit reports it */
    (void)zip_source_close(built);
    return EM_OK;
}

static em_status write_model(const em_model *model, FILE *stream, const char *path, em_error *err)
{
    em_status status = EM_OK;
    emi_entry entries[EMI_ENTRIES_MAX];
    emi_entry_buffers buffers;
    zip_error_t why;
    zip_t *archive = NULL;
    unsigned char *bytes[EMI_ENTRIES_MAX] = {NULL};
    size_t size = 0;
    zip_error_init(&why);
    zip_source_t *built = zip_source_buffer_create(NULL, 0, 0, &why);
    if (!built) TRY(emi_fail_memory(err, path));
    archive = zip_open_from_source(built, ZIP_TRUNCATE, &why);
    if (!archive) TRY(emi_fail_memory(err, path));
    zip_source_keep(built); /* outlives the archive */
    emi_buffers_from_model(model, &buffers);
    int count = emi_model_entries((em_model *)model, &buffers, entries); /* only read from here */
    for (int e = 0; e < count; e++) {
        if (entries[e].kind == EMI_NAMES && !*(char ***)entries[e].values) continue;
        TRY(format_entry(&entries[e], path, &bytes[e], &size, err));
        TRY(add_entry(archive, entries[e].name, bytes[e], size, path, err));
    }
    if (zip_close(archive) != 0) TRY(emi_fail(err, EM_EOUTPUT, "%s: %s", path, zip_strerror(archive)));
    archive = NULL;
    TRY(copy_out(built, stream, path, err));
done:
    if (archive) zip_discard(archive);
    if (built) zip_source_free(built);
    for (int e = 0; e < EMI_ENTRIES_MAX; e++) emi_free(bytes[e]);
    zip_error_fini(&why);
    return status;
}

em_status em_model_write(const em_model *model, FILE *stream, em_error *err)
{
    return write_model(model, stream, "model", err);
}

em_status em_model_save(const em_model *model, const char *path, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_output_open(&output, path, err);
    if (status == EM_OK) status = write_model(model, emi_output_stream(output), path, err);
    if (status == EM_OK) status = emi_output_commit(&output, err);
    emi_output_discard(&output);
    return status;
}
