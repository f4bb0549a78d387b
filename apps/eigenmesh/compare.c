/* eigenmesh compare: the same problem by several methods. */
#include "command.h"
#include "files.h"
#include "input.h"
#include "lab/plot.h"
#include "message.h"
#include "outputs.h"
#include "problem.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Not every method can find a fraction of the variance, so that K is a whole number here. */
static const option_spec compare_options[] = {
    {.name = "components",
     .letter = 'k',
     .metavar = "K",
     .example = "10",
     .help = "how many eigenvectors to find",
     .required = 1},
    {.name = "methods",
     .metavar = "LIST",
     .preset = "krylov,covariance,deepca,fastpca,dsa",
     .example = "krylov,dsa",
     .help = "the methods, with commas between them; auto is one too"},
    PROBLEM_OPTIONS,
    {.name = "truth", .metavar = "SPEC", .preset = "compute", .help = TRUTH_HELP, .file = READS_SPEC},
    {.name = "output",
     .letter = 'o',
     .metavar = "DIR",
     .example = "comparison",
     .help = "write all traces (compare.csv) and pictures of the error against units, rounds and seconds there",
     .file = WRITES_RESULT},
    {.name = "plot",
     .metavar = "FILE",
     .example = "compare.svg",
     .help = "draw the error against units and against seconds in one picture: .svg, .png or .pdf",
     .file = WRITES},
    INPUT_OPTIONS,
    {0}};

static const char *const compare_solver_options[] = {"iterations", "tolerance", "scale", "device", "seed", NULL};

/* The files of the directory: the traces, and a picture an axis; then that of --plot, which has both costs in one. */
enum { FILE_TRACES, FILE_PLOT = 4, FILES };

static const struct {
    const char *name;
    int axis_count;
    trace_axis axes[2]; /* time is the last one */
} contents[FILES] = {{.name = "compare.csv"},
                     {"units.svg", 1, {ALONG_UNITS}},
                     {"rounds.svg", 1, {ALONG_ROUNDS}},
                     {"seconds.svg", 1, {ALONG_SECONDS}},
                     {NULL, 2, {ALONG_UNITS, ALONG_SECONDS}}};

typedef struct contender {
    const char *name; /* as asked for: "auto" too */
    em_model *model;
    const em_info *info; /* the model's; NULL: it could not run, or its turn has not come */
    em_error error;      /* why not */
} contender;

typedef struct compare_job {
    const arguments *args;
    problem problem;
    int count;
    contender *contenders;
    char *names; /* where they lie */
    directory directory;
    output_file files[FILES];
    char *paths[FILES];
    const em_info *info; /* of the first that ran */
} compare_job;

/* ---- what was asked for ------------------------------------------------------------------------------- */

static em_status check_method(const compare_job *job, const char *name, em_error *err)
{
    const em_method_info *method = NULL;
    int nodes = job->problem.nodes;
    for (int i = 0; em_method(i) && !method; i++)
        if (strcmp(em_method(i)->name, name) == 0) method = em_method(i);
    if (!*name) return emi_fail(err, EM_EINVAL, "--methods: a name is empty; try --methods krylov,dsa");
    if (!method && strcmp(name, "auto") != 0)
        return emi_fail(err, EM_EINVAL, "--methods: '%s' is no method; try eigenmesh compare --help", name);
    if (method && method->single_node && nodes > 1)
        return emi_fail(
            err, EM_EINVAL,
            "--methods: %s needs all data in one place, and there are %d nodes; try --nodes 1, or without %s", name,
            nodes, name);
    for (int i = 0; i < job->count; i++)
        if (strcmp(job->contenders[i].name, name) == 0)
            return emi_fail(err, EM_EINVAL, "--methods: %s is named twice; try it once", name);
    return EM_OK;
}

/* The methods of a list such as "krylov,dsa", each once. */
static em_status list_methods(compare_job *job, em_error *err)
{
    const char *list = args_value(job->args, "methods");
    job->count = 0;
    job->names = strdup(list);
    job->contenders = calloc(strlen(list) + 1, sizeof *job->contenders);
    if (!job->names || !job->contenders) return emi_fail_memory(err, "--methods");
    for (char *name = job->names, *rest; name; name = rest) {
        rest = strchr(name, ',');
        if (rest) *rest++ = 0;
        em_status status = check_method(job, name, err);
        if (status != EM_OK) return status;
        job->contenders[job->count++].name = name;
    }
    return EM_OK;
}

/* How many of a picture's axes, the last ones, there are: on one node nothing is sent, and there is only time to draw. */
static int axis_count(const compare_job *job, int file)
{
    int count = contents[file].axis_count;
    if (job->problem.nodes > 1 || count == 0) return count;
    return contents[file].axes[count - 1] == ALONG_SECONDS;
}

/* What is in the directory already may be an input, or a link to one. */
static em_status check_files(const compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    collisions c = {0};
    if (job->files[FILE_PLOT].path) TRY(collisions_write(&c, "--plot", job->files[FILE_PLOT].path, err));
    for (int i = 0; i < FILE_PLOT; i++)
        if (job->paths[i]) TRY(collisions_write(&c, "--output", job->paths[i], err));
    TRY(collisions_read_named(&c, job->args, err));
done:
    collisions_free(&c);
    return status;
}

