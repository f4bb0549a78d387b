#include "lab/tables/writer.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/dtype.h"
#include "data/npy.h"
#include "data/reader.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static em_status cannot_write(const lab_writer *writer, em_error *err)
{
    const char *name = strcmp(writer->path, "-") == 0 ? "standard output" : writer->path;
    return emi_fail(err, EM_EOUTPUT, "%s: cannot be written (%s); try another place for it", name,
                    errno ? strerror(errno) : "the device is full");
}

em_status lab_writer_put(lab_writer *writer, const void *bytes, size_t count, em_error *err)
{
    errno = 0;
    FILE *stream = emi_output_stream(writer->output);
    while (writer->gz && count > 0) {
        unsigned part = count < 1 << 24 ? (unsigned)count : 1 << 24;
        if (gzwrite(writer->gz, bytes, part) != (int)part) return cannot_write(writer, err);
        bytes = (const char *)bytes + part;
        count -= part;
    }
    return fwrite(bytes, 1, count, stream) == count ? EM_OK : cannot_write(writer, err);
}

/* ---- numbers as they lie in memory: .npy, IDX, raw ------------------------------------------------- */

em_status lab_writer_encode(lab_writer *writer, const double *row, size_t number, em_error *err)
{
    size_t bad = emi_encode(writer->type, writer->swapped, row, writer->columns, writer->buffer);
    if (bad == writer->columns) return EM_OK;
    return emi_fail(err, EM_EDATA, "%s: row %zu, column %zu: %g does not fit into %s; try dtype=f64", writer->path,
                    number, bad, row[bad], emi_dtype_of(writer->type)->name);
}

static em_status binary_rows(lab_writer *writer, const double *values, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    for (size_t r = 0; r < rows; r++) {
        TRY(lab_writer_encode(writer, values + r * writer->columns, writer->written + r, err));
        TRY(lab_writer_put(writer, writer->buffer, writer->buffer_size, err));
    }
done:
    return status;
}

static em_status npy_begin(lab_writer *writer, em_error *err)
{
    char header[256];
    size_t shape[2] = {writer->rows, writer->columns};
    size_t size = emi_npy_format(header, emi_npy_descr(writer->type), 2, shape);
    return lab_writer_put(writer, header, size, err);
}

static em_status idx_begin(lab_writer *writer, em_error *err)
{
    unsigned char header[12] = {0, 0, (unsigned char)emi_dtype_of(writer->type)->idx_code, 2};
    if (header[2] == 0)
        return emi_fail(err, EM_EINVAL, "%s: IDX has no type %s; try dtype=u8, i8, i16, i32, f32 or f64", writer->path,
                        emi_dtype_of(writer->type)->name);
    if (writer->rows > UINT32_MAX || writer->columns > UINT32_MAX)
        return emi_fail(err, EM_EINVAL, "%s: IDX cannot count that many rows; try .npy", writer->path);
    for (int b = 0; b < 4; b++) { /* the largest byte first */
        header[4 + b] = (unsigned char)(writer->rows >> (24 - 8 * b));
        header[8 + b] = (unsigned char)(writer->columns >> (24 - 8 * b));
    }
    writer->swapped = emi_little_endian();
    return lab_writer_put(writer, header, sizeof header, err);
}

static const lab_format npy_format = {.begin = npy_begin, .rows = binary_rows};
static const lab_format idx_format = {.begin = idx_begin, .rows = binary_rows};
static const lab_format raw_format = {.rows = binary_rows};

/* ---- text ------------------------------------------------------------------------------------------------ */

static em_status text_rows(lab_writer *writer, const double *values, size_t rows, em_error *err)
{
    em_status status = EM_OK;
    for (size_t r = 0; r < rows; r++) {
        size_t length = 0;
        for (size_t c = 0; c < writer->columns; c++) {
            length += emi_text_of_double((char *)writer->buffer + length, values[r * writer->columns + c]);
            writer->buffer[length++] = (unsigned char)(c + 1 < writer->columns ? writer->separator : '\n');
        }
        TRY(lab_writer_put(writer, writer->buffer, length, err));
    }
done:
    return status;
}

static const lab_format text_format = {.rows = text_rows};

/* In quotes where a reader would take it for something else. */
static em_status put_name(lab_writer *writer, const char *name, em_error *err)
{
    em_status status = EM_OK;
    const char special[] = {'"', '\n', '\r', '#', writer->separator, 0};
    double number;
    size_t quote = strpbrk(name, special) || *name == ' ' || (*name && name[strlen(name) - 1] == ' ') ||
                   emi_text_double(name, &number) == 0;
    TRY(lab_writer_put(writer, "\"", quote, err));
    for (const char *at = name; *at; at++) {
        if (*at == '"') TRY(lab_writer_put(writer, "\"", 1, err));
        TRY(lab_writer_put(writer, at, 1, err));
    }
    TRY(lab_writer_put(writer, "\"", quote, err));
done:
    return status;
}

em_status lab_writer_header(lab_writer *writer, const char *const *names, em_error *err)
{
    em_status status = EM_OK;
    if (writer->format != &text_format || writer->written > 0) return EM_OK;
    for (size_t c = 0; c < writer->columns; c++) {
        TRY(put_name(writer, names[c], err));
        TRY(lab_writer_put(writer, c + 1 < writer->columns ? &writer->separator : "\n", 1, err));
    }
done:
    return status;
}

/* ---- from a name to a format -------------------------------------------------------------------------------- */

int lab_dtype_named(const char *name, em_dtype *out)
{
    return emi_dtype_named(name, strlen(name), out) || *out == EM_LONG_DOUBLE;
}

