/* The commands: each is one file that defines one of these. */
#ifndef EIGENMESH_COMMAND_H
#define EIGENMESH_COMMAND_H

#include "args.h"

enum { OPERANDS_MAX = 2, ANY_NUMBER = -1 };

typedef struct command_spec {
    const char *name;
    const char *summary;                /* one line */
    const char *usage;                  /* what follows the name */
    const char *operands[OPERANDS_MAX]; /* their names, for messages */
    int operand_limit;                  /* how many; ANY_NUMBER: one or more */
    const option_spec *options;         /* its own */
    int prints_table;                   /* so it has --json */
    int runs_together;                  /* on several processes, under mpirun */
    int takes_solver_options;           /* so it has the library's options too */
    const char *const *solver_options;  /* these of them, NULL ends them; NULL: all */
    const char *const *examples;        /* NULL ends them */
    em_status (*run)(const arguments *args, em_error *err);
} command_spec;

extern const command_spec command_fit, command_compare, command_transform, command_info, command_generate,
    command_topology, command_convert, command_reproduce;

#endif
