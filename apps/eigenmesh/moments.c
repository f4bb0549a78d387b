/* eigenmesh moments and eigenmesh merge: what a fit needs of rows, in one file a site; and all of these in one, or the model of all. */
#include "command.h"
#include "input.h"
#include "message.h"
#include "outputs.h"
#include "report.h"
#include "report_moments.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>
#include <sys/stat.h>

static const option_spec moments_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.npz",
     .example = "berlin.moments.npz",
     .help = "write the moments",
     .required = 1,
     .file = WRITES_RESULT},
    {.name = "forget",
     .metavar = "FACTOR",
     .preset = "1, nothing is forgotten",
     .example = "0.9",
     .help = "with every INPUT, what the ones before it weigh is multiplied by this"},
    {.name = "directions",
     .metavar = "L",
     .preset = "exact",
     .example = "200",
     .help =
         "a sketch of so many directions, for more than 5000 features: ten a component, or more; what it may lack is "
         "said"},
    {.name = "threads", .metavar = "T", .preset = "all", .example = "4", .help = "cores to use"},
    {.name = "dry-run",
     .help = "say how much would be held of how many rows, and whether that is exact; write nothing"},
    INPUT_OPTIONS,
    {0}};

static const option_spec merge_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.npz",
     .example = "all.moments.npz",
     .help = "write the moments of all; with -k, the model",
     .required = 1,
     .file = WRITES_RESULT},
    {.name = "components",
     .letter = 'k',
     .metavar = "K",
     .preset = "none, moments are merged alone",
     .example = "10",
     .help = "find so many eigenvectors of all, or as many as explain this fraction of the variance"},
    {.name = "center"},
    {.name = "scale"},
    {.name = "tolerance"},
    {0}};

typedef struct moments_job {
    const arguments *args;
    em_moments *moments;
    em_model *model; /* of merge -k */
    reading reading;
    output_file file;
    int inputs;
    uint64_t rows; /* with --dry-run: that would be added */
} moments_job;

/* ---- in ------------------------------------------------------------------------------------------------------------------------- */

/* The first table says how many columns there are; and where it is of moments, how these are held. */
static em_status create(moments_job *job, const em_data *data, uint64_t directions, int threads, em_error *err)
{
    size_t columns = em_data_columns(data);
    const em_moments *first = em_data_moments(data);
    if (first && directions == 0) directions = em_moments_directions(first);
    em_status status = directions ? em_moments_create_sketch(&job->moments, columns, (size_t)directions, err)
                                  : em_moments_create(&job->moments, columns, err);
    return status == EM_OK ? em_moments_set_threads(job->moments, threads, err) : status;
}

/* What adding it would come to. */
static em_status count_table(moments_job *job, const em_data *data, em_error *err)
{
    if (em_data_columns(data) != em_moments_columns(job->moments))
        return emi_fail(err, EM_EDATA, "%s: has %zu columns, where the first has %zu; try the same features",
                        em_data_name(data), em_data_columns(data), em_moments_columns(job->moments));
    job->rows += em_data_rows(data);
    return EM_OK;
}

static em_status add_table(moments_job *job, const char *path, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    uint64_t directions = 0, threads = 0;
    double factor = 1;
    int first = !job->moments;
    TRY(args_whole(job->args, "directions", 1, INT32_MAX, &directions, err));
    TRY(args_whole(job->args, "threads", 1, INT32_MAX, &threads, err));
    TRY(args_real(job->args, "forget", &factor, err));
    TRY(reading_open(&job->reading, &data, path, job->args, NULL, err));
    if (first) TRY(create(job, data, directions, (int)threads, err));
    if (!first || !(factor > 0 && factor <= 1)) TRY(em_moments_forget(job->moments, factor, err));
    TRY(args_given(job->args, "dry-run") ? count_table(job, data, err) : em_moments_update(job->moments, data, err));
done:
    em_data_free(&data);
    return status;
}

