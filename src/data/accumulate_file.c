/* The file of moments: a .npz.  `scatter` is M2, row by row of its lower triangle: numpy.tril_indices has the places.  The mean is `mean`,
 * and `mean_rest` what a double does not hold of it.  A sketch has `directions` and what is about them instead.
 *
 * Nothing that a file claims is believed before it is checked. */
#include "base/memory.h"
#include "base/output.h"
#include "data/accumulate.h"
#include "data/dtype.h"
#include "data/names.h"
#include "data/npz.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1 }; /* raised when a program that knows only the one before would misread a file */

/* ---- written -------------------------------------------------------------------------------------------------------------------- */

static em_status add(emi_npz_writer *w, const char *name, em_dtype type, int dims, const size_t *shape,
                     const void *from, em_error *err)
{
    size_t count = (dims > 0 ? shape[0] : 1) * (dims > 1 ? shape[1] : 1);
    void *payload;
    em_status status = emi_npz_add(w, name, emi_npy_descr(type), dims, shape, count * sizeof(double), &payload, err);
    if (status == EM_OK) memcpy(payload, from, count * sizeof(double));
    return status;
}

static em_status add_real(emi_npz_writer *w, const char *name, double value, em_error *err)
{
    return add(w, name, EM_F64, 0, NULL, &value, err);
}

static em_status add_whole(emi_npz_writer *w, const char *name, int64_t value, em_error *err)
{
    return add(w, name, EM_I64, 0, NULL, &value, err);
}

static em_status add_names(emi_npz_writer *w, const em_moments *m, em_error *err)
{
    size_t d = (size_t)m->d, width = emi_names_width(m->names, d);
    char descr[32];
    void *payload;
    (void)snprintf(descr, sizeof descr, "%s", emi_npy_descr(EM_F64));
    (void)snprintf(descr + 1, sizeof descr - 1, "U%zu", width); /* after this machine's byte order */
    em_status status = emi_npz_add(w, "feature_names", descr, 1, &d, EMI_UTF32 * width * d, &payload, err);
    if (status == EM_OK) emi_names_to_array(m->names, d, width, payload);
    return status;
}

static em_status add_scatter(emi_npz_writer *w, const em_moments *m, em_error *err)
{
    size_t d = (size_t)m->d, count = d * (d + 1) / 2;
    void *payload;
    em_status status =
        emi_npz_add(w, "scatter", emi_npy_descr(EM_F64), 1, &count, count * sizeof(double), &payload, err);
    for (size_t c = 0; status == EM_OK && c < d; c++)
        memcpy((double *)payload + c * (c + 1) / 2, m->scatter + c * d, sizeof(double) * (c + 1));
    return status;
}

static em_status add_sketch(emi_npz_writer *w, const emi_directions *s, em_error *err)
{
    em_status status = EM_OK;
    size_t shape[2] = {(size_t)s->held, (size_t)s->d}, d = (size_t)s->d;
    TRY(add_whole(w, "n_directions", s->most, err));
    TRY(add(w, "directions", EM_F64, 2, shape, s->rows, err));
    TRY(add(w, "squares", EM_F64, 1, &d, s->squares, err));
    TRY(add_real(w, "shed", s->shed, err));
done:
    return status;
}

em_status em_moments_write(em_moments *m, FILE *stream, em_error *err)
{
    em_status status = EM_OK;
    emi_npz_writer *w = NULL;
    size_t d = (size_t)m->d;
    TRY(emi_moments_settle(m, err));
    if (m->sketch) TRY(emi_directions_turn(m->sketch, err)); /* no row is to be seen in it */
    TRY(emi_npz_create(&w, err));
    TRY(add_whole(w, "format_version", FORMAT, err));
    TRY(add(w, "n_samples", EM_U64, 0, NULL, &m->rows, err));
    TRY(add_real(w, "weight", m->weight, err));
    TRY(add_real(w, "weight_squared", m->squared, err));
    TRY(add_whole(w, "single", m->single, err));
    TRY(add(w, "mean", EM_F64, 1, &d, m->mean, err));
    TRY(add(w, "mean_rest", EM_F64, 1, &d, m->rest, err));
    if (m->names) TRY(add_names(w, m, err));
    TRY(m->sketch ? add_sketch(w, m->sketch, err) : add_scatter(w, m, err));
    TRY(emi_npz_write(w, stream, err));
done:
    emi_npz_writer_free(&w);
    return status;
}

