/* --help and --version. */
#ifndef EIGENMESH_HELP_H
#define EIGENMESH_HELP_H

#include "command.h"

void help_program(const command_spec *const *commands);
void help_command(const command_spec *command);
void print_version(void);

#endif
