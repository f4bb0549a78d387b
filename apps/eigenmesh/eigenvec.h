/* Scores of people as PLINK writes them: NAME.eigenvec, and NAME.eigenval beside it. */
#ifndef EIGENMESH_EIGENVEC_H
#define EIGENMESH_EIGENVEC_H

#include "command.h"

#include <limits.h>

/* Does the name ask for it? */
int is_eigenvec(const char *path);

/* The other file, of such a name. */
void eigenval_path(const char *path, char room[PATH_MAX]);

/* Of all people of a table of genotypes. */
em_status eigenvec_write(const char *path, const em_model *model, const em_data *people, em_error *err);

#endif
