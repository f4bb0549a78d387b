/* eigenmesh node: take part in a study. */
#include "command.h"
#include "input.h"
#include "message.h"
#include "outputs.h"
#include "private.h"
#include "report.h"

#include "base/error.h"

#include <eigenmesh/net.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_spec node_options[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "MODEL.npz",
     .example = "model.npz",
     .help = "where the model goes, the same file at every site",
     .file = WRITES_RESULT},
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
    {.name = "log", .metavar = "FILE", .preset = "log, in that folder", .help = "the audit log"},
    {.name = "threads", .metavar = "T", .preset = "all", .example = "4", .help = "cores to use"},
    {.name = "dry-run", .help = "see whether all sites are there, with the same columns; compute nothing"},
    {.name = "again", .help = "also where the study was done before"},
    INPUT_OPTIONS,
    {0}};

typedef struct node_job {
    const arguments *args;
    reading reading, rearranged;
    em_data *data, *arranged;
    output_file file;
    em_model *model;
    em_site_report report;
} node_job;

/* ---- callbacks ----------------------------------------------------------------------------------------------------- */

static void tell(void *user, const char *line)
{
    const node_job *job = user;
    if (!args_given(job->args, "quiet")) complain("%s", line);
}

static void heed_interrupt(void)
{
    if (interrupt_requested()) em_site_interrupt();
}

static void waits(void *user, const char *site, double seconds)
{
    (void)user;
    progress_waits(site, seconds);
    heed_interrupt();
}

static int watch(const em_progress *now, void *user)
{
    (void)user;
    (void)progress_fit(now, NULL);
    heed_interrupt();
    return 0;
}

static em_status arrange(void *user, const char *const *names, size_t count, const em_data **data, em_error *err)
{
    node_job *job = user;
    em_status status = EM_OK;
    em_data_free(&job->arranged);
    reading_free(&job->rearranged);
    job->rearranged = (reading){0};
    TRY(reading_by_names(&job->rearranged, "the root's data", names, count, err));
    TRY(reading_open(&job->rearranged, &job->arranged, job->args->operands[1], job->args, NULL, err));
    *data = job->arranged;
done:
    return status;
}

/* Written whole, or not at all; a run that is entered anew writes it anew. */
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

/* ---- the report ------------------------------------------------------------------------------------------------------ */

static em_status print_links(const em_site_report *report, em_error *err)
{
    table t;
    table_begin(&t, 6);
    static const char *const heading[] = {"neighbour", "sent MB", "received MB", "cuts", "down s", "waited s"};
    for (int n = 0; n < 6; n++) table_cell(&t, "%s", heading[n]);
    for (int n = 0; n < report->link_count; n++) {
        const em_site_link *l = &report->links[n];
        table_cell(&t, "%s", l->name);
        table_cell(&t, "%.3g", (double)l->bytes_sent / 1e6);
        table_cell(&t, "%.3g", (double)l->bytes_received / 1e6);
        table_cell(&t, "%d", l->downs);
        table_cell(&t, "%.1f", l->seconds_down);
        table_cell(&t, "%.1f", l->seconds_waited);
    }
    return table_print(&t, err);
}

static em_status print_report(const node_job *job, em_error *err)
{
    em_status status = EM_OK;
    const em_site_report *r = &job->report;
    if (r->done_before) {
        (void)printf("%s: this study is done, and the model was written; --again runs it again\n", r->name);
        return EM_OK;
    }
    (void)printf("site      %s, one of %d\n", r->name, r->site_count);
    (void)printf("study     %s\n", r->fingerprint);
    if (r->rehearsed) {
        (void)printf("rehearsal all sites are here, and their columns are the same\n\n");
    } else {
        report_names(job->model);
        if (r->runs > 1)
            (void)printf("runs      %d: a site came back, and all went on from the root's last step\n", r->runs);
        (void)putchar('\n');
        TRY(report_model(job->model, err));
        if (job->file.path) (void)printf("model     %s\n", job->file.path);
        (void)putchar('\n');
    }
    TRY(print_links(r, err));
done:
    return status;
}

