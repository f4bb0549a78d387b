/* eigenmesh node: take part in a study. */
#include "command.h"
#include "files.h"
#include "input.h"
#include "message.h"
#include "node_job.h"
#include "node_page.h"
#include "node_report.h"
#include "private.h"
#include "study_report.h"

#include "base/error.h"

#include <eigenmesh/net.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const option_spec node_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "MODEL.npz",
     .example = "model.npz",
     .help = "write the model, the same file at every site; without it the state alone keeps it",
     .file = WRITES_RESULT},
    PAGE_OPTIONS_WITH_ROWS,
    {.name = "key", .metavar = "FILE", .preset = "~/.config/eigenmesh/key", .help = "this site's private key"},
    {.name = "accept",
     .metavar = "FINGERPRINT",
     .help = "take part only if the study has this fingerprint, as it was read out on the telephone"},
    {.name = "patience",
     .metavar = "TIME",
     .preset = "24h",
     .example = "24h",
     .help = "how long one wait may last, whatever the reason: 30s, 10min, 24h, or forever"},
    {.name = "listen",
     .metavar = "[ADDR:]PORT",
     .preset = "the port of its address in the study",
     .example = "7473",
     .help = "where to listen, if that is not where others reach it"},
    {.name = "proxy", .metavar = "HOST:PORT", .help = "dial through this proxy (HTTP CONNECT); TLS stays end to end"},
    {.name = "state",
     .metavar = "DIR",
     .preset = "~/.local/state/eigenmesh",
     .help = "what outlives a process goes here, in FINGERPRINT/SITE"},
    {.name = "log", .metavar = "FILE", .preset = "log, in that folder", .help = "the audit log", .file = WRITES},
    {.name = "threads", .metavar = "T", .preset = "all", .example = "4", .help = "cores to use"},
    {.name = "device",
     .metavar = "WHICH",
     .preset = "auto",
     .example = "cpu",
     .help = "what multiplies this site's rows: cpu, gpu, or auto, a GPU where there is one and it is faster"},
    {.name = "dry-run",
     .help = "at all sites: try links, keys, file and columns; compute nothing, send no number of a cell"},
    {.name = "follow",
     .help =
         "INPUT is a folder to which files of rows come, or - for lines of standard input: in a study with follow = "
         "yes"},
    {.name = "every",
     .metavar = "TIME",
     .preset = "10min",
     .example = "10min",
     .help = "at the root, in such a study: a new model so often, where there are new rows"},
    {.name = "check",
     .metavar = "TIME",
     .preset = "never",
     .example = "1min",
     .help = "at the root: so often between, see whether the last model still holds, and make another where not"},
    {.name = "models", .metavar = "N", .example = "24", .help = "at the root: after so many models, end for all"},
    {.name = "directions",
     .metavar = "L",
     .preset = "exact",
     .example = "200",
     .help = "with --follow: keep a sketch of so many directions, for more than 5000 features"},
    {.name = "again", .help = "at all sites: run a study that is finished once more"},
    {.name = "minimum-sites", .metavar = "N", .example = "3", .help = "take part only in a study of so many sites"},
    {.name = "minimum-rows",
     .metavar = "N",
     .example = "1000",
     .help = "with masks: send no more than counts unless all sites together have so many rows"},
    {.name = "maximum-columns",
     .metavar = "N",
     .example = "2000",
     .preset = "128 blocks",
     .help = "with masks: answer so many columns of the covariance in all runs of the study, and no more"},
    {.name = "data-changed",
     .help = "with masks: take part with other rows than before, though all sites can compute the difference"},
    INPUT_OPTIONS,
    {0}};

/* ---- callbacks ----------------------------------------------------------------------------------------------------- */

static void tell(void *user, const char *line)
{
    const node_job *job = user;
    if (!args_given(job->args, "quiet")) complain("%s", line);
}

/* Where there is no terminal: after a minute, and then once an hour, so that a journal has it. */
static void tell_waiting(node_job *job, const char *site, double seconds)
{
    enum { MINUTE = 60, HOUR = 3600 };
    char line[96], time[DURATION_ROOM];
    if (seconds < job->waited || job->say_at == 0) job->say_at = MINUTE; /* another wait */
    job->waited = seconds;
    if (seconds < job->say_at) return;
    job->say_at = seconds + HOUR;
    (void)snprintf(line, sizeof line, "waiting for %s, %s", site, duration_text(seconds, time));
    tell(job, line);
}

/* Whoever sends rows does not wait with us. */
static void waits(void *user, const char *site, double seconds)
{
    node_job *job = user;
    if (!progress_waits(site, seconds)) tell_waiting(job, site, seconds);
    if (args_given(job->args, "follow") && job->late.code == EM_OK)
        (void)following_take(&job->following, 0, &job->late);
    node_heed_interrupt();
}

