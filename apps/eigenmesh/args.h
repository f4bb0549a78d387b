/* What was typed after the command's name, checked against the command's table of options. */
#ifndef EIGENMESH_ARGS_H
#define EIGENMESH_ARGS_H

#include <eigenmesh/eigenmesh.h>

typedef struct option_spec {
    const char *name;    /* "nodes": --nodes; NULL ends a table */
    char letter;         /* 'n': -n; 0 for none */
    const char *metavar; /* "M"; NULL: a switch */
    const char *preset;  /* what holds when it is not given, as text; NULL: nothing to say */
    const char *help;    /* NULL: the library's option of this name */
    const char *example; /* a value that works, for messages */
    int required;
    const em_option_info *library; /* where it is one of the library's */
} option_spec;

struct command_spec;

enum { ARGS_MAX = 64, ARGS_LETTERS = 256, ARGS_HELP = 128 };

typedef struct arguments {
    const struct command_spec *command;
    option_spec specs[ARGS_MAX];
    const char *values[ARGS_MAX]; /* NULL where not given; "" for a switch */
    int count;
    int first_solver; /* specs from here on are those of the library that the command's own table does not name */
    char **operands;
    int operand_count;
    int stdout_is_taken; /* by an output named "-" */
} arguments;

/* argv[0] is the command's name.  With --help among the options, the rest is not checked. */
em_status args_parse(arguments *args, const struct command_spec *command, int argc, char **argv, em_error *err);

/* All options of a command: its own, those every command has, and the library's. */
void args_collect(arguments *args, const struct command_spec *command);

/* The value as typed; NULL when the option was not given. */
const char *args_text(const arguments *args, const char *name);
int args_given(const arguments *args, const char *name);

/* Is there room for a report: no --quiet, and nothing else on standard output? */
int args_reports(const arguments *args);

/* Numbers, strictly: *value is left alone when the option was not given. */
em_status args_whole(const arguments *args, const char *name, uint64_t least, uint64_t most, uint64_t *value,
                     em_error *err);
em_status args_int(const arguments *args, const char *name, int least, int *value, em_error *err);
em_status args_real(const arguments *args, const char *name, double *value, em_error *err);

/* Copy the solver's options, those that were given, to the library. */
em_status args_solver(const arguments *args, em_options *options, em_error *err);

#endif
