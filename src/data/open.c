/* From what the user wrote to a table: find the file, recognise its format, hand it to the reader. */
#include "base/memory.h"
#include "base/text.h"
#include "data/columns.h"
#include "data/csr.h"
#include "data/dtype.h"
#include "data/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const emi_reader *const readers[] = {&emi_reader_npy, &emi_reader_npz, &emi_reader_hdf5,
                                            &emi_reader_bed, &emi_reader_mtx, &emi_reader_cifar,
                                            &emi_reader_idx, &emi_reader_csv, NULL};

enum { SNIFF = 4096 };

int emi_path_ends(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    return length >= tail && strncmp(path + length - tail, suffix, tail) == 0;
}

/* ---- taking the request apart ------------------------------------------------------------------ */

/* "raw:f32:D:file" */
static em_status parse_raw(emi_read_request *request, const char *rest, em_error *err)
{
    const char *type_end = strchr(rest, ':'), *columns_end = type_end ? strchr(type_end + 1, ':') : NULL;
    if (!columns_end || !columns_end[1] || columns_end - type_end > EMI_NUMBER_TEXT)
        return emi_fail(err, EM_EINVAL, "raw:%s: the form is raw:TYPE:COLUMNS:FILE; try raw:f32:784:file.bin", rest);
    if (emi_dtype_named(rest, (size_t)(type_end - rest), &request->raw_type))
        return emi_fail(err, EM_EINVAL, "raw:%s: no such type; try f16, f32, f64, i8 to i64 or u8 to u64", rest);
    int length = (int)(columns_end - type_end - 1);
    if (emi_text_size_in(type_end + 1, (size_t)length, &request->raw_columns) || request->raw_columns == 0)
        return emi_fail(err, EM_EINVAL, "raw:%s: '%.*s' is no number of columns; try 1 or more", rest, length,
                        type_end + 1);
    request->raw = 1;
    request->path = emi_strdup(columns_end + 1);
    return request->path ? EM_OK : emi_fail_memory(err, rest);
}

static int is_there(const char *path)
{
    return strcmp(path, EMI_STANDARD_INPUT) == 0 || access(path, F_OK) == 0;
}

/* The colon of "file.h5:/path" or "file.npz:name": names may have colons too, so that it is the last one before which
 * there is a file; NULL: the whole text is a file's name. */
static char *find_colon(char *text)
{
    if (is_there(text)) return NULL;
    for (char *at = text + strlen(text); at > text; at--) {
        if (*at != ':') continue;
        *at = 0;
        int found = is_there(text);
        *at = ':';
        if (found) return at;
    }
    return strstr(text, ":/"); /* no such file: the message is about what it would be */
}

static em_status parse_path(emi_read_request *request, const char *text, em_error *err)
{
    request->path = emi_strdup(text);
    if (!request->path) return emi_fail_memory(err, text);
    char *colon = find_colon(request->path);
    if (!colon) return EM_OK;
    *colon = 0;
    request->inner = colon + 1;
    return EM_OK;
}

/* A program may be older than this library, and its record shorter; or newer, and ask for more. */
static em_status copy_known(em_read_options *known, const em_read_options *given, em_error *err)
{
    const char *bytes = (const char *)given;
    if (given->size < sizeof given->size)
        return emi_fail(err, EM_EINVAL, "em_read_options: of size %zu; try size = sizeof(em_read_options)",
                        given->size);
    for (size_t n = sizeof *known; n < given->size; n++)
        if (bytes[n])
            return emi_fail(err, EM_ENOTSUP, "em_read_options: asks for what version %s does not know; try a newer one",
                            em_version());
    memcpy(known, given, given->size < sizeof *known ? given->size : sizeof *known);
    return EM_OK;
}

/* ---- recognising --------------------------------------------------------------------------------- */

static int is_named_so(const emi_reader *reader, const char *path)
{
    for (size_t n = 0; n < sizeof reader->endings / sizeof *reader->endings && reader->endings[n]; n++)
        if (emi_path_ends(path, reader->endings[n])) return 1;
    return 0;
}

