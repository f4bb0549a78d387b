/* The model's file, written and read.  Nothing that a file claims is believed before it is checked: sizes come from the
 * arrays' own headers and must match each other. */
#include "base/memory.h"
#include "base/output.h"
#include "data/npz.h"
#include "model/entries.h"
#include "model/names.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { UTF32 = 4 };

/* ---- writing ----------------------------------------------------------------------------------- */

/* Texts are arrays of one name, or of as many as there are. */
static em_status add_names(emi_npz_writer *archive, const emi_entry *entry, char *const *names, int dims, size_t count,
                           em_error *err)
{
    char descr[32];
    void *payload = NULL;
    size_t size, width = emi_names_width(names, count);
    (void)snprintf(descr, sizeof descr, "%cU%zu", emi_npy_descr(EM_F64)[0], width); /* this machine's byte order */
    if (emi_size_overflows(count, UTF32 * width, &size)) return emi_fail_memory(err, "model");
    em_status status = emi_npz_add(archive, entry->name, descr, dims, &count, size, &payload, err);
    if (status == EM_OK) emi_names_to_array(names, count, width, payload);
    return status;
}

static em_status add_entry(emi_npz_writer *archive, const emi_entry *entry, const em_model *model, em_error *err)
{
    size_t shape[2], count;
    void *payload = NULL;
    int dims = emi_entry_shape(entry, model, shape, &count);
    if (entry->kind == EMI_NAMES)
        return model->feature_names ? add_names(archive, entry, model->feature_names, dims, count, err) : EM_OK;
    if (entry->kind == EMI_TEXT) {
        char *text = emi_entry_member(entry, model);
        return add_names(archive, entry, &text, dims, count, err);
    }
    em_status status = emi_npz_add(archive, entry->name, emi_npy_descr(emi_entry_type(entry)), dims, shape,
                                   count * sizeof(double), &payload, err);
    if (status == EM_OK) emi_entry_to_bytes(entry, model, payload);
    return status;
}

em_status em_model_write(const em_model *model, FILE *stream, em_error *err)
{
    em_status status = EM_OK;
    emi_npz_writer *archive = NULL;
    em_model written = *model;
    written.format = EMI_MODEL_FORMAT;
    written.converged = model->info.reason == EM_CONVERGED;
    (void)snprintf(written.version, sizeof written.version, "%s", em_version());
    TRY(emi_npz_create(&archive, err));
    for (const emi_entry *entry = emi_model_entries; entry->name; entry++)
        TRY(add_entry(archive, entry, &written, err));
    TRY(emi_npz_write(archive, stream, err));
done:
    emi_npz_writer_free(&archive);
    return status;
}

em_status em_model_save(const em_model *model, const char *path, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_output_open(&output, path, err);
    if (status == EM_OK) status = em_model_write(model, emi_output_stream(output), err);
    if (status == EM_OK) status = emi_output_commit(&output, err);
    emi_output_discard(&output);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------- */

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

static int fits(const emi_npy *header, const emi_entry *entry, const em_model *model)
{
    size_t shape[2], count, letters = header->item_size / UTF32;
    int dims = emi_entry_shape(entry, model, shape, &count);
    if (header->swapped || header->dims != dims || (header->fortran_order && dims > 1)) return 0;
    for (int n = 0; n < dims; n++)
        if (header->shape[n] != shape[n]) return 0;
    if (entry->kind == EMI_TEXT) return header->kind == EMI_NPY_UNICODE && letters < entry->room;
    if (entry->kind == EMI_NAMES)
        return header->kind == EMI_NPY_UNICODE && header->item_size > 0 && letters <= EMI_NAME_LONGEST;
    return header->kind == EMI_NPY_NUMBER && header->type == emi_entry_type(entry);
}

/* Plain letters only; anything else becomes a question mark. */
static void decode_text(const array *from, char *out)
{
    size_t length = from->header.payload / UTF32;
    for (size_t c = 0; c < length; c++) {
        uint32_t code;
        memcpy(&code, payload_of(from) + UTF32 * c, UTF32);
        out[c] = (char)(code == 0 || (code >= 32 && code < 127) ? code : '?');
    }
    out[length] = 0;
}

static em_status decode_names(const model_file *file, const array *from, em_model *model, em_error *err)
{
    int bad = 0;
    model->feature_names =
        emi_names_from_array(payload_of(from), (size_t)model->d, from->header.item_size / UTF32, &bad);
    if (bad) return no_model(file, "feature_names", "holds what is no text", err);
    return model->feature_names ? EM_OK : emi_fail_memory(err, file->path);
}

static em_status load_entry(const model_file *file, const emi_entry *entry, em_model *model, em_error *err)
{
    array from;
    if (entry->optional && emi_npz_find(file->npz, entry->name) < 0) return EM_OK;
    em_status status = read_array(file, entry->name, &from, err);
    if (status != EM_OK) return status;
    if (!fits(&from.header, entry, model))
        status = no_model(file, entry->name, "has another type or shape than it should", err);
    else if (entry->kind == EMI_NAMES)
        status = decode_names(file, &from, model, err);
    else if (entry->kind == EMI_TEXT)
        decode_text(&from, emi_entry_member(entry, model));
    else if (!emi_entry_from_bytes(entry, model, payload_of(&from)))
        status = no_model(file, entry->name, "is too large a number", err);
    emi_bytes_release(&from.bytes);
    return status;
}

/* First of all: what comes later may have changed. */
static em_status check_format(const model_file *file, em_error *err)
{
    em_model says = {.format = 1}; /* what files say that do not say it */
    em_status status = load_entry(file, &emi_format_entry, &says, err);
    if (status != EM_OK) return status;
    if (says.format < 1) return no_model(file, "format_version", "is no version", err);
    if (says.format <= EMI_MODEL_FORMAT) return EM_OK;
    return emi_fail(err, EM_EDATA,
                    "%s: written by a newer eigenmesh (format %d, this one reads up to %d); try a newer version",
                    file->path, says.format, EMI_MODEL_FORMAT);
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

/* All entries into a model of the right size. */
static em_status load_entries(const model_file *file, em_model *model, em_error *err)
{
    em_status status = EM_OK;
    int K = model->K, d = model->d;
    em_info *info = &model->info;
    info->rank = K; /* of files that do not say */
    for (const emi_entry *entry = emi_model_entries; entry->name; entry++) TRY(load_entry(file, entry, model, err));
    int sound = model->K == K && model->d == d && info->nodes >= 0;
    model->K = K, model->d = d; /* which say how much memory there is */
    if (!sound) TRY(no_model(file, "n_components, n_features or nodes", "does not fit the rest", err));
    TRY(check_numbers(file, model, err));
    info->samples = model->N;
    info->features = d;
    info->components = K;
    emi_model_derive(model);
done:
    model->K = K, model->d = d;
    return status;
}

em_status em_model_load(em_model **out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    model_file file = {.path = path};
    size_t K, d;
    *out = NULL;
    TRY(open_file(&file, err));
    TRY(check_format(&file, err));
    TRY(find_size(&file, &K, &d, err));
    TRY(emi_model_new(&model, (int)K, (int)d, 0, err));
    TRY(load_entries(&file, model, err));
    TRY(emi_input_verdict(&file.input, EM_OK, err));
    *out = model;
    model = NULL;
done:
    emi_npz_close(&file.npz);
    emi_input_close(&file.input);
    em_model_free(&model);
    return status;
}
