/* Read a model.  Nothing that the file claims is believed before it is checked: sizes come from the arrays' own
 * headers, must match each other, and memory grows with the bytes that really arrive. */
#include "base/memory.h"
#include "data/npy.h"
#include "fit/model_entries.h"
#include "fit/model_names.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <zip.h>

typedef struct model_file {
    zip_t *archive;
    const char *path;
} model_file;

typedef struct array {
    emi_npy header;
    unsigned char *payload; /* [header.payload], owned */
} array;

static em_status no_model(const model_file *file, const char *name, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: no model, %s %s; try a file that eigenmesh fit -o wrote", file->path, name,
                    why);
}

static em_status read_header(const model_file *file, zip_file_t *entry, const char *name, array *out, em_error *err)
{
    em_status status = EM_OK;
    unsigned char prefix[EMI_NPY_PREFIX], *bytes = NULL;
    size_t size;
    zip_int64_t got = zip_fread(entry, prefix, sizeof prefix);
    if (got != (zip_int64_t)sizeof prefix) return no_model(file, name, "is cut short", err);
    TRY(emi_npy_header_size(prefix, sizeof prefix, file->path, &size, err));
    if (size < sizeof prefix) TRY(no_model(file, name, "has a broken header", err));
    bytes = emi_malloc(size);
    if (!bytes) TRY(emi_fail_memory(err, file->path));
    memcpy(bytes, prefix, sizeof prefix);
    got = zip_fread(entry, bytes + sizeof prefix, size - sizeof prefix);
    if (got != (zip_int64_t)(size - sizeof prefix)) TRY(no_model(file, name, "is cut short", err));
    TRY(emi_npy_parse(bytes, size, file->path, &out->header, err));
done:
    emi_free(bytes);
    return status;
}

/* A piece at a time: what the header promises is not allocated before it arrives. */
static em_status read_payload(const model_file *file, zip_file_t *entry, const char *name, array *out, em_error *err)
{
    enum { PIECE = 1 << 20 };
    size_t promised = out->header.payload, have = 0, room = 0;
    while (have < promised) {
        if (have == room) {
            room = room > promised / 2 ? promised : room ? 2 * room : PIECE;
            if (room > promised) room = promised;
            unsigned char *grown = emi_realloc(out->payload, room);
            if (!grown) return emi_fail_memory(err, file->path);
            out->payload = grown;
        }
        zip_int64_t got = zip_fread(entry, out->payload + have, room - have);
        if (got <= 0) return no_model(file, name, "is cut short or damaged", err);
        have += (size_t)got;
    }
    unsigned char beyond;
    if (zip_fread(entry, &beyond, 1) != 0)
        return no_model(file, name, "holds more than its header promises, or is damaged", err);
    return EM_OK;
}

static int fits(const emi_npy *header, const emi_entry *entry)
{
    static const em_dtype type_of[] = {[EMI_DOUBLES] = EM_F64, [EMI_INT64] = EM_I64, [EMI_UINT64] = EM_U64};
    if (header->swapped || header->dims != entry->dims || (header->fortran_order && header->dims > 1)) return 0;
    for (int n = 0; n < entry->dims; n++)
        if (header->shape[n] != entry->shape[n]) return 0;
    if (entry->kind == EMI_TEXT) return header->kind == EMI_NPY_UNICODE && header->item_size / 4 < entry->count;
    if (entry->kind == EMI_NAMES)
        return header->kind == EMI_NPY_UNICODE && header->item_size > 0 && header->item_size / 4 <= EMI_NAME_LONGEST;
    return header->kind == EMI_NPY_NUMBER && header->type == type_of[entry->kind];
}

/* `wanted`: what it must be; NULL: anything. */
static em_status read_array(const model_file *file, const char *name, const emi_entry *wanted, array *out,
                            em_error *err)
{
    em_status status = EM_OK;
    char full[64];
    *out = (array){0};
    (void)snprintf(full, sizeof full, "%s.npy", name);
    zip_file_t *entry = zip_fopen(file->archive, full, 0);
    if (!entry) return no_model(file, name, "is missing or unreadable", err);
    TRY(read_header(file, entry, name, out, err));
    if (wanted && !fits(&out->header, wanted))
        TRY(no_model(file, name, "has another type or shape than it should", err));
    TRY(read_payload(file, entry, name, out, err));
done:
    (void)zip_fclose(entry);
    if (status != EM_OK) {
        emi_free(out->payload);
        out->payload = NULL;
    }
    return status;
}

