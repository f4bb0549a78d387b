/* What commands with a private key have in common. */
#ifndef EIGENMESH_APP_PRIVATE_H
#define EIGENMESH_APP_PRIVATE_H

#include <eigenmesh/eigenmesh.h>
#include <limits.h>

/* The file of this site's key: the one that was given, else ~/.config/eigenmesh/key, or in $XDG_CONFIG_HOME. */
em_status private_key_path(const char *given, char path[PATH_MAX], em_error *err);

/* The folder for what outlives a process: the one that was given, else ~/.local/state/eigenmesh, or in $XDG_STATE_HOME. */
em_status private_state_path(const char *given, char path[PATH_MAX], em_error *err);

/* From now on no debugger of this user, and no core file, sees what is in this process.  To be called before a key is read. */
void private_process(void);

#endif
