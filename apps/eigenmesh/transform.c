/* eigenmesh transform: rows to scores, and back. */
#include "command.h"
#include "eigenvec.h"
#include "input.h"
#include "lab/plot.h"
#include "outputs.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const option_spec transform_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "SCORES.npy",
     .example = "scores.npy",
     .help = "where to write; the name chooses the format: .npy, .csv, .tsv, .idx, .h5, raw:TYPE:file, or a .gz; "
             ".eigenvec is PLINK's, of genotypes; - is CSV on standard output",
     .file = WRITES_TABLE},
    {.name = "plot",
     .metavar = "FILE",
     .example = "scores.svg",
     .help = "draw the scores along the first two components: .svg, .png or .pdf",
     .file = WRITES},
    {.name = "label",
     .metavar = "COLUMN",
     .example = "species",
     .help = "colour the points by this column of a CSV, a name or a position from 0, which is no feature"},
    {.name = "inverse", .help = "from scores (K columns) back to rows (d columns)"},
    {.name = "whiten", .help = "scores of unit variance"},
    INPUT_OPTIONS,
    {0}};

typedef struct transform_job {
    const arguments *args;
    em_model *model;
    em_data *data;
    reading reading;    /* by the model's names... */
    reading names;      /* ...which are those of what --inverse writes */
    const double *fill; /* for values that are missing */
    int inverse, whiten;
    output_file plot;
    score_plot picture;
    labels labels;
    double *drawn; /* the scores that are drawn */
    size_t kept;   /* rows of them */
} transform_job;

static em_status map_rows(void *context, const double *in, size_t rows, double *out, em_error *err)
{
    transform_job *job = context;
    size_t columns = (size_t)job->picture.columns, K = (size_t)em_model_components_count(job->model);
    if (job->inverse) return em_model_inverse(job->model, in, rows, job->whiten, out, err);
    em_status status = em_model_transform(job->model, in, rows, job->whiten, out, err);
    for (size_t r = 0; status == EM_OK && job->drawn && r < rows; r++, job->kept++)
        for (size_t c = 0; c < columns; c++) job->drawn[job->kept * columns + c] = out[r * K + c];
    return status;
}

/* ---- the picture ------------------------------------------------------------------------------------------------ */

static const char *label_of(const void *data, size_t row)
{
    return em_data_label(data, row);
}

static em_status prepare_picture(transform_job *job, em_error *err)
{
    em_status status = EM_OK;
    const char *label = args_text(job->args, "label");
    size_t rows = em_data_rows(job->data);
    score_plot *s = &job->picture;
    *s = (score_plot){.rows = rows, .whitened = job->whiten};
    s->columns = em_model_components_count(job->model) > 1 ? 2 : 1;
    for (int k = 0; k < s->columns; k++) s->shares[k] = em_model_explained_variance_ratio(job->model)[k];
    if (label) {
        job->labels = (labels){.name = label, .rows = rows, .of = label_of, .from = job->data};
        s->labels = &job->labels;
        TRY(labels_sort_out(&job->labels, err));
    }
    job->drawn = emi_doubles(rows * (size_t)s->columns);
    if (!job->drawn) TRY(emi_fail_memory(err, "--plot"));
    s->scores = job->drawn;
done:
    return status;
}

