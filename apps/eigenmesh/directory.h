/* A directory for a command's files: made where it is missing, and not left behind empty. */
#ifndef EIGENMESH_DIRECTORY_H
#define EIGENMESH_DIRECTORY_H

#include <eigenmesh/eigenmesh.h>

typedef struct directory {
    const char *path;
    int made; /* by this program */
} directory;

em_status directory_open(directory *dir, const char *path, em_error *err);

/* A file of this name in it; *path is to be freed. */
em_status directory_file(const directory *dir, const char *name, char **path, em_error *err);

/* Remove it again, if it was made here and nothing came into it. */
void directory_close(const directory *dir); /* accepts the zeroed */

#endif
