#define _DEFAULT_SOURCE /* flock */

#include "net/state.h"

#include "net/write_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder and those above it, for its owner alone where they are new. */
static em_status make_folders(char *path, em_error *err)
{
    for (char *at = path + 1;; at++) {
        if (*at && *at != '/') continue;
        char was = *at;
        *at = 0;
        int why = mkdir(path, 0700) == 0 ? 0 : errno;
        if (why && access(path, F_OK) != 0)
            return em_fail(err, EM_EOUTPUT, "%s: cannot be made (%s); try another folder for the state", path,
                           strerror(why));
        *at = was;
        if (!was) return EM_OK;
    }
}

static em_status check_folder(const char *path, em_error *err)
{
    struct stat is;
    if (stat(path, &is) != 0 || !S_ISDIR(is.st_mode))
        return em_fail(err, EM_EOUTPUT, "%s: is no folder; try another folder for the state", path);
    if (is.st_uid != geteuid() || (is.st_mode & 077))
        return em_fail(err, EM_EIO, "%s: others may read it; try chmod 700, or another folder for the state", path);
    return EM_OK;
}

static em_status take_lock(emi_state *state, const char *site, em_error *err)
{
    char path[EMI_PATH_ROOM];
    em_status status = emi_state_path(state, "lock", path, err);
    if (status != EM_OK) return status;
    state->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (state->lock < 0)
        return em_fail(err, EM_EOUTPUT, "%s: %s; try another folder for the state", path, strerror(errno));
    if (flock(state->lock, LOCK_EX | LOCK_NB) == 0) return EM_OK;
    return em_fail(err, EM_EINVAL, "node: %s takes part in this study already, on this machine; try ending that first",
                   site);
}

/* What a process that was killed had begun to write, before it had its name: a checkpoint is as confidential there. */
static void remove_beginnings(const emi_state *state)
{
    static const char hidden[] = ".eigenmesh-", next[] = ".next";
    DIR *folder = opendir(state->folder);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        size_t length = strlen(entry->d_name), end = sizeof next - 1;
        if (strncmp(entry->d_name, hidden, sizeof hidden - 1) == 0 ||
            (length > end && strcmp(entry->d_name + length - end, next) == 0))
            emi_state_remove(state, entry->d_name);
    }
    if (folder) (void)closedir(folder);
}

/* The fingerprint without its blanks. */
static void join_groups(const char *text, char *out)
{
    for (; *text; text++)
        if (*text != ' ') *out++ = *text;
    *out = 0;
}

em_status emi_state_open(emi_state *state, const char *root, const emi_study *study, int site, em_error *err)
{
    char print[EMI_FINGERPRINT_TEXT];
    const char *name = study->sites[site].name;
    join_groups(study->fingerprint, print);
    state->lock = -1;
    int length = snprintf(state->folder, sizeof state->folder, "%s/%s/%s", root, print, name);
    if (length < 0 || (size_t)length >= sizeof state->folder - 64)
        return em_fail(err, EM_EINVAL, "state: its path is too long; try another folder for the state");
    em_status status = make_folders(state->folder, err);
    if (status == EM_OK) status = check_folder(state->folder, err);
    if (status == EM_OK) status = take_lock(state, name, err);
    if (status == EM_OK) remove_beginnings(state);
    return status;
}

void emi_state_close(emi_state *state)
{
    if (state->lock >= 0) (void)close(state->lock);
    state->lock = -1;
}

em_status emi_state_path(const emi_state *state, const char *name, char out[EMI_PATH_ROOM], em_error *err)
{
    int length = snprintf(out, EMI_PATH_ROOM, "%s/%s", state->folder, name);
    if (length > 0 && length < EMI_PATH_ROOM) return EM_OK;
    return em_fail(err, EM_EINVAL, "state: its path is too long; try another folder for the state");
}

static void sync_folder(const emi_state *state)
{
    int folder = open(state->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

em_status emi_state_write(const emi_state *state, const char *name, const void *bytes, size_t count, em_error *err)
{
    char path[EMI_PATH_ROOM], next[EMI_PATH_ROOM + 8];
    em_status status = emi_state_path(state, name, path, err);
    if (status != EM_OK) return status;
    (void)snprintf(next, sizeof next, "%s.next", path);
    int file = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int written = file >= 0 && emi_write_all(file, bytes, count) == 0 && fsync(file) == 0, why = errno;
    if (file >= 0) (void)close(file);
    if (written && rename(next, path) == 0) {
        sync_folder(state);
        return EM_OK;
    }
    if (written) why = errno;
    (void)unlink(next);
    return em_fail(err, EM_EOUTPUT, "%s: cannot be written (%s); try making room, then again", path, strerror(why));
}

int emi_state_read(const emi_state *state, const char *name, void *bytes, size_t count)
{
    char path[EMI_PATH_ROOM], more;
    if (emi_state_path(state, name, path, NULL) != EM_OK) return 0;
    FILE *file = fopen(path, "rbe");
    if (!file) return 0;
    int whole = fread(bytes, 1, count, file) == count && fread(&more, 1, 1, file) == 0;
    (void)fclose(file);
    return whole;
}

int emi_state_has(const emi_state *state, const char *name)
{
    char path[EMI_PATH_ROOM];
    return emi_state_path(state, name, path, NULL) == EM_OK && access(path, F_OK) == 0;
}

int64_t emi_state_time(const emi_state *state, const char *name)
{
    char path[EMI_PATH_ROOM];
    struct stat is;
    return emi_state_path(state, name, path, NULL) == EM_OK && stat(path, &is) == 0 ? (int64_t)is.st_mtime : 0;
}

void emi_state_remove(const emi_state *state, const char *name)
{
    char path[EMI_PATH_ROOM];
    if (emi_state_path(state, name, path, NULL) == EM_OK) (void)unlink(path);
}
