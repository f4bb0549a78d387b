#include "node_job.h"

#include "message.h"
#include "node_report.h"

#include "base/clock.h"
#include "base/error.h"

#include <time.h>

void node_heed_interrupt(void)
{
    if (interrupt_requested()) em_site_interrupt();
}

static em_status open_rows(void *user, const char *folder, const em_data **data, em_error *err)
{
    node_job *job = user;
    return following_open(&job->following, folder, data, err);
}

/* While the next model is not due; a site whose rows are all there only waits. */
static em_status take_rows(void *user, double seconds, em_error *err)
{
    node_job *job = user;
    em_status status = EM_OK;
    const struct timespec sleep = {.tv_nsec = (long)(999999999 * seconds)};
    (void)progress_waits("the next model", emi_seconds() - job->made_at);
    if (args_given(job->args, "follow"))
        status = following_take(&job->following, seconds, err);
    else
        (void)nanosleep(&sleep, NULL);
    node_heed_interrupt();
    return status;
}

static em_status hand_rows(void *user, const em_data **data, int *more, em_error *err)
{
    node_job *job = user;
    if (job->late.code == EM_OK) return following_hand(&job->following, data, more, err);
    *err = job->late;
    return job->late.code;
}

static em_status close_rows(void *user, em_error *err)
{
    node_job *job = user;
    return following_close(&job->following, err);
}

static void made(void *user, const em_model *model)
{
    node_job *job = user;
    job->made_at = emi_seconds();
    job->models++;
    progress_erase();
    if (args_given(job->args, "json"))
        node_model_json(model, job->models, job->file.path);
    else if (args_reports(job->args))
        node_model_print(model, job->models);
    (void)fflush(stdout);
}

em_status node_time(const arguments *args, const char *option, double *seconds, em_error *err)
{
    const char *text = args_text(args, option);
    if (!text || duration_read(text, seconds) == 0) return EM_OK;
    return emi_fail(err, EM_EINVAL, "--%s: '%s' is not a time; try 30s, 10min, 24h, or forever", option, text);
}

/* What is said of models is the root's; that it is, the library sees to. */
em_status node_rows_choose(node_job *job, em_site_options *options, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = job->args;
    if (args_given(args, "directions") && !args_given(args, "follow"))
        TRY(emi_fail(err, EM_EINVAL, "--directions: is of rows that keep coming; try --follow beside it"));
    TRY(node_time(args, "every", &options->every, err));
    TRY(node_time(args, "check", &options->check, err));
    TRY(args_int(args, "models", 1, &options->models, err));
    options->take_rows = take_rows;
    options->made = made;
    job->made_at = emi_seconds();
    if (!args_given(args, "follow")) return EM_OK;
    options->open_rows = open_rows;
    options->hand_rows = hand_rows;
    options->close_rows = close_rows;
    TRY(following_create(&job->following, args, &job->reading, err));
done:
    return status;
}
