/* The model's file: a .npz, that is a ZIP archive of .npy arrays; names and shapes are scikit-learn's where it has them.  One
 * table for writing and reading: a member that is new is an entry more, and optional.
 *
 * Nothing that a file claims is believed before it is checked: sizes come from the arrays' own headers and must match each
 * other. */
#include "base/memory.h"
#include "base/output.h"
#include "data/accumulate.h"
#include "data/names.h"
#include "data/npz.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The version of the format: raised when a program that knows only the one before would misread a file.  Files without one
 * are of version 1. */
enum { FORMAT = 2 };

typedef struct entry {
    const char *name;
    enum { REAL, WHOLE, COUNT, TEXT, NAMES } kind;
    enum { ONE, EACH_COMPONENT, EACH_FEATURE, COMPONENTS_BY_FEATURES, EACH_PHASE } extent;
    size_t offset, size; /* of the member in em_model; components and features are pointed to by it */
    int optional;        /* files of older versions lack it: what is there stays                    */
} entry;

#define AT(member) offsetof(em_model, member), sizeof((em_model *)0)->member

static const entry table[] = {
    /* The answer, under scikit-learn's names. */
    {"components", REAL, COMPONENTS_BY_FEATURES, AT(components), 0},
    {"mean", REAL, EACH_FEATURE, AT(mean), 0},
    {"scale", REAL, EACH_FEATURE, AT(scale), 0},
    {"feature_names", NAMES, EACH_FEATURE, AT(feature_names), 1},
    {"explained_variance", REAL, EACH_COMPONENT, AT(explained_variance), 0},
    {"explained_variance_ratio", REAL, EACH_COMPONENT, AT(explained_variance_ratio), 0},
    {"singular_values", REAL, EACH_COMPONENT, AT(singular_values), 0},
    {"residuals", REAL, EACH_COMPONENT, AT(residuals), 0},
    {"angle_bounds", REAL, EACH_COMPONENT, AT(angle_bounds), 1},
    {"clusters", WHOLE, EACH_COMPONENT, AT(cluster), 1},
    {"subspace_bounds", REAL, EACH_COMPONENT, AT(subspace_bounds), 1},
    {"turns", REAL, EACH_COMPONENT, AT(turns), 1},
    {"turn", REAL, ONE, AT(info.turn), 1},
    {"held", WHOLE, ONE, AT(info.held), 1},
    {"noise_variance", REAL, ONE, AT(noise_variance), 0},
    {"rest_squares", REAL, ONE, AT(rest_squares), 1},
    {"rest_cubes", REAL, ONE, AT(rest_cubes), 1},
    {"rest_squares_error", REAL, ONE, AT(rest_squares_error), 1},
    {"rest_cubes_error", REAL, ONE, AT(rest_cubes_error), 1},
    {"n_samples", COUNT, ONE, AT(N), 0},
    {"n_features", WHOLE, ONE, AT(d), 0},
    {"n_components", WHOLE, ONE, AT(K), 0},

    /* How it was found. */
    {"method", TEXT, ONE, AT(info.method), 0},
    {"operator", TEXT, ONE, AT(info.operator_name), 0},
    {"choice", TEXT, ONE, AT(info.choice), 0},
    {"converged", WHOLE, ONE, AT(converged), 0},
    {"reason", WHOLE, ONE, AT(info.reason), 0},
    {"iterations", WHOLE, ONE, AT(info.iterations), 0},
    {"step", REAL, ONE, AT(info.step), 0},
    {"tolerance", REAL, ONE, AT(info.tolerance), 0},
    {"change", REAL, ONE, AT(info.change), 0},
    {"consensus", REAL, ONE, AT(info.consensus), 0},
    {"error", REAL, ONE, AT(info.error), 0},
    {"nodes", WHOLE, ONE, AT(info.nodes), 0},
    {"threads", WHOLE, ONE, AT(info.threads), 0},
    {"seed", COUNT, ONE, AT(info.seed), 0},
    {"rounds", COUNT, EACH_PHASE, AT(info.traffic[0].rounds), 0},
    {"messages", COUNT, EACH_PHASE, AT(info.traffic[0].messages), 0},
    {"bytes", COUNT, EACH_PHASE, AT(info.traffic[0].bytes), 0},
    {"units", REAL, EACH_PHASE, AT(info.traffic[0].units), 0},
    {"seconds_setup", REAL, ONE, AT(info.seconds_setup), 0},
    {"seconds", REAL, ONE, AT(info.seconds), 0},
    {"constant_features", WHOLE, ONE, AT(info.constant_features), 0},
    {"open_cluster", WHOLE, ONE, AT(info.open_cluster), 0},
    {"rank", WHOLE, ONE, AT(info.rank), 1},
    {"limited", WHOLE, ONE, AT(info.limited), 1},
    {"precision", TEXT, ONE, AT(info.precision), 1},
    {"wire_bits", WHOLE, ONE, AT(info.wire_bits), 1},
    {"estimated", WHOLE, ONE, AT(info.estimated), 1},
    {"scaling", TEXT, ONE, AT(info.scale), 1},
    {"weight", REAL, ONE, AT(info.weight), 1},
    {"sketch_bound", REAL, ONE, AT(info.sketch_bound), 1},
    {"version", TEXT, ONE, AT(info.version), 0},
    {"format_version", WHOLE, ONE, AT(format), 1},
};

