/* eigenmesh reproduce: the paper's figures, rerun. */
#include "command.h"
#include "figures.h"
#include "files.h"
#include "images.h"
#include "json.h"
#include "lab/gnuplot.h"
#include "measure.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIALS = 10, QUICK_TRIALS = 2 };

static const option_spec reproduce_options[] = {
    {.name = "data",
     .metavar = "DIR",
     .preset = "data",
     .help = "where scripts/get-datasets has put MNIST and CIFAR-10, for fig4 and fig5"},
    {.name = "output",
     .letter = 'o',
     .metavar = "DIR",
     .preset = "reproduction",
     .help = "where to put index.html, the claims, the pictures and the curves",
     .file = WRITES_RESULT},
    {.name = "trials",
     .metavar = "T",
     .preset = "10, or 2 with --quick",
     .example = "10",
     .help = "trials of each set-up with drawn data"},
    {.name = "quick", .help = "2 trials, and a quarter of the iterations"},
    {.name = "iterations", .metavar = "T", .example = "100", .help = "at most so many, for a first look"},
    {.name = "seed", .metavar = "S", .preset = "0", .example = "1", .help = "everything random follows from it"},
    {.name = "threads", .metavar = "T", .preset = "all", .example = "4", .help = "cores to use"},
    {0}};

static const char *const reproduce_examples[] = {"eigenmesh reproduce fig1a fig2 --quick",
                                                 "eigenmesh reproduce all --data data -o reproduction", NULL};

typedef struct job {
    const arguments *args;
    char command[512];
    effort how;
    const plan **plans; /* that were asked for, NULL ends them */
    directory directory;
    reproduction made;
    char **pictures; /* the text of each, figure by figure */
    int picture_count;
    images images; /* of the set-up under way */
    source images_are;
} job;

/* ---- what was asked for ------------------------------------------------------------------------------- */

static int is_figure(const char *name)
{
    for (int f = 0; paper_figures[f]; f++)
        if (strcmp(paper_figures[f], name) == 0) return 1;
    return strcmp(name, "all") == 0;
}

static int asked_for(const job *j, const char *name)
{
    for (int i = 0; i < j->args->operand_count; i++)
        if (strcmp(j->args->operands[i], name) == 0 || strcmp(j->args->operands[i], "all") == 0) return 1;
    return 0;
}

static em_status list_plans(job *j, em_error *err)
{
    int all = 0, count = 0;
    while (paper_plans[all].key) all++;
    j->plans = calloc((size_t)all + 1, sizeof *j->plans);
    if (!j->plans) return refuse_memory(err, "reproduce");
    for (const plan *p = paper_plans; p->key; p++)
        if (asked_for(j, p->figure)) j->plans[count++] = p;
    return EM_OK;
}

static const char *data_directory(const job *j)
{
    const char *named = args_text(j->args, "data");
    return named ? named : "data";
}

/* The command as it was typed, but for what makes no difference to the results. */
static void record_command(job *j)
{
    static const char *const options[] = {"quick", "trials", "iterations", "seed"};
    char *to = j->command, *end = to + sizeof j->command;
    to += snprintf(to, (size_t)(end - to), "eigenmesh reproduce");
    for (int i = 0; i < j->args->operand_count && to < end; i++)
        to += snprintf(to, (size_t)(end - to), " %s", j->args->operands[i]);
    for (int o = 0; o < 4 && to < end; o++) {
        const char *value = args_text(j->args, options[o]);
        if (value) to += snprintf(to, (size_t)(end - to), " --%s%s%s", options[o], *value ? " " : "", value);
    }
}

