#include "stream.h"
#include "lab/tables/writer.h"
#include "message.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK_NUMBERS = 1 << 18 };

static size_t block_rows(const em_data *data, const stream_target *target)
{
    size_t widest = em_data_columns(data) > target->columns ? em_data_columns(data) : target->columns;
    size_t rows = BLOCK_NUMBERS / (widest ? widest : 1);
    if (rows > em_data_rows(data)) rows = em_data_rows(data);
    return rows ? rows : 1;
}

static void fill(const double *with, size_t columns, size_t rows, double *in)
{
    for (size_t n = 0; n < rows * columns; n++)
        if (isnan(in[n])) in[n] = with[n % columns];
}

static em_status check(const em_data *data, const stream_target *target, size_t first, size_t rows, const double *in,
                       em_error *err)
{
    size_t columns = em_data_columns(data);
    int finite = target->values == STREAM_FINITE;
    for (size_t n = 0; target->values != STREAM_ANY && n < rows * columns; n++) {
        if (!isnan(in[n]) && !(finite && isinf(in[n]))) continue;
        return emi_fail(err, EM_EDATA, "%s: row %zu, column %zu (from 0) is %s", em_data_name(data),
                        first + n / columns, n % columns,
                        isinf(in[n]) ? "infinite; try dropping or mending it"
                        : finite     ? "not a number (NaN); try filling it, or --missing drop or mean"
                                     : "not a number (NaN); try --missing drop");
    }
    return EM_OK;
}

static em_status stream_block(const em_data *data, const stream_target *target, lab_writer *writer, size_t first,
                              size_t count, double *in, double *out, em_error *err)
{
    em_status status = em_data_read(data, first, count, in, err);
    if (status == EM_OK && target->fill) fill(target->fill, em_data_columns(data), count, in);
    if (status == EM_OK) status = check(data, target, first, count, in, err);
    if (status == EM_OK && target->map) status = target->map(target->context, in, count, out, err);
    if (status == EM_OK && writer) status = lab_writer_rows(writer, target->map ? out : in, count, err);
    return status;
}

em_status stream_rows(const em_data *data, const stream_target *target, em_error *err)
{
    em_status status = EM_OK;
    lab_writer *writer = NULL;
    size_t rows = em_data_rows(data), block = block_rows(data, target);
    double *in = emi_doubles(block * em_data_columns(data));
    double *out = emi_doubles(block * target->columns);
    if (!in || !out) TRY(emi_fail_memory(err, em_data_name(data)));
    if (target->path) {
        TRY(lab_writer_open(&writer, target->path, target->type, rows, target->columns, err));
        if (target->names) TRY(lab_writer_header(writer, target->names, err));
    }
    interrupt_defer();
    for (size_t first = 0; first < rows; first += block) {
        size_t count = rows - first < block ? rows - first : block;
        TRY(stream_block(data, target, writer, first, count, in, out, err));
        progress_rows(first + count, rows);
        if (interrupt_requested())
            TRY(emi_fail(err, EM_EOUTPUT, "%s: %s, interrupted at row %zu; try again", em_data_name(data),
                         target->path && strcmp(target->path, "-") == 0 ? "cut short" : "nothing is written",
                         first + count));
    }
    if (target->finish) TRY(target->finish(target->context, err));
    if (writer) TRY(lab_writer_close(&writer, err));
done:
    lab_writer_discard(&writer);
    emi_free(out);
    emi_free(in);
    return status;
}
