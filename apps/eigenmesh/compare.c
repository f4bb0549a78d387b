/* eigenmesh compare: the same problem by several methods. */
#include "compare.h"
#include "command.h"
#include "files.h"
#include "flags.h"
#include "input.h"
#include "message.h"
#include "outputs.h"
#include "problem.h"

#include "lab/plot.h"

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

static const char *const compare_solver_options[] = {"iterations", "tolerance", "scale", "seed", NULL};

/* The files of the directory: compare.csv, and after it a picture an axis; then that of --plot. */
enum { FILE_TRACES, FILE_PICTURES, FILE_PLOT = FILE_PICTURES + 3, FILES };

static const struct {
    const char *name;
    trace_axis along;
} pictures[] = {{"units.svg", ALONG_UNITS}, {"rounds.svg", ALONG_ROUNDS}, {"seconds.svg", ALONG_SECONDS}};

typedef struct compare_job {
    const arguments *args;
    problem problem;
    comparison methods;
    directory directory;
    output_file files[FILES];
    char *paths[FILES];
    contender *interrupted; /* the one that Ctrl-C ended */
} compare_job;

/* ---- what was asked for ------------------------------------------------------------------------------- */

static const em_method_info *find_method(const char *name)
{
    for (int i = 0; em_method(i); i++)
        if (strcmp(em_method(i)->name, name) == 0) return em_method(i);
    return NULL;
}

static em_status check_method(const comparison *c, const char *name, int nodes, em_error *err)
{
    const em_method_info *method = find_method(name);
    if (!*name) return emi_fail(err, EM_EINVAL, "--methods: a name is empty; try --methods krylov,dsa");
    if (!method && strcmp(name, "auto") != 0)
        return emi_fail(err, EM_EINVAL, "--methods: '%s' is no method; try eigenmesh compare --help", name);
    if (method && method->single_node && nodes > 1)
        return emi_fail(
            err, EM_EINVAL,
            "--methods: %s needs all data in one place, and there are %d nodes; try --nodes 1, or without %s", name,
            nodes, name);
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->contenders[i].name, name) == 0)
            return emi_fail(err, EM_EINVAL, "--methods: %s is named twice; try it once", name);
    return EM_OK;
}

/* The methods of a list such as "krylov,dsa", which must run on so many nodes, each once. */
static em_status list_methods(comparison *c, const char *list, int nodes, em_error *err)
{
    size_t commas = 0;
    for (const char *at = list; *at; at++) commas += *at == ',';
    c->count = 0;
    c->names = strdup(list);
    c->contenders = calloc(commas + 1, sizeof *c->contenders);
    if (!c->names || !c->contenders) return emi_fail_memory(err, "--methods");
    for (char *name = c->names, *rest; name; name = rest) {
        rest = strchr(name, ',');
        if (rest) *rest++ = 0;
        em_status status = check_method(c, name, nodes, err);
        if (status != EM_OK) return status;
        c->contenders[c->count++].name = name;
    }
    return EM_OK;
}

static em_status describe(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    int K = 0;
    TRY(problem_describe(&job->problem, job->args, err));
    if (job->problem.together)
        TRY(emi_fail(err, EM_EINVAL, "--engine: compare simulates all nodes in this process; try --engine local"));
    TRY(args_int(job->args, "components", 1, &K, err));
    TRY(em_options_set(job->problem.options, "components", args_text(job->args, "components"), err));
    TRY(list_methods(&job->methods, args_value(job->args, "methods"), job->problem.nodes, err));
    TRY(em_options_set(job->problem.options, "trace", "all", err));
done:
    return status;
}

/* On one node nothing is sent, and there is only time to draw. */
static int axis_is_wanted(const compare_job *job, trace_axis along)
{
    return job->problem.nodes > 1 || along == ALONG_SECONDS;
}

/* What is in the directory already may be an input, or a link to one. */
static em_status check_files(const compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    collisions c = {0};
    if (job->files[FILE_PLOT].path) TRY(collisions_write(&c, "--plot", job->files[FILE_PLOT].path, err));
    for (int i = 0; i < FILES; i++)
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
    TRY(directory_file(&job->directory, "compare.csv", &job->paths[FILE_TRACES], err));
    for (int i = FILE_PICTURES; can_draw && i < FILE_PLOT; i++)
        if (axis_is_wanted(job, pictures[i - FILE_PICTURES].along))
            TRY(directory_file(&job->directory, pictures[i - FILE_PICTURES].name, &job->paths[i], err));
    TRY(check_files(job, err));
    for (int i = 0; i < FILE_PLOT; i++) {
        job->files[i].path = job->paths[i];
        if (job->paths[i]) TRY(emi_output_open(&job->files[i].handle, job->paths[i], err));
    }
    if (!can_draw && !args_given(job->args, "quiet"))
        complain("--output: gnuplot is not installed, so that %s/compare.csv comes without pictures; try installing it",
                 path);
done:
    return status;
}

static em_status open_files(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    TRY(outputs_open(&job->files[FILE_PLOT], 1, job->args, err));
    if (args_given(job->args, "output")) TRY(open_directory(job, err));
done:
    return status;
}

/* What goes wrong in one method, with its numbers or for want of memory, is a result; all else is wrong with the problem,
 * for every method alike.  After Ctrl-C no other runs. */
