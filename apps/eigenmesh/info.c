/* eigenmesh info: what is in a model. */
#include "command.h"
#include "lab/plot.h"
#include "loadings.h"
#include "message.h"
#include "outputs.h"
#include "report.h"

#include <string.h>

static const option_spec info_options[] = {
    {.name = "plot",
     .metavar = "FILE",
     .example = "scree.svg",
     .help = "draw the share of variance of each component, and of all up to it: .svg, .png or .pdf",
     .file = WRITES},
    {.name = "loadings",
     .metavar = "FILE.tsv",
     .example = "loadings.tsv",
     .help = "write what each feature weighs in each component; of genotypes with its place and its alleles",
     .file = WRITES},
    {0}};

enum { FILE_PLOT, FILE_LOADINGS, FILES };

static em_status print_text(const em_model *model, const output_file *files, em_error *err)
{
    const em_info *info = em_model_info(model);
    (void)printf("data      %llu x %d over %d node%s\n", (unsigned long long)em_model_samples(model),
                 em_model_features(model), info->nodes, info->nodes == 1 ? "" : "s");
    report_names(model);
    report_scale(em_model_info(model));
    (void)printf("method    %s, %s%s, seed %llu\n\n", info->method, operator_text(info->operator_name),
                 strcmp(info->precision, "single") == 0 ? " in single precision" : "", (unsigned long long)info->seed);
    em_status status = report_model(model, err);
    for (int i = 0; i < FILES && status == EM_OK; i++)
        if (files[i].path) (void)printf("%-9s %s\n", files[i].option, files[i].path);
    return status;
}

static void print_json(const em_model *model)
{
    json j;
    json_begin(&j);
    report_names_json(&j, model);
    report_json(&j, model);
    json_end(&j);
}

static em_status show(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    output_file files[FILES] = {{.option = "plot"}, {.option = "loadings"}}, *plot = &files[FILE_PLOT];
    TRY(outputs_open(files, FILES, args, err));
    TRY(em_model_load(&model, args->operands[0], err));
    if (plot->handle) TRY(plot_scree(&(canvas){plot->handle, gnuplot_kind(plot->path)}, model, err));
    if (files[FILE_LOADINGS].handle) loadings_write(emi_output_stream(files[FILE_LOADINGS].handle), model);
    TRY(outputs_commit(files, FILES, err));
    if (args_given(args, "json"))
        print_json(model);
    else if (args_reports(args))
        TRY(print_text(model, files, err));
done:
    outputs_discard(files, FILES);
    em_model_free(&model);
    return status;
}

const command_spec command_info = {
    .name = "info",
    .summary = "Show what a model holds and how it was found",
    .usage = "MODEL.npz [options]",
    .operands = {{"MODEL.npz", READS}},
    .operand_limit = 1,
    .options = info_options,
    .prints_table = 1,
    .examples = {"eigenmesh info model.npz --plot scree.svg", "eigenmesh info model.npz --loadings loadings.tsv"},
    .run = show};
