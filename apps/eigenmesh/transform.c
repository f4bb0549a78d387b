/* eigenmesh transform: rows to scores, and back. */
#include "anomalies.h"
#include "command.h"
#include "eigenvec.h"
#include "input.h"
#include "lab/plot.h"
#include "outputs.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
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
    {.name = "scores",
     .metavar = "LIST",
     .preset = "components",
     .example = "t2,q",
     .help =
         "what to write of a row, in this order: components, t2 (how far its scores lie from the mean), q (how far it "
         "lies from the components); the limits of these are told"},
    {.name = "confidence",
     .metavar = "P",
     .preset = "0.99",
     .example = "0.999",
     .help = "the share of normal rows that lie within the limits of t2 and q"},
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
    anomalies anomalies;
    double *drawn; /* the scores that are drawn */
    size_t kept;   /* rows of them */
} transform_job;

static em_status map_rows(void *context, const double *in, size_t rows, double *out, em_error *err)
{
    transform_job *job = context;
    size_t columns = (size_t)job->picture.columns, K = (size_t)em_model_components_count(job->model);
    int listed = job->anomalies.names != NULL;
    em_status status = EM_OK;
    if (job->inverse) return em_model_inverse(job->model, in, rows, job->whiten, out, err);
    double *z = listed ? emi_doubles(rows * K) : out;
    if (!z) TRY(emi_fail_memory(err, "--scores"));
    TRY(em_model_transform(job->model, in, rows, job->whiten, z, err));
    for (size_t r = 0; job->drawn && r < rows; r++, job->kept++)
        for (size_t c = 0; c < columns; c++) job->drawn[job->kept * columns + c] = z[r * K + c];
    if (listed) TRY(anomalies_map(&job->anomalies, job->model, in, rows, z, out, err));
done:
    if (listed) emi_free(z);
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
    static const char *const fixed[] = {"inverse", "whiten", "label", "scores"};
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
    if (args_given(args, "inverse") && args_given(args, "scores"))
        return emi_fail(err, EM_EINVAL, "--scores: --inverse makes none; try without --inverse");
    if (args_given(args, "confidence") && !args_given(args, "scores"))
        return emi_fail(err, EM_EINVAL, "--confidence: there is no limit to tell; try --scores t2,q beside it");
    if (args_given(args, "inverse") && args_given(args, "plot"))
        return emi_fail(err, EM_EINVAL, "--plot: draws scores, and --inverse makes none; try without --inverse");
    if (args_given(args, "label") && !args_given(args, "plot"))
        return emi_fail(err, EM_EINVAL, "--label: there is nothing to colour; try --plot scores.svg beside it");
    return check_eigenvec(args, err);
}

static int is_centred(const em_model *model)
{
    int f = 0;
    while (f < em_model_features(model) && em_model_mean(model)[f] == 0) f++;
    return f < em_model_features(model);
}

/* The mean stands for values that are missing, which then say nothing. */
static em_status choose_fill(transform_job *job, em_error *err)
{
    const double *mean = em_model_mean(job->model);
    const char *how = args_text(job->args, "missing");
    if (!how || strcmp(how, "mean") != 0) return EM_OK;
    if (job->inverse || !is_centred(job->model))
        return emi_fail(err, EM_EINVAL, "--missing: %s has no mean to fill with; try --missing drop",
                        job->inverse ? "a score" : job->args->operands[0]);
    job->fill = mean;
    return EM_OK;
}

static em_status refuse_missing(const transform_job *job, em_error *err)
{
    em_status status = EM_OK;
    size_t columns = em_data_columns(job->data);
    double *row = emi_doubles(columns);
    if (!row) TRY(emi_fail_memory(err, em_data_name(job->data)));
    for (size_t r = 0; r < em_data_rows(job->data); r++) {
        TRY(em_data_read(job->data, r, 1, row, err));
        for (size_t c = 0; c < columns; c++)
            if (isnan(row[c]))
                TRY(emi_fail(err, EM_EDATA,
                             "%s: row %zu (from 0) lacks a genotype, and %s has no mean to fill with; try a fit that "
                             "takes the mean off",
                             em_data_name(job->data), r, job->args->operands[0]));
    }
done:
    emi_free(row);
    return status;
}

/* Genotypes are seldom all there. */
static em_status prepare_genotypes(transform_job *job, em_error *err)
{
    if (job->inverse || strcmp(em_data_format(job->data), "bed") != 0) return EM_OK;
    if (args_given(job->args, "columns") && em_model_feature_name(job->model, 0))
        return emi_fail(err, EM_EINVAL, "--columns: the variants are those of %s; try without", job->args->operands[0]);
    if (!is_centred(job->model)) return refuse_missing(job, err);
    job->fill = em_model_mean(job->model);
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
    TRY(anomalies_open(&job->anomalies, args, job->model, err));
    TRY(choose_fill(job, err));
    /* Scores have no names that are known. */
    TRY(reading_by_model(job->inverse ? &job->names : &job->reading, job->model, model, err));
    TRY(reading_open(&job->reading, &job->data, args->operands[1], args, args_text(args, "label"), err));
    TRY(prepare_genotypes(job, err));
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
    anomalies_print(&job->anomalies);
    if (job->plot.path)
        (void)printf("%s: %zu scores along component%s\n", job->plot.path, job->picture.rows,
                     job->picture.columns == 1 ? " 1" : "s 1 and 2");
}

static void print_json(const transform_job *job, const stream_target *target)
{
    json j;
    json_begin(&j);
    json_text(&j, "output", args_text(job->args, "output"));
    json_text(&j, "plot", job->plot.path);
    json_whole(&j, "rows", em_data_rows(job->data));
    json_whole(&j, "columns", target->columns);
    if (job->anomalies.names) anomalies_json(&j, &job->anomalies);
    reading_json(&j, &job->reading);
    json_end(&j);
}

static em_status transform(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    transform_job job = {.args = args,
                         .inverse = args_given(args, "inverse"),
                         .whiten = args_given(args, "whiten"),
                         .plot = {.option = "plot"}};
    TRY(open_files(&job, err));
    size_t columns = job.inverse ? (size_t)em_model_features(job.model) : anomalies_columns(&job.anomalies, job.model);
    int eigenvec = wants_eigenvec(args);
    stream_target target = {.path = eigenvec ? NULL : args_text(args, "output"),
                            .type = EM_F64,
                            .columns = columns,
                            .fill = job.fill,
                            .values = STREAM_FINITE, /* scores of what is no number would be none either */
                            .names = job.inverse ? job.names.names : job.anomalies.names,
                            .map = map_rows,
                            .finish = draw,
                            .context = &job};
    if (!eigenvec || job.plot.path) TRY(stream_rows(job.data, &target, err));
    if (eigenvec) TRY(eigenvec_write(args_text(args, "output"), job.model, job.data, err));
    TRY(outputs_commit(&job.plot, 1, err));
    if (args_given(args, "json"))
        print_json(&job, &target);
    else if (args_reports(args))
        print_report(&job, &target);
    reading_warn(&job.reading, args);
done:
    outputs_discard(&job.plot, 1);
    emi_free(job.drawn);
    anomalies_close(&job.anomalies);
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
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh transform model.npz data.npy -o scores.npy",
                 "eigenmesh transform model.npz flowers.csv --plot scores.svg --label species",
                 "eigenmesh transform model.npz people.bed -o people.eigenvec",
                 "eigenmesh transform model.npz today.csv --scores t2,q -o today-anomalies.csv"},
    .run = transform};