em_status em_moments_save(em_moments *m, const char *path, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_output_open(&output, path, err);
    if (status == EM_OK) status = em_moments_write(m, emi_output_stream(output), err);
    if (status == EM_OK) status = emi_output_commit(&output, err);
    emi_output_discard(&output);
    return status;
}

/* ---- read ------------------------------------------------------------------------------------------------------------------------ */

int emi_npz_is_moments(const emi_npz *npz)
{
    return emi_npz_find(npz, "n_samples") >= 0 && emi_npz_find(npz, "weight") >= 0 &&
           emi_npz_find(npz, "mean_rest") >= 0;
}

typedef struct archive {
    emi_npz *npz;
    const char *name;
} archive;

typedef struct array {
    emi_npy header;
    emi_bytes bytes; /* of the .npy; release them */
} array;

static em_status no_moments(const archive *a, const char *what, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: no moments, %s %s; try a file that eigenmesh moments wrote", a->name, what,
                    why);
}

static em_status read_array(const archive *a, const char *what, array *out, em_error *err)
{
    long index = emi_npz_find(a->npz, what);
    if (index < 0) return no_moments(a, what, "is missing", err);
    em_status status = emi_npz_read(a->npz, (size_t)index, &out->header, &out->bytes, err);
    return status == EM_EDATA || status == EM_ENOTSUP ? no_moments(a, what, "is damaged or cut short", err) : status;
}

/* Numbers of eight bytes, of this type and shape. */
static em_status take(const archive *a, const char *what, em_dtype type, int dims, const size_t *shape, array *out,
                      em_error *err)
{
    em_status status = read_array(a, what, out, err);
    if (status != EM_OK) return status;
    const emi_npy *h = &out->header;
    int fits = h->kind == EMI_NPY_NUMBER && h->type == type && !h->swapped && h->dims == dims &&
               !(dims > 1 && h->fortran_order);
    for (int n = 0; fits && n < dims; n++) fits = h->shape[n] == shape[n];
    return fits ? EM_OK : no_moments(a, what, "has another type or shape than it should", err);
}

static em_status read_numbers(const archive *a, const char *what, em_dtype type, int dims, const size_t *shape,
                              void *to, em_error *err)
{
    array from = {0};
    em_status status = take(a, what, type, dims, shape, &from, err);
    if (status == EM_OK) memcpy(to, from.bytes.at + from.header.data_offset, from.header.payload);
    const double *real = to;
    for (size_t n = 0; status == EM_OK && type == EM_F64 && n < from.header.count; n++)
        if (!isfinite(real[n])) status = no_moments(a, what, "has a number that is not finite", err);
    emi_bytes_release(&from.bytes);
    return status;
}

static em_status read_names(const archive *a, em_moments *m, em_error *err)
{
    array from = {0};
    if (emi_npz_find(a->npz, "feature_names") < 0) return EM_OK;
    em_status status = read_array(a, "feature_names", &from, err);
    if (status != EM_OK) return status;
    const emi_npy *h = &from.header;
    size_t letters = h->item_size / EMI_UTF32;
    int bad = h->kind != EMI_NPY_UNICODE || h->swapped || h->dims != 1 || h->shape[0] != (size_t)m->d || letters == 0 ||
              letters > EMI_NAME_LONGEST;
    if (!bad) m->names = emi_names_from_array(from.bytes.at + h->data_offset, (size_t)m->d, letters, &bad);
    emi_bytes_release(&from.bytes);
    if (bad) return no_moments(a, "feature_names", "holds what is no name of each feature", err);
    return m->names ? EM_OK : emi_fail_memory(err, a->name);
}

static em_status read_scatter(const archive *a, em_moments *m, em_error *err)
{
    size_t d = (size_t)m->d, count = d * (d + 1) / 2;
    double *packed = emi_doubles(count);
    em_status status =
        packed ? read_numbers(a, "scatter", EM_F64, 1, &count, packed, err) : emi_fail_memory(err, a->name);
    for (size_t c = 0; status == EM_OK && c < d; c++) {
        memcpy(m->scatter + c * d, packed + c * (c + 1) / 2, sizeof *packed * (c + 1));
        if (m->scatter[c * d + c] < 0) status = no_moments(a, "scatter", "has a negative square", err);
    }
    emi_free(packed);
    return status;
}

