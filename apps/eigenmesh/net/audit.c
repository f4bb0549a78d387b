/* eigenmesh audit check: do the logs of a study's sites agree? */
#include "command.h"
#include "print.h"

#include "net/audit.h"

#include <stdio.h>

static const option_spec audit_options[] = {{0}};

/* Findings are printed as they come; as JSON, inside the list that was opened for them. */
static void say(void *context, const char *finding)
{
    if (context)
        json_text(context, NULL, finding);
    else
        (void)printf("%s\n", finding);
}

static void keep_quiet(void *context, const char *finding)
{
    (void)context, (void)finding;
}

static em_status audit_check(const arguments *args, em_error *err)
{
    json j;
    int as_json = args_given(args, "json"), quiet = args_given(args, "quiet"), count = args->operand_count;
    const char *const *logs = (const char *const *)args->operands;
    if (as_json) {
        json_begin(&j);
        json_whole(&j, "logs", (uint64_t)count);
        json_open(&j, "findings", '[');
    }
    em_status status = emi_audit_check(logs, count, quiet && !as_json ? keep_quiet : say, as_json ? &j : NULL, err);
    if (as_json) {
        json_close(&j, ']');
        json_flag(&j, "readable", status == EM_OK || status == EM_EDATA);
        json_end(&j);
    } else if (status == EM_OK && !quiet) {
        (void)printf("%d log%s: nothing found\n", count, count == 1 ? "" : "s");
    }
    /* Findings are what the command is for, and no wrong usage: their exit status is 1. */
    if (status == EM_EDATA) status = err->code = EM_ENET;
    return status;
}

const command_spec command_audit_check = {.name = "audit check",
                                          .summary = "Compare the audit logs of a study's sites",
                                          .usage = "LOG... [options]",
                                          .operands = {{"LOG", READS}},
                                          .operand_limit = ANY_NUMBER,
                                          .options = audit_options,
                                          .prints_table = 1,
                                          .examples = {"eigenmesh audit check berlin.log paris.log oslo.log"},
                                          .run = audit_check};
