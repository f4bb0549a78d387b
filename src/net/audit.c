/* Writing the audit log. */
#include "net/audit_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct emi_audit {
    int file;
    char *path;
    const emi_identity *identity;
    uint64_t number; /* of the last line */
    unsigned char last[EMI_SHA_BYTES];
    int broken; /* the file ends in the middle of a line that could not be taken back */
    int synced; /* nothing was written since it was */
    emi_draft draft;
};

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static em_status fail_open(const char *path, em_error *err)
{
    if (errno == ELOOP) return em_fail(err, EM_EOUTPUT, "%s: is a link; try the file that it leads to", path);
    return em_fail(err, EM_EOUTPUT, "%s: cannot be opened (%s); try another place for the log", path, strerror(errno));
}

/* A new file is its owner's alone, whatever the umask. */
static em_status open_file(const char *path, int *file, em_error *err)
{
    const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    *file = open(path, flags);
    if (*file >= 0) return EM_OK;
    if (errno != ENOENT) return fail_open(path, err);
    *file = open(path, flags | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (*file < 0 || fchmod(*file, S_IRUSR | S_IWUSR) != 0) return fail_open(path, err);
    return EM_OK;
}

static em_status check_file(const char *path, int file, em_error *err)
{
    struct stat about;
    if (fstat(file, &about) != 0) return fail_open(path, err);
    if (!S_ISREG(about.st_mode)) return em_fail(err, EM_EOUTPUT, "%s: is no file; try another place for the log", path);
    if (about.st_mode & (S_IWGRP | S_IWOTH))
        return em_fail(err, EM_EOUTPUT, "%s: others may write to this log; try chmod go-w", path);
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return EM_OK;
    if (errno == EWOULDBLOCK)
        return em_fail(err, EM_EOUTPUT, "%s: another process writes to this log; try to end that one first", path);
    return em_fail(err, EM_EOUTPUT, "%s: cannot be locked (%s); try a log on a local disk", path, strerror(errno));
}

em_status emi_audit_sync(emi_audit *audit, em_error *err)
{
    if (audit->synced || fsync(audit->file) == 0) {
        audit->synced = 1;
        return EM_OK;
    }
    return em_fail(err, EM_EOUTPUT, "%s: cannot be written to the disk (%s); try another place for the log",
                   audit->path, strerror(errno));
}

/* All of it or, as far as the file system lets us, nothing. */
static em_status append(emi_audit *audit, const char *bytes, size_t size, em_error *err)
{
    ssize_t count;
    off_t before = lseek(audit->file, 0, SEEK_END);
    if (audit->broken)
        return em_fail(err, EM_EOUTPUT, "%s: ends in the middle of a line; try to start this site again", audit->path);
    audit->synced = 0;
    do count = write(audit->file, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)size) return EM_OK;
    int why = count < 0 ? errno : ENOSPC;
    if (count > 0) audit->broken = before < 0 || ftruncate(audit->file, before) != 0;
    return em_fail(err, EM_EOUTPUT, "%s: a line cannot be written (%s); try more room on that disk", audit->path,
                   strerror(why));
}

/* ---- going on with a log ------------------------------------------------------------------------------------------- */

static em_status fail_foreign(const char *path, em_error *err)
{
    return em_fail(err, EM_EINVAL, "%s: is no audit log of this program; try another file", path);
}

/* A log is of one site in one study. */
static em_status check_begin(const char *path, const emi_line *line, const emi_study *study, int site, em_error *err)
{
    unsigned char digest[EMI_SHA_BYTES];
    char name[EMI_SITE_NAME];
    if (emi_line_digest(line, "study_digest", digest) != 0 || emi_line_site(line, "site", name) != 0)
        return fail_foreign(path, err);
    if (memcmp(digest, study->digest, sizeof digest) != 0)
        return em_fail(err, EM_EINVAL, "%s: is the log of %s in another study; try another file", path, name);
    if (strcmp(name, study->sites[site].name) != 0)
        return em_fail(err, EM_EINVAL, "%s: is the log of another site, %s; try another file", path, name);
    return EM_OK;
}

/* One line that is there already: its number, or that which it ought to have, and its digest. */
static em_status pass_line(emi_audit *audit, emi_text text, const emi_study *study, int site, em_error *err)
{
    emi_line line;
    int readable = emi_line_read(&line, text.at, text.size) == NULL;
    if (audit->number == 0 && !emi_line_may_be_first(text)) return fail_foreign(audit->path, err);
    audit->number = readable ? line.number : audit->number + 1;
    if (readable && line.kind == EMI_LINE_BEGIN) {
        em_status status = check_begin(audit->path, &line, study, site, err);
        if (status != EM_OK) return status;
    }
    return emi_sha256(&(emi_piece){text.at, text.size}, 1, audit->last, err);
}

/* *torn becomes the size of a last line that has no end. */
static em_status pass_lines(emi_audit *audit, const emi_study *study, int site, uint64_t *torn, em_error *err)
{
    emi_lines lines;
    emi_text text;
    emi_line_end how = EMI_LINE_WHOLE;
    em_status status = emi_lines_open(&lines, audit->file, audit->path, err);
    while (status == EM_OK && how != EMI_LINE_NO_MORE) {
        status = emi_lines_next(&lines, &text, &how, err);
        if (status != EM_OK || how == EMI_LINE_NO_MORE) break;
        if (how == EMI_LINE_TOO_LONG)
            status = fail_foreign(audit->path, err);
        else
            status = pass_line(audit, text, study, site, err);
        if (how == EMI_LINE_NO_END) *torn = text.size;
    }
    emi_lines_close(&lines);
    return status;
}

/* ---- lines --------------------------------------------------------------------------------------------------------- */

