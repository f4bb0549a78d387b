/* --help and --version. */
#ifndef EIGENMESH_HELP_H
#define EIGENMESH_HELP_H

#include "command.h"

void help_program(const command_spec *const *commands);
void help_command(const command_spec *command);

/* Its options for programs, namely the completion and the manual: a line each of the flag, its letter, its value's name, the
 * words that the library takes for it, and what it does, with | between. */
void help_table(const command_spec *command);
void print_version(void);

#endif
