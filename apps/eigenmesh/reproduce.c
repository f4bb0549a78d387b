/* eigenmesh reproduce: the paper's figures, rerun. */
#include "command.h"
#include "files.h"
#include "message.h"
#include "outputs.h"

#include "base/memory.h"
#include "lab/gnuplot.h"
#include "lab/paper/paper.h"

#include <limits.h>
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

typedef struct job {
    const arguments *args;
    char command[512];
    effort how;
    directory directory;
    reproduction made;
    char **pictures; /* the text of each, figure by figure */
    int picture_count;
    images images;      /* of the set-up under way */
    char *path;         /* of the file under way, and */
    emi_output *output; /* the file */
} job;

/* ---- what was asked for ------------------------------------------------------------------------------- */

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
    j->how = (effort){.quick = args_given(args, "quick"), .monitor = progress_experiment};
    j->how.trials = j->how.quick ? QUICK_TRIALS : TRIALS;
    TRY(paper_open(&j->made, (const char *const *)args->operands, args->operand_count, err));
    TRY(args_int(args, "trials", 1, &j->how.trials, err));
    TRY(args_int(args, "threads", 1, &j->how.threads, err));
    TRY(args_whole(args, "iterations", 1, INT32_MAX, &iterations, err));
    TRY(args_whole(args, "seed", 0, UINT64_MAX, &j->how.seed, err));
    j->how.iterations_max = (long)iterations;
    TRY(gnuplot_require("reproduce", err));
    record_command(j);
    j->made.command = j->command;
    j->made.quick = j->how.quick;
    j->made.trials = j->how.trials;
    j->made.seed = j->how.seed;
done:
    return status;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static em_status name_file(job *j, const char *name, em_error *err)
{
    emi_free(j->path);
    return directory_file(&j->directory, name, &j->path, err);
}

static em_status open_file(job *j, const char *name, em_error *err)
{
    em_status status = name_file(j, name, err);
    return status == EM_OK ? emi_output_open(&j->output, j->path, err) : status;
}

/* The data is there, and none of it is among the files that are to be written. */
static em_status check_data(const job *j, collisions *written, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX];
    for (int s = 0; s < j->made.setup_count; s++) {
        const record *data = setup_data(&j->made.setups[s], &j->made.plans);
        for (int f = 0; data; f++) {
            TRY(images_file(data, args_value(j->args, "data"), f, path, sizeof path, err));
            if (!*path) break;
            TRY(collisions_read(written, "--data", path, err));
        }
    }
done:
    return status;
}

/* What an earlier run has put there, and a reader would take for this one's, goes. */
static em_status open_directory(job *j, em_error *err)
{
    em_status status = EM_OK;
    char room[PAPER_NAME];
    const char *name;
    collisions written = {0};
    TRY(directory_open(&j->directory, args_value(j->args, "output"), err));
    for (int f = 0; (name = paper_file(&j->made, f, room)); f++) {
        TRY(name_file(j, name, err));
        TRY(collisions_write(&written, "--output", j->path, err));
    }
    TRY(check_data(j, &written, err));
    for (int p = 0; p < PAPER_PAGES; p++) {
        TRY(name_file(j, paper_pages[p], err));
        (void)unlink(j->path);
    }
done:
    collisions_free(&written);
    return status;
}

/* ---- running -------------------------------------------------------------------------------------------- */

static em_status write_curves(job *j, const setup *s, em_error *err)
{
    em_status status = EM_OK;
    for (int c = 0; c < s->curve_count; c++) {
        char name[PAPER_NAME];
        (void)snprintf(name, sizeof name, "%s-%s.csv", s->key, s->curves[c].key);
        TRY(open_file(j, name, err));
        curve_write(emi_output_stream(j->output), &s->curves[c]);
        TRY(emi_output_commit(&j->output, err));
    }
done:
    return status;
}