/* By content first. */
static const emi_reader *recognise(const emi_input *input)
{
    for (int r = 0; readers[r]; r++)
        if (readers[r]->by_content(input)) return readers[r];
    for (int r = 0; readers[r]; r++)
        if (is_named_so(readers[r], input->path)) return readers[r];
    return NULL;
}

/* Columns that the other table has not; where some are listed, these alone are looked at, or all but some. */
static em_status refuse_more(const em_data *data, const em_read_options *o, const unsigned char *taken, em_error *err)
{
    em_status status = EM_OK;
    emi_columns listed = {0};
    emi_name_list more = {0};
    const char *const *names = (const char *const *)data->names;
    unsigned char *seen = emi_calloc(data->columns, 1);
    if (!seen) TRY(emi_fail_memory(err, data->name));
    if (o->columns) TRY(emi_columns_parse(&listed, o->columns, data->columns, names, data->name, err));
    for (size_t n = 0; n < listed.picked; n++) seen[listed.pick[n]] = 1;
    for (size_t c = 0; c < data->columns; c++)
        if (!taken[c] && (seen[c] || !o->columns)) emi_name_list_add(&more, names[c]);
    if (more.count && !listed.by_position)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: has %s, which %s no feature of %s; try option columns with the names that both have",
                     data->name, emi_name_list_end(&more), more.count == 1 ? "is" : "are", o->features_of));
done:
    emi_columns_free(&listed);
    emi_free(seen);
    return status;
}

/* Those of another table, in its order. */
static em_status match_columns(em_data *data, const em_read_options *o, emi_columns *listed, em_error *err)
{
    *listed = (emi_columns){.picked = o->feature_count, .pick = emi_calloc(o->feature_count, sizeof *listed->pick)};
    listed->excluded = emi_calloc(data->columns, 1);
    if (!listed->pick || !listed->excluded) return emi_fail_memory(err, data->name);
    em_status status =
        emi_names_match((const char *const *)data->names, data->columns, o, data->name, listed->pick, err);
    for (size_t f = 0; status == EM_OK && f < listed->picked; f++)
        if (listed->excluded[listed->pick[f]]++)
            status = emi_fail(err, EM_EDATA, "%s: more than one feature of %s is called %s; try other names",
                              data->name, o->features_of, o->features[f]);
    return status == EM_OK ? refuse_more(data, o, listed->excluded, err) : status;
}

/* Columns named by the user, for readers that do not pick them on their own; and what only a text has. */
static em_status pick_columns(em_data *data, const emi_read_request *request, em_error *err)
{
    const em_read_options *o = &request->options;
    emi_columns listed = {0};
    if (o->label || o->delimiter)
        return emi_fail(err, EM_EINVAL, "%s: %s is of a CSV alone, and this is %s; try without it", data->name,
                        o->label ? "a label" : "a delimiter", data->format);
    int by_names = data->names && o->features;
    if (!o->columns && !by_names) return EM_OK;
    em_status status = by_names ? match_columns(data, o, &listed, err)
                                : emi_columns_parse(&listed, o->columns, data->columns,
                                                    (const char *const *)data->names, data->name, err);
    if (status == EM_OK) status = emi_data_pick(data, listed.pick, listed.picked, err);
    if (data->pick) listed.pick = NULL;
    emi_columns_free(&listed);
    return status;
}

/* Has it both rows and columns? */
static em_status check_shape(const em_data *data, em_error *err)
{
    if (data->rows > 0 && data->columns > 0) return EM_OK;
    return emi_fail(err, EM_EDATA, "%s: %zu rows of %zu columns; try a table with one of each or more", data->name,
                    data->rows, data->columns);
}

/* What messages and reports call it. */
static char *name_of(const emi_read_request *request, const char *text)
{
    static const char words[] = "standard input";
    size_t inner = request->inner ? strlen(request->inner) + 1 : 0;
    if (strcmp(request->path, EMI_STANDARD_INPUT) != 0) return emi_strdup(text);
    char *name = emi_malloc(sizeof words + inner);
    if (name) (void)sprintf(name, "%s%s%s", words, inner ? ":" : "", inner ? request->inner : "");
    return name;
}

