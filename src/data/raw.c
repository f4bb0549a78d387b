/* Raw numbers in this machine's byte order, as many columns as the user says. */
#include "base/memory.h"
#include "data/reader.h"
#include "data/strided.h"

static em_status raw_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    size_t row, size = emi_dtype_size(request->raw_type);
    TRY(emi_input_need_all(input, err));
    if (emi_size_overflows(request->raw_columns, size, &row) || row > PTRDIFF_MAX || input->bytes.size % row)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: %zu bytes are no whole number of rows of %zu columns; try another number of columns",
                     data->name, input->bytes.size, request->raw_columns));
    emi_layout layout = {.type = request->raw_type,
                         .rows = input->bytes.size / row,
                         .columns = request->raw_columns,
                         .row_stride = (ptrdiff_t)row,
                         .column_stride = (ptrdiff_t)size};
    TRY(emi_strided_take(data, input, &layout, err));
done:
    return status;
}

const emi_reader emi_reader_raw = {.format = "raw", .open = raw_open}; /* asked for by name, so never recognised */