static em_status run_methods(compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    const problem *p = &job->problem;
    for (int i = 0; i < job->methods.count && !job->interrupted; i++) {
        contender *one = &job->methods.contenders[i];
        TRY(em_options_set(p->options, "method", one->name, err));
        em_options_set_monitor(p->options, progress_fit, one->name);
        status = em_fit(&one->model, p->options, p->mesh, p->shards, &one->error);
        if (status != EM_OK && status != EM_ENUMERIC && status != EM_ENOMEM && status != EM_ENOTSUP) {
            *err = one->error;
            goto done;
        }
        error_in_flags(&one->error);
        status = EM_OK;
        if (one->model && em_model_info(one->model)->reason == EM_STOPPED_USER) job->interrupted = one;
    }
done:
    progress_erase();
    return status;
}

static em_status draw(const compare_job *job, const output_file *file, const trace_axis *axes, int count, em_error *err)
{
    em_status status = EM_OK;
    const comparison *c = &job->methods;
    trace_curve *curves = file->handle ? calloc((size_t)c->count, sizeof *curves) : NULL;
    if (!file->handle) return EM_OK;
    if (!curves) return emi_fail_memory(err, "compare");
    for (int i = 0; i < c->count; i++) curves[i] = (trace_curve){c->contenders[i].name, c->contenders[i].model};
    status = plot_comparison(&(canvas){file->handle, gnuplot_kind(file->path)}, curves, c->count, axes, count, err);
    free(curves);
    return status;
}

/* --plot has both costs in one picture: what is sent, and time. */
static em_status write_files(compare_job *job, em_error *err)
{
    static const trace_axis both[] = {ALONG_UNITS, ALONG_SECONDS};
    em_status status = EM_OK;
    emi_output *traces = job->files[FILE_TRACES].handle;
    int alone = job->problem.nodes == 1;
    if (traces) compare_write(emi_output_stream(traces), &job->methods);
    for (int i = FILE_PICTURES; i < FILE_PLOT; i++)
        TRY(draw(job, &job->files[i], &pictures[i - FILE_PICTURES].along, 1, err));
    TRY(draw(job, &job->files[FILE_PLOT], both + alone, 2 - alone, err));
    TRY(outputs_commit(job->files, FILES, err));
done:
    return status;
}

/* The first model there is; NULL when none ran. */
static const em_model *any_model(const comparison *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].model) return c->contenders[i].model;
    return NULL;
}

static em_status print_report(const compare_job *job, em_error *err)
{
    em_status status = EM_OK;
    const em_model *model = any_model(&job->methods);
    if (model) {
        problem_print(&job->problem, em_model_info(model));
        (void)putchar('\n');
    }
    TRY(compare_print(&job->methods, err));
    for (int i = 0, first = 1; i < FILES; i++) {
        if (!job->files[i].path) continue;
        (void)printf("%s%-9s %s\n", first ? "\n" : "", i == FILE_TRACES ? "traces" : "picture", job->files[i].path);
        first = 0;
    }
done:
    return status;
}

static void print_json(const compare_job *job)
{
    json j;
    json_begin(&j);
    compare_json(&j, &job->methods);
    problem_json(&j, &job->problem);
    json_open(&j, "files", '[');
    for (int i = 0; i < FILES; i++)
        if (job->files[i].path) json_text(&j, NULL, job->files[i].path);
    json_close(&j, ']');
    json_end(&j);
}

/* As fit judges: reaching the limit that was asked for is what was asked for. */
static int did_its_job(const compare_job *job, const contender *one)
{
    if (!one->model) return 0;
    em_reason reason = em_model_info(one->model)->reason;
    return reason > 0 || (reason == EM_STOPPED_ITERATIONS && args_given(job->args, "iterations"));
}

static em_status verdict(const compare_job *job, em_error *err)
{
    if (job->interrupted)
        return emi_fail(err, EM_ENUMERIC, "compare: interrupted in %s; try fewer --methods, or fewer --iterations",
                        job->interrupted->name);
    for (int i = 0; i < job->methods.count; i++)
        if (did_its_job(job, &job->methods.contenders[i])) return EM_OK;
    return emi_fail(err, EM_ENUMERIC, "compare: no method converged; try more --iterations, or other --methods");
}

static void release(compare_job *job)
{
    outputs_discard(job->files, FILES);
    for (int i = 0; i < FILES; i++) free(job->paths[i]);
    directory_close(&job->directory);
    for (int i = 0; i < job->methods.count; i++) em_model_free(&job->methods.contenders[i].model);
    free(job->methods.contenders);
    free(job->methods.names);
    problem_close(&job->problem);
}

static em_status compare(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    compare_job job = {.args = args, .files[FILE_PLOT] = {.option = "plot"}};
    TRY(describe(&job, err));
    TRY(open_files(&job, err));
    TRY(problem_open(&job.problem, err));
    TRY(run_methods(&job, err));
    TRY(write_files(&job, err));
    const em_model *model = any_model(&job.methods);
    if (model) problem_warn(&job.problem, em_model_info(model));
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
    .takes_solver_options = 1,
    .solver_options = compare_solver_options,
    .examples = {"eigenmesh compare data.npy -k 5 --nodes 20 -o comparison",
                 "eigenmesh compare a.csv b.csv c.csv -k 3 --methods krylov,deepca,dsa --tolerance 1e-9"},
    .run = compare};