static em_status draw(void *context, em_error *err)
{
    transform_job *job = context;
    if (!job->plot.handle) return EM_OK;
    return plot_scores(&(canvas){job->plot.handle, gnuplot_kind(job->plot.path)}, &job->picture, err);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int wants_eigenvec(const arguments *args)
{
    return args_given(args, "output") && is_eigenvec(args_text(args, "output"));
}

/* What PLINK's format leaves no choice about. */
static em_status check_eigenvec(const arguments *args, em_error *err)
{
    static const char *const fixed[] = {"inverse", "whiten", "label"};
    for (size_t n = 0; n < sizeof fixed / sizeof *fixed && wants_eigenvec(args); n++)
        if (args_given(args, fixed[n]))
            return emi_fail(err, EM_EINVAL, "--%s: not with PLINK's %s; try -o scores.npy", fixed[n],
                            args_text(args, "output"));
    return EM_OK;
}

static em_status check_options(const arguments *args, em_error *err)
{
    if (!args_given(args, "output") && !args_given(args, "plot"))
        return emi_fail(err, EM_EINVAL, "transform: neither -o nor --plot says where to; try -o scores.npy");
    if (args_given(args, "inverse") && args_given(args, "plot"))
        return emi_fail(err, EM_EINVAL, "--plot: draws scores, and --inverse makes none; try without --inverse");
    if (args_given(args, "label") && !args_given(args, "plot"))
        return emi_fail(err, EM_EINVAL, "--label: there is nothing to colour; try --plot scores.svg beside it");
    return check_eigenvec(args, err);
}

/* The mean stands for values that are missing, which then say nothing. */
static em_status choose_fill(transform_job *job, em_error *err)
{
    const double *mean = em_model_mean(job->model);
    const char *how = args_text(job->args, "missing");
    int centred = 0;
    if (!how || strcmp(how, "mean") != 0) return EM_OK;
    for (int f = 0; f < em_model_features(job->model); f++) centred |= mean[f] != 0;
    if (job->inverse || !centred)
        return emi_fail(err, EM_EINVAL, "--missing: %s has no mean to fill with; try --missing drop",
                        job->inverse ? "a score" : job->args->operands[0]);
    job->fill = mean;
    return EM_OK;
}

static em_status open_files(transform_job *job, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = job->args;
    const char *model = args->operands[0];
    TRY(check_options(args, err));
    TRY(outputs_open(&job->plot, 1, args, err));
    TRY(em_model_load(&job->model, model, err));
    TRY(choose_fill(job, err));
    /* Scores have no names that are known. */
    TRY(reading_by_model(job->inverse ? &job->names : &job->reading, job->model, model, err));
    TRY(reading_open(&job->reading, &job->data, args->operands[1], args, args_text(args, "label"), err));
    if (strcmp(em_data_format(job->data), "bed") == 0 && !job->inverse) job->fill = em_model_mean(job->model);
    int wanted = job->inverse ? em_model_components_count(job->model) : em_model_features(job->model);
    if (em_data_columns(job->data) != (size_t)wanted)
        TRY(emi_fail(err, EM_EINVAL,
                     "%s: has %zu columns, but %s has %d %s; try the data it was fitted to, or --columns",
                     em_data_name(job->data), em_data_columns(job->data), model, wanted,
                     job->inverse ? "components" : "features"));
    if (job->plot.path) TRY(prepare_picture(job, err));
done:
    return status;
}

static void print_report(const transform_job *job, const stream_target *target)
{
    const char *path = args_text(job->args, "output");
    reading_print(&job->reading);
    if (path)
        (void)printf("%s: %zu x %zu %s\n", path, em_data_rows(job->data), target->columns,
                     job->inverse ? "rows" : "scores");
    if (job->plot.path)
        (void)printf("%s: %zu scores along component%s\n", job->plot.path, job->picture.rows,
                     job->picture.columns == 1 ? " 1" : "s 1 and 2");
}

static em_status transform(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    transform_job job = {.args = args,
                         .inverse = args_given(args, "inverse"),
                         .whiten = args_given(args, "whiten"),
                         .plot = {.option = "plot"}};
    TRY(open_files(&job, err));
    int columns = job.inverse ? em_model_features(job.model) : em_model_components_count(job.model),
        eigenvec = wants_eigenvec(args);
    stream_target target = {.path = eigenvec ? NULL : args_text(args, "output"),
                            .type = EM_F64,
                            .columns = (size_t)columns,
                            .fill = job.fill,
                            .values = STREAM_FINITE, /* scores of what is no number would be none either */
                            .names = job.names.names,
                            .map = map_rows,
                            .finish = draw,
                            .context = &job};
    if (!eigenvec || job.plot.path) TRY(stream_rows(job.data, &target, err));
    if (eigenvec) TRY(eigenvec_write(args_text(args, "output"), job.model, job.data, err));
    TRY(outputs_commit(&job.plot, 1, err));
    if (args_reports(args)) print_report(&job, &target);
    reading_warn(&job.reading, args);
done:
    outputs_discard(&job.plot, 1);
    emi_free(job.drawn);
    reading_free(&job.names);
    reading_free(&job.reading);
    em_data_free(&job.data);
    em_model_free(&job.model);
    return status;
}

const command_spec command_transform = {
    .name = "transform",
    .summary = "Turn rows into scores along the components, or back",
    .usage = "MODEL.npz INPUT [-o SCORES.npy] [--plot FILE] [options]",
    .operands = {{"MODEL.npz", READS}, {"INPUT", READS}},
    .operand_limit = 2,
    .options = transform_options,
    .multiplies = 1,
    .examples = {"eigenmesh transform model.npz data.npy -o scores.npy",
                 "eigenmesh transform model.npz flowers.csv --plot scores.svg --label species",
                 "eigenmesh transform model.npz people.bed -o people.eigenvec"},
    .run = transform};
