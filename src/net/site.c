/* A site takes part in a study: what it needs is opened, runs are entered until one ends well, and others are told why not. */
#include "net/follow.h"
#include "net/no_memory.h"
#include "net/own.h"
#include "net/program.h"
#include "net/site_report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct site_job {
    em_site_options options;
    em_site_report *report;
    emi_identity *identity;
    emi_study *study;
    int site;
    emi_state state;
    unsigned char *told; /* [sites] neighbours that know that it is done here */
    int finished_before;
    emi_audit *audit;
    emi_entry own;
    emi_hub *hub;
    emi_program program;
    _Atomic long iteration;      /* that the root's state is of, as far as this process knows */
    double awaited_itself_since; /* so far in this wait; 0: not, -1: it was told so */
} site_job;

/* A signal's handler may do no more: who waits looks at it. */
static atomic_int interrupted;

void em_site_interrupt(void)
{
    atomic_store(&interrupted, 1);
}

/* ---- callbacks ------------------------------------------------------------------------------------------------------------- */

static void tell_news(void *user, emi_news what, const char *who, const char *why)
{
    static const char *const words[] = {[EMI_NEWS_UP] = "link with %s is up",
                                        [EMI_NEWS_DOWN] = "link with %s is down: %s",
                                        [EMI_NEWS_LEFT] = "%s left: %s",
                                        [EMI_NEWS_REFUSED] = "%s was refused: %s",
                                        [EMI_NEWS_STUDY] = "%s has another study, from this line on: %s",
                                        [EMI_NEWS_DIFFERS] = "%s has %s",
                                        [EMI_NEWS_START] = "all sites are here"};
    const site_job *job = user;
    char line[1024];
    if (!job->options.news) return;
    const char *form = what == EMI_NEWS_UP && why ? "link with %s is up, %s" : words[what];
    (void)snprintf(line, sizeof line, form, who, why ? why : "");
    job->options.news(job->options.user, line);
}

/* What is heard may be old, by some seconds for each site between. */
static void tell_if_awaited_itself(site_job *job, const char *site, double seconds)
{
    enum { CERTAIN_AFTER = 20 };
    double *since = &job->awaited_itself_since;
    const char *own = job->study->sites[job->site].name;
    if (*since < 0) return;
    if (strcmp(site, own) != 0 || seconds < *since)
        *since = 0;
    else if (*since == 0)
        *since = seconds;
    else if (seconds - *since > CERTAIN_AFTER) {
        tell_news(job, EMI_NEWS_DIFFERS, own, "other columns than the root: all wait for this site");
        *since = -1;
    }
}

static void tell_waits(void *user, const char *site, double seconds)
{
    site_job *job = user;
    tell_if_awaited_itself(job, site, seconds);
    if (job->options.waits) job->options.waits(job->options.user, site, seconds);
}

/* Nothing in one site stops the others' run. */
static int watch(const em_progress *progress, void *user)
{
    site_job *job = user;
    atomic_store(&job->iteration, progress->iteration);
    if (job->options.monitor) (void)job->options.monitor(progress, job->options.user);
    return 0;
}

/* In START: the iteration of the root's state; of a rehearsal, none that there is. */
static uint64_t iteration_of(void *user, const unsigned char *rows[])
{
    const site_job *job = user;
    unsigned char before[EMI_SHA_BYTES];
    size_t sites = (size_t)job->study->site_count;
    if (job->options.rehearse) return UINT64_MAX;
    unsigned char *all = malloc(sites * sizeof before);
    int same = all && emi_state_has(&job->state, EMI_STATE_CHECKPOINT) &&
               emi_state_read(&job->state, EMI_STATE_ROWS, all, sites * sizeof before);
    for (size_t n = 0; same && n < sites; n++) same = memcmp(all + n * sizeof before, rows[n], sizeof before) == 0;
    free(all);
    long iteration = atomic_load(&job->iteration);
    return !same ? 0 : iteration > 0 ? (uint64_t)iteration : 1;
}

static int note_told(void *user, const unsigned char *told)
{
    const site_job *job = user;
    size_t sites = (size_t)job->study->site_count;
    return emi_state_write(&job->state, EMI_STATE_TOLD, told, sites, NULL) == EM_OK ? 0 : -1;
}

