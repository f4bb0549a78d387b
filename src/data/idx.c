/* IDX, the format of MNIST: two zero bytes, a type byte, the number of dimensions, then each dimension as a
 * big-endian 32-bit number, then the values, big-endian (LeCun, Cortes and Burges, "The MNIST database").
 * The first dimension is rows; the others together are columns. */
#include "base/memory.h"
#include "data/dtype.h"
#include "data/reader.h"
#include "data/strided.h"

static int idx_by_content(const emi_input *input)
{
    const unsigned char *head = input->bytes.at;
    em_dtype type;
    return input->bytes.size >= 8 && head[0] == 0 && head[1] == 0 && emi_dtype_idx(head[2], &type) == 0 &&
           head[3] >= 1 && head[3] <= 8;
}

static size_t big_endian(const unsigned char *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

static em_status idx_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    (void)request;
    em_status status = EM_OK;
    size_t columns = 1, row, payload;
    emi_layout layout = {.swapped = emi_little_endian()};
    (void)emi_dtype_idx(input->bytes.at[2], &layout.type);
    size_t dims = input->bytes.at[3];
    if (dims == 1)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: one dimension, as labels have, and rows are samples; try the file of the images",
                     data->name));
    layout.offset = 4 + 4 * dims;
    if (input->bytes.size < layout.offset)
        TRY(emi_fail(err, EM_EDATA, "%s: cut short inside its header; try fetching it again", data->name));
    layout.rows = big_endian(input->bytes.at + 4);
    int overflow = 0;
    for (size_t n = 1; n < dims; n++)
        overflow |= emi_size_overflows(columns, big_endian(input->bytes.at + 4 + 4 * n), &columns);
    overflow |= emi_size_overflows(columns, emi_dtype_size(layout.type), &row);
    overflow |= emi_size_overflows(row, layout.rows, &payload) || payload > PTRDIFF_MAX - layout.offset;
    if (overflow)
        TRY(emi_fail(err, EM_EDATA, "%s: its header claims more than memory holds; try fetching it again", data->name));
    layout.columns = columns;
    layout.column_stride = (ptrdiff_t)emi_dtype_size(layout.type);
    layout.row_stride = (ptrdiff_t)row;
    TRY(emi_input_exactly(input, layout.offset + payload, err));
    TRY(emi_strided_take(data, input, &layout, err));
done:
    return status;
}

const emi_reader emi_reader_idx = {.format = "idx", .by_content = idx_by_content, .open = idx_open};
