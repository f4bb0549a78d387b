/* CIFAR-10 binary: records of a label byte (0 to 9) and 32 x 32 red, then green, then blue bytes (Krizhevsky, "Learning
 * multiple layers of features from tiny images", 2009).  The label is left out; columns 0-1023 are the red ones.
 * There is no magic number, so every label is checked. */
#include "data/reader.h"
#include "data/strided.h"

enum { PIXELS = 3072, RECORD = 1 + PIXELS, LABELS = 10 };

/* As good as a magic number: the name, the size and the first label agree. */
static int cifar_by_content(const emi_input *input)
{
    return emi_path_ends(input->path, ".bin") && !input->stream && input->bytes.size % RECORD == 0 &&
           input->bytes.at[0] < LABELS;
}

static em_status cifar_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    (void)request;
    em_status status = EM_OK;
    TRY(emi_input_need_all(input, err));
    size_t size = input->bytes.size, rows = size / RECORD;
    if (size % RECORD)
        TRY(emi_fail(
            err, EM_EDATA,
            "%s: %zu bytes are no whole number of CIFAR-10 records of %d; try raw:TYPE:COLUMNS:FILE for other numbers",
            data->name, size, RECORD));
    for (size_t r = 0; r < rows; r++)
        if (input->bytes.at[r * RECORD] >= LABELS)
            TRY(emi_fail(
                err, EM_EDATA,
                "%s: record %zu has label %d, and CIFAR-10's go to 9; try raw:TYPE:COLUMNS:FILE for other numbers",
                data->name, r, input->bytes.at[r * RECORD]));
    emi_layout layout = {
        .type = EM_U8, .offset = 1, .rows = rows, .columns = PIXELS, .row_stride = RECORD, .column_stride = 1};
    TRY(emi_strided_take(data, input, &layout, err));
done:
    return status;
}

const emi_reader emi_reader_cifar = {
    .format = "cifar10", .by_content = cifar_by_content, .endings = {".bin"}, .open = cifar_open};
