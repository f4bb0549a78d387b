/* eigenmesh transform: rows to scores, and back. */
#include "command.h"
#include "input.h"
#include "message.h"
#include "stream.h"

static const option_spec transform_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "SCORES.npy",
     .example = "scores.npy",
     .required = 1,
     .help = "where to write; the name chooses the format: .npy, .csv, .tsv, .idx, .h5, raw:TYPE:file, or a .gz; - is "
             "CSV on "
             "standard output"},
    {.name = "inverse", .help = "from scores (K columns) back to rows (d columns)"},
    {.name = "whiten", .help = "scores of unit variance"},
    INPUT_OPTIONS,
    {0}};

static const char *const transform_examples[] = {"eigenmesh transform model.npz data.npy -o scores.npy", NULL};

typedef struct mapping {
    const em_model *model;
    int whiten;
} mapping;

static em_status forward(const void *context, const double *in, size_t rows, double *out, em_error *err)
{
    const mapping *m = context;
    return em_model_transform(m->model, in, rows, m->whiten, out, err);
}

static em_status backward(const void *context, const double *in, size_t rows, double *out, em_error *err)
{
    const mapping *m = context;
    return em_model_inverse(m->model, in, rows, m->whiten, out, err);
}

static em_status check_columns(const em_data *data, size_t wanted, const char *model, int inverse, em_error *err)
{
    if (em_data_columns(data) == wanted) return EM_OK;
    return refuse(err, EM_EINVAL, "%s: has %zu columns, but %s has %zu %s; try the data it was fitted to, or --columns",
                  em_data_name(data), em_data_columns(data), model, wanted, inverse ? "components" : "features");
}

static em_status transform(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    em_data *data = NULL;
    int inverse = args_given(args, "inverse");
    const char *output = args_text(args, "output");
    TRY(input_check_streams(args->operands, args->operand_count, 1, err));
    TRY(em_model_load(&model, args->operands[0], err));
    TRY(input_open(&data, args->operands[1], args, NULL, NULL, err));
    size_t d = (size_t)em_model_features(model), K = (size_t)em_model_components_count(model);
    TRY(check_columns(data, inverse ? K : d, args->operands[0], inverse, err));
    mapping map = {model, args_given(args, "whiten")};
    stream_target target = {.path = output,
                            .type = EM_F64,
                            .columns = inverse ? d : K,
                            .map = inverse ? backward : forward,
                            .context = &map};
    TRY(stream_rows(data, &target, err));
    if (args_reports(args))
        (void)printf("%s: %zu x %zu %s\n", output, em_data_rows(data), target.columns, inverse ? "rows" : "scores");
done:
    em_data_free(&data);
    em_model_free(&model);
    return status;
}

const command_spec command_transform = {.name = "transform",
                                        .summary = "Turn rows into scores along the components, or back",
                                        .usage = "MODEL.npz INPUT -o SCORES.npy [options]",
                                        .operands = {"MODEL.npz", "INPUT"},
                                        .operand_limit = 2,
                                        .options = transform_options,
                                        .examples = transform_examples,
                                        .run = transform};
