/* The files that a reproduction writes into its directory, known before it begins. */
#ifndef EIGENMESH_REPRODUCE_FILES_H
#define EIGENMESH_REPRODUCE_FILES_H

#include "collision.h"
#include "outputs.h"
#include "plan.h"

/* What comes last, and a reader would take for the whole; NULL ends them. */
extern const char *const last_files[];

/* The name of a curve's file. */
enum { CURVE_NAME_ROOM = 128 };
void curve_file(char name[CURVE_NAME_ROOM], const char *setup_key, const char *curve_key);

/* The paths of all files, borrowed by `written`, which they are listed in. */
typedef struct file_names {
    char **paths;
    int count, room;
} file_names;

/* Those of these plans; NULL ends them. */
em_status file_names_list(file_names *names, collisions *written, const directory *dir, const plan *const *plans,
                          em_error *err);
void file_names_free(file_names *names); /* accepts the zeroed */

#endif