static em_status open_directory(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    char gnuplot[GNUPLOT_PATH_MAX];
    const char *path = args_text(job->args, "output");
    int can_draw = gnuplot_find(gnuplot);
    TRY(directory_open(&job->directory, path, err));
    for (int i = 0; i < FILE_PLOT; i++) {
        if (i != FILE_TRACES && (!can_draw || axis_count(job, i) == 0)) continue;
        TRY(directory_file(&job->directory, contents[i].name, &job->paths[i], err));
        job->files[i].path = job->paths[i];
    }
    TRY(check_files(job, err));
    for (int i = 0; i < FILE_PLOT; i++)
        if (job->paths[i]) TRY(emi_output_open(&job->files[i].handle, job->paths[i], err));
    if (!can_draw && !args_given(job->args, "quiet"))
        complain("--output: gnuplot is not installed, so that %s/compare.csv comes without pictures; try installing it",
                 path);
done:
    return status;
}

/* What goes wrong in one method, with its numbers or for want of memory, is a result; all else is wrong with the problem,
 * for every method alike.  After Ctrl-C no other runs. */
static em_status run_methods(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    const problem *p = &job->problem;
    for (int i = 0; i < job->count; i++) {
        contender *one = &job->contenders[i];
        TRY(em_options_set(p->options, "method", one->name, err));
        em_options_set_monitor(p->options, progress_fit, (void *)one->name);
        status = em_fit(&one->model, p->options, p->mesh, p->shards, &one->error);
        if (status != EM_OK && status != EM_ENUMERIC && status != EM_ENOMEM && status != EM_ENOTSUP) {
            *err = one->error;
            goto done;
        }
        error_in_flags(&one->error);
        status = EM_OK;
        if (!one->model) continue;
        one->info = em_model_info(one->model);
        if (!job->info) job->info = one->info;
        if (one->info->reason == EM_STOPPED_USER) break;
    }
done:
    progress_erase();
    return status;
}

static em_status write_files(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    emi_output *traces = job->files[FILE_TRACES].handle;
    trace_curve *curves = calloc((size_t)job->count, sizeof *curves);
    if (!curves) return emi_fail_memory(err, "compare");
    for (int i = 0; i < job->count; i++) curves[i] = (trace_curve){job->contenders[i].name, job->contenders[i].model};
    for (int i = 0; i < FILES; i++) {
        const output_file *file = &job->files[i];
        const trace_axis *end = contents[i].axes + contents[i].axis_count;
        int axes = axis_count(job, i);
        if (file->handle && axes)
            TRY(plot_comparison(&(canvas){file->handle, gnuplot_kind(file->path)}, curves, job->count, end - axes, axes,
                                err));
    }
    if (traces) trace_write(emi_output_stream(traces), "method", curves, job->count);
    TRY(outputs_commit(job->files, FILES, err));
done:
    free(curves);
    return status;
}

/* ---- how they compare, for people and for programs ------------------------------------------------------- */

static const struct {
    double error;
    const char *text;
} goals[] = {{1e-3, "1e-3"}, {1e-6, "1e-6"}, {1e-10, "1e-10"}};

enum { GOALS = sizeof goals / sizeof *goals };

/* Units sent when the error was first so small; NaN when it never was. */
static double units_to(const em_model *model, double error)
{
    const em_trace_row *row;
    for (size_t r = 0; (row = em_model_trace_row(model, r)); r++)
        if (row->error <= error) return row->units;
    return NAN;
}

static void cell(table *t, const char *format, double value)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, format, value);
}

enum { COLUMNS = 8 };

/* A row a method. */
static void print_row(table *t, const contender *one)
{
    table_cell(t, "%s", one->name);
    const em_info *info = one->info;
    if (!info) {
        table_cell(t, "%s", one->error.code ? "failed" : "not run");
        for (int i = 2; i < COLUMNS + GOALS; i++) table_cell(t, "-");
        return;
    }
    const em_traffic *sent = &info->traffic[EM_METHOD];
    table_cell(t, "%s", ending_of(info->reason)->word);
    table_cell(t, "%ld", info->iterations);
    table_cell(t, "%llu", (unsigned long long)sent->rounds);
    table_cell(t, "%.6g", sent->units);
    table_cell(t, "%llu", (unsigned long long)sent->bytes);
    table_cell(t, "%.3g", info->seconds);
    cell(t, "%.1e", info->error);
    for (int i = 0; i < GOALS; i++) cell(t, "%.6g", units_to(one->model, goals[i].error));
}

