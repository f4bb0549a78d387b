/* eigenmesh fit: find the components of data that is spread over a network. */
#include "cluster.h"
#include "command.h"
#include "fit_page.h"
#include "input.h"
#include "lab/plot.h"
#include "message.h"
#include "outputs.h"
#include "problem.h"
#include "report.h"
#include "report_moments.h"

#ifdef EIGENMESH_HAS_NET
#include <eigenmesh/net.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_spec fit_options[] = {
    PROBLEM_OPTIONS,
    {.name = "average",
     .metavar = "HOW",
     .preset = "tree",
     .help = "how exact averages are made: tree (over the network's edges), or allreduce (MPI's own, whatever the "
             "network)"},
    {.name = "masks",
     .help =
         "masked sums, as in a study: every share of a node is hidden in noise that cancels over all nodes; keys come "
         "from --seed, so this shows what masks cost, and hides nothing"},
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
    PAGE_OPTIONS_WITH_ROWS,
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

enum { FILE_MODEL, FILE_TRACE, FILE_PLOT, FILE_PAGE, FILES };

/* What a rank does with the time of the iterations. */
enum { COMPUTING, SENDING, WAITING, SHARES };
static const char *const share_names[SHARES] = {"computing", "sending", "waiting"};

typedef struct fit_job {
    const arguments *args;
    problem problem;
    em_model *model;
    char *ranks; /* at the first process: the shares of each */
    output_file files[FILES];
    page_notes notes;
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

static em_status choose_masks(const fit_job *job, em_error *err)
{
    if (!args_given(job->args, "masks")) return EM_OK;
#ifdef EIGENMESH_HAS_NET
    return em_mesh_simulate_masks(job->problem.mesh, job->problem.seed, err);
#else
    return emi_fail(
        err, EM_ENOTSUP,
        "--masks: this eigenmesh was built without OpenSSL; try a build with it (Debian: the package eigenmesh-net)");
#endif
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
    if (files[FILE_TRACE].handle)
        trace_write(emi_output_stream(files[FILE_TRACE].handle), NULL, &(trace_curve){.model = job->model}, 1);
    if (files[FILE_PLOT].handle)
        TRY(plot_fit(&(canvas){files[FILE_PLOT].handle, gnuplot_kind(files[FILE_PLOT].path)}, job->model, err));
    if (files[FILE_PAGE].handle)
        TRY(fit_page_write(emi_output_stream(files[FILE_PAGE].handle), &job->notes, &job->problem, job->model, err));
    TRY(outputs_commit(files, FILES, err));
done:
    return status;
}

/* ---- the report ------------------------------------------------------------------------------------------ */

/* Where the time went, process by process, so that a straggler shows. */
static em_status gather_ranks(fit_job *job, em_error *err)
{
    const em_info *info = em_model_info(job->model);
    const double own[SHARES] = {[COMPUTING] = info->seconds - info->seconds_sending - info->seconds_waiting,
                                [SENDING] = info->seconds_sending,
                                [WAITING] = info->seconds_waiting};
    size_t size;
    return cluster_gather(own, sizeof own, &job->ranks, &size, err);
}

static const double *shares_of(const fit_job *job, int rank)
{
    const double *all = (const void *)job->ranks;
    return &all[(size_t)rank * SHARES];
}

/* "computing 1.2 s at most (rank 2), 1.1 s in the mean"; nothing where there is one process. */
static void print_ranks(const fit_job *job)
{
    int count = cluster_size();
    for (int share = 0; share < SHARES && count > 1 && job->ranks; share++) {
        double sum = 0;
        int slowest = 0;
        for (int i = 0; i < count; i++) {
            sum += shares_of(job, i)[share];
            if (shares_of(job, i)[share] > shares_of(job, slowest)[share]) slowest = i;
        }
        (void)(share ? printf("%10s", "") : printf("ranks     %d, ", count));
        (void)printf("%s %.3g s at most (rank %d), %.3g s in the mean\n", share_names[share],
                     shares_of(job, slowest)[share], slowest, sum / count);
    }
}

static void json_ranks(json *j, const fit_job *job)
{
    json_open(j, "ranks", '[');
    for (int i = 0; job->ranks && i < cluster_size(); i++) {
        json_open(j, NULL, '{');
        json_whole(j, "rank", (uint64_t)i);
        for (int share = 0; share < SHARES; share++) json_real(j, share_names[share], shares_of(job, i)[share]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static em_status print_report(const fit_job *job, em_error *err)
{
    em_status status = EM_OK;
    const em_info *info = em_model_info(job->model);
    const char *average = args_value(job->args, "average");
    char anew[ANEW_ROOM];
    problem_print(&job->problem, info);
    report_names(job->model);
    report_scale(info);
    (void)printf("method    %s, %s%s, %d thread%s\n", info->method, operator_text(info->operator_name),
                 strcmp(info->precision, "single") == 0 ? " in single precision" : "", info->threads,
                 info->threads == 1 ? "" : "s");
    if (report_tells_device(info->device, info->device_why))
        (void)printf("device    %s: %s\n", info->device, info->device_why);
    if (args_given(job->args, "masks")) (void)printf("masks     simulated: keys come from the seed\n");
    if (strcmp(average, "tree") != 0) (void)printf("average   %s, whatever the network\n", average);
    if (info->resumed > 0) (void)printf("resumed   from iteration %ld\n", info->resumed);
    if (info->resumed < 0) (void)printf("resumed   no: %s\n", anew_text(info, anew));
    if (*info->choice) (void)printf("auto      %s: %s\n", info->method, info->choice);
    (void)putchar('\n');
    TRY(report_model(job->model, err));
    print_ranks(job);
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
    json_flag(&j, "masks", args_given(job->args, "masks"));
    report_names_json(&j, job->model);
    problem_json(&j, &job->problem);
    json_ranks(&j, job);
    json_open(&j, "files", '{');
    json_text(&j, "model", job->files[FILE_MODEL].path);
    json_text(&j, "trace", job->files[FILE_TRACE].path);
    json_text(&j, "plot", job->files[FILE_PLOT].path);
    json_text(&j, "report", job->files[FILE_PAGE].path);
    json_close(&j, '}');
    json_end(&j);
}

/* Not converging is a result that is kept, and still a job that failed. */
static em_status verdict(const fit_job *job, em_error *err)
{
    const em_info *info = em_model_info(job->model);
    const ending *end = ending_of(info->reason);
    int by_clock = info->reason == EM_STOPPED_USER && args_given(job->args, "max-seconds") && !interrupt_requested();
    if (ending_is_well(info, args_given(job->args, "iterations"))) return EM_OK;
    char step[32] = "";
    const char *remedy = end->remedy;
    if (info->reason == EM_STOPPED_USER && args_given(job->args, "checkpoint")) remedy = "--resume to go on";
    if (by_clock) remedy = "more of them, or another --method";
    if (info->reason == EM_STOPPED_SHORT && info->wire_bits == 32) remedy = "--wire 64";
    if (info->reason == EM_STOPPED_SHORT && strcmp(info->precision, "single") == 0) remedy = "--precision double";
    if (isfinite(info->step)) (void)snprintf(step, sizeof step, ", step %g", info->step);
    return emi_fail(err, EM_ENUMERIC,
                    "fit: %s %s after %ld iteration%s (worst residual %.1e, tolerance %g%s)%s; try %s",
                    by_clock ? "--max-seconds ended" : info->method, by_clock ? info->method : end->what,
                    info->iterations, info->iterations == 1 ? "" : "s", info->worst_residual, info->tolerance, step,
                    job->files[FILE_MODEL].path ? ", the last good estimate is in the model" : "", remedy);
}

/* ---- fit --dry-run: what would be done ------------------------------------------------------------------- */

static void plan_json(const problem *p, const em_plan *plan)
{
    json j;
    json_begin(&j);
    json_text(&j, "method", plan->method);
    json_text(&j, "why", plan->why);
    json_text(&j, "operator", plan->operator_name);
    json_text(&j, "operator_why", plan->operator_why);
    json_text(&j, "precision", plan->precision);
    json_text(&j, "device", plan->device);
    json_text(&j, "device_why", plan->device_why);
    json_whole(&j, "wire_bits", (uint64_t)plan->wire_bits);
    json_whole(&j, "samples", (uint64_t)plan->samples);
    json_whole(&j, "features", (uint64_t)plan->features);
    json_whole(&j, "components", (uint64_t)plan->components);
    json_whole(&j, "nodes", (uint64_t)plan->nodes);
    json_whole(&j, "threads", (uint64_t)plan->threads);
    json_whole(&j, "block", (uint64_t)plan->block);
    json_whole(&j, "iterations", (uint64_t)plan->iterations);
    json_flag(&j, "at_most", plan->at_most);
    json_whole(&j, "rounds", (uint64_t)plan->rounds);
    json_whole(&j, "messages", (uint64_t)plan->messages);
    json_whole(&j, "bytes", (uint64_t)plan->bytes);
    json_whole(&j, "memory", (uint64_t)plan->memory);
    json_whole(&j, "moments_memory", (uint64_t)plan->moments);
    problem_json(&j, p);
    json_end(&j);
}

static void plan_print(const problem *p, const em_plan *plan)
{
    char size[SIZE_ROOM];
    const em_info sizes = {.samples = plan->samples, .features = plan->features, .nodes = plan->nodes};
    const char *about = plan->at_most ? "at most" : "about";
    problem_print(p, &sizes);
    (void)printf("method    %s: %s\n", plan->method, plan->why);
    (void)printf("operator  %s: %s\n", operator_text(plan->operator_name), plan->operator_why);
    (void)printf("precision %s\n", plan->precision);
    (void)printf("device    %s: %s\n", plan->device, plan->device_why);
    (void)printf("block     %d column%s of %d numbers\n", plan->block, plan->block == 1 ? "" : "s", plan->features);
    (void)printf("threads   %d\n", plan->threads);
    (void)printf("takes     %s %ld iteration%s\n", about, plan->iterations, plan->iterations == 1 ? "" : "s");
    if (plan->nodes > 1)
        (void)printf("sends     %s %.0f messages, %s in all, in %.0f rounds; numbers of %d bits\n", about,
                     plan->messages, size_text(plan->bytes, size), plan->rounds, plan->wire_bits);
    (void)printf("memory    %s in this process, beside the rows\n", size_text(plan->memory, size));
    report_moments_held(plan);
}

static em_status dry_run(const problem *p, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_plan *plan = NULL;
    TRY(cluster_agree(em_plan_make(&plan, p->options, p->mesh, p->shards, err), err));
    if (args_given(args, "json"))
        plan_json(p, plan);
    else if (args_reports(args))
        plan_print(p, plan);
done:
    em_plan_free(&plan);
    return status;
}

static void release(fit_job *job)
{
    outputs_discard(job->files, FILES);
    em_model_free(&job->model);
    free(job->ranks);
    page_free(&job->notes);
    problem_close(&job->problem);
}

static int watch(const em_progress *now, void *user)
{
    fit_job *job = user;
    if (job->files[FILE_PAGE].handle) page_note_step(&job->notes, now);
    return progress_fit(now, NULL);
}

static em_status fit(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    fit_job job = {
        .args = args,
        .files = {{.option = "output", .binary = 1}, {.option = "trace"}, {.option = "plot"}, {.option = "report"}}};
    TRY(problem_describe(&job.problem, args, err));
    TRY(page_check(args, err));
    job.problem.label = args_text(args, "label");
    TRY(check_checkpoint(&job, err));
    TRY(choose_patience(&job, err));
    em_options *options = job.problem.options;
    int traced =
        args_given(args, "plot") && !args_given(args, "masks"); /* which show no more than the method asks for */
    if (args_given(args, "trace") || traced) TRY(em_options_set(options, "trace", "all", err));
    em_options_set_monitor(options, watch, &job);
    int dry = args_given(args, "dry-run");
    TRY(cluster_agree(cluster_speaks() && !dry ? outputs_open(job.files, FILES, args, err) : EM_OK, err));
    TRY(problem_open(&job.problem, err));
    TRY(choose_average(&job, err));
    TRY(cluster_agree(choose_masks(&job, err), err));
    if (dry) {
        TRY(dry_run(&job.problem, args, err));
        goto done;
    }
    TRY(cluster_agree(em_fit(&job.model, options, job.problem.mesh, job.problem.shards, err), err));
    progress_erase();
    TRY(gather_ranks(&job, err));
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
                                  .multiplies = 1,
                                  .takes_solver_options = 1,
                                  .examples = {"eigenmesh fit data.npy -k 10 --nodes 20 -o model.npz",
                                               "grep -v '^#' data.csv | eigenmesh fit - -k 10",
                                               "eigenmesh fit flowers.csv -k 3 --report page.html --label species"},
                                  .run = fit};