/* ---- opening ----------------------------------------------------------------------------------------------------------------- */

static em_status find_site(site_job *job, em_error *err)
{
    char id[EMI_ID_TEXT];
    const char *accept = job->options.accept;
    job->site = emi_study_find(job->study, emi_identity_public(job->identity));
    emi_id_write(emi_identity_public(job->identity), id);
    if (job->site < 0)
        return em_fail(err, EM_EINVAL,
                       "%s: no site of it has the key %s (%s); try study check, or option key with another file",
                       job->options.study, job->options.key, id);
    if (accept && !emi_study_is(job->study, accept))
        return em_fail(err, EM_EINVAL,
                       "%s: its fingerprint is %s, and not what was vouched for; try the file that the others have",
                       job->options.study, job->study->fingerprint);
    return EM_OK;
}

static em_status open_audit(site_job *job, em_error *err)
{
    char path[EMI_PATH_ROOM];
    em_status status = EM_OK;
    if (!job->options.log) status = emi_state_path(&job->state, "log", path, err);
    if (status != EM_OK) return status;
    return emi_audit_open(&job->audit, job->options.log ? job->options.log : path, job->study, job->site, job->identity,
                          err);
}

static em_status open_hub(site_job *job, em_error *err)
{
    const emi_hub_options options = {.study = job->study,
                                     .site = job->site,
                                     .identity = job->identity,
                                     .listen = job->options.listen,
                                     .proxy = job->options.proxy,
                                     .audit = job->audit,
                                     .own = job->own,
                                     .patience = job->options.patience,
                                     .rehearses = job->options.rehearse,
                                     .interrupted = &interrupted,
                                     .iteration = iteration_of,
                                     .told = job->told,
                                     .note_told = note_told,
                                     .news = tell_news,
                                     .waits = tell_waits,
                                     .user = job};
    return emi_hub_open(&job->hub, &options, err);
}

/* Was it done before, and who knows? */
static em_status look_back(site_job *job, em_error *err)
{
    size_t sites = (size_t)job->study->site_count;
    job->told = calloc(sites, 1);
    if (!job->told) return emi_no_memory(err);
    job->finished_before = emi_state_has(&job->state, EMI_STATE_FINISHED);
    job->report->done_before = !job->options.again && !job->options.rehearse && job->finished_before;
    if (job->report->done_before && !emi_state_read(&job->state, EMI_STATE_TOLD, job->told, sites))
        memset(job->told, 0, sites);
    return EM_OK;
}

static int all_know(const site_job *job)
{
    const emi_site *sites = job->study->sites;
    for (int n = 0; n < job->study->site_count; n++)
        if ((sites[n].parent == job->site || sites[job->site].parent == n) && !job->told[n]) return 0;
    return 1;
}

/* What it says of its rows; where they keep coming, it waits for the first. */
static em_status open_rows(site_job *job, const em_data **data, em_error *err)
{
    em_status status = emi_follow_open(&job->options, &job->state, data, err);
    if (status == EM_OK) status = emi_own_entry(&job->own, job->study, job->identity, *data, err);
    const emi_policy policy = {&job->options, job->study, &job->state, &job->own};
    return status == EM_OK ? emi_policy_check_rows(&policy, err) : status;
}