/* By the names of those before it. */
static em_status add_moments(moments_job *job, const char *path, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    const char **names = NULL;
    if (!job->moments) return em_moments_load(&job->moments, path, err);
    size_t count = em_moments_column_name(job->moments, 0) ? em_moments_columns(job->moments) : 0;
    em_read_options by_names = {.size = sizeof by_names, .feature_count = count, .features_of = job->args->operands[0]};
    by_names.features = names = emi_calloc(count + 1, sizeof *names);
    if (!names) TRY(emi_fail_memory(err, path));
    for (size_t f = 0; f < count; f++) names[f] = em_moments_column_name(job->moments, f);
    TRY(em_data_open(&data, path, count ? &by_names : NULL, err));
    if (!em_data_moments(data))
        TRY(emi_fail(err, EM_EDATA, "%s: holds rows, and no moments; try eigenmesh moments on it first", path));
    TRY(em_moments_update(job->moments, data, err));
done:
    em_data_free(&data);
    emi_free(names);
    return status;
}

/* A site's file that is there twice is a mistake, which no number would show. */
static em_status refuse_twice(const arguments *args, int at, em_error *err)
{
    struct stat here, before;
    if (stat(args->operands[at], &here) != 0) return EM_OK; /* whoever opens it will say so */
    for (int i = 0; i < at; i++)
        if (stat(args->operands[i], &before) == 0 && before.st_dev == here.st_dev && before.st_ino == here.st_ino)
            return emi_fail(err, EM_EINVAL, "%s: is given twice, and its rows would count twice; try it once",
                            args->operands[at]);
    return EM_OK;
}

static em_status add_inputs(moments_job *job, em_error *err)
{
    em_status status = EM_OK;
    for (int i = 0; i < job->args->operand_count && status == EM_OK; i++) {
        const char *path = job->args->operands[i];
        int merges = job->args->command == &command_merge;
        if (merges) status = refuse_twice(job->args, i, err);
        if (status == EM_OK) status = merges ? add_moments(job, path, err) : add_table(job, path, err);
        job->inputs++;
    }
    return status;
}

/* ---- out ------------------------------------------------------------------------------------------------------------------------ */

static em_status print_moments(const moments_job *job, em_error *err)
{
    uint64_t rows = em_moments_rows(job->moments);
    (void)printf("data      %llu x %zu, of %d input%s\n", (unsigned long long)rows, em_moments_columns(job->moments),
                 job->inputs, job->inputs == 1 ? "" : "s");
    reading_print(&job->reading);
    em_status status = report_moments(job->moments, err);
    if (status != EM_OK) return status;
    (void)printf(
        "shows     the mean and variance of every feature and the covariance of every two, to whoever has the file%s\n",
        rows == 1   ? "; of one row, that is the row"
        : rows == 2 ? "; of two rows, those tell both"
                    : "; no row");
    (void)printf("moments   %s\n", job->file.path);
    return EM_OK;
}

static em_status print_moments_json(const moments_job *job, em_error *err)
{
    json j;
    json_begin(&j);
    em_status status = report_moments_json(&j, job->moments, err);
    reading_json(&j, &job->reading);
    json_open(&j, "files", '{');
    json_text(&j, "moments", job->file.path);
    json_close(&j, '}');
    json_end(&j);
    return status;
}

/* ---- moments --dry-run ------------------------------------------------------------------------------------------------------------ */

static double bytes_held(const em_moments *moments)
{
    double features = (double)em_moments_columns(moments), directions = (double)em_moments_directions(moments);
    return 8 * features * (directions > 0 ? 2 * directions : features);
}

static void print_plan(const moments_job *job)
{
    char size[SIZE_ROOM];
    size_t features = em_moments_columns(job->moments), directions = em_moments_directions(job->moments);
    (void)printf("data      %llu x %zu, of %d input%s\n", (unsigned long long)job->rows, features, job->inputs,
                 job->inputs == 1 ? "" : "s");
    reading_print(&job->reading);
    if (directions)
        (void)printf("sketch    %zu directions, %s; not exact: what it may lack is found while rows are added\n",
                     directions, size_text(bytes_held(job->moments), size));
    else
        (void)printf("exact     %zu x %zu sums of squares and products, %s\n", features, features,
                     size_text(bytes_held(job->moments), size));
}

static void print_plan_json(const moments_job *job)
{
    json j;
    json_begin(&j);
    json_whole(&j, "samples", job->rows);
    json_whole(&j, "features", em_moments_columns(job->moments));
    json_whole(&j, "directions", em_moments_directions(job->moments));
    json_whole(&j, "memory", (uint64_t)bytes_held(job->moments));
    reading_json(&j, &job->reading);
    json_end(&j);
}

static void tell_plan(const moments_job *job)
{
    if (args_given(job->args, "json"))
        print_plan_json(job);
    else if (args_reports(job->args))
        print_plan(job);
}

