/* A table out of an .npz: the array that is named, the only one with rows and columns, a sparse matrix, or moments. */
#include "base/memory.h"
#include "data/accumulate.h"
#include "data/columns.h"
#include "data/npz_sparse.h"
#include "data/reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int npz_by_content(const emi_input *input)
{
    return emi_is_zip(input->bytes.at, input->bytes.size);
}

enum { MOST = 1000 }; /* arrays that are looked at, where none is named */

/* ---- which array --------------------------------------------------------------------------------------- */

typedef struct search {
    int tables;
    size_t first;        /* of them */
    emi_name_list names; /* of all arrays, with their shapes, for the message */
    em_error why;        /* of an array that cannot be looked at; damage comes before what is no number */
} search;

static int is_table(const emi_npy *header)
{
    return header->kind == EMI_NPY_NUMBER && header->dims >= 2;
}

/* Of a name without NumPy's ending. */
static int length_of(const char *name)
{
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0) length -= 4;
    return length < INT_MAX ? (int)length : INT_MAX;
}

/* "X 60000x784"; NULL: no array of a kind that is understood. */
static void append(search *s, const char *name, const emi_npy *header)
{
    enum { NAME = 20, SHAPE = 30 };
    char text[NAME + SHAPE + 2], shape[SHAPE] = "no table";
    int dims = header ? header->dims : 0, shown = length_of(name) < NAME ? length_of(name) : NAME;
    for (int n = 0, at = 0; n < dims && at < SHAPE; n++)
        at += snprintf(shape + at, sizeof shape - (size_t)at, n ? "x%zu" : "%zu", header->shape[n]);
    (void)snprintf(text, sizeof text, "%.*s %s", shown, name, shape);
    emi_name_list_add(&s->names, text);
}

/* The header of every array, or of the first MOST. */
static void look_around(search *s, emi_npz *npz)
{
    size_t count = emi_npz_count(npz);
    *s = (search){.names.most = 4};
    for (size_t n = 0; n < count && n < MOST; n++) {
        const char *name = emi_npz_name(npz, n);
        emi_npy header;
        em_error why;
        em_status status = emi_npz_header(npz, n, &header, &why);
        int known = status == EM_OK && header.kind == EMI_NPY_NUMBER, array = length_of(name) < (int)strlen(name);
        append(s, name, known ? &header : NULL);
        if (known && is_table(&header) && s->tables++ == 0) s->first = n;
        if (status != EM_OK && array && (s->why.code == EM_OK || s->why.code == EM_ENOTSUP)) s->why = why;
    }
    if (count == 0) emi_name_list_add(&s->names, "it is empty");
    (void)emi_name_list_end(&s->names);
}

static int is_model(const emi_npz *npz)
{
    static const char *const entries[] = {"components", "mean", "explained_variance", "n_samples", "method"};
    for (size_t n = 0; n < sizeof entries / sizeof *entries; n++)
        if (emi_npz_find(npz, entries[n]) < 0) return 0;
    return 1;
}

static em_status choose_array(emi_npz *npz, const char *name, const emi_read_request *request, size_t *index,
                              em_error *err)
{
    search s;
    const char *inner = request->inner;
    const char *typed =
        strcmp(request->path, EMI_STANDARD_INPUT) == 0 ? "/dev/stdin" : name; /* to name an array in it */
    long found = inner ? emi_npz_find(npz, inner) : -1;
    *index = (size_t)found;
    if (found >= 0) return EM_OK;
    if (!inner && is_model(npz))
        return emi_fail(err, EM_EDATA,
                        "%s: is a model, not data; try 'eigenmesh info' on it, or %s:components for its components",
                        name, typed);
    if (!inner && emi_npz_count(npz) > MOST)
        return emi_fail(err, EM_EINVAL, "%s: %zu arrays in it; try naming one, as in %s:%.*s", name, emi_npz_count(npz),
                        typed, length_of(emi_npz_name(npz, 0)), emi_npz_name(npz, 0));
    look_around(&s, npz);
    if (inner)
        return emi_fail(err, EM_EDATA, "%s: no array %s in it (%s); try one of these", name, inner, s.names.text);
    if (s.why.code != EM_OK && (s.tables == 0 || s.why.code != EM_ENOTSUP))
        return emi_fail(err, s.why.code, "%s", s.why.msg);
    if (s.tables == 0)
        return emi_fail(err, EM_EDATA, "%s: no array of numbers with rows and columns in it (%s); try another file",
                        name, s.names.text);
    const char *first = emi_npz_name(npz, s.first);
    if (s.tables > 1)
        return emi_fail(err, EM_EINVAL, "%s: %d tables in it (%s); try %s:%.*s", name, s.tables, s.names.text, typed,
                        length_of(first), first);
    *index = s.first;
    return EM_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* The numbers stay in the archive where they can be used there. */
static em_status keep(em_data *data, emi_input *input, emi_bytes *array, emi_layout *layout, em_error *err)
{
    int in_place = array->kind == EMI_BORROWED;
    if (in_place) layout->offset += (size_t)(array->at - input->bytes.at);
    em_status status = emi_strided_open(data, in_place ? &input->bytes : array, layout, err);
    if (status != EM_OK) return status;
    if (in_place) (void)emi_input_take(input);
    *array = (emi_bytes){0};
    return EM_OK;
}

static em_status npz_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    emi_npz *npz = NULL;
    emi_npy header;
    emi_layout layout;
    emi_bytes array = {0};
    em_moments *moments = NULL;
    size_t index;
    TRY(emi_input_need_all(input, err));
    TRY(emi_npz_open(&npz, &input->bytes, data->name, err));
    if (!request->inner && emi_npz_is_sparse(npz)) {
        TRY(emi_npz_sparse_open(data, npz, request->options.transpose, err));
        goto done;
    }
    if (!request->inner && emi_npz_is_moments(npz)) {
        TRY(emi_moments_read(&moments, npz, data->name, err));
        TRY(emi_moments_open(data, moments, 1, err));
        moments = NULL;
        goto done;
    }
    TRY(choose_array(npz, data->name, request, &index, err));
    if (!request->inner && emi_npz_count(npz) > 1)
        (void)snprintf(data->remarks, sizeof data->remarks, "array %.*s, the only table of %zu arrays",
                       length_of(emi_npz_name(npz, index)), emi_npz_name(npz, index), emi_npz_count(npz));
    TRY(emi_npz_header(npz, index, &header, err));
    TRY(emi_npy_layout(&header, data->name, &layout, err));
    TRY(emi_npz_read(npz, index, &header, &array, err));
    TRY(keep(data, input, &array, &layout, err));
done:
    em_moments_free(&moments);
    emi_npz_close(&npz);
    emi_bytes_release(&array);
    return status;
}

const emi_reader emi_reader_npz = {.format = "npz", .by_content = npz_by_content, .open = npz_open, .has_inner = 1};
