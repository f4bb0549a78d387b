#include "node_report.h"

#include "base/error.h"
#include "message.h"

#include <math.h>
#include <time.h>

/* As of UTC. */
static const char *time_text(int64_t seconds, const char *format, char out[32])
{
    struct tm parts;
    time_t when = (time_t)seconds;
    if (!gmtime_r(&when, &parts) || strftime(out, 32, format, &parts) == 0) *out = 0;
    return out;
}

/* ---- for people --------------------------------------------------------------------------------------------------- */

static void size_cell(table *t, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double number = (double)bytes;
    size_t n = 0;
    for (; number >= 999.5 && n + 1 < sizeof units / sizeof *units; n++) number /= 1e3;
    table_cell(t, "%.3g %s", number, units[n]);
}

/* To tenths of a second. */
static void time_cell(table *t, double seconds)
{
    char time[DURATION_ROOM];
    table_cell(t, "%s", duration_text(floor(10 * seconds) / 10, time));
}

static void link_cells(table *t, const em_site_link *l)
{
    if (!l->is_neighbour) {
        for (int n = 0; n < 4; n++) table_cell(t, "-");
        return;
    }
    size_cell(t, l->bytes_sent);
    size_cell(t, l->bytes_received);
    table_cell(t, "%d", l->downs);
    if (l->was_up)
        time_cell(t, l->seconds_down);
    else
        table_cell(t, "never up");
}

static em_status print_links(const em_site_report *report, em_error *err)
{
    table t;
    table_begin(&t, 6);
    static const char *const heading[] = {"site", "sent", "received", "cuts", "down", "waited"};
    for (int n = 0; n < 6; n++) table_cell(&t, "%s", heading[n]);
    for (int n = 0; n < report->link_count; n++) {
        table_text(&t, report->links[n].name);
        link_cells(&t, &report->links[n]);
        time_cell(&t, report->links[n].seconds_waited);
    }
    return table_print(&t, err);
}

static void print_runs(const em_site_report *report, const em_info *info)
{
    if (report->runs < 2) return;
    (void)printf("runs      %d: a site came back, and all ", report->runs);
    if (info->resumed > 0)
        (void)printf("went on from iteration %ld\n", info->resumed);
    else
        (void)printf("began anew\n");
}

/* Where it is to be found. */
static void print_model_place(const node_end *end)
{
    const char *kept = end->report->model_file;
    if (end->file && end->model)
        (void)printf("model     %s\n", end->file);
    else if (kept)
        (void)printf("model     %s; the same command with -o FILE copies it\n", kept);
    else
        (void)printf("model     no longer in the state folder; another site has the same one\n");
    if (end->page && end->model)
        (void)printf("report    %s%s\n", end->page, end->page_stays ? " was there, and stays as it was" : "");
}

static em_status print_model(const node_end *end, em_error *err)
{
    const em_info *info = em_model_info(end->model);
    (void)printf("data      %llu x %d over all sites\n", (unsigned long long)em_model_samples(end->model),
                 em_model_features(end->model));
    report_names(end->model);
    report_scale(info);
    if (*info->choice)
        (void)printf("auto      %s: %s\n", info->method, info->choice);
    else
        (void)printf("method    %s\n", info->method);
    if (report_tells_device(end->report->device, end->report->device_why))
        (void)printf("device    %s: %s\n", end->report->device, end->report->device_why);
    (void)printf("masks     %s\n", end->report->masked ? "yes" : "no");
    print_runs(end->report, info);
    (void)putchar('\n');
    return report_model(end->model, err);
}

/* Of C, the covariance of all rows; more columns than it has tell no more. */
static void print_answered(const em_site_report *r)
{
    unsigned long long asked = r->columns_answered, all = r->columns;
    if (!r->masked || !asked) return;
    (void)printf("columns of C answered: %llu of %llu", asked < all ? asked : all, all);
    if (asked > all) (void)printf(" (%llu were asked for)", asked);
    (void)putchar('\n');
}

em_status node_print(const node_end *end, em_error *err)
{
    em_status status = EM_OK;
    const em_site_report *r = end->report;
    int has_report = end->model || r->rehearsed || r->done_before; /* it came to an end, if not to a good one */
    char when[32];
    if (has_report) (void)printf("site      %s, one of %d\nstudy     %s\n", r->name, r->site_count, r->fingerprint);
    if (r->done_before) {
        (void)printf("finished  on %s, and nothing was done now; --again, at all sites, runs it again\n",
                     time_text(r->finished, "%Y-%m-%d %H:%M UTC", when));
        print_model_place(end);
        return EM_OK;
    }
    if (r->follows && end->model)
        (void)printf("models    %d were made here; %d look%s between found that the last one held\n", r->models,
                     r->held, r->held == 1 ? "" : "s");
    if (end->read_meanwhile) reading_print(end->input);
    if (r->rehearsed) (void)printf("rehearsal all sites are here, and their columns are the same\n");
    if (end->model) {
        TRY(print_model(end, err));
        print_model_place(end);
    }
    if (has_report) (void)putchar('\n');
    if (r->link_count) TRY(print_links(r, err));
    print_answered(r);
done:
    return status;
}

