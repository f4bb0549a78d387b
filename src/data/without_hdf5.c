/* Where HDF5 is not built in, its files are still recognised, and the reason said. */
#include "data/reader.h"

#include <string.h>

static int hdf5_by_content(const emi_input *input)
{
    return input->bytes.size >= 8 && memcmp(input->bytes.at, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static em_status hdf5_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    (void)input, (void)request;
    return emi_fail(err, EM_ENOTSUP, "%s: HDF5 is not built in; try building with libhdf5-dev installed", data->name);
}

const emi_reader emi_reader_hdf5 = {.format = "hdf5", .by_content = hdf5_by_content, .open = hdf5_open, .has_inner = 1};