static em_status print_report(const compare_job *job, em_error *err)
{
    static const char *const heading[COLUMNS] = {"method", "result", "iterations", "rounds",
                                                 "units",  "bytes",  "seconds",    "error"};
    em_status status = EM_OK;
    table t;
    if (job->info) {
        problem_print(&job->problem, job->info);
        (void)putchar('\n');
    }
    table_begin(&t, COLUMNS + GOALS);
    for (int i = 0; i < COLUMNS; i++) table_cell(&t, "%s", heading[i]);
    for (int i = 0; i < GOALS; i++) table_cell(&t, "units to %s", goals[i].text);
    for (int i = 0; i < job->count; i++) print_row(&t, &job->contenders[i]);
    TRY(table_print(&t, err));
    for (int i = 0; i < job->count; i++) {
        const contender *one = &job->contenders[i];
        if (one->error.code) (void)printf("\n%s failed: %s\n", one->name, one->error.msg);
        if (one->info && *one->info->choice) (void)printf("\nauto      %s: %s\n", one->info->method, one->info->choice);
    }
    if (job->files[FILE_TRACES].path || job->files[FILE_PLOT].path) (void)putchar('\n');
    for (int i = 0; i < FILES; i++)
        if (job->files[i].path) (void)printf("%-9s %s\n", i == FILE_TRACES ? "traces" : "picture", job->files[i].path);
done:
    return status;
}

static void print_json(const compare_job *job)
{
    json j;
    json_begin(&j);
    json_open(&j, "methods", '[');
    for (int i = 0; i < job->count; i++) {
        const contender *one = &job->contenders[i];
        json_open(&j, NULL, '{');
        json_text(&j, "name", one->name);
        json_text(&j, "failure", one->error.code ? one->error.msg : NULL);
        if (one->model) {
            report_json(&j, one->model);
            json_open(&j, "units_to", '{');
            for (int g = 0; g < GOALS; g++) json_real(&j, goals[g].text, units_to(one->model, goals[g].error));
            json_close(&j, '}');
        }
        json_close(&j, '}');
    }
    json_close(&j, ']');
    problem_json(&j, &job->problem);
    json_open(&j, "files", '[');
    for (int i = 0; i < FILES; i++)
        if (job->files[i].path) json_text(&j, NULL, job->files[i].path);
    json_close(&j, ']');
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------------------- */

/* As fit judges: reaching the limit that was asked for is what was asked for. */
static em_status verdict(const compare_job *job, em_error *err)
{
    int done = 0, limited = args_given(job->args, "iterations");
    for (int i = 0; i < job->count; i++) {
        const contender *one = &job->contenders[i];
        if (!one->info) continue;
        if (one->info->reason == EM_STOPPED_USER)
            return emi_fail(err, EM_ENUMERIC, "compare: interrupted in %s; try fewer --methods, or fewer --iterations",
                            one->name);
        done |= one->info->reason > 0 || (limited && one->info->reason == EM_STOPPED_ITERATIONS);
    }
    if (done) return EM_OK;
    return emi_fail(err, EM_ENUMERIC, "compare: no method converged; try more --iterations, or other --methods");
}

static void release(compare_job *job)
{
    outputs_discard(job->files, FILES);
    for (int i = 0; i < FILES; i++) free(job->paths[i]);
    directory_close(&job->directory);
    for (int i = 0; i < job->count; i++) em_model_free(&job->contenders[i].model);
    free(job->contenders);
    free(job->names);
    problem_close(&job->problem);
}

static em_status compare(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    int K = 0;
    compare_job job = {.args = args, .files[FILE_PLOT] = {.option = "plot"}};
    TRY(problem_describe(&job.problem, args, err));
    if (job.problem.together)
        TRY(emi_fail(err, EM_EINVAL, "--engine: compare simulates all nodes in this process; try --engine local"));
    TRY(args_int(args, "components", 1, &K, err));
    TRY(em_options_set(job.problem.options, "components", args_text(args, "components"), err));
    TRY(em_options_set(job.problem.options, "trace", "all", err));
    TRY(list_methods(&job, err));
    TRY(outputs_open(&job.files[FILE_PLOT], 1, args, err));
    if (args_given(args, "output")) TRY(open_directory(&job, err));
    TRY(problem_open(&job.problem, err));
    TRY(run_methods(&job, err));
    TRY(write_files(&job, err));
    if (job.info) problem_warn(&job.problem, job.info);
    if (args_given(args, "json"))
        print_json(&job);
    else if (!args_given(args, "quiet"))
        TRY(print_report(&job, err));
    TRY(verdict(&job, err));
done:
    release(&job);
    return status;
}

const command_spec command_compare = {
    .name = "compare",
    .summary = "Solve one problem by several methods, and compare what they cost",
    .usage = "INPUT... -k K [options]",
    .operands = {{"INPUT", READS_TABLES}},
    .operand_limit = ANY_NUMBER,
    .options = compare_options,
    .prints_table = 1,
    .multiplies = 1,
    .takes_solver_options = 1,
    .solver_options = compare_solver_options,
    .examples = {"eigenmesh compare data.npy -k 5 --nodes 20 -o comparison",
                 "eigenmesh compare a.csv b.csv c.csv -k 3 --methods krylov,deepca,dsa --tolerance 1e-9"},
    .run = compare};
