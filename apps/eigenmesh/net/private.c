#include "private.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The path that was given; else this one in the folder that the variable names, or in this one of HOME. */
static em_status usual_path(const char *given, const char *variable, const char *in_home, const char *name,
                            char path[PATH_MAX], em_error *err)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    int length;
    if (given)
        length = snprintf(path, PATH_MAX, "%s", given);
    else if (folder && *folder == '/') /* any other is to be left alone, its specification says */
        length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    else if (home && *home == '/')
        length = snprintf(path, PATH_MAX, "%s/%s/%s", home, in_home, name);
    else
        return emi_fail(err, EM_EINVAL, "HOME: is not set, so there is no usual place for %s; try naming it", name);
    if (length >= PATH_MAX) return emi_fail(err, EM_EINVAL, "%.60s...: the path is too long; try a shorter one", path);
    return EM_OK;
}

em_status private_key_path(const char *given, char path[PATH_MAX], em_error *err)
{
    if (given && strcmp(given, "-") == 0)
        return emi_fail(err, EM_EINVAL, "-: a private key stays in its file; try a file's name");
    return usual_path(given, "XDG_CONFIG_HOME", ".config", "eigenmesh/key", path, err);
}

em_status private_state_path(const char *given, char path[PATH_MAX], em_error *err)
{
    return usual_path(given, "XDG_STATE_HOME", ".local/state", "eigenmesh", path, err);
}

void private_process(void)
{
#ifdef __linux__
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