/* "raw:f32:file": the type is part of the name.  What remains is the path. */
static em_status take_raw(lab_writer *writer, const char **name, em_error *err)
{
    const char *type = emi_text_after(*name, "raw:"), *colon = type ? strchr(type, ':') : NULL;
    if (!type) return EM_OK;
    if (!colon || !colon[1] || emi_dtype_named(type, (size_t)(colon - type), &writer->type))
        return emi_fail(err, EM_EINVAL, "%s: the form is raw:TYPE:FILE; try raw:f32:file.bin", *name);
    writer->format = &raw_format;
    *name = colon + 1;
    return EM_OK;
}

/* /dev/stdout and its like are streams: NumPy's own format. */
static em_status choose_format(lab_writer *writer, const char *name, em_error *err)
{
    static const struct {
        const char *ending;
        const lab_format *format;
    } formats[] = {{".csv", &text_format},
                   {".tsv", &text_format},
                   {".npy", &npy_format},
                   {".idx", &idx_format},
                   {".h5", &lab_format_hdf5}};
    em_status status = take_raw(writer, &name, err);
    if (status != EM_OK) return status;
    writer->path = emi_strdup(name);
    if (!writer->path) return emi_fail_memory(err, name);
    if (writer->format) return EM_OK;
    char *inner = strstr(writer->path, ".h5:/");
    if (inner) {
        inner[3] = 0;
        writer->inner = inner + 4;
    }
    writer->separator = emi_path_ends(writer->path, ".tsv") ? '\t' : ',';
    if (strcmp(name, "-") == 0) writer->format = &text_format;
    if (strncmp(name, "/dev/", 5) == 0) writer->format = &npy_format;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        if (emi_path_ends(writer->path, formats[f].ending)) writer->format = formats[f].format;
    if (writer->format) return EM_OK;
    return emi_fail(err, EM_EINVAL,
                    "%s: its name tells no format; try .npy, .csv, .tsv, .idx, .h5, raw:TYPE:FILE, or - for CSV", name);
}

static em_status open_gz(lab_writer *writer, em_error *err)
{
    size_t length = strlen(writer->path);
    if (length < 3 || strcmp(writer->path + length - 3, ".gz") != 0) return EM_OK;
    if (writer->format == &lab_format_hdf5)
        return emi_fail(err, EM_EINVAL, "%s: HDF5 is not written gzipped; try .h5", writer->path);
    int own = dup(fileno(emi_output_stream(writer->output)));
    if (own >= 0) writer->gz = gzdopen(own, "wb9");
    if (writer->gz) return EM_OK;
    if (own >= 0) (void)close(own);
    return emi_fail_memory(err, writer->path);
}

em_status lab_writer_open(lab_writer **out, const char *path, em_dtype type, size_t rows, size_t columns, em_error *err)
{
    em_status status = EM_OK;
    *out = NULL;
    lab_writer *writer = emi_calloc(1, sizeof *writer);
    if (!writer) return emi_fail_memory(err, path);
    *writer = (lab_writer){.type = type, .rows = rows, .columns = columns};
    if ((int)type < 0 || type > EM_BOOL) TRY(emi_fail(err, EM_EINVAL, "%s: no such type of number; try EM_F64", path));
    if (rows == 0 || columns == 0)
        TRY(emi_fail(err, EM_EINVAL, "%s: %zu rows of %zu columns; try one of each or more", path, rows, columns));
    TRY(choose_format(writer, path, err));
    size_t item = writer->format == &text_format ? EMI_NUMBER_TEXT : emi_dtype_size(writer->type);
    if (!emi_size_overflows(columns, item, &writer->buffer_size)) writer->buffer = emi_malloc(writer->buffer_size);
    if (!writer->buffer) TRY(emi_fail_memory(err, writer->path));
    TRY(emi_output_open(&writer->output, writer->path, err));
    TRY(open_gz(writer, err));
    if (writer->format->begin) TRY(writer->format->begin(writer, err));
    *out = writer;
    writer = NULL;
done:
    lab_writer_discard(&writer);
    return status;
}

em_status lab_writer_rows(lab_writer *writer, const double *values, size_t rows, em_error *err)
{
    if (rows > writer->rows - writer->written)
        return emi_fail(err, EM_EINVAL, "%s: more than the %zu rows it was opened for", writer->path, writer->rows);
    em_status status = writer->format->rows(writer, values, rows, err);
    if (status == EM_OK) writer->written += rows;
    return status;
}

static em_status close_gz(lab_writer *writer, em_error *err)
{
    errno = 0;
    int code = writer->gz ? gzclose(writer->gz) : Z_OK;
    writer->gz = NULL;
    return code == Z_OK ? EM_OK : cannot_write(writer, err);
}

em_status lab_writer_close(lab_writer **handle, em_error *err)
{
    em_status status = EM_OK;
    lab_writer *writer = *handle;
    if (!writer) return EM_OK;
    if (writer->written < writer->rows)
        TRY(emi_fail(err, EM_EINVAL, "%s: %zu rows of the %zu it was opened for", writer->path, writer->written,
                     writer->rows));
    if (writer->format->end) TRY(writer->format->end(writer, err));
    TRY(close_gz(writer, err));
    TRY(emi_output_commit(&writer->output, err));
done:
    lab_writer_discard(handle);
    return status;
}

void lab_writer_discard(lab_writer **handle)
{
    lab_writer *writer = *handle;
    if (!writer) return;
    if (writer->format && writer->format->close) writer->format->close(writer);
    if (writer->gz) (void)gzclose(writer->gz);
    emi_output_discard(&writer->output);
    emi_free(writer->buffer);
    emi_free(writer->path);
    emi_free(writer);
    *handle = NULL;
}