static em_status read_sketch(const archive *a, em_moments *m, em_error *err)
{
    em_status status = EM_OK;
    emi_directions *s = m->sketch;
    array from = {0};
    size_t d = (size_t)m->d;
    TRY(read_array(a, "directions", &from, err));
    size_t shape[2] = {from.header.shape[0], d};
    if (from.header.dims != 2 || shape[0] > (size_t)s->most)
        TRY(no_moments(a, "directions", "has another shape than it should", err));
    TRY(read_numbers(a, "directions", EM_F64, 2, shape, s->rows, err));
    s->held = (int)shape[0];
    TRY(read_numbers(a, "squares", EM_F64, 1, &d, s->squares, err));
    TRY(read_numbers(a, "shed", EM_F64, 0, NULL, &s->shed, err));
    for (size_t f = 0; f < d; f++)
        if (s->squares[f] < 0) TRY(no_moments(a, "squares", "has a negative one", err));
    if (s->shed < 0) TRY(no_moments(a, "shed", "is negative", err));
done:
    emi_bytes_release(&from.bytes);
    return status;
}

/* One of the right size. */
static em_status new_moments(const archive *a, em_moments **out, em_error *err)
{
    em_status status = EM_OK;
    array mean = {0};
    int64_t format = 0, directions = 0;
    TRY(read_numbers(a, "format_version", EM_I64, 0, NULL, &format, err));
    if (format > FORMAT)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: written by a newer eigenmesh (format %lld, this one reads up to %d); try a newer version",
                     a->name, (long long)format, FORMAT));
    if (format < 1) TRY(no_moments(a, "format_version", "is no version", err));
    if (emi_npz_find(a->npz, "n_directions") >= 0) {
        TRY(read_numbers(a, "n_directions", EM_I64, 0, NULL, &directions, err));
        if (directions < 1) TRY(no_moments(a, "n_directions", "is no number of them", err));
    }
    TRY(read_array(a, "mean", &mean, err));
    size_t d = mean.header.dims == 1 ? mean.header.shape[0] : 0;
    if (d == 0 || (uint64_t)directions > d) TRY(no_moments(a, "mean", "has another shape than it should", err));
    TRY(emi_moments_new(out, d, (size_t)directions, err));
done:
    emi_bytes_release(&mean.bytes);
    return status;
}

/* No weight is above 1. */
static int is_sound(const em_moments *m)
{
    static const double slack = 1 + 1e-6;
    if (m->rows == 0) return m->weight == 0 && m->squared == 0;
    return m->weight > 0 && m->weight <= (double)m->rows * slack && m->squared > 0 && m->squared <= m->weight * slack;
}

em_status emi_moments_read(em_moments **out, emi_npz *npz, const char *name, em_error *err)
{
    em_status status = EM_OK;
    const archive a = {npz, name};
    em_moments *m = NULL;
    int64_t single = 0;
    TRY(new_moments(&a, &m, err));
    size_t d = (size_t)m->d;
    TRY(read_numbers(&a, "n_samples", EM_U64, 0, NULL, &m->rows, err));
    TRY(read_numbers(&a, "weight", EM_F64, 0, NULL, &m->weight, err));
    TRY(read_numbers(&a, "weight_squared", EM_F64, 0, NULL, &m->squared, err));
    TRY(read_numbers(&a, "single", EM_I64, 0, NULL, &single, err));
    m->single = single != 0;
    if (!is_sound(m)) TRY(no_moments(&a, "its weight", "is not that of its rows", err));
    TRY(read_numbers(&a, "mean", EM_F64, 1, &d, m->mean, err));
    TRY(read_numbers(&a, "mean_rest", EM_F64, 1, &d, m->rest, err));
    TRY(read_names(&a, m, err));
    TRY(m->sketch ? read_sketch(&a, m, err) : read_scatter(&a, m, err));
    *out = m;
    m = NULL;
done:
    em_moments_free(&m);
    return status;
}

em_status em_moments_load(em_moments **out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    emi_input input = {0};
    emi_npz *npz = NULL;
    em_moments *m = NULL;
    const archive a = {NULL, path};
    *out = NULL;
    TRY(emi_input_open(&input, path, err));
    TRY(emi_input_need_all(&input, err));
    if (!emi_is_zip(input.bytes.at, input.bytes.size)) TRY(no_moments(&a, "it", "is no .npz", err));
    TRY(emi_npz_open(&npz, &input.bytes, path, err));
    if (!emi_npz_is_moments(npz)) TRY(no_moments(&a, "n_samples, weight or mean_rest", "is missing", err));
    TRY(emi_moments_read(&m, npz, path, err));
    TRY(emi_input_verdict(&input, EM_OK, err));
    *out = m;
    m = NULL;
done:
    em_moments_free(&m);
    emi_npz_close(&npz);
    emi_input_close(&input);
    return status;
}