static int watch(const em_progress *now, void *user)
{
    node_job *job = user;
    if (job->page.handle) page_note_step(&job->notes, now);
    (void)progress_fit(now, NULL);
    node_heed_interrupt();
    return 0;
}

static int is_read_once(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

static em_status arrange(void *user, const char *const *names, size_t count, const em_data **data, em_error *err)
{
    node_job *job = user;
    em_status status = EM_OK;
    if (args_given(job->args, "follow")) return following_arrange(&job->following, names, count, data, err);
    if (is_read_once(job->args->operands[1]))
        return emi_fail(err, EM_EDATA,
                        "%s: its columns are in another order than the root's, and it can be read only once; try a "
                        "file, or the root's order",
                        em_data_name(job->data));
    em_data_free(&job->arranged);
    reading_free(&job->rearranged);
    job->rearranged = (reading){0};
    TRY(reading_by_names(&job->rearranged, "the root's data", names, count, err));
    TRY(reading_open(&job->rearranged, &job->arranged, job->args->operands[1], job->args, args_text(job->args, "label"),
                     err));
    *data = job->arranged;
done:
    return status;
}

/* Written whole, or not at all; a run that is entered anew writes it anew.  Without a file the state alone has it. */
static em_status keep(void *user, const void *model, size_t bytes, em_error *err)
{
    node_job *job = user;
    em_status status = EM_OK;
    if (!job->file.path) return EM_OK;
    if (!job->file.handle) TRY(emi_output_open(&job->file.handle, job->file.path, err));
    if (fwrite(model, 1, bytes, emi_output_stream(job->file.handle)) != bytes)
        TRY(emi_fail(err, EM_EOUTPUT, "%s: cannot be written; try making room, then again", job->file.path));
    TRY(emi_output_commit(&job->file.handle, err));
done:
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

/* The key may be one that nobody named, and a model in its place would be the end of this site. */
static em_status spare_key(const arguments *args, const char *key, em_error *err)
{
    collisions c = {0};
    em_status status = EM_OK;
    const char *model = args_text(args, "output"), *log = args_text(args, "log"), *page = args_text(args, "report");
    if (log && strcmp(log, "-") == 0)
        TRY(emi_fail(err, EM_EINVAL, "--log: is read again, which standard output cannot be; try a file's name"));
    if (model) TRY(collisions_write(&c, "--output", model, err));
    if (log) TRY(collisions_write(&c, "--log", log, err));
    if (page) TRY(collisions_write(&c, "--report", page, err));
    TRY(collisions_read(&c, "--key", key, err));
done:
    collisions_free(&c);
    return status;
}

/* Before anything is sent. */
static em_status say_learnt(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    emi_study *study = NULL;
    TRY(emi_study_open(&study, args->operands[0], err));
    if (study->follow && args_given(args, "report"))
        TRY(emi_fail(err, EM_EINVAL,
                     "--report: a page is of one fit, and %s makes model after model; try eigenmesh info "
                     "on a model, with --report",
                     args->operands[0]));
    if (!study->masks && !args_given(args, "quiet"))
        complain("%s has masks = no: neighbours see what this site sends of its own", args->operands[0]);
    if (args_reports(args) && !args_given(args, "json")) study_print_learnt(study);
done:
    emi_study_close(&study);
    return status;
}

static em_status take_part(node_job *job, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = job->args;
    char key[PATH_MAX], folder[PATH_MAX];
    em_site_options options = {.size = sizeof options,
                               .study = args->operands[0],
                               .key = key,
                               .state = folder,
                               .log = args_text(args, "log"),
                               .listen = args_text(args, "listen"),
                               .proxy = args_text(args, "proxy"),
                               .accept = args_text(args, "accept"),
                               .again = args_given(args, "again"),
                               .rehearse = args_given(args, "dry-run"),
                               .data_changed = args_given(args, "data-changed"),
                               .arrange = arrange,
                               .keep = keep,
                               .news = tell,
                               .waits = waits,
                               .monitor = watch,
                               .user = job};
    (void)duration_read(args_value(args, "patience"), &options.patience); /* the usual; and what was asked for: */
    TRY(node_time(args, "patience", &options.patience, err));
    TRY(node_rows_choose(job, &options, err));
    TRY(args_int(args, "threads", 1, &options.threads, err));
    options.device = args_text(args, "device");
    TRY(args_int(args, "minimum-sites", 1, &options.minimum_sites, err));
    TRY(args_whole(args, "minimum-rows", 1, UINT64_MAX, &options.minimum_rows, err));
    TRY(args_whole(args, "maximum-columns", 1, UINT64_MAX, &options.maximum_columns, err));
    TRY(private_key_path(args_text(args, "key"), key, err));
    TRY(spare_key(args, key, err));
    TRY(private_state_path(args_text(args, "state"), folder, err));
    if (!options.accept && !args_given(args, "quiet"))
        complain("nobody has vouched for %s: compare its fingerprint on the telephone, then --accept it",
                 options.study);
    TRY(say_learnt(args, err));
    if (!options.open_rows)
        TRY(reading_open(&job->reading, &job->data, args->operands[1], args, args_text(args, "label"), err));
    if (args_reports(args) && !args_given(args, "json")) reading_print(&job->reading);
    (void)fflush(stdout); /* what was read is of interest before hours of waiting */
    if (!options.rehearse) TRY(outputs_open(&job->file, 1, args, err));
    if (!options.rehearse) TRY(outputs_open(&job->page, 1, args, err));
    interrupt_defer();
    TRY(em_site_run(&job->model, &options, job->data, &job->report, err));
done:
    progress_erase();
    return status;
}

/* The library speaks of options, and these are flags. */
static void name_flag(em_error *err)
{
    static const char *const flags[] = {"listen: ", "proxy: ", "state: "};
    em_error library = *err;
    for (size_t n = 0; n < sizeof flags / sizeof *flags; n++)
        if (strncmp(library.msg, flags[n], strlen(flags[n])) == 0)
            (void)emi_fail(err, library.code, "--%s", library.msg);
    error_in_flags(err);
}

/* Not converging is a result that all sites keep, and still a job that failed. */
static em_status verdict(const node_job *job, em_error *err)
{
    const em_info *info = job->model && !job->report.done_before ? em_model_info(job->model) : NULL;
    if (!info || ending_is_well(info, job->report.limited)) return EM_OK;
    return emi_fail(err, EM_ENUMERIC,
                    "node: %s %s after %ld iteration%s (worst residual %.1e, tolerance %g), the last good estimate is "
                    "in the model; try a study with other options",
                    info->method, ending_of(info->reason)->what, info->iterations, info->iterations == 1 ? "" : "s",
                    info->worst_residual, info->tolerance);
}

static void release(node_job *job)
{
    outputs_discard(&job->file, 1);
    outputs_discard(&job->page, 1);
    page_free(&job->notes);
    em_site_report_free(&job->report);
    em_model_free(&job->model);
    em_data_free(&job->arranged);
    em_data_free(&job->data);
    reading_free(&job->rearranged);
    reading_free(&job->reading);
    following_free(&job->following);
}

/* That of the run itself knows more than one of a model that was found before. */
static int has_page(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

/* The model is safe by now, whatever becomes of the page. */
static em_status write_page(node_job *job, em_error *err)
{
    const node_end end = {.report = &job->report, .model = job->model, .input = &job->reading};
    if (!job->page.handle || !job->model) return EM_OK;
    job->page_stays = job->report.done_before && has_page(job->page.path);
    if (job->page_stays) return EM_OK;
    em_status status = node_page_write(emi_output_stream(job->page.handle), &job->notes, job->args, &end,
                                       job->arranged ? job->arranged : job->data, err);
    return status == EM_OK ? outputs_commit(&job->page, 1, err) : status;
}

static em_status node(const arguments *args, em_error *err)
{
    node_job job = {.args = args, .file = {.option = "output", .binary = 1}, .page = {.option = "report"}};
    em_error later;
    private_process();
    em_status status = page_check(args, err);
    if (status == EM_OK) status = take_part(&job, err);
    if (status == EM_OK) status = write_page(&job, err);
    if (status == EM_OK) status = verdict(&job, err);
    if (status != EM_OK) name_flag(err);
    const node_end end = {.report = &job.report,
                          .model = job.model,
                          .input = &job.reading,
                          .read_meanwhile = args_given(args, "follow"),
                          .file = job.file.path,
                          .page = job.page.path,
                          .page_stays = job.page_stays,
                          .status = status,
                          .error = err};
    if (args_given(args, "json"))
        node_json(&end);
    else if (args_reports(args) && node_print(&end, &later) != EM_OK && status == EM_OK)
        *err = later, status = later.code;
    release(&job);
    return status;
}

const command_spec command_node = {
    .name = "node",
    .summary = "Take part in a study between sites, beside this site's data",
    .usage = "STUDY INPUT [-o MODEL.npz] [options]",
    .operands = {{"STUDY", READS}, {"INPUT", READS_TABLES}},
    .operand_limit = 2,
    .options = node_options,
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh node heart.study data.csv -o model.npz", "eigenmesh node heart.study data.csv --dry-run",
                 "eigenmesh node pumps.study /var/spool/pumps --follow --every 10min -o model.npz"},
    .run = node};
