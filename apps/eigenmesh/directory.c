#include "directory.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

em_status directory_open(directory *dir, const char *path, em_error *err)
{
    struct stat found;
    dir->path = path;
    if (strcmp(path, "-") == 0)
        return refuse(err, EM_EINVAL, "--output: is a directory here, not standard output; try a directory's name");
    if (!*path) return refuse(err, EM_EINVAL, "--output: the name is empty; try a directory's name");
    dir->made = mkdir(path, 0777) == 0;
    if (dir->made) return EM_OK;
    if (errno != EEXIST)
        return refuse(err, EM_EIO, "%s: cannot be made (%s); try another directory", path, strerror(errno));
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return refuse(err, EM_EIO, "%s: is no directory; try another name", path);
    return EM_OK;
}

em_status directory_file(const directory *dir, const char *name, char **path, em_error *err)
{
    size_t room = strlen(dir->path) + strlen(name) + 2;
    *path = malloc(room);
    if (!*path) return refuse_memory(err, dir->path);
    (void)snprintf(*path, room, "%s/%s", dir->path, name);
    return EM_OK;
}

void directory_close(const directory *dir)
{
    if (dir->made) (void)rmdir(dir->path); /* which fails, rightly, where there are files */
}
