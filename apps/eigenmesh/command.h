/* The commands, and what was typed after a command's name, checked against its table of options. */
#ifndef EIGENMESH_COMMAND_H
#define EIGENMESH_COMMAND_H

#include <eigenmesh/eigenmesh.h>

/* What an argument's value says about files, so that none is written that is read, or written, by another too. */
typedef enum file_use {
    NO_FILE,
    WRITES_TABLE,    /* raw:TYPE:FILE, FILE.h5:/inner, or a file */
    WRITES_RESULT,   /* what the command is for: a file, or a directory */
    WRITES,          /* something beside it */
    WRITES_IN_PARTS, /* a file; under mpirun, others beside it */
    READS,           /* a file, or a table as em_data_open names it */
    READS_TABLES,    /* one of several, or a pattern of them */
    READS_SPEC       /* what follows "file:" */
} file_use;

typedef struct option_spec {
    const char *name;    /* "nodes": --nodes; NULL ends a table */
    char letter;         /* 'n': -n; 0 for none */
    const char *metavar; /* "M"; NULL: a switch */
    const char *preset;  /* what holds when it is not given, as text; NULL: nothing to say */
    const char *help;    /* NULL: the library's option of this name */
    const char *example; /* a value that works, for messages */
    int required;
    file_use file;
    const em_option_info *info; /* where it is one of the library's */
} option_spec;

enum { OPERANDS_MAX = 2, EXAMPLES_MAX = 4, ANY_NUMBER = -1 };

struct arguments;

/* Each is one file that defines one of these. */
typedef struct command_spec {
    const char *name;    /* one word, or two: "key new" */
    const char *summary; /* one line */
    const char *usage;   /* what follows the name */
    struct {
        const char *name; /* for messages */
        file_use file;
    } operands[OPERANDS_MAX];
    int operand_limit;                      /* how many; ANY_NUMBER: one or more of the first */
    int operands_optional;                  /* so many of them, the last ones, may be missing */
    const option_spec *options;             /* its own */
    int prints_table;                       /* so it has --json */
    int runs_together;                      /* on several processes, under mpirun */
    int multiplies;                         /* by BLAS, so that slow kernels are felt */
    int takes_solver_options;               /* so it has the library's options too */
    const char *const *solver_options;      /* these of them, NULL ends them; NULL: all */
    const char *examples[EXAMPLES_MAX + 1]; /* NULL ends them */
    em_status (*run)(const struct arguments *args, em_error *err);
} command_spec;

extern const command_spec command_fit, command_compare, command_transform, command_info, command_generate,
    command_topology, command_convert, command_reproduce, command_moments, command_merge;
#ifdef EIGENMESH_HAS_NET
extern const command_spec command_audit_check;
#endif

/* Those of apps/eigenmesh/net, in builds with OpenSSL. */
extern const command_spec command_key_new, command_key_show, command_study_check, command_node;

enum { ARGS_MAX = 64, ARGS_HELP = 128, FLAG_ROOM = 64 };

typedef struct arguments {
    const command_spec *command;
    option_spec specs[ARGS_MAX];
    const char *values[ARGS_MAX]; /* NULL where not given; "" for a switch */
    int count;
    char flags[ARGS_MAX][FLAG_ROOM], helps[ARGS_MAX][ARGS_HELP]; /* of those that are the library's */
    int first_solver; /* specs from here on are those of the library that the command's own table does not name */
    char **operands;
    int operand_count;
    int stdout_is_taken; /* by an output named "-" */
} arguments;

/* argv[0] is the command's name.  With --help among the options, the rest is not checked. */
em_status args_parse(arguments *args, const command_spec *command, int argc, char **argv, em_error *err);

/* All options of a command: its own, those every command has, and the library's. */
void args_collect(arguments *args, const command_spec *command);

/* The value as typed; when the option was not given, NULL or what then holds, where the table says that as a value. */
const char *args_text(const arguments *args, const char *name);
const char *args_value(const arguments *args, const char *name);
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

/* "30s", "10min", "1h", "90" (seconds) or "forever" (INFINITY): 0, or -1 where it is none of these, or no time at all. */
int duration_read(const char *text, double *seconds);

/* 45 s, 2.5 min, 24 h */
enum { DURATION_ROOM = 32 };
const char *duration_text(double seconds, char out[DURATION_ROOM]);

/* The library speaks of options, "try method=krylov" or "option seed"; here they are flags: --method krylov, --seed.  The
 * flag of an option, of a switch that is on by default "--no-center"; a text in these words, in `out`; and a message,
 * whose subject, such as a file's name, stays as it is. */
const char *flag_of(const em_option_info *option, char room[FLAG_ROOM]);
const char *in_flags(const char *text, char *out, size_t room);
void error_in_flags(em_error *err);

#endif
