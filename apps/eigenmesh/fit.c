/* eigenmesh fit: find the components of data that is spread over a network. */
#include "cluster.h"
#include "command.h"
#include "dry_run.h"
#include "input.h"
#include "lab/plot.h"
#include "message.h"
#include "outputs.h"
#include "problem.h"
#include "ranks.h"
#include "report.h"
#include "signals.h"

#include <string.h>

static const option_spec fit_options[] = {
    PROBLEM_OPTIONS,
    {.name = "average",
     .metavar = "HOW",
     .preset = "tree",
     .help = "how exact averages are made: tree (over the network's edges), or allreduce (MPI's own, whatever the "
             "network)"},
    {.name = "patience",
     .metavar = "TIME",
     .preset = "1h",
     .example = "10min",
     .help = "under mpirun, how long to wait for a rank before it counts as lost: 30s, 10min, 1h, or forever"},
    {.name = "checkpoint", .file = WRITES_IN_PARTS},
    {.name = "checkpoint-every"},
    {.name = "resume"},
    {.name = "truth", .metavar = "SPEC", .preset = "none", .help = TRUTH_HELP, .file = READS_SPEC},
    {.name = "trace", .metavar = "FILE.csv", .help = "write a row an iteration", .file = WRITES},
    {.name = "plot",
     .metavar = "FILE",
     .example = "fit.svg",
     .help = "draw the variances and, of an iterative method, its way there: .svg, .png or .pdf",
     .file = WRITES},
    {.name = "output",
     .letter = 'o',
     .metavar = "MODEL.npz",
     .example = "model.npz",
     .help = "write the model",
     .file = WRITES_RESULT},
    {.name = "dry-run",
     .help = "say what would be done, by which method and why, what it would send and hold; do nothing"},
    INPUT_OPTIONS,
    {0}};

enum { FILE_MODEL, FILE_TRACE, FILE_PLOT, FILES };

typedef struct fit_job {
    const arguments *args;
    problem problem;
    em_model *model;
    ranks ranks;
    output_file files[FILES];
} fit_job;

static em_status choose_average(const fit_job *job, em_error *err)
{
    const char *how = args_value(job->args, "average");
    if (strcmp(how, "tree") == 0) return EM_OK;
    if (strcmp(how, "allreduce") != 0)
        return emi_fail(err, EM_EINVAL, "--average: '%s' is not tree or allreduce; try --average tree", how);
    if (!job->problem.together)
        return emi_fail(err, EM_EINVAL, "--average: allreduce is MPI's, and the engine is local; try --average tree");
    return em_mesh_sum_directly(job->problem.mesh, err);
}

static em_status choose_patience(const fit_job *job, em_error *err)
{
    double seconds;
    const char *text = args_text(job->args, "patience");
    if (!text) return EM_OK;
    if (duration_read(text, &seconds))
        return emi_fail(err, EM_EINVAL, "--patience: '%s' is not a time; try 30s, 10min, 1h, or forever", text);
    if (!job->problem.together || cluster_size() == 1)
        return emi_fail(err, EM_EINVAL, "--patience: there is nobody to wait for in one process; try without it");
    cluster_set_patience(seconds);
    return EM_OK;
}

static em_status check_checkpoint(const fit_job *job, em_error *err)
{
    static const char *const need_file[] = {"checkpoint-every", "resume"};
    for (int i = 0; i < 2; i++)
        if (args_given(job->args, need_file[i]) && !args_given(job->args, "checkpoint"))
            return emi_fail(err, EM_EINVAL, "--%s: there is no checkpoint; try --checkpoint FILE beside it",
                            need_file[i]);
    return EM_OK;
}