static em_status sign_draft(emi_audit *audit, em_error *err)
{
    unsigned char signature[EMI_SIGNATURE_BYTES];
    size_t head = sizeof emi_line_signed_as, size = head + audit->draft.size;
    char *bytes = malloc(size);
    if (!bytes) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a larger machine", audit->path);
    memcpy(bytes, emi_line_signed_as, head);
    memcpy(bytes + head, audit->draft.text, audit->draft.size);
    em_status status = emi_identity_sign(audit->identity, bytes, size, signature, err);
    free(bytes);
    if (status == EM_OK) emi_draft_sign(&audit->draft, signature);
    return status;
}

static em_status check_fields(const emi_field_of_line *fields, int count, em_error *err)
{
    int right = count >= 0 && count <= EMI_LINE_FIELDS;
    for (int n = 0; right && n < count; n++) {
        const emi_field_of_line *f = &fields[n];
        right = f->name && emi_line_may_name((emi_text){f->name, strlen(f->name)}) &&
                (f->text != NULL) + (f->digest != NULL) + (f->number != NULL) == 1;
        for (int m = 0; right && m < n; m++) right = strcmp(f->name, fields[m].name) != 0;
    }
    if (right) return EM_OK;
    return em_fail(err, EM_EINVAL, "the audit log: fields that no line has; try a name of a-z and one value for each");
}

/* The line, and in the same write an end for a torn one before it. */
static em_status write_line(emi_audit *audit, const char *what, const emi_field_of_line *fields, int count, int sign,
                            int end_torn, em_error *err)
{
    emi_draft *draft = &audit->draft;
    unsigned char digest[EMI_SHA_BYTES];
    em_status status = check_fields(fields, count, err);
    if (status != EM_OK) return status;
    emi_draft_begin(draft, audit->number + 1, time(NULL), audit->last, what);
    for (int n = 0; n < count; n++) emi_draft_add(draft, &fields[n]);
    if (sign) status = sign_draft(audit, err);
    if (status != EM_OK) return status;
    emi_draft_end(draft);
    status = emi_sha256(&(emi_piece){draft->text, draft->size - 1}, 1, digest, err);
    if (status != EM_OK) return status;
    if (end_torn) {
        memmove(draft->text + 1, draft->text, draft->size++);
        draft->text[0] = '\n';
    }
    status = append(audit, draft->text, draft->size, err);
    if (status != EM_OK) return status;
    audit->number++;
    memcpy(audit->last, digest, sizeof digest);
    return sign ? emi_audit_sync(audit, err) : EM_OK;
}

em_status emi_audit_write(emi_audit *audit, const char *what, const emi_field_of_line *fields, int count, int sign,
                          em_error *err)
{
    if (emi_line_kind_of((emi_text){what, strlen(what)}) == EMI_LINE_KINDS)
        return em_fail(err, EM_EINVAL, "the audit log: no line is about '%s'; try \"refused\"", what);
    return write_line(audit, what, fields, count, sign, 0, err);
}

static em_status write_begin(emi_audit *audit, const emi_study *study, int site, em_error *err)
{
    char id[EMI_ID_TEXT];
    uint64_t number = (uint64_t)site;
    const emi_field_of_line fields[] = {{.name = "site", .text = study->sites[site].name},
                                        {.name = "number", .number = &number},
                                        {.name = "study", .text = study->name},
                                        {.name = "study_digest", .digest = study->digest},
                                        {.name = "fingerprint", .text = study->fingerprint},
                                        {.name = "masks", .text = study->masks ? "yes" : "no"},
                                        {.name = "id", .text = id},
                                        {.name = "version", .text = em_version()}};
    emi_id_write(emi_identity_public(audit->identity), id);
    return emi_audit_write(audit, "begin", fields, sizeof fields / sizeof *fields, 1, err);
}

/* ---- open and close ------------------------------------------------------------------------------------------------ */

static em_status go_on(emi_audit *audit, const emi_study *study, int site, em_error *err)
{
    uint64_t torn = 0;
    em_status status = pass_lines(audit, study, site, &torn, err);
    if (status == EM_OK && torn)
        status = write_line(audit, "torn", &(emi_field_of_line){.name = "bytes", .number = &torn}, 1, 0, 1, err);
    return status == EM_OK ? write_begin(audit, study, site, err) : status;
}

static void release(emi_audit *audit)
{
    if (audit->file >= 0) (void)close(audit->file);
    free(audit->path);
    free(audit);
}

em_status emi_audit_open(emi_audit **out, const char *path, const emi_study *study, int site,
                         const emi_identity *identity, em_error *err)
{
    *out = NULL;
    if (site < 0 || site >= study->site_count ||
        memcmp(emi_identity_public(identity), study->sites[site].id, EMI_ID_BYTES) != 0)
        return em_fail(err, EM_EINVAL, "%s: the key is not that of the site; try the site's own key", path);
    emi_audit *audit = calloc(1, sizeof *audit);
    if (audit) audit->path = strdup(path);
    if (!audit || !audit->path) {
        free(audit);
        return em_fail(err, EM_ENOMEM, "%s: out of memory; try a larger machine", path);
    }
    audit->identity = identity;
    em_status status = open_file(path, &audit->file, err);
    if (status == EM_OK) status = check_file(path, audit->file, err);
    if (status == EM_OK) status = go_on(audit, study, site, err);
    if (status == EM_OK)
        *out = audit;
    else
        release(audit);
    return status;
}

em_status emi_audit_close(emi_audit **audit, em_error *err)
{
    if (!*audit) return EM_OK;
    em_status status = emi_audit_sync(*audit, err);
    release(*audit);
    *audit = NULL;
    return status;
}

const unsigned char *emi_audit_last(const emi_audit *audit)
{
    return audit->last;
}
