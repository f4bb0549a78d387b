/* eigenmesh COMMAND ...: find the command, read its arguments, run it, report how it went. */
#include "cluster.h"
#include "command.h"
#include "files.h"
#include "flags.h"
#include "message.h"
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const command_spec *const commands[] = {&command_fit,     &command_compare,   &command_transform,
                                               &command_info,    &command_generate,  &command_topology,
                                               &command_convert, &command_reproduce, NULL};

/* NULL, with an error, when there is none of this name. */
static const command_spec *find_command(const char *name, em_error *err)
{
    for (const command_spec *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    (void)emi_fail(err, EM_EINVAL, "%s: no such %s; try 'eigenmesh --help'", name, *name == '-' ? "option" : "command");
    return NULL;
}

static em_status run_help(int argc, char **argv, em_error *err)
{
    int table = argc == 3 && strcmp(argv[2], "--table") == 0;
    if (argc > 2 && !table)
        return emi_fail(err, EM_EINVAL, "help: takes one command; try 'eigenmesh help %s'", argv[1]);
    if (argc < 2) {
        help_program(commands);
        return EM_OK;
    }
    const command_spec *command = find_command(argv[1], err);
    if (!command) return err->code;
    (table ? help_table : help_command)(command);
    return EM_OK;
}

static em_status run_command(int argc, char **argv, em_error *err)
{
    arguments args;
    const command_spec *command = find_command(argv[0], err);
    if (!command) return err->code;
    em_status status = args_parse(&args, command, argc, argv, err);
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
    progress_allow(!args_given(&args, "quiet") && !in_the_way && cluster_speaks());
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
    if (cluster_meet(&err) != EM_OK && status == EM_OK) {
        status = err.code;
        if (cluster_speaks()) tell(&err);
    }
    cluster_part();
    return exit_status(status);
}