static void links_json(json *j, const em_site_report *report)
{
    json_open(j, "links", '[');
    for (int n = 0; n < report->link_count; n++) {
        const em_site_link *l = &report->links[n];
        json_open(j, NULL, '{');
        json_text(j, "neighbour", l->name);
        json_whole(j, "bytes_sent", l->bytes_sent);
        json_whole(j, "bytes_received", l->bytes_received);
        json_whole(j, "cuts", (uint64_t)l->downs);
        json_real(j, "seconds_down", l->seconds_down);
        json_real(j, "seconds_waited", l->seconds_waited);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const node_job *job, em_status status, const em_error *err)
{
    const em_site_report *r = &job->report;
    json j;
    json_begin(&j);
    json_text(&j, "site", r->name);
    json_text(&j, "status", status == EM_OK ? "done" : "failed");
    json_text(&j, "error", status == EM_OK ? NULL : err->msg);
    json_text(&j, "awaited", *r->awaited ? r->awaited : NULL);
    json_text(&j, "fingerprint", r->fingerprint);
    json_whole(&j, "sites", (uint64_t)r->site_count);
    json_flag(&j, "done_before", r->done_before);
    json_flag(&j, "rehearsed", r->rehearsed);
    json_whole(&j, "runs", (uint64_t)r->runs);
    if (job->model) report_json(&j, job->model);
    links_json(&j, r);
    json_text(&j, "file", job->model ? job->file.path : NULL);
    json_end(&j);
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

static em_status choose_patience(const arguments *args, double *seconds, em_error *err)
{
    const char *text = args_value(args, "patience");
    if (duration_read(text, seconds) == 0) return EM_OK;
    return emi_fail(err, EM_EINVAL, "--patience: '%s' is not a time; try 30s, 10min, 24h, or forever", text);
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
                               .arrange = arrange,
                               .keep = keep,
                               .news = tell,
                               .waits = waits,
                               .monitor = watch,
                               .user = job};
    TRY(choose_patience(args, &options.patience, err));
    TRY(args_int(args, "threads", 1, &options.threads, err));
    TRY(private_key_path(args_text(args, "key"), key, err));
    TRY(private_state_path(args_text(args, "state"), folder, err));
    if (!options.accept && !args_given(args, "quiet"))
        complain("nobody has vouched for %s: compare its fingerprint on the telephone, then --accept it",
                 options.study);
    TRY(reading_open(&job->reading, &job->data, args->operands[1], args, NULL, err));
    if (!options.rehearse) TRY(outputs_open(&job->file, 1, args, err));
    interrupt_defer();
    TRY(em_site_run(&job->model, &options, job->data, &job->report, err));
done:
    progress_erase();
    return status;
}

static void release(node_job *job)
{
    outputs_discard(&job->file, 1);
    em_site_report_free(&job->report);
    em_model_free(&job->model);
    em_data_free(&job->arranged);
    em_data_free(&job->data);
    reading_free(&job->rearranged);
    reading_free(&job->reading);
}

static em_status node(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    node_job job = {.args = args, .file = {.option = "output", .binary = 1}};
    private_process();
    status = take_part(&job, err);
    if (args_given(args, "json") && job.report.name[0])
        print_json(&job, status, err);
    else if (args_reports(args) && status == EM_OK)
        status = print_report(&job, err);
    else if (args_reports(args) && job.report.link_count && print_links(&job.report, NULL) != EM_OK)
        status = status ? status : EM_ENOMEM;
    release(&job);
    return status;
}

const command_spec command_node = {
    .name = "node",
    .summary = "Take part in a study between sites, beside this site's data",
    .usage = "STUDY INPUT -o MODEL.npz [options]",
    .operands = {{"STUDY", READS}, {"INPUT", READS_TABLES}},
    .operand_limit = 2,
    .options = node_options,
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh node heart.study data.csv -o model.npz", "eigenmesh node heart.study data.csv --dry-run",
                 "eigenmesh node heart.study data.csv -o model.npz --patience 48h --json"},
    .run = node};
