/* eigenmesh convert: a table from one format to another. */
#include "command.h"
#include "input.h"
#include "lab/tables/writer.h"
#include "outputs.h"

#include "base/error.h"

#include <string.h>

static const option_spec convert_options[] = {
    {.name = "dtype",
     .metavar = "TYPE",
     .preset = "the input's",
     .example = "f32",
     .help = "numbers of a binary output: f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64, bool"},
    INPUT_OPTIONS,
    {0}};

static em_status convert(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    reading read = {0};
    em_dtype type = EM_F64;
    const char *input = args->operands[0], *output = args->operands[1], *dtype = args_text(args, "dtype");
    if (dtype && lab_dtype_named(dtype, &type))
        TRY(emi_fail(err, EM_EINVAL, "--dtype: '%s' is no type of numbers; try --dtype f32", dtype));
    const char *missing = args_text(args, "missing");
    if (missing && strcmp(missing, "mean") == 0)
        TRY(emi_fail(err, EM_EINVAL, "--missing: mean is for fit and transform; try --missing drop"));
    TRY(reading_open(&read, &data, input, args, NULL, err));
    /* Rows pass through as doubles, so that a long double's extra digits are gone already. */
    if (!dtype && em_data_type(data) != EM_LONG_DOUBLE) type = em_data_type(data);
    stream_target target = {.path = output,
                            .type = type,
                            .columns = em_data_columns(data),
                            .names = read.count ? read.names : NULL,
                            .values = missing && strcmp(missing, "error") == 0 ? STREAM_WHOLE : STREAM_ANY};
    TRY(stream_rows(data, &target, err));
    if (args_reports(args)) {
        (void)printf("%s: %zu x %zu from %s\n", output, em_data_rows(data), em_data_columns(data),
                     em_data_format(data));
        reading_print(&read);
    }
    reading_warn(&read, args);
done:
    reading_free(&read);
    em_data_free(&data);
    return status;
}

const command_spec command_convert = {.name = "convert",
                                      .summary = "Copy a table from one format to another",
                                      .usage = "INPUT OUTPUT [options]",
                                      .operands = {{"INPUT", READS}, {"OUTPUT", WRITES_TABLE}},
                                      .operand_limit = 2,
                                      .options = convert_options,
                                      .examples = {"eigenmesh convert data.csv data.npy --dtype f32"},
                                      .run = convert};
