/* eigenmesh info: what is in a model, or in a file of moments. */
#include "command.h"
#include "lab/plot.h"
#include "loadings.h"
#include "message.h"
#include "outputs.h"
#include "page.h"
#include "report.h"
#include "report_moments.h"

#include "base/error.h"

#include <string.h>
#include <sys/stat.h>

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
    PAGE_OPTION,
    {0}};

enum { FILE_PLOT, FILE_LOADINGS, FILE_PAGE, FILES };

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

static em_status write_page(const arguments *args, const em_model *model, FILE *stream, em_error *err)
{
    em_status status = EM_OK;
    page_notes notes = {0};
    TRY(page_describe(&notes, args, model, NULL, err));
    TRY(em_page_write(&notes.page, stream, err));
done:
    page_free(&notes);
    return status;
}

static em_status show_model(const arguments *args, const em_model *model, output_file *files, em_error *err)
{
    em_status status = EM_OK;
    const output_file *plot = &files[FILE_PLOT];
    if (plot->handle) TRY(plot_scree(&(canvas){plot->handle, gnuplot_kind(plot->path)}, model, err));
    if (files[FILE_LOADINGS].handle) loadings_write(emi_output_stream(files[FILE_LOADINGS].handle), model);
    if (files[FILE_PAGE].handle) TRY(write_page(args, model, emi_output_stream(files[FILE_PAGE].handle), err));
    TRY(outputs_commit(files, FILES, err));
    if (args_given(args, "json"))
        print_json(model);
    else if (args_reports(args))
        TRY(print_text(model, files, err));
done:
    return status;
}

static em_status print_moments(em_moments *moments, em_error *err)
{
    (void)printf("data      %llu x %zu, moments of rows\n", (unsigned long long)em_moments_rows(moments),
                 em_moments_columns(moments));
    em_status status = report_moments(moments, err);
    return status == EM_OK ? report_means(moments, err) : status;
}

static em_status show_moments(const arguments *args, em_moments *moments, const output_file *files, em_error *err)
{
    em_status status = EM_OK;
    for (int i = 0; i < FILES; i++)
        if (files[i].path)
            TRY(emi_fail(err, EM_EINVAL,
                         "--%s: is of a model, and %s holds moments; try eigenmesh fit, which makes one of them",
                         files[i].option, args->operands[0]));
    if (em_moments_rows(moments) == 0)
        TRY(emi_fail(err, EM_EDATA, "%s: holds moments of no rows; try another file", args->operands[0]));
    if (args_given(args, "json")) {
        json j;
        json_begin(&j);
        status = report_moments_json(&j, moments, err);
        if (status == EM_OK) status = report_means_json(&j, moments, err);
        json_end(&j);
    } else if (args_reports(args)) {
        TRY(print_moments(moments, err));
    }
done:
    return status;
}

/* What can be read only once is a model, or refused. */
static int can_be_read_again(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static em_status show(const arguments *args, em_error *err)
{
    const char *path = args->operands[0];
    em_model *model = NULL;
    em_moments *moments = NULL;
    output_file files[FILES] = {{.option = "plot"}, {.option = "loadings"}, {.option = "report"}};
    em_status status = outputs_open(files, FILES, args, err);
    if (status == EM_OK) status = em_model_load(&model, path, err);
    if (status == EM_ENOTSUP && can_be_read_again(path)) status = em_moments_load(&moments, path, err);
    if (status == EM_OK) status = model ? show_model(args, model, files, err) : show_moments(args, moments, files, err);
    outputs_discard(files, FILES);
    em_moments_free(&moments);
    em_model_free(&model);
    return status;
}

const command_spec command_info = {
    .name = "info",
    .summary = "Show what a model holds and how it was found; or what moments hold",
    .usage = "FILE.npz [options]",
    .operands = {{"FILE.npz", READS}},
    .operand_limit = 1,
    .options = info_options,
    .prints_table = 1,
    .examples = {"eigenmesh info model.npz --plot scree.svg", "eigenmesh info model.npz --loadings loadings.tsv",
                 "eigenmesh info model.npz --report page.html", "eigenmesh info berlin.moments.npz"},
    .run = show};
