/* From what the user wrote to a table: find the file, recognise its format, hand it to the reader. */
#include "base/memory.h"
#include "base/text.h"
#include "data/columns.h"
#include "data/dtype.h"
#include "data/reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const emi_reader *const readers[] = {&emi_reader_npy, &emi_reader_hdf5, &emi_reader_cifar,
                                            &emi_reader_idx, &emi_reader_csv,  NULL};

enum { SNIFF = 4096 };

int emi_path_ends(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    return length >= tail && strncmp(path + length - tail, suffix, tail) == 0;
}

/* ---- taking the request apart ------------------------------------------------------------------ */

/* "raw:f32:D:file" */
static em_status parse_raw(emi_request *request, const char *rest, em_error *err)
{
    const char *type_end = strchr(rest, ':'), *columns_end = type_end ? strchr(type_end + 1, ':') : NULL;
    char number[32];
    size_t length = columns_end ? (size_t)(columns_end - type_end - 1) : sizeof number;
    if (length >= sizeof number || !columns_end[1])
        return emi_fail(err, EM_EINVAL, "raw:%s: the form is raw:TYPE:COLUMNS:FILE; try raw:f32:784:file.bin", rest);
    if (emi_dtype_named(rest, (size_t)(type_end - rest), &request->raw_type))
        return emi_fail(err, EM_EINVAL, "raw:%s: no such type; try f16, f32, f64, i8 to i64 or u8 to u64", rest);
    memcpy(number, type_end + 1, length);
    number[length] = 0;
    if (emi_text_size(number, &request->raw_columns) || request->raw_columns == 0)
        return emi_fail(err, EM_EINVAL, "raw:%s: '%s' is no number of columns; try 1 or more", rest, number);
    request->raw = 1;
    request->path = emi_strdup(columns_end + 1);
    return request->path ? EM_OK : emi_fail_memory(err, rest);
}

/* "file.h5:/path" where no file has the whole text as its name. */
static em_status parse_path(emi_request *request, const char *text, em_error *err)
{
    request->path = emi_strdup(text);
    if (!request->path) return emi_fail_memory(err, text);
    char *colon = strstr(request->path, ":/");
    if (!colon || access(text, F_OK) == 0) return EM_OK;
    *colon = 0;
    request->inner = colon + 1;
    return EM_OK;
}

static em_status parse_request(emi_request *request, const char *text, const em_read_options *options, em_error *err)
{
    static const em_read_options find_out = {EM_HEADER_AUTO, NULL};
    const char *raw = emi_text_after(text, "raw:");
    *request = (emi_request){.options = options ? options : &find_out};
    return raw ? parse_raw(request, raw, err) : parse_path(request, text, err);
}

/* ---- recognising --------------------------------------------------------------------------------- */

static em_status recognise(const emi_input *input, const emi_reader **out, em_error *err)
{
    for (int r = 0; readers[r]; r++)
        if (readers[r]->by_content && readers[r]->by_content(input)) {
            *out = readers[r];
            return EM_OK;
        }
    for (int r = 0; readers[r]; r++)
        if (readers[r]->by_name && readers[r]->by_name(input->path)) {
            *out = readers[r];
            return EM_OK;
        }
    int zip = input->bytes.size > 2 && memcmp(input->bytes.at, "PK", 2) == 0;
    return emi_fail(err, EM_EDATA, "%s: %s; try .npy, CSV, TSV, IDX, CIFAR-10 binary, HDF5 or raw:TYPE:COLUMNS:FILE",
                    input->path, zip ? "a ZIP archive or .npz is no table" : "of no format that is understood");
}

/* Columns named by the user, for readers that do not pick them on their own. */
static em_status pick_columns(em_data *data, const emi_request *request, em_error *err)
{
    size_t picked;
    if (!request->options->columns) return EM_OK;
    em_status status =
        emi_columns_parse(request->options->columns, data->columns, NULL, data->name, &data->pick, &picked, err);
    if (status == EM_OK) data->columns = picked;
    return status;
}

em_status em_data_open(em_data **out, const char *path, const em_read_options *options, em_error *err)
{
    em_status status = EM_OK;
    emi_request request = {0};
    emi_input input = {0};
    const emi_reader *reader = NULL;
    int picked = 0;
    *out = NULL;
    em_data *data = emi_calloc(1, sizeof *data);
    if (!data) TRY(emi_fail_memory(err, path));
    data->name = emi_strdup(path);
    if (!data->name) TRY(emi_fail_memory(err, path));
    TRY(parse_request(&request, path, options, err));
    TRY(emi_input_open(&input, request.path, err));
    TRY(emi_input_need(&input, SNIFF, err));
    if (input.bytes.size == 0) TRY(emi_fail(err, EM_EDATA, "%s: is empty; try another file", path));
    if (request.raw) {
        data->format = "raw";
        TRY(emi_raw_open(data, &input, &request, err));
    } else {
        TRY(recognise(&input, &reader, err));
        if (request.inner && reader != &emi_reader_hdf5)
            TRY(emi_fail(err, EM_EINVAL, "%s: %s is no HDF5 file, and has nothing inside; try %s", path, request.path,
                         request.path));
        data->format = reader->format;
        TRY(reader->open(data, &input, &request, &picked, err));
    }
    if (data->rows == 0 || data->columns == 0)
        TRY(emi_fail(err, EM_EDATA, "%s: %zu rows of %zu columns; try a table with one of each or more", path,
                     data->rows, data->columns));
    if (!picked) TRY(pick_columns(data, &request, err));
    *out = data;
    data = NULL;
done:
    emi_input_close(&input);
    emi_free(request.path);
    em_data_free(&data);
    return status;
}