static em_status open_all(site_job *job, const em_data **data, em_error *err)
{
    em_site_report *report = job->report;
    char limit[32];
    em_status status = emi_study_open(&job->study, job->options.study, err);
    if (status == EM_OK) status = emi_identity_open(&job->identity, job->options.key, err);
    if (status == EM_OK) status = find_site(job, err);
    if (status == EM_OK) status = emi_policy_check_study(&job->options, job->study, err);
    if (status == EM_OK) status = emi_follow_check(&job->options, job->study, job->site, err);
    if (status == EM_OK) status = em_options_set(job->study->options, "device", job->options.device, err);
    if (status != EM_OK) return status;
    (void)snprintf(report->name, sizeof report->name, "%s", job->study->sites[job->site].name);
    (void)snprintf(report->fingerprint, sizeof report->fingerprint, "%s", job->study->fingerprint);
    report->site_count = job->study->site_count;
    report->masked = job->study->masks;
    report->columns = *data ? em_data_columns(*data) : 0;
    report->follows = job->study->follow;
    report->limited =
        em_options_get(job->study->options, "iterations", limit, sizeof limit) > 0 && strcmp(limit, "auto") != 0;
    status = emi_state_open(&job->state, job->options.state, job->study, job->site, err);
    if (status == EM_OK) status = look_back(job, err);
    if (status != EM_OK) return status;
    if (report->done_before && all_know(job) && emi_state_has(&job->state, EMI_STATE_ENDED))
        return open_audit(job, err); /* the process that ended it may not have come to log so */
    status = open_rows(job, data, err);
    if (status == EM_OK) status = open_audit(job, err);
    return status == EM_OK ? open_hub(job, err) : status;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------------- */

/* Its model is written, and its parent says that all have it. */
static em_status end_with_others(site_job *job, em_error *err)
{
    static const unsigned char unknown[EMI_SHA_BYTES];
    if (!emi_state_has(&job->state, EMI_STATE_MODEL))
        return em_fail(err, EM_ENET,
                       "node: the others are done, and the model is not here; try asking one of them for it, or "
                       "option again at all sites");
    em_status status = emi_program_keep_again(&job->program, err);
    if (status == EM_OK) status = emi_state_write(&job->state, EMI_STATE_FINISHED, unknown, sizeof unknown, err);
    if (status == EM_OK) emi_hub_finish(job->hub);
    return status;
}

/* As others are told it. */
static emi_leave leave_code(const site_job *job, const em_error *err)
{
    if (atomic_load(&interrupted)) return EMI_LEAVE_INTERRUPTED;
    if (emi_hub_over(job->hub) == EMI_LEAVE_ROOT) return EMI_LEAVE_ROOT; /* for those below */
    if (job->site == 0 && err->code != EM_ENET) return EMI_LEAVE_ROOT;
    switch (err->code) {
    case EM_ENET: return emi_hub_lost_patience(job->hub) >= 0 ? EMI_LEAVE_PATIENCE : EMI_LEAVE_FAILED;
    case EM_ENOMEM: return EMI_LEAVE_MEMORY;
    case EM_EOUTPUT: return EMI_LEAVE_DISK;
    case EM_EDATA: return EMI_LEAVE_DATA;
    case EM_EINVAL: return EMI_LEAVE_POLICY;
    default: return EMI_LEAVE_FAILED;
    }
}

/* Did the root only rehearse?  Then it will be back. */
static int is_rehearsal(const site_job *job)
{
    return emi_hub_iteration(job->hub) == UINT64_MAX;
}

static em_status one_run(site_job *job, em_error *err)
{
    enum { MOST_SECONDS = 30 };
    job->report->runs++;
    if (job->options.rehearse) {
        job->report->rehearsed = 1;
        emi_hub_wait_for_children(job->hub, MOST_SECONDS); /* or nobody would tell them */
        return EM_OK;
    }
    if (emi_state_has(&job->state, EMI_STATE_FINISHED)) emi_state_remove(&job->state, EMI_STATE_MODEL); /* of before */
    emi_state_remove(&job->state, EMI_STATE_FINISHED);
    emi_state_remove(&job->state, EMI_STATE_TOLD);
    emi_state_remove(&job->state, EMI_STATE_ENDED);
    return emi_program_run(&job->program, err);
}

/* A run in which something is computed, unless this is a rehearsal too. */
static em_status enter_run(site_job *job, em_error *err)
{
    emi_program *p = &job->program;
    em_status status = emi_hub_enter(job->hub, p->generation, &p->generation, err);
    while (status == EM_OK && is_rehearsal(job) && !job->options.rehearse) {
        if (job->options.news)
            job->options.news(job->options.user,
                              "the root rehearses: all sites are here, with the same columns; waiting for the run");
        status = emi_hub_enter(job->hub, p->generation, &p->generation, err);
    }
    return status;
}

/* That the study is done is said of a run before, and here it was to be done again, or rehearsed. */
static int is_of_before(const site_job *job)
{
    return job->report->runs == 0 && job->finished_before && emi_state_has(&job->state, EMI_STATE_ENDED);
}

/* Until one ends well.  A run is over where a site came back: then there is another. */
static em_status all_runs(site_job *job, em_error *err)
{
    em_status status;
    do {
        status = enter_run(job, err);
        if (status == EM_OK) status = one_run(job, err);
    } while (status == EM_ENET && !atomic_load(&interrupted) && emi_hub_over(job->hub) == 0 &&
             emi_hub_is_stale(job->hub, job->program.generation));
    if (status == EM_ENET && emi_hub_over(job->hub) == EMI_LEAVE_FINISHED && !is_of_before(job))
        return end_with_others(job, err);
    if (status != EM_OK)
        emi_hub_leave(job->hub, leave_code(job, err));
    else if (job->report->rehearsed)
        emi_hub_leave(job->hub, EMI_LEAVE_REHEARSED);
    else
        emi_hub_finish(job->hub);
    return status;
}

/* It is done, and was so before: who comes for the model gets it; and somebody may not know, or not have heard. */
static em_status end_once_more(site_job *job, em_error *err)
{
    em_status status = emi_state_has(&job->state, EMI_STATE_MODEL) ? emi_program_keep_again(&job->program, err) : EM_OK;
    if (status == EM_OK && job->hub) emi_hub_finish(job->hub);
    return status;
}

static void tidy_up(site_job *job)
{
    emi_state_remove(&job->state, EMI_STATE_CHECKPOINT);
    emi_state_remove(&job->state, EMI_STATE_ROWS);
    (void)emi_state_write(&job->state, EMI_STATE_ENDED, "", 0, NULL);
}

/* ---- closing --------------------------------------------------------------------------------------------------------------------- */

static em_status log_end(site_job *job, em_status outcome, em_error *err)
{
    uint64_t sent = 0, received = 0;
    for (int n = 0; n < job->report->link_count; n++) {
        sent += job->report->links[n].bytes_sent;
        received += job->report->links[n].bytes_received;
    }
    const char *word = outcome == EM_OK ? (job->report->rehearsed ? "rehearsed" : "done") : em_status_text(outcome);
    const emi_field_of_line fields[] = {
        {.name = "status", .text = word}, {.name = "sent", .number = &sent}, {.name = "received", .number = &received}};
    return emi_audit_write(job->audit, "end", fields, 3, 1, err);
}

static em_status close_all(site_job *job, em_status status, em_error *err)
{
    em_error later;
    if (job->hub) {
        emi_report_hub(job->report, job->hub, job->study, job->site);
        emi_hub_close(&job->hub);
    }
    em_status kept = emi_follow_close(&job->options, &later);
    if (status == EM_OK && kept != EM_OK) *err = later, status = kept;
    if (job->state.lock >= 0) emi_report_state(job->report, &job->state);
    if (status == EM_OK && !job->report->rehearsed) tidy_up(job); /* all was said: nobody will ask for it */
    if (job->audit) {
        em_status logged = log_end(job, status, &later), closed = emi_audit_close(&job->audit, &later);
        if (status == EM_OK && (logged != EM_OK || closed != EM_OK)) {
            status = logged != EM_OK ? logged : closed;
            if (err) *err = later;
        }
    }
    emi_state_close(&job->state);
    free(job->told);
    emi_identity_close(&job->identity);
    emi_study_close(&job->study);
    return status;
}

em_status em_site_run(em_model **model, const em_site_options *options, const em_data *data, em_site_report *report,
                      em_error *err)
{
    site_job job = {.report = report, .state = {.lock = -1}};
    em_error own = {0};
    memcpy(&job.options, options, options->size < sizeof job.options ? options->size : sizeof job.options);
    atomic_store(&interrupted, 0);
    *model = NULL;
    *report = (em_site_report){0};
    em_status status = open_all(&job, &data, &own);
    job.program = (emi_program){.options = &job.options,
                                .study = job.study,
                                .site = job.site,
                                .identity = job.identity,
                                .hub = job.hub,
                                .state = &job.state,
                                .own = &job.own,
                                .report = report,
                                .interrupted = &interrupted,
                                .monitor = watch,
                                .monitor_user = &job,
                                .data = data};
    if (status == EM_OK) status = report->done_before ? end_once_more(&job, &own) : all_runs(&job, &own);
    *model = job.program.model;
    status = close_all(&job, status, &own);
    if (status != EM_OK) em_model_free(model);
    if (err) *err = own;
    return status;
}
