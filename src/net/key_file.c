#include "net/key_file.h"

#include "net/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char heading[] = "eigenmesh private key 1\n";

enum { HEADING = sizeof heading - 1, DIGITS = 2 * EMI_SEED_BYTES, FILE_BYTES = HEADING + DIGITS + 1 };

/* ---- the text ----------------------------------------------------------------------------------------------- */

static void write_text(const unsigned char *seed, char text[FILE_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    memcpy(text, heading, HEADING);
    for (int n = 0; n < EMI_SEED_BYTES; n++) {
        text[HEADING + 2 * n] = digits[seed[n] >> 4];
        text[HEADING + 2 * n + 1] = digits[seed[n] & 15];
    }
    text[FILE_BYTES - 1] = '\n';
}

/* Without a table: what is looked up by a secret can be seen in a cache's timing. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_text(const char text[FILE_BYTES], unsigned char *seed)
{
    if (memcmp(text, heading, HEADING) != 0 || text[FILE_BYTES - 1] != '\n') return -1;
    for (int n = 0; n < EMI_SEED_BYTES; n++) {
        int high = digit_value(text[HEADING + 2 * n]), low = digit_value(text[HEADING + 2 * n + 1]);
        if (high < 0 || low < 0) return -1;
        seed[n] = (unsigned char)(high << 4 | low);
    }
    return 0;
}

/* ---- folders -------------------------------------------------------------------------------------------------- */

/* One folder, 0700 whatever the umask; one that is there stays as it is. */
static em_status make_folder(const char *path, em_error *err)
{
    if (mkdir(path, 0700) == 0) {
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        /* An umask may have taken even our own right to open it. */
        int done = folder >= 0 ? fchmod(folder, 0700) : chmod(path, 0700);
        if (folder >= 0) (void)close(folder);
        if (done == 0) return EM_OK;
    } else if (errno == EEXIST) {
        return EM_OK;
    }
    return em_fail(err, EM_EINVAL, "%s: the folder cannot be made (%s); try another place for the key", path,
                   strerror(errno));
}

/* All folders that lead to the file. */
static em_status make_folders(const char *path, em_error *err)
{
    em_status status = EM_OK;
    char *copy = strdup(path);
    if (!copy) return em_fail(err, EM_ENOMEM, "%s: out of memory; try again", path);
    for (char *slash = strchr(copy + (*copy == '/'), '/'); slash && status == EM_OK; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        status = make_folder(copy, err);
        *slash = '/';
    }
    free(copy);
    return status;
}

/* The name of a new file is in its folder, which is to reach the disk too. */
static int sync_folder_of(const char *path)
{
    char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
    if (slash) slash[slash == copy] = 0;
    int folder = copy ? open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int failed = folder < 0 || fsync(folder) != 0;
    if (failed && folder >= 0 && errno == EINVAL) failed = 0; /* a file system that cannot sync folders */
    if (folder >= 0) (void)close(folder);
    free(copy);
    return failed ? -1 : 0;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

em_status emi_key_file_write(const char *path, const unsigned char seed[EMI_SEED_BYTES], em_error *err)
{
    char text[FILE_BYTES];
    em_status status = make_folders(path, err);
    if (status != EM_OK) return status;
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 && errno == EEXIST)
        return em_fail(err, EM_EINVAL,
                       "%s: is there already, and a key is never overwritten, since a site without its key is another "
                       "site; try another name",
                       path);
    if (file < 0) return em_fail(err, EM_EINVAL, "%s: cannot be made (%s); try another place", path, strerror(errno));
    write_text(seed, text);
    int failed = fchmod(file, 0600) != 0 || emi_write_all(file, text, sizeof text) != 0 || fsync(file) != 0;
    int why = errno;
    OPENSSL_cleanse(text, sizeof text);
    if (close(file) != 0 && !failed) failed = 1, why = errno;
    if (!failed && sync_folder_of(path) != 0) failed = 1, why = errno;
    if (!failed) return EM_OK;
    (void)unlink(path); /* made above, and by nobody else: O_EXCL */
    return em_fail(err, EM_EOUTPUT, "%s: cannot be written (%s); try another place", path, strerror(why));
}

/* Is the file that was opened fit to hold a secret? */
static em_status check_file(int file, const char *path, em_error *err)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return em_fail(err, EM_EIO, "%s: cannot be looked at (%s); try another file", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return em_fail(err, EM_EIO, "%s: is no regular file; try the file of a key", path);
    if (about.st_uid != geteuid())
        return em_fail(err, EM_EIO,
                       "%s: belongs to another user (%lu), who could change it; try as that user, or a key of your own",
                       path, (unsigned long)about.st_uid);
    if (about.st_mode & 077)
        return em_fail(err, EM_EIO, "%s: others than its owner have rights to it (mode %04o); try 'chmod 600 %s'", path,
                       (unsigned)(about.st_mode & 07777), path);
    return EM_OK;
}

/* Everything up to the room, or -1. */
static ssize_t read_all(int file, char *bytes, size_t room)
{
    size_t have = 0;
    while (have < room) {
        ssize_t got = read(file, bytes + have, room - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

em_status emi_key_file_read(const char *path, unsigned char seed[EMI_SEED_BYTES], em_error *err)
{
    char text[FILE_BYTES + 1]; /* one more, to see that there is no more */
    /* Not to wait for whoever writes into a FIFO of that name. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 && errno == ENOENT) return em_fail(err, EM_EIO, "%s: there is no key; try 'eigenmesh key new'", path);
    if (file < 0) return em_fail(err, EM_EIO, "%s: cannot be opened (%s); try another file", path, strerror(errno));
    em_status status = check_file(file, path, err);
    ssize_t got = status == EM_OK ? read_all(file, text, sizeof text) : 0;
    if (got < 0) status = em_fail(err, EM_EIO, "%s: cannot be read (%s); try a copy", path, strerror(errno));
    if (status == EM_OK && (got != FILE_BYTES || read_text(text, seed) != 0))
        status = em_fail(err, EM_EDATA, "%s: is no key of eigenmesh, or not all of one; try a copy of it", path);
    OPENSSL_cleanse(text, sizeof text);
    if (status != EM_OK) OPENSSL_cleanse(seed, EMI_SEED_BYTES);
    (void)close(file);
    return status;
}