enum { ENTRIES = sizeof table / sizeof *table, FORMAT_ENTRY = ENTRIES - 1 };

/* Dimensions of an entry's array, and their product. */
static int shape_of(const entry *e, const em_model *model, size_t shape[2], size_t *count)
{
    const size_t rows[] = {1, (size_t)model->K, (size_t)model->d, (size_t)model->K, EM_PHASES};
    int dims = e->extent == ONE ? 0 : e->extent == COMPONENTS_BY_FEATURES ? 2 : 1;
    shape[0] = rows[e->extent];
    shape[1] = (size_t)model->d;
    *count = dims == 2 ? shape[0] * shape[1] : shape[0];
    return dims;
}

/* Numbers take eight bytes each. */
static em_dtype type_of(const entry *e)
{
    return e->kind == REAL ? EM_F64 : e->kind == COUNT ? EM_U64 : EM_I64;
}

/* The member itself; and its numbers, and how far apart they lie. */
static unsigned char *member_of(const entry *e, const em_model *model)
{
    return (unsigned char *)model + e->offset;
}

static unsigned char *numbers_of(const entry *e, const em_model *model, size_t *stride)
{
    unsigned char *at = member_of(e, model);
    *stride = e->extent == EACH_PHASE ? sizeof(em_traffic) : sizeof(double);
    if (e->extent != ONE && e->extent != EACH_PHASE) memcpy(&at, member_of(e, model), sizeof at);
    return at;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void write_numbers(const entry *e, const em_model *model, size_t count, unsigned char *bytes)
{
    size_t stride;
    const unsigned char *at = numbers_of(e, model, &stride);
    for (; count > 0; count--, at += stride, bytes += sizeof(int64_t)) {
        int narrow;
        memcpy(&narrow, at, sizeof narrow);
        int64_t number = narrow;
        if (e->size > sizeof narrow) memcpy(&number, at, sizeof number);
        memcpy(bytes, &number, sizeof number);
    }
}

static em_status add_entry(emi_npz_writer *archive, const entry *e, const em_model *model, em_error *err)
{
    size_t shape[2], count, item = sizeof(double), width = 0;
    char descr[32], *text = (char *)member_of(e, model);
    void *payload = NULL;
    char *const *names = e->kind == TEXT ? &text : e->kind == NAMES ? model->feature_names : NULL;
    int dims = shape_of(e, model, shape, &count);
    if (e->kind == NAMES && !names) return EM_OK;
    (void)snprintf(descr, sizeof descr, "%s", emi_npy_descr(type_of(e)));
    if (names) {
        width = emi_names_width(names, count);
        item = EMI_UTF32 * width;
        (void)snprintf(descr + 1, sizeof descr - 1, "U%zu", width); /* after this machine's byte order */
    }
    em_status status = emi_npz_add(archive, e->name, descr, dims, shape, count * item, &payload, err);
    if (status != EM_OK) return status;
    if (names)
        emi_names_to_array(names, count, width, payload);
    else
        write_numbers(e, model, count, payload);
    return EM_OK;
}

em_status em_model_write(const em_model *model, FILE *stream, em_error *err)
{
    em_status status = EM_OK;
    emi_npz_writer *archive = NULL;
    em_model written = *model;
    written.format = FORMAT;
    written.converged = model->info.reason == EM_CONVERGED;
    (void)snprintf(written.info.version, sizeof written.info.version, "%s", em_version());
    TRY(emi_npz_create(&archive, err));
    for (int n = 0; n < ENTRIES; n++) TRY(add_entry(archive, &table[n], &written, err));
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

static int fits(const emi_npy *header, const entry *e, const em_model *model)
{
    size_t shape[2], count, letters = header->item_size / EMI_UTF32;
    int dims = shape_of(e, model, shape, &count);
    if (header->swapped || header->dims != dims || (header->fortran_order && dims > 1)) return 0;
    for (int n = 0; n < dims; n++)
        if (header->shape[n] != shape[n]) return 0;
    if (e->kind == TEXT) return header->kind == EMI_NPY_UNICODE && letters < e->size;
    if (e->kind == NAMES) return header->kind == EMI_NPY_UNICODE && letters > 0 && letters <= EMI_NAME_LONGEST;
    return header->kind == EMI_NPY_NUMBER && header->type == type_of(e);
}

/* 0 where one does not fit its member. */
static int read_numbers(const entry *e, em_model *model, size_t count, const unsigned char *bytes)
{
    size_t stride;
    unsigned char *at = numbers_of(e, model, &stride);
    for (; count > 0; count--, at += stride, bytes += sizeof(int64_t)) {
        int64_t number;
        memcpy(&number, bytes, sizeof number);
        int narrow = (int)number;
        if (e->size > sizeof narrow)
            memcpy(at, &number, sizeof number);
        else if (narrow == number)
            memcpy(at, &narrow, sizeof narrow);
        else
            return 0;
    }
    return 1;
}

/* Plain letters only; anything else becomes a question mark. */
static void read_text(const unsigned char *bytes, size_t length, char *out)
{
    for (size_t c = 0; c < length; c++) {
        uint32_t code;
        memcpy(&code, bytes + EMI_UTF32 * c, EMI_UTF32);
        out[c] = (char)(code == 0 || (code >= 32 && code < 127) ? code : '?');
    }
    out[length] = 0;
}

static em_status read_names(const model_file *file, const unsigned char *bytes, size_t width, em_model *model,
                            em_error *err)
{
    int bad = 0;
    model->feature_names = emi_names_from_array(bytes, (size_t)model->d, width, &bad);
    if (bad) return no_model(file, "feature_names", "holds what is no text", err);
    return model->feature_names ? EM_OK : emi_fail_memory(err, file->path);
}

static em_status load_entry(const model_file *file, const entry *e, em_model *model, em_error *err)
{
    array from;
    if (e->optional && emi_npz_find(file->npz, e->name) < 0) return EM_OK;
    em_status status = read_array(file, e->name, &from, err);
    if (status != EM_OK) return status;
    const unsigned char *bytes = from.bytes.at + from.header.data_offset;
    size_t letters = from.header.item_size / EMI_UTF32;
    if (!fits(&from.header, e, model))
        status = no_model(file, e->name, "has another type or shape than it should", err);
    else if (e->kind == NAMES)
        status = read_names(file, bytes, letters, model, err);
    else if (e->kind == TEXT)
        read_text(bytes, letters, (char *)member_of(e, model));
    else if (!read_numbers(e, model, from.header.count, bytes))
        status = no_model(file, e->name, "is too large a number", err);
    emi_bytes_release(&from.bytes);
    return status;
}

/* First of all: what comes later may have changed. */
static em_status check_format(const model_file *file, em_error *err)
{
    em_model says = {.format = 1}; /* what files say that do not say it */
    em_status status = load_entry(file, &table[FORMAT_ENTRY], &says, err);
    if (status != EM_OK) return status;
    if (says.format < 1) return no_model(file, "format_version", "is no version", err);
    if (says.format <= FORMAT) return EM_OK;
    return emi_fail(err, EM_EDATA,
                    "%s: written by a newer eigenmesh (format %d, this one reads up to %d); try a newer version",
                    file->path, says.format, FORMAT);
}

/* A model of the right size: K and d are the shape of `components`. */
static em_status new_model(const model_file *file, em_model **out, em_error *err)
{
    array components;
    em_status status = read_array(file, "components", &components, err);
    if (status != EM_OK) return status;
    size_t K = components.header.shape[0], d = components.header.shape[1];
    if (components.header.dims != 2 || K < 1 || d < 1 || K > d || d > INT_MAX / 2)
        status = no_model(file, "components", "has another shape than K x d", err);
    emi_bytes_release(&components.bytes);
    return status == EM_OK ? emi_model_new(out, (int)K, (int)d, 0, err) : status;
}

static em_status check_numbers(const model_file *file, const em_model *model, em_error *err)
{
    size_t K = (size_t)model->K, d = (size_t)model->d;
    for (size_t n = 0; n < K * d + 2 * d + K; n++) /* components, mean, scale and variances, in a row */
        if (!isfinite(model->numbers[n])) return no_model(file, "a number in it", "is not finite", err);
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
    if (status == EM_OK && emi_npz_is_moments(file->npz))
        status = emi_fail(err, EM_ENOTSUP,
                          "%s: holds the moments of rows, and no model; try eigenmesh fit, which makes one of them",
                          file->path);
done:
    return status;
}

static em_status load_entries(const model_file *file, em_model *model, em_error *err)
{
    em_status status = EM_OK;
    int K = model->K, d = model->d;
    em_info *info = &model->info;
    info->rank = K; /* of files that do not say */
    for (int n = 0; n < ENTRIES; n++) TRY(load_entry(file, &table[n], model, err));
    int sound = model->K == K && model->d == d && info->nodes >= 0;
    model->K = K, model->d = d; /* which say how much memory there is */
    if (!sound) TRY(no_model(file, "n_components, n_features or nodes", "does not fit the rest", err));
    TRY(check_numbers(file, model, err));
    info->samples = model->N;
    info->features = d;
    info->components = K;
    emi_model_derive(model);
done:
    return status;
}

em_status em_model_load(em_model **out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    model_file file = {.path = path};
    em_model *model = NULL;
    *out = NULL;
    TRY(open_file(&file, err));
    TRY(check_format(&file, err));
    TRY(new_model(&file, &model, err));
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
