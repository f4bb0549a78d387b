#include "command.h"
#include "engine.h"
#include "lab/gnuplot.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 29, HELP_WIDTH = 92 };

/* Words from the current column on, in lines that begin at HELP_COLUMN. */
static void print_wrapped(int column, const char *text)
{
    if (column >= HELP_COLUMN - 1) {
        (void)putchar('\n');
        column = 0;
    }
    (void)printf("%*s", HELP_COLUMN - column, "");
    column = HELP_COLUMN;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH) {
            (void)printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += printf("%s%.*s", column > HELP_COLUMN ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
}

enum { TEXT_ROOM = 512 };

/* What it does, and what holds without it. */
static const char *describe(const option_spec *spec, char text[TEXT_ROOM])
{
    if (spec->required)
        (void)snprintf(text, TEXT_ROOM, "%s (required)", spec->help);
    else if (spec->preset && *spec->preset)
        (void)snprintf(text, TEXT_ROOM, "%s (default: %s)", spec->help, spec->preset);
    else
        (void)snprintf(text, TEXT_ROOM, "%s", spec->help);
    return text;
}

static void print_option(const option_spec *spec)
{
    char text[TEXT_ROOM];
    int column = spec->letter ? printf("  -%c, --%s", spec->letter, spec->name) : printf("      --%s", spec->name);
    if (spec->metavar) column += printf(" %s", spec->metavar);
    print_wrapped(column, describe(spec, text));
}

static void print_methods(void)
{
    (void)printf("\nMethods:\n");
    for (int i = 0; em_method(i); i++) print_wrapped(printf("  %s", em_method(i)->name), em_method(i)->summary);
}

void help_command(const command_spec *command)
{
    arguments args;
    args_collect(&args, command);
    (void)printf("Usage: eigenmesh %s %s\n\n%s.\n\nOptions:\n", command->name, command->usage, command->summary);
    for (int i = 0; i < args.first_solver; i++) print_option(&args.specs[i]);
    if (command->takes_solver_options) {
        (void)printf("\nWhat to find, and how:\n");
        for (int i = args.first_solver; i < args.count; i++) print_option(&args.specs[i]);
        print_methods();
    }
    (void)printf("\nExample:\n");
    for (const char *const *example = command->examples; *example; example++) (void)printf("  %s\n", *example);
}

void help_table(const command_spec *command)
{
    arguments args;
    char text[TEXT_ROOM];
    args_collect(&args, command);
    for (int i = 0; i < args.count; i++) {
        const option_spec *spec = &args.specs[i];
        char letter[] = {'-', spec->letter, 0};
        (void)printf("--%s|%s|%s|%s|%s\n", spec->name, spec->letter ? letter : "", spec->metavar ? spec->metavar : "",
                     spec->metavar && spec->info ? spec->info->words : "", describe(spec, text));
    }
}

void help_program(const command_spec *const *commands)
{
    (void)printf("Usage: eigenmesh COMMAND ...\n\n"
                 "Principal components of data that stays where it is: machines on any connected network,\n"
                 "no server, and every machine ends with the same leading eigenvectors.\n\n"
                 "Commands:\n");
    for (; *commands; commands++) (void)printf("  %-12s %s\n", (*commands)->name, (*commands)->summary);
    (void)printf("\n  eigenmesh COMMAND --help   options and an example (or: eigenmesh help COMMAND)\n"
                 "  eigenmesh --version        the version and what it was built with\n\n"
                 "Example:\n"
                 "  eigenmesh generate -d 20 -N 10000 -k 5 --gap 0.8 -o data.npy\n"
                 "  eigenmesh fit data.npy -k 5 --nodes 20 -o model.npz\n"
                 "  eigenmesh transform model.npz data.npy -o scores.npy\n\n"
                 "Exit status: 0 done, 1 the job failed (such as not converging), 2 wrong usage or input.\n");
}

void print_version(void)
{
    char gnuplot[GNUPLOT_PATH_MAX];
    (void)printf("eigenmesh %s\n", em_version());
    for (int i = 0; em_built_with(i); i++) (void)printf("%-9s%s\n", i ? "" : "built on", em_built_with(i));
    (void)printf("%-9s", "engines");
    for (int i = 0; engine_at(i); i++) (void)printf("%s%s", i ? ", " : "", engine_at(i)->name);
    (void)printf("\n%-9sauto", "methods");
    for (int i = 0; em_method(i); i++) (void)printf(", %s", em_method(i)->name);
    (void)printf("\n%-9s%s\n", "gnuplot", gnuplot_find(gnuplot) ? gnuplot : "not found (--plot needs it)");
}
