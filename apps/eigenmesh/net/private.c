#include "private.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

em_status private_key_path(const char *given, char path[PATH_MAX], em_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length;
    if (given && strcmp(given, "-") == 0)
        return emi_fail(err, EM_EINVAL, "-: a private key stays in its file; try a file's name");
    if (given)
        length = snprintf(path, PATH_MAX, "%s", given);
    else if (config && *config == '/') /* any other is to be left alone, its specification says */
        length = snprintf(path, PATH_MAX, "%s/eigenmesh/key", config);
    else if (home && *home == '/')
        length = snprintf(path, PATH_MAX, "%s/.config/eigenmesh/key", home);
    else
        return emi_fail(err, EM_EINVAL, "HOME: is not set, so there is no usual place for a key; try naming its file");
    if (length >= PATH_MAX) return emi_fail(err, EM_EINVAL, "%.60s...: the path is too long; try a shorter one", path);
    return EM_OK;
}

void private_process(void)
{
#ifdef __linux__
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
