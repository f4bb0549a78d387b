/* Read a model.  Nothing that the file claims is believed before it is checked: sizes come from the arrays' own
 * headers and must match each other. */
#include "data/npz.h"
#include "model/entries.h"
#include "model/names.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct model_file {
    emi_input input;
    emi_npz *npz;
    const char *path;
} model_file;

typedef struct array {
    emi_npy header;
    emi_bytes bytes; /* of the .npy; release them */
} array;

static em_status no_model(const model_file *file, const char *name, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: no model, %s %s; try a file that eigenmesh fit -o wrote", file->path, name,
                    why);
}

static em_status read_array(const model_file *file, const char *name, array *out, em_error *err)
{
    *out = (array){0};
    long index = emi_npz_find(file->npz, name);
    if (index < 0) return no_model(file, name, "is missing", err);
    em_status status = emi_npz_read(file->npz, (size_t)index, &out->header, &out->bytes, err);
    return status == EM_EDATA || status == EM_ENOTSUP ? no_model(file, name, "is damaged or cut short", err) : status;
}

static const unsigned char *payload_of(const array *from)
{
    return from->bytes.at + from->header.data_offset;
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

/* Plain letters only; anything else becomes a question mark. */
static void decode_text(const array *from, char *out)
{
    size_t length = from->header.payload / 4;
    for (size_t c = 0; c < length; c++) {
        uint32_t code;
        memcpy(&code, payload_of(from) + 4 * c, 4);
        out[c] = (char)(code == 0 || (code >= 32 && code < 127) ? code : '?');
    }
    out[length] = 0;
}

static em_status decode_names(const model_file *file, const array *from, const emi_entry *entry, em_error *err)
{
    int bad = 0;
    char ***names = entry->values;
    *names = emi_names_from_array(payload_of(from), entry->count, from->header.item_size / 4, &bad);
    if (bad) return no_model(file, entry->name, "holds what is no text", err);
    return *names ? EM_OK : emi_fail_memory(err, file->path);
}

static em_status load_entry(const model_file *file, const emi_entry *entry, em_error *err)
{
    array from;
    if (entry->optional && emi_npz_find(file->npz, entry->name) < 0) return EM_OK;
    em_status status = read_array(file, entry->name, &from, err);
    if (status != EM_OK) return status;
    if (!fits(&from.header, entry))
        status = no_model(file, entry->name, "has another type or shape than it should", err);
    else if (entry->kind == EMI_NAMES)
        status = decode_names(file, &from, entry, err);
    else if (entry->kind == EMI_TEXT)
        decode_text(&from, entry->values);
    else
        memcpy(entry->values, payload_of(&from), from.header.payload);
    emi_bytes_release(&from.bytes);
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
    em_status status = read_array(file, "components", &components, err);
    if (status != EM_OK) return status;
    const emi_npy *header = &components.header;
    *K = header->shape[0], *d = header->shape[1];
    if (header->dims != 2 || *K < 1 || *d < 1 || *K > *d || *d > INT_MAX / 2)
        status = no_model(file, "components", "has another shape than K x d", err);
    emi_bytes_release(&components.bytes);
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
    for (size_t k = 0; k < K; k++)
        if (model->explained_variance[k] < 0) return no_model(file, "explained_variance", "is negative", err);
    return EM_OK;
}

static em_status open_file(model_file *file, em_error *err)
{
    em_status status = EM_OK;
    TRY(emi_input_open(&file->input, file->path, err));
    TRY(emi_input_need(&file->input, 4, err));
    if (!emi_is_zip(file->input.bytes.at, file->input.bytes.size)) TRY(no_model(file, "it", "is no .npz", err));
    TRY(emi_input_need_all(&file->input, err));
    status = emi_npz_open(&file->npz, &file->input.bytes, file->path, err);
    if (status == EM_EDATA) status = no_model(file, "the archive", "is damaged or cut short", err);
done:
    return status;
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
    TRY(open_file(&file, err));
    TRY(check_format(&file, &buffers, err));
    TRY(find_size(&file, &K, &d, err));
    TRY(emi_model_new(&model, (int)K, (int)d, 0, err));
    buffers.rank = (int64_t)K;
    int count = emi_model_entries(model, &buffers, entries);
    for (int e = 0; e < count; e++) TRY(load_entry(&file, &entries[e], err));
    TRY(check_numbers(&file, model, err));
    if (buffers.n_components != (int64_t)K || buffers.n_features != (int64_t)d || buffers.nodes < 0)
        TRY(no_model(&file, "n_components, n_features or nodes", "does not fit the rest", err));
    TRY(emi_input_verdict(&file.input, EM_OK, err));
    emi_buffers_to_model(&buffers, model);
    *out = model;
    model = NULL;
done:
    emi_npz_close(&file.npz);
    emi_input_close(&file.input);
    em_model_free(&model);
    return status;
}
