/* eigenmesh COMMAND ...: find the command, read its arguments, run it, report how it went. */
#include "cluster.h"
#include "command.h"
#include "engine.h"
#include "files.h"
#include "kernels.h"
#include "lab/gnuplot.h"
#include "message.h"
#include "print.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const command_spec *const commands[] = {&command_fit,
                                               &command_compare,
                                               &command_transform,
                                               &command_moments,
                                               &command_merge,
                                               &command_info,
                                               &command_generate,
                                               &command_topology,
                                               &command_convert,
                                               &command_reproduce,
#ifdef EIGENMESH_HAS_NET
                                               &command_key_new,
                                               &command_key_show,
                                               &command_study_check,
                                               &command_node,
                                               &command_audit_check,
#endif
                                               NULL};

/* What there would be in a build with OpenSSL. */
static const char *const commands_of_net[] = {"key", "study", "node", "audit", NULL};

/* ---- help --------------------------------------------------------------------------------------------------- */

enum { HELP_COLUMN = 29, HELP_WIDTH = 92 };

static void print_wrapped(int column, const char *text)
{
    words_print(column, HELP_COLUMN, HELP_WIDTH, text);
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

static void help_command(const command_spec *command)
{
    arguments args;
    args_collect(&args, command);
    (void)printf("Usage: eigenmesh %s %s\n\n%s.\n\nOptions:\n", command->name, command->usage, command->summary);
    for (int i = 0; i < args.first_solver; i++) print_option(&args.specs[i]);
    if (command->takes_solver_options) {
        (void)printf("\nWhat to find, and how:\n");
        for (int i = args.first_solver; i < args.count; i++) print_option(&args.specs[i]);
        (void)printf("\nMethods:\n");
        for (int i = 0; em_method(i); i++) print_wrapped(printf("  %s", em_method(i)->name), em_method(i)->summary);
    }
    (void)printf("\nExample:\n");
    for (const char *const *example = command->examples; *example; example++) (void)printf("  %s\n", *example);
}

/* Its options for programs, namely the completion and the manual: a line each of the flag, its letter, its value's name, the
 * words that the library takes for it, and what it does, with | between. */
static void help_table(const command_spec *command)
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

/* Of commands of two words, such as key new: those that begin with this one. */
static int is_of_group(const command_spec *command, const char *group)
{
    const char *rest = emi_text_after(command->name, group);
    return rest && *rest == ' ';
}

static void help_commands(const char *group)
{
    for (int i = 0; commands[i]; i++)
        if (!group || is_of_group(commands[i], group))
            (void)printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
}

static void help_group(const char *group)
{
    (void)printf("Usage: eigenmesh %s COMMAND ...\n\nCommands:\n", group);
    help_commands(group);
    (void)printf("\n  eigenmesh %s COMMAND --help   options and an example\n", group);
}

static void help_program(void)
{
    (void)printf("Usage: eigenmesh COMMAND ...\n\n"
                 "Principal components of data that stays where it is: machines on any connected network,\n"
                 "no server, and every machine ends with the same leading eigenvectors.\n\n"
                 "Commands:\n");
    help_commands(NULL);
    (void)printf("\n  eigenmesh COMMAND --help   options and an example (or: eigenmesh help COMMAND)\n"
                 "  eigenmesh --version        the version, what it was built with, the BLAS in use\n\n"
                 "Example:\n"
                 "  eigenmesh generate -d 20 -N 10000 -k 5 --gap 0.8 -o data.npy\n"
                 "  eigenmesh fit data.npy -k 5 --nodes 20 -o model.npz\n"
                 "  eigenmesh transform model.npz data.npy -o scores.npy\n\n"
                 "Exit status: 0 done, 1 the job failed (such as not converging), 2 wrong usage or input.\n");
}

static void print_version(void)
{
    char gnuplot[GNUPLOT_PATH_MAX];
    (void)printf("eigenmesh %s\n", em_version());
    for (int i = 0; em_built_with(i); i++) (void)printf("%-9s%s\n", i ? "" : "built on", em_built_with(i));
    (void)printf("%-9s%s", "runs on", em_blas());
    if (em_blas_advice()) (void)printf(" (slow on this CPU; try %s)", em_blas_advice());
    (void)putchar('\n');
    (void)printf("%-9s", "engines");
    for (int i = 0; engine_at(i); i++) (void)printf("%s%s", i ? ", " : "", engine_at(i)->name);
    (void)printf("\n%-9sauto", "methods");
    for (int i = 0; em_method(i); i++) (void)printf(", %s", em_method(i)->name);
    (void)printf("\n%-9s%s\n", "gnuplot", gnuplot_find(gnuplot) ? gnuplot : "not found (--plot needs it)");
}

/* ---- running ------------------------------------------------------------------------------------------------ */

static int is_group(const char *word)
{
    int i = 0;
    while (commands[i] && !is_of_group(commands[i], word)) i++;
    return commands[i] != NULL;
}

/* "key new or key show" */
static const char *list_group(const char *group, char list[TEXT_ROOM])
{
    size_t used = 0;
    for (int i = 0; commands[i] && used < TEXT_ROOM; i++)
        if (is_of_group(commands[i], group))
            used += (size_t)snprintf(list + used, TEXT_ROOM - used, "%s%s", used ? " or " : "", commands[i]->name);
    return list;
}

static em_status unknown_command(int argc, char **argv, em_error *err)
{
    char list[TEXT_ROOM];
    if (is_group(argv[0]) && argc == 1)
        return emi_fail(err, EM_EINVAL, "%s: needs a second word; try %s", argv[0], list_group(argv[0], list));
    if (is_group(argv[0]))
        return emi_fail(err, EM_EINVAL, "%s %s: no such command; try %s", argv[0], argv[1], list_group(argv[0], list));
    for (const char *const *name = commands_of_net; *name; name++)
        if (strcmp(*name, argv[0]) == 0)
            return emi_fail(err, EM_ENOTSUP,
                            "%s: this eigenmesh was built without OpenSSL; try a build with it (Debian: the package "
                            "eigenmesh-net)",
                            *name);
    return emi_fail(err, EM_EINVAL, "%s: no such %s; try 'eigenmesh --help'", argv[0],
                    *argv[0] == '-' ? "option" : "command");
}

/* Of one word or two, and how many they are.  NULL, with an error, when there is none of this name. */
static const command_spec *find_command(int argc, char **argv, int *words, em_error *err)
{
    for (const command_spec *const *c = commands; *c; c++) {
        int second = argc > 1 && is_of_group(*c, argv[0]) && strcmp(strchr((*c)->name, ' ') + 1, argv[1]) == 0;
        *words = second ? 2 : 1;
        if (second || strcmp((*c)->name, argv[0]) == 0) return *c;
    }
    (void)unknown_command(argc, argv, err);
    return NULL;
}

/* The words of a command, or the first of two, and --table for programs. */
static em_status run_help(int argc, char **argv, em_error *err)
{
    int as_table = argc > 2 && strcmp(argv[argc - 1], "--table") == 0, given = argc - 1 - as_table, words;
    if (given < 1) {
        help_program();
        return EM_OK;
    }
    if (given == 1 && is_group(argv[1])) {
        if (!as_table) help_group(argv[1]);
        for (int i = 0; as_table && commands[i]; i++)
            if (is_of_group(commands[i], argv[1])) help_table(commands[i]);
        return EM_OK;
    }
    const command_spec *command = find_command(given, argv + 1, &words, err);
    if (!command) return err->code;
    if (given > words)
        return emi_fail(err, EM_EINVAL, "help: takes one command; try 'eigenmesh help %s'", command->name);
    (as_table ? help_table : help_command)(command);
    return EM_OK;
}

static em_status run_command(int argc, char **argv, em_error *err)
{
    arguments args;
    int words, asks = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (asks && is_group(argv[0])) return run_help(2, (char *[]){"help", argv[0]}, err);
    const command_spec *command = find_command(argc, argv, &words, err);
    if (!command) return err->code;
    em_status status = args_parse(&args, command, argc - words + 1, argv + words - 1, err);
    if (status != EM_OK) return status;
    if (args_given(&args, "help")) {
        help_command(command);
        return EM_OK;
    }
    if (cluster_size() > 1 && !command->runs_together)
        return emi_fail(err, EM_EINVAL, "%s: runs in one process, and %d were started; try it without mpirun",
                        command->name, cluster_size());
    status = cluster_agree(collisions_check(&args, err), err);
    if (status != EM_OK) return status;
    int in_the_way = args.stdout_is_taken && isatty(STDOUT_FILENO);
    int speaks = !args_given(&args, "quiet") && cluster_speaks();
    progress_allow(speaks && !in_the_way);
    if (speaks && command->multiplies) kernels_note();
    return command->run(&args, err);
}

static em_status run(int argc, char **argv, em_error *err)
{
    if (argc < 2) return emi_fail(err, EM_EINVAL, "COMMAND: is missing; try 'eigenmesh --help'");
    const char *first = argv[1];
    if (strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return run_help(argc - 1, argv + 1, err);
    if (strcmp(first, "--version") == 0) {
        if (argc > 2) return emi_fail(err, EM_EINVAL, "--version: takes no argument; try it alone");
        print_version();
        return EM_OK;
    }
    return run_command(argc - 1, argv + 1, err);
}

/* What was printed must have arrived, else a full disk would look like success. */
static em_status flush_stdout(em_error *err)
{
    int failed = ferror(stdout) != 0;
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (!failed) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "standard output: cannot be written (%s); try another place for it",
                    strerror(errno ? errno : EIO));
}

/* Of several processes the first one speaks; the others listen. */
static em_status join_others(int *argc, char ***argv, em_error *err)
{
    em_status status = cluster_join(argc, argv, err);
    if (status == EM_OK && !cluster_speaks() && !freopen("/dev/null", "w", stdout))
        return emi_fail(err, EM_EOUTPUT, "/dev/null: cannot be opened; try another machine");
    return status;
}

/* 0 done, 1 the job failed, 2 wrong usage or input. */
static int exit_status(em_status status)
{
    if (status == EM_OK) return 0;
    return status == EM_EINVAL || status == EM_ENOTSUP || status == EM_EDATA || status == EM_EIO ? 2 : 1;
}

static void tell(em_error *err)
{
    error_in_flags(err);
    complain("%s", err->msg);
}

int main(int argc, char **argv)
{
    em_error err = {0};
    kernels_choose(argv); /* before anything is read, opened or joined */
    interrupt_install();
    em_status status = join_others(&argc, &argv, &err);
    em_guard_files(); /* after MPI, which has a handler of its own */
    if (status == EM_OK) status = run(argc, argv, &err);
    progress_erase();
    em_error flush_error = {0};
    em_status flushed = flush_stdout(&flush_error);
    if (status == EM_OK) {
        status = flushed;
        err = flush_error;
    }
    /* A reader that closed the pipe has what it wanted: no message. */
    int quiet = status == EM_EOUTPUT && interrupt_pipe_closed();
    if (status != EM_OK && !quiet && cluster_speaks()) tell(&err);
    interrupt_defer();                                   /* mpirun may end the others once the first of them is gone */
    if (interrupt_requested()) cluster_set_patience(10); /* the others may be gone, and the launcher with them */
    if (cluster_agree(EM_OK, &err) != EM_OK && status == EM_OK) {
        status = err.code;
        if (cluster_speaks()) tell(&err);
    }
    cluster_part();
    return exit_status(status);
}