static em_status print_model(const moments_job *job, em_error *err)
{
    const em_info *info = em_model_info(job->model);
    if (args_given(job->args, "json")) {
        json j;
        json_begin(&j);
        report_names_json(&j, job->model);
        report_json(&j, job->model);
        json_end(&j);
        return EM_OK;
    }
    if (!args_reports(job->args)) return EM_OK;
    (void)printf("data      %llu x %d, moments of %d site%s\n", (unsigned long long)info->samples, info->features,
                 job->inputs, job->inputs == 1 ? "" : "s");
    report_names(job->model);
    (void)printf("method    %s, %s\n\n", info->method, operator_text(info->operator_name));
    em_status status = report_model(job->model, err);
    if (status == EM_OK) (void)printf("model     %s\n", job->file.path);
    return status;
}

static em_status report(const moments_job *job, em_error *err)
{
    if (job->model) return print_model(job, err);
    if (args_given(job->args, "json")) return print_moments_json(job, err);
    if (job->args->command == &command_moments) reading_warn(&job->reading, job->args);
    return args_reports(job->args) ? print_moments(job, err) : EM_OK;
}

/* ---- the model of all --------------------------------------------------------------------------------------------------------- */

static em_status fit_moments(moments_job *job, em_error *err)
{
    em_status status = EM_OK;
    em_options *options = NULL;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    TRY(em_options_create(&options, err));
    TRY(args_solver(job->args, options, err));
    TRY(em_options_set(options, "components", args_text(job->args, "components"), err));
    TRY(em_data_from_moments(&data, job->moments, err));
    TRY(em_shards_of(&shards, (const em_data *const *)&data, 1, err));
    TRY(em_graph_create(&graph, "complete", 1, 0, err));
    TRY(em_mesh_open(&mesh, NULL, graph, 0, err));
    TRY(em_fit(&job->model, options, mesh, shards, err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    em_options_free(&options);
    return status;
}

/* Not converging is a result that is kept, and still a job that failed. */
static em_status verdict(const moments_job *job, em_error *err)
{
    if (!job->model || ending_is_well(em_model_info(job->model), 0)) return EM_OK;
    const ending *end = ending_of(em_model_info(job->model)->reason);
    return emi_fail(err, EM_ENUMERIC, "merge: %s %s; try merging without -k, and eigenmesh fit on the result",
                    em_model_info(job->model)->method, end->what);
}

static em_status run(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    moments_job job = {.args = args, .file = {.option = "output", .binary = 1}};
    int dry = args->command == &command_moments && args_given(args, "dry-run");
    if (!dry) TRY(outputs_open(&job.file, 1, args, err));
    TRY(add_inputs(&job, err));
    if (dry) {
        tell_plan(&job);
        goto done;
    }
    if (args->command == &command_merge && args_given(args, "components")) TRY(fit_moments(&job, err));
    FILE *stream = emi_output_stream(job.file.handle);
    TRY(job.model ? em_model_write(job.model, stream, err) : em_moments_write(job.moments, stream, err));
    TRY(outputs_commit(&job.file, 1, err));
    TRY(report(&job, err));
    TRY(verdict(&job, err));
done:
    outputs_discard(&job.file, 1);
    reading_free(&job.reading);
    em_model_free(&job.model);
    em_moments_free(&job.moments);
    return status;
}

const command_spec command_moments = {
    .name = "moments",
    .summary = "Write what a fit needs of rows, their moments, and no row",
    .usage = "INPUT... -o FILE.npz [options]",
    .operands = {{"INPUT", READS_TABLES}},
    .operand_limit = ANY_NUMBER,
    .options = moments_options,
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh moments data.csv -o berlin.moments.npz",
                 "eigenmesh moments berlin.moments.npz today.csv -o tonight.moments.npz"},
    .run = run};

const command_spec command_merge = {
    .name = "merge",
    .summary = "Merge files of moments; or find the principal components of all",
    .usage = "FILE.npz... -o FILE.npz [-k K] [options]",
    .operands = {{"FILE.npz", READS_TABLES}},
    .operand_limit = ANY_NUMBER,
    .options = merge_options,
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh merge berlin.moments.npz paris.moments.npz -k 10 -o model.npz",
                 "eigenmesh merge berlin.moments.npz paris.moments.npz -o all.moments.npz"},
    .run = run};