static em_status write_files(fit_job *job, em_error *err)
{
    em_status status = EM_OK;
    output_file *files = job->files;
    if (files[FILE_MODEL].handle) TRY(em_model_write(job->model, emi_output_stream(files[FILE_MODEL].handle), err));
    if (files[FILE_TRACE].handle) {
        FILE *out = emi_output_stream(files[FILE_TRACE].handle);
        trace_heading(out);
        trace_rows(out, NULL, job->model);
    }
    if (files[FILE_PLOT].handle)
        TRY(plot_fit(&(canvas){files[FILE_PLOT].handle, gnuplot_kind(files[FILE_PLOT].path)}, job->model, err));
    TRY(outputs_commit(files, FILES, err));
done:
    return status;
}

static em_status print_report(const fit_job *job, em_error *err)
{
    em_status status = EM_OK;
    const em_info *info = em_model_info(job->model);
    const char *average = args_value(job->args, "average");
    problem_print(&job->problem, info);
    report_names(job->model);
    (void)printf("method    %s, %s covariances, %d thread%s\n", info->method, info->operator_name, info->threads,
                 info->threads == 1 ? "" : "s");
    if (strcmp(average, "tree") != 0) (void)printf("average   %s, whatever the network\n", average);
    if (info->resumed) (void)printf("resumed   from iteration %ld\n", info->resumed);
    if (*info->choice) (void)printf("auto      %s: %s\n", info->method, info->choice);
    (void)putchar('\n');
    TRY(report_model(job->model, err));
    ranks_print(&job->ranks);
    for (int i = 0; i < FILES; i++)
        if (job->files[i].path)
            (void)printf("%-9s %s\n", i == FILE_MODEL ? "model" : job->files[i].option, job->files[i].path);
done:
    return status;
}

static void print_json(const fit_job *job)
{
    json j;
    json_begin(&j);
    report_json(&j, job->model);
    json_flag(&j, "auto", *em_model_info(job->model)->choice != 0);
    json_text(&j, "average", args_value(job->args, "average"));
    report_names_json(&j, job->model);
    problem_json(&j, &job->problem);
    ranks_json(&j, &job->ranks);
    json_open(&j, "files", '{');
    json_text(&j, "model", job->files[FILE_MODEL].path);
    json_text(&j, "trace", job->files[FILE_TRACE].path);
    json_text(&j, "plot", job->files[FILE_PLOT].path);
    json_close(&j, '}');
    json_end(&j);
}

/* Is the tolerance a promise about the residual that so many iterations could not keep?  Of none, nothing is asked. */
static int breaks_promise(const em_info *info)
{
    int promises = 0;
    for (int m = 0; em_method(m); m++)
        if (strcmp(em_method(m)->name, info->method) == 0) promises = em_method(m)->residual;
    return promises && info->iterations > 0;
}