static em_status run_setup(job *j, setup *s, em_error *err)
{
    em_status status = EM_OK;
    int stopped = 0;
    const record *data = setup_data(s, &j->made.plans);
    if (data) TRY(images_open(&j->images, data, args_value(j->args, "data"), err));
    TRY(setup_measure(s, &j->made.plans, data ? j->images.table : NULL, &j->how, &stopped, err));
    if (stopped) TRY(emi_fail(err, EM_ENUMERIC, "reproduce: interrupted in %s; try fewer figures, or --quick", s->key));
    TRY(write_curves(j, s, err));
done:
    progress_erase();
    if (status != EM_OK || args_given(j->args, "quiet") || args_given(j->args, "json")) return status;
    (void)printf("%-16s %-40s %3d curves %8.1f s\n", s->key, s->title, s->curve_count, s->seconds);
    (void)fflush(stdout);
    return EM_OK;
}

/* ---- pictures and pages ----------------------------------------------------------------------------------- */

/* The text of a picture that was just written. */
static em_status draw(job *j, const picture *p, char **text, em_error *err)
{
    em_status status = EM_OK;
    size_t size = 0;
    TRY(open_file(j, p->file, err));
    TRY(picture_draw(j->output, p, err));
    TRY(emi_output_commit(&j->output, err));
    FILE *file = fopen(j->path, "rb");
    if (!file || getdelim(text, &size, 0, file) < 0)
        status = emi_fail(err, EM_EOUTPUT, "%s: cannot be read back; try another directory", j->path);
    if (file) (void)fclose(file);
done:
    return status;
}

static em_status draw_figures(job *j, em_error *err)
{
    em_status status = EM_OK;
    const reproduction *r = &j->made;
    size_t count = 0;
    for (int f = 0; f < r->figure_count; f++) count += (size_t)r->figures[f].picture_count;
    j->pictures = calloc(count + 1, sizeof *j->pictures);
    if (!j->pictures) TRY(emi_fail_memory(err, "reproduce"));
    for (int f = 0; f < r->figure_count; f++)
        for (int p = 0; p < r->figures[f].picture_count; p++)
            TRY(draw(j, &r->figures[f].pictures[p], &j->pictures[j->picture_count++], err));
done:
    return status;
}

/* The index, which looks like the end of it, comes last. */
static em_status write_pages(job *j, em_error *err)
{
    em_status status = EM_OK;
    const char *const *pictures = (const char *const *)j->pictures;
    for (int p = 0; p < PAPER_PAGES; p++) {
        TRY(open_file(j, paper_pages[p], err));
        TRY(page_write(emi_output_stream(j->output), paper_pages[p], &j->made, pictures, err));
        TRY(emi_output_commit(&j->output, err));
    }
done:
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
    emi_output_discard(&j->output);
    emi_free(j->path);
    images_close(&j->images);
    paper_close(&j->made);
    directory_close(&j->directory);
}

static em_status reproduce(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    job j = {.args = args};
    TRY(describe(&j, err));
    TRY(open_directory(&j, err));
    for (int s = 0; s < j.made.setup_count; s++) TRY(run_setup(&j, &j.made.setups[s], err));
    images_close(&j.images);
    TRY(draw_figures(&j, err));
    TRY(claims_judge(&j.made, err));
    TRY(write_pages(&j, err));
    if (args_given(args, "json"))
        TRY(page_write(stdout, "claims.json", &j.made, NULL, err));
    else if (!args_given(args, "quiet"))
        print_claims(&j);
done:
    release(&j);
    return status;
}

const command_spec command_reproduce = {
    .name = "reproduce",
    .summary = "Rerun the figures of the paper, and say which of its claims hold",
    .usage = "FIG... [options]",
    .operands = {{"FIG", NO_FILE}},
    .operand_limit = ANY_NUMBER,
    .options = reproduce_options,
    .prints_table = 1,
    .multiplies = 1,
    .examples = {"eigenmesh reproduce fig1a fig2 --quick", "eigenmesh reproduce all --data data -o reproduction"},
    .run = reproduce};