/* Plain letters only; anything else becomes a question mark. */
static void decode_text(const array *from, char *out)
{
    size_t length = from->header.payload / 4;
    for (size_t c = 0; c < length; c++) {
        uint32_t code;
        memcpy(&code, from->payload + 4 * c, 4);
        out[c] = (char)(code == 0 || (code >= 32 && code < 127) ? code : '?');
    }
    out[length] = 0;
}

static em_status decode_names(const model_file *file, const array *from, const emi_entry *entry, em_error *err)
{
    int bad = 0;
    char ***names = entry->values;
    *names = emi_names_from_array(from->payload, entry->count, from->header.item_size / 4, &bad);
    if (bad) return no_model(file, entry->name, "holds what is no text", err);
    return *names ? EM_OK : emi_fail_memory(err, file->path);
}

static em_status load_entry(const model_file *file, const emi_entry *entry, em_error *err)
{
    array from;
    char full[64];
    (void)snprintf(full, sizeof full, "%s.npy", entry->name);
    if (entry->optional && zip_name_locate(file->archive, full, 0) < 0) return EM_OK;
    em_status status = read_array(file, entry->name, entry, &from, err);
    if (status != EM_OK) return status;
    if (entry->kind == EMI_NAMES)
        status = decode_names(file, &from, entry, err);
    else if (entry->kind == EMI_TEXT)
        decode_text(&from, entry->values);
    else
        memcpy(entry->values, from.payload, from.header.payload);
    emi_free(from.payload);
    return status;
}

/* First of all: what comes later may have changed. */
static em_status check_format(const model_file *file, emi_entry_buffers *buffers, em_error *err)
{
    buffers->format = 1; /* of files that do not say */
    emi_entry entry = emi_format_entry(buffers);
    em_status status = load_entry(file, &entry, err);
    if (status != EM_OK) return status;
    if (buffers->format < 1) return no_model(file, entry.name, "is no version", err);
    if (buffers->format <= EMI_MODEL_FORMAT) return EM_OK;
    return emi_fail(err, EM_EDATA,
                    "%s: written by a newer eigenmesh (format %lld, this one reads up to %d); try a newer version",
                    file->path, (long long)buffers->format, EMI_MODEL_FORMAT);
}

/* K and d are the shape of `components`. */
static em_status find_size(const model_file *file, size_t *K, size_t *d, em_error *err)
{
    array components;
    em_status status = read_array(file, "components", NULL, &components, err);
    if (status != EM_OK) return status;
    const emi_npy *header = &components.header;
    *K = header->shape[0], *d = header->shape[1];
    if (header->dims != 2 || *K < 1 || *d < 1 || *K > *d || *d > INT_MAX / 2)
        status = no_model(file, "components", "has another shape than K x d", err);
    emi_free(components.payload);
    return status;
}

static em_status check_numbers(const model_file *file, const em_model *model, em_error *err)
{
    const double *finite[] = {model->components, model->mean, model->scale, model->explained_variance};
    size_t K = (size_t)model->K, d = (size_t)model->d;
    const size_t counts[] = {K * d, d, d, K};
    for (int a = 0; a < 4; a++)
        for (size_t n = 0; n < counts[a]; n++)
            if (!isfinite(finite[a][n])) return no_model(file, "a number in it", "is not finite", err);
    for (size_t f = 0; f < d; f++)
        if (!(model->scale[f] > 0)) return no_model(file, "scale", "is not positive", err);
    return EM_OK;
}

static em_status open_archive(model_file *file, em_error *err)
{
    int code = 0;
    file->archive = zip_open(file->path, ZIP_RDONLY, &code);
    if (file->archive) return EM_OK;
    zip_error_t why;
    zip_error_init_with_code(&why, code);
    em_status kind = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ ? EM_EIO : EM_EDATA;
    (void)emi_fail(err, kind, "%s: no model, %s; try a file that eigenmesh fit -o wrote", file->path,
                   zip_error_strerror(&why));
    zip_error_fini(&why);
    return kind;
}

em_status em_model_load(em_model **out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    emi_entry entries[EMI_ENTRIES_MAX];
    emi_entry_buffers buffers = {0};
    model_file file = {.path = path};
    size_t K, d;
    *out = NULL;
    TRY(open_archive(&file, err));
    TRY(check_format(&file, &buffers, err));
    TRY(find_size(&file, &K, &d, err));
    TRY(emi_model_new(&model, (int)K, (int)d, 0, err));
    buffers.rank = (int64_t)K;
    int count = emi_model_entries(model, &buffers, entries);
    for (int e = 0; e < count; e++) TRY(load_entry(&file, &entries[e], err));
    TRY(check_numbers(&file, model, err));
    emi_buffers_to_model(&buffers, model);
    *out = model;
    model = NULL;
done:
    if (file.archive) zip_discard(file.archive);
    em_model_free(&model);
    return status;
}
