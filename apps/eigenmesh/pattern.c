#include "pattern.h"
#include "input.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

int pattern_is(const char *path)
{
    const char *at = strchr(path, '%');
    if (!at) return 0;
    at += 1 + strspn(at + 1, "0123456789");
    return *at == 'd' && !strchr(at + 1, '%');
}

em_status pattern_name(char path[PATH_MAX], const char *pattern, int node, em_error *err)
{
    const char *at = strchr(pattern, '%'), *end = strchr(at, 'd') + 1;
    int digits = (int)strtol(at + 1, NULL, 10), length = (int)(at - pattern);
    if (snprintf(path, PATH_MAX, "%.*s%0*d%s", length, pattern, digits, node, end) >= PATH_MAX)
        return refuse(err, EM_EINVAL, "%s: the name is too long; try a shorter one", pattern);
    return EM_OK;
}

em_status pattern_count(const char *pattern, int *count, em_error *err)
{
    char path[PATH_MAX];
    em_status status = EM_OK;
    for (*count = 0; status == EM_OK; ++*count) {
        status = pattern_name(path, pattern, *count, err);
        if (status == EM_OK && !input_is_there(path)) break;
    }
    if (status == EM_OK && *count == 0)
        return refuse(err, EM_EIO, "%s: is missing, the first of a file a node; try another name", path);
    return status;
}
