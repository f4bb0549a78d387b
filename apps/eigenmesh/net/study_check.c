/* eigenmesh study check: what a study file says, before anybody runs it. */
#include "command.h"
#include "study_report.h"

#include "base/error.h"

static const option_spec study_check_options[] = {
    {.name = "features",
     .letter = 'd',
     .metavar = "D",
     .example = "784",
     .help = "how many columns the data have: for the bandwidth, and the root's memory"},
    {0}};

static em_status study_check(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    emi_study *study = NULL;
    study_cost cost;
    int features = 0;
    TRY(args_int(args, "features", 1, &features, err));
    TRY(emi_study_open(&study, args->operands[0], err));
    status = study_cost_of(&cost, study, features, err);
    if (status != EM_OK) {
        em_error why = *err;
        TRY(emi_fail(err, status, "%s: %s", args->operands[0], why.msg));
    }
    if (args_given(args, "json"))
        study_json(study, &cost);
    else if (args_reports(args))
        TRY(study_print(study, &cost, err));
done:
    emi_study_close(&study);
    return status;
}

const command_spec command_study_check = {
    .name = "study check",
    .summary = "Check a study file: sites, links, options, and its fingerprint",
    .usage = "FILE [-d D] [options]",
    .operands = {{"FILE", READS}},
    .operand_limit = 1,
    .options = study_check_options,
    .prints_table = 1,
    .examples = {"eigenmesh study check heart.study", "eigenmesh study check heart.study -d 784"},
    .run = study_check};