static em_status describe(job *j, em_error *err)
{
    em_status status = EM_OK;
    const arguments *args = j->args;
    uint64_t iterations = 0;
    j->how.quick = args_given(args, "quick");
    j->how.trials = j->how.quick ? QUICK_TRIALS : TRIALS;
    for (int i = 0; i < args->operand_count; i++)
        if (!is_figure(args->operands[i]))
            TRY(refuse(err, EM_EINVAL, "%s: is no figure; try fig1a, fig1b, fig2, fig3, fig4, fig5 or all",
                       args->operands[i]));
    TRY(args_int(args, "trials", 1, &j->how.trials, err));
    TRY(args_int(args, "threads", 1, &j->how.threads, err));
    TRY(args_whole(args, "iterations", 1, INT32_MAX, &iterations, err));
    TRY(args_whole(args, "seed", 0, UINT64_MAX, &j->how.seed, err));
    j->how.iterations_max = (long)iterations;
    TRY(list_plans(j, err));
    TRY(gnuplot_require("reproduce", err));
done:
    return status;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static em_status open_file(const job *j, const char *name, emi_output **out, em_error *err)
{
    char *path = NULL;
    em_status status = directory_file(&j->directory, name, &path, err);
    if (status == EM_OK) status = emi_output_open(out, path, err);
    free(path);
    return status;
}

/* The data is there, and none of it is among the files that are to be written. */
static em_status check_files(const job *j, em_error *err)
{
    em_status status = EM_OK;
    file_names names = {0};
    collisions written = {0};
    TRY(file_names_list(&names, &written, &j->directory, j->plans, err));
    for (const plan *const *p = j->plans; *p; p++)
        if ((*p)->source != DRAWN) TRY(images_check((*p)->source, data_directory(j), &written, err));
done:
    collisions_free(&written);
    file_names_free(&names);
    return status;
}

/* What an earlier run has put there, and a reader would take for this one's, goes. */
static em_status open_directory(job *j, em_error *err)
{
    em_status status = EM_OK;
    const char *path = args_text(j->args, "output");
    TRY(directory_open(&j->directory, path ? path : "reproduction", err));
    TRY(check_files(j, err));
    for (int f = 0; last_files[f]; f++) {
        char *old = NULL;
        TRY(directory_file(&j->directory, last_files[f], &old, err));
        (void)unlink(old);
        free(old);
    }
done:
    return status;
}

static em_status write_curves(const job *j, const setup *s, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    for (int c = 0; c < s->curve_count; c++) {
        char name[CURVE_NAME_ROOM];
        curve_file(name, s->key, s->curves[c].key);
        TRY(open_file(j, name, &output, err));
        curve_write(emi_output_stream(output), &s->curves[c]);
        TRY(emi_output_commit(&output, err));
    }
done:
    emi_output_discard(&output);
    return status;
}

/* ---- running -------------------------------------------------------------------------------------------- */

/* The images that the plan is about; those of the set-up before are kept where they are the same. */
static em_status open_images(job *j, const plan *p, em_error *err)
{
    if (p->source == DRAWN || (j->images.table && j->images_are == p->source)) return EM_OK;
    images_close(&j->images);
    j->images_are = p->source;
    return images_open(&j->images, p->source, data_directory(j), err);
}

static em_status run_plan(job *j, const plan *p, em_error *err)
{
    em_status status = EM_OK;
    int stopped = 0;
    setup *s = &j->made.setups[j->made.setup_count];
    TRY(open_images(j, p, err));
    TRY(setup_measure(s, p, p->source == DRAWN ? NULL : j->images.table, &j->how, &stopped, err));
    if (stopped) TRY(refuse(err, EM_ENUMERIC, "reproduce: interrupted in %s; try fewer figures, or --quick", p->key));
    TRY(write_curves(j, s, err));
    j->made.setup_count++;
    if (!args_given(j->args, "quiet") && !args_given(j->args, "json")) {
        (void)printf("%-16s %-40s %3d curves %8.1f s\n", s->key, s->title, s->curve_count, s->seconds);
        (void)fflush(stdout);
    }
done:
    if (status != EM_OK) setup_free(s);
    return status;
}

static em_status run_plans(job *j, em_error *err)
{
    em_status status = EM_OK;
    int count = 0;
    while (j->plans[count]) count++;
    j->made.setups = calloc((size_t)count + 1, sizeof *j->made.setups);
    if (!j->made.setups) TRY(refuse_memory(err, "reproduce"));
    for (const plan *const *p = j->plans; *p; p++) TRY(run_plan(j, *p, err));
done:
    images_close(&j->images);
    return status;
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

static em_status text_of(const char *path, char **text, em_error *err)
{
    em_status status = EM_OK;
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0) TRY(refuse(err, EM_EOUTPUT, "%s: cannot be read back; try another directory", path));
    rewind(file);
    *text = calloc((size_t)size + 1, 1);
    if (!*text) TRY(refuse_memory(err, path));
    if (fread(*text, 1, (size_t)size, file) != (size_t)size)
        TRY(refuse(err, EM_EOUTPUT, "%s: cannot be read back; try another directory", path));
done:
    if (file) (void)fclose(file);
    return status;
}

static em_status draw(job *j, const picture *p, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    char *path = NULL;
    TRY(directory_file(&j->directory, p->file, &path, err));
    TRY(emi_output_open(&output, path, err));
    TRY(picture_draw(output, p, err));
    TRY(emi_output_commit(&output, err));
    TRY(text_of(path, &j->pictures[j->picture_count++], err));
done:
    emi_output_discard(&output);
    free(path);
    return status;
}

static em_status draw_figures(job *j, em_error *err)
{
    em_status status = EM_OK;
    size_t count = 0;
    TRY(figures_lay_out(&j->made, err));
    for (int f = 0; f < j->made.figure_count; f++) count += (size_t)j->made.figures[f].picture_count;
    j->pictures = calloc(count + 1, sizeof *j->pictures);
    if (!j->pictures) TRY(refuse_memory(err, "reproduce"));
    for (int f = 0; f < j->made.figure_count; f++)
        for (int p = 0; p < j->made.figures[f].picture_count; p++) TRY(draw(j, &j->made.figures[f].pictures[p], err));
done:
    return status;
}

/* ---- pages ------------------------------------------------------------------------------------------------- */

static em_status write_pages(const job *j, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    for (int f = 0; last_files[f]; f++) { /* the index, which looks like the end of it, comes last */
        TRY(open_file(j, last_files[f], &output, err));
        FILE *stream = emi_output_stream(output);
        if (f == 0) page_claims_markdown(stream, &j->made);
        if (f == 1) page_claims_json(stream, &j->made);
        if (f == 2) page_index(stream, &j->made, (const char *const *)j->pictures);
        TRY(emi_output_commit(&output, err));
    }
done:
    emi_output_discard(&output);
    return status;
}

static void print_claims(const job *j)
{
    (void)putchar('\n');
    for (int c = 0; c < j->made.claim_count; c++) {
        const claim *one = &j->made.claims[c];
        if (one->verdict != NOT_RUN)
            (void)printf("%-18s %-15s %s\n", one->figure, verdict_text(one->verdict), one->sentence);
    }
    (void)printf("\npage      %s/index.html\n", j->directory.path);
}

static void release(job *j)
{
    for (int p = 0; p < j->picture_count; p++) free(j->pictures[p]);
    free(j->pictures);
    figures_free(&j->made);
    free(j->made.claims);
    for (int s = 0; s < j->made.setup_count; s++) setup_free(&j->made.setups[s]);
    free(j->made.setups);
    directory_close(&j->directory);
    free(j->plans);
}

static em_status reproduce(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    job j = {.args = args};
    TRY(describe(&j, err));
    TRY(open_directory(&j, err));
    record_command(&j);
    j.made = (reproduction){.command = j.command, .quick = j.how.quick, .trials = j.how.trials, .seed = j.how.seed};
    TRY(run_plans(&j, err));
    TRY(draw_figures(&j, err));
    TRY(claims_judge(&j.made, err));
    TRY(write_pages(&j, err));
    if (args_given(args, "json"))
        page_claims_json(stdout, &j.made);
    else if (!args_given(args, "quiet"))
        print_claims(&j);
done:
    release(&j);
    return status;
}

const command_spec command_reproduce = {.name = "reproduce",
                                        .summary = "Rerun the figures of the paper, and say which of its claims hold",
                                        .usage = "FIG... [options]",
                                        .operands = {{"FIG", NO_FILE}},
                                        .operand_limit = ANY_NUMBER,
                                        .options = reproduce_options,
                                        .prints_table = 1,
                                        .examples = reproduce_examples,
                                        .run = reproduce};