static em_status read_format(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    const emi_reader *reader = request->raw ? &emi_reader_raw : recognise(input);
    if (!reader)
        return emi_fail(
            err, EM_EDATA,
            "%s: of no format that is understood; try .npy, .npz, CSV, TSV, IDX, CIFAR-10 binary, HDF5, .bed, Matrix "
            "Market or raw:TYPE:COLUMNS:FILE",
            data->name);
    if (request->inner && !reader->has_inner)
        return emi_fail(err, EM_EINVAL, "%s: %s is no HDF5 file and no .npz, and has nothing inside; try %s",
                        data->name, request->path, request->path);
    data->format = reader->format;
    em_status status = reader->open(data, input, request, err);
    if (status == EM_OK) status = check_shape(data, err);
    if (status != EM_OK) return status;
    if (request->options.transpose && data->source->rows != &emi_csr_rows)
        return emi_fail(err, EM_EINVAL, "%s: only a sparse matrix is transposed, and this is %s; try without it",
                        data->name, data->format);
    if (data->source->rows == &emi_csr_rows && !*data->remarks)
        (void)snprintf(data->remarks, sizeof data->remarks, "a sparse matrix%s",
                       request->options.transpose ? ", transposed" : "");
    return reader->picks ? EM_OK : pick_columns(data, request, err);
}

em_status em_data_open(em_data **out, const char *path, const em_read_options *options, em_error *err)
{
    em_status status = EM_OK;
    emi_read_request request = {0};
    emi_input input = {0};
    *out = NULL;
    em_data *data = emi_calloc(1, sizeof *data);
    if (!data) TRY(emi_fail_memory(err, path));
    if (options) TRY(copy_known(&request.options, options, err));
    const char *raw = emi_text_after(path, "raw:");
    TRY(raw ? parse_raw(&request, raw, err) : parse_path(&request, path, err));
    data->name = name_of(&request, path);
    if (!data->name) TRY(emi_fail_memory(err, path));
    TRY(emi_input_open(&input, request.path, err));
    TRY(emi_input_need(&input, SNIFF, err));
    if (input.bytes.size == 0) TRY(emi_fail(err, EM_EDATA, "%s: is empty; try another file", data->name));
    TRY(emi_input_verdict(&input, read_format(data, &input, &request, err), err));
    TRY(emi_data_missing(data, request.options.missing, err));
    *out = data;
    data = NULL;
done:
    emi_input_close(&input);
    emi_free(request.path);
    em_data_free(&data);
    return status;
}

em_status em_data_from_text(em_data **out, const char *name, const char *text, size_t size,
                            const em_read_options *options, em_error *err)
{
    em_status status = EM_OK;
    emi_read_request request = {0};
    emi_input input = {.path = name, .bytes = {.size = size, .kind = EMI_HELD}};
    *out = NULL;
    em_data *data = emi_calloc(1, sizeof *data);
    if (!data) TRY(emi_fail_memory(err, name));
    if (options) TRY(copy_known(&request.options, options, err));
    request.path = emi_strdup(name);
    data->name = emi_strdup(name);
    if (!request.path || !data->name) TRY(emi_fail_memory(err, name));
    if (size == 0) TRY(emi_fail(err, EM_EDATA, "%s: is empty; try a text with rows", name));
    input.bytes.at = emi_malloc(size);
    if (!input.bytes.at) TRY(emi_fail_memory(err, name));
    memcpy(input.bytes.at, text, size);
    TRY(emi_reader_csv.open(data, &input, &request, err));
    TRY(check_shape(data, err));
    TRY(emi_data_missing(data, request.options.missing, err));
    *out = data;
    data = NULL;
done:
    emi_input_close(&input);
    emi_free(request.path);
    em_data_free(&data);
    return status;
}