/* Not converging is a result that is kept, and still a job that failed. */
static em_status verdict(const fit_job *job, em_error *err)
{
    const em_info *info = em_model_info(job->model);
    const char *kept = job->files[FILE_MODEL].path ? ", the last good estimate is in the model" : "";
    switch (info->reason) {
    case EM_CONVERGED:
    case EM_SETTLED: return EM_OK;
    case EM_STOPPED_ITERATIONS:
        if (info->tolerance == 0 || (args_given(job->args, "iterations") && !breaks_promise(info))) return EM_OK;
        return emi_fail(err, EM_ENUMERIC,
                        "fit: %s has not converged after %ld iterations (worst residual %.1e, tolerance %g)%s; "
                        "try more --iterations, or another --method",
                        info->method, info->iterations, info->worst_residual, info->tolerance, kept);
    case EM_STOPPED_DIVERGED:
        return emi_fail(err, EM_ENUMERIC,
                        "fit: %s diverged within %ld iterations with step %g%s; try a smaller --step, or --step auto",
                        info->method, info->iterations, info->step, kept);
    case EM_STOPPED_SHORT:
        return emi_fail(err, EM_ENUMERIC,
                        "fit: %s stopped with a residual of %.1e, above the tolerance of %g%s; "
                        "try more --consensus-rounds, or method krylov",
                        info->method, info->worst_residual, info->tolerance, kept);
    case EM_STOPPED_ROUNDING:
        return emi_fail(err, EM_ENUMERIC,
                        "fit: components are so small beside the first, or beside the mean, that rounding leaves their "
                        "directions open%s; try --scale std, or leaving out the columns of the largest numbers",
                        kept);
    case EM_STOPPED_MISSED:
        return emi_fail(err, EM_ENUMERIC,
                        "fit: %s missed a component that is larger than the last one it found%s; try another start "
                        "(--seed, --init random), or --method krylov",
                        info->method, kept);
    case EM_STOPPED_USER:
        if (args_given(job->args, "max-seconds") && !interrupt_requested())
            return emi_fail(err, EM_ENUMERIC,
                            "fit: --max-seconds ended %s after %ld iterations (worst residual %.1e, tolerance %g)%s; "
                            "try more of them, or another --method",
                            info->method, info->iterations, info->worst_residual, info->tolerance, kept);
        if (args_given(job->args, "checkpoint"))
            return emi_fail(err, EM_ENUMERIC, "fit: interrupted after %ld iterations%s; try --resume to go on",
                            info->iterations, kept);
        return emi_fail(err, EM_ENUMERIC, "fit: interrupted after %ld iterations%s; try --iterations %ld to stop there",
                        info->iterations, kept, info->iterations);
    }
    return EM_OK;
}

static void release(fit_job *job)
{
    outputs_discard(job->files, FILES);
    em_model_free(&job->model);
    ranks_free(&job->ranks);
    problem_close(&job->problem);
}

static em_status fit(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    fit_job job = {.args = args, .files = {{.option = "output", .binary = 1}, {.option = "trace"}, {.option = "plot"}}};
    TRY(problem_describe(&job.problem, args, err));
    TRY(check_checkpoint(&job, err));
    TRY(choose_patience(&job, err));
    em_options *options = job.problem.options;
    if (args_given(args, "trace") || args_given(args, "plot")) TRY(em_options_set(options, "trace", "all", err));
    em_options_set_monitor(options, progress_fit, NULL);
    int opens = cluster_speaks() && !args_given(args, "dry-run");
    TRY(cluster_agree(opens ? outputs_open(job.files, FILES, args, err) : EM_OK, err));
    TRY(problem_open(&job.problem, err));
    TRY(choose_average(&job, err));
    if (args_given(args, "dry-run")) {
        status = dry_run(&job.problem, args, err);
        goto done;
    }
    TRY(cluster_agree(em_fit(&job.model, options, job.problem.mesh, job.problem.shards, err), err));
    progress_erase();
    TRY(ranks_gather(&job.ranks, em_model_info(job.model), err));
    TRY(cluster_agree(write_files(&job, err), err));
    problem_warn(&job.problem, em_model_info(job.model));
    if (args_given(args, "json"))
        print_json(&job);
    else if (args_reports(args))
        TRY(print_report(&job, err));
    TRY(verdict(&job, err));
    TRY(em_checkpoint_remove(options, job.problem.mesh, err));
done:
    release(&job);
    return status;
}

const command_spec command_fit = {.name = "fit",
                                  .summary = "Find the principal components of data spread over a network",
                                  .usage = "INPUT... -k K [options]",
                                  .operands = {{"INPUT", READS_TABLES}},
                                  .operand_limit = ANY_NUMBER,
                                  .options = fit_options,
                                  .prints_table = 1,
                                  .runs_together = 1,
                                  .takes_solver_options = 1,
                                  .examples = {"eigenmesh fit data.npy -k 10 --nodes 20 -o model.npz",
                                               "grep -v '^#' data.csv | eigenmesh fit - -k 10",
                                               "eigenmesh fit a.csv b.csv c.csv -k 3 --method dsa --trace trace.csv"},
                                  .run = fit};