void node_model_print(const em_model *model, int number)
{
    const em_info *info = em_model_info(model);
    const char *short_of = ending_of(info->reason)->what;
    char when[32];
    (void)printf("model     %d on %s: %llu rows, %s %s after %ld iteration%s", number,
                 time_text((int64_t)time(NULL), "%Y-%m-%d %H:%M:%S UTC", when),
                 (unsigned long long)em_model_samples(model), info->method, short_of ? short_of : "converged",
                 info->iterations, info->iterations == 1 ? "" : "s");
    if (!isnan(info->turn)) (void)printf(", turned by %.2g rad", info->turn);
    if (info->held) (void)printf("; the last one held");
    (void)putchar('\n');
}

/* ---- for programs ------------------------------------------------------------------------------------------------- */

/* One word of a fixed list. */
static const char *reason_of(const node_end *end)
{
    const em_site_report *r = end->report;
    if (end->status == EM_OK) return r->rehearsed ? "rehearsed" : r->done_before ? "done-before" : "done";
    if (interrupt_requested()) return "interrupted";
    if (*r->awaited) return "patience";
    if (r->ended_by_root) return "root";
    switch (end->status) {
    case EM_EINVAL:
    case EM_ENOTSUP: return "usage";
    case EM_EIO:
    case EM_EDATA: return "input";
    case EM_ENOMEM: return "memory";
    case EM_EOUTPUT: return "output";
    case EM_ENUMERIC: return "not-converged";
    default: return "network";
    }
}

static void links_json(json *j, const em_site_report *report)
{
    json_open(j, "links", '[');
    for (int n = 0; n < report->link_count; n++) {
        const em_site_link *l = &report->links[n];
        if (!l->is_neighbour) continue;
        json_open(j, NULL, '{');
        json_text(j, "neighbour", l->name);
        json_whole(j, "bytes_sent", l->bytes_sent);
        json_whole(j, "bytes_received", l->bytes_received);
        json_flag(j, "was_up", l->was_up);
        json_whole(j, "cuts", (uint64_t)l->downs);
        json_real(j, "seconds_down", l->seconds_down);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* For whom one waited, neighbours or not. */
static void waits_json(json *j, const em_site_report *report)
{
    json_open(j, "waited", '[');
    for (int n = 0; n < report->link_count; n++) {
        json_open(j, NULL, '{');
        json_text(j, "site", report->links[n].name);
        json_real(j, "seconds", report->links[n].seconds_waited);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void node_model_json(const em_model *model, int number, const char *file)
{
    json j;
    char when[32];
    json_begin_line(&j);
    json_whole(&j, "model", (uint64_t)number);
    json_text(&j, "made", time_text((int64_t)time(NULL), "%Y-%m-%dT%H:%M:%SZ", when));
    json_text(&j, "file", file);
    report_json(&j, model);
    json_end(&j);
}

void node_json(const node_end *end)
{
    const em_site_report *r = end->report;
    char when[32];
    json j;
    json_begin_line(&j);
    json_text(&j, "site", *r->name ? r->name : NULL);
    json_text(&j, "fingerprint", *r->fingerprint ? r->fingerprint : NULL);
    json_text(&j, "status", end->status == EM_OK ? "done" : "failed");
    json_text(&j, "reason", reason_of(end));
    json_text(&j, "error", end->status == EM_OK ? NULL : end->error->msg);
    json_text(&j, "awaited", *r->awaited ? r->awaited : NULL);
    json_text(&j, "finished", r->finished ? time_text(r->finished, "%Y-%m-%dT%H:%M:%SZ", when) : NULL);
    json_whole(&j, "sites", (uint64_t)r->site_count);
    json_whole(&j, "runs", (uint64_t)r->runs);
    json_text(&j, "device", *r->device ? r->device : NULL);
    json_text(&j, "device_why", *r->device ? r->device_why : NULL);
    json_flag(&j, "masks", r->masked);
    if (r->masked) {
        json_whole(&j, "columns_answered", r->columns_answered);
        json_whole(&j, "columns", r->columns);
    }
    if (r->follows) {
        json_whole(&j, "models", (uint64_t)r->models);
        json_whole(&j, "held", (uint64_t)r->held);
    }
    links_json(&j, r);
    waits_json(&j, r);
    json_text(&j, "file", end->model && end->file ? end->file : r->model_file);
    json_text(&j, "report", end->model && !end->page_stays ? end->page : NULL);
    reading_json(&j, end->input);
    if (end->model) report_json(&j, end->model);
    json_end(&j);
}
