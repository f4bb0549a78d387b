/* Do the logs of a study agree with themselves and with each other? */
#include "net/audit_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one log; who sees so many has seen enough. */
enum { FINDINGS_MOST = 100 };

void emi_audit_find(emi_check *check, int log, size_t line, const char *format, ...)
{
    char text[2048];
    emi_log *l = &check->logs[log];
    va_list args;
    if (++l->findings > FINDINGS_MOST) return;
    int size = snprintf(text, sizeof text / 2, "%s%s%s%s", l->path, *l->site ? " (" : "", l->site, *l->site ? ")" : "");
    if (size >= (int)sizeof text / 2) size = (int)sizeof text / 2 - 1;
    if (line) size += snprintf(text + size, sizeof text - (size_t)size, ", line %zu", line);
    size += snprintf(text + size, sizeof text - (size_t)size, ": ");
    va_start(args, format);
    (void)vsnprintf(text + size, sizeof text - (size_t)size, format, args);
    va_end(args);
    /* A path may hold what a terminal obeys. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    check->say(check->context, text);
}

em_status emi_audit_room(void **list, size_t count, size_t *room, size_t size, em_error *err)
{
    if (count < *room) return EM_OK;
    size_t more = *room ? 2 * *room : 64;
    void *longer = more <= SIZE_MAX / size ? realloc(*list, more * size) : NULL;
    if (!longer) return em_fail(err, EM_ENOMEM, "the audit logs: out of memory; try fewer at a time");
    *list = longer;
    *room = more;
    return EM_OK;
}

static em_status open_log(emi_log *log, const char *path, em_error *err)
{
    struct stat about;
    *log = (emi_log){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (log->file < 0)
        return em_fail(err, EM_EIO, "%s: cannot be opened (%s); try another path", path, strerror(errno));
    if (fstat(log->file, &about) == 0 && S_ISREG(about.st_mode)) return EM_OK;
    return em_fail(err, EM_EIO, "%s: is no file; try the log itself, or a copy", path);
}

static em_status open_logs(emi_check *check, const char *const *paths, int count, em_error *err)
{
    em_status status = EM_OK;
    check->logs = calloc((size_t)count, sizeof *check->logs);
    check->names = calloc((size_t)count, sizeof *check->names);
    if (!check->logs || !check->names)
        return em_fail(err, EM_ENOMEM, "the audit logs: out of memory; try fewer at a time");
    for (; status == EM_OK && check->log_count < count; check->log_count++)
        status = open_log(&check->logs[check->log_count], paths[check->log_count], err);
    return status;
}

static void release(emi_check *check)
{
    for (int n = 0; n < check->log_count; n++) {
        if (check->logs[n].file >= 0) (void)close(check->logs[n].file);
        free(check->logs[n].lines);
        free(check->logs[n].meetings);
    }
    free(check->logs);
    free(check->names);
    free(check->starts);
    free(check->events);
}

/* Those that were not said one by one. */
static void count_the_rest(emi_check *check)
{
    for (int n = 0; n < check->log_count; n++) {
        size_t more = check->logs[n].findings;
        if (more <= FINDINGS_MOST) continue;
        more -= FINDINGS_MOST;
        check->logs[n].findings = 0;
        emi_audit_find(check, n, 0, "%zu findings more", more);
    }
}

em_status emi_audit_check(const char *const *paths, int count, emi_audit_says *say, void *context, em_error *err)
{
    emi_check check = {.say = say, .context = context};
    size_t findings = 0;
    if (count < 1) return em_fail(err, EM_EINVAL, "the audit logs: there are none; try one path or more");
    em_status status = open_logs(&check, paths, count, err);
    if (status == EM_OK) status = emi_check_heads(&check, err);
    for (int n = 0; status == EM_OK && n < count; n++) {
        status = emi_check_read(&check, n, err);
        if (status == EM_OK) status = emi_check_chain(&check, n, err);
    }
    if (status == EM_OK) status = emi_check_meetings(&check, err);
    if (status == EM_OK) status = emi_check_events(&check, err);
    for (int n = 0; status == EM_OK && n < count; n++) findings += check.logs[n].findings;
    if (status == EM_OK) count_the_rest(&check);
    release(&check);
    if (status != EM_OK || findings == 0) return status;
    return em_fail(err, EM_EDATA, "audit check: %zu finding%s in %d log%s; try asking the sites that are named",
                   findings, findings == 1 ? "" : "s", count, count == 1 ? "" : "s");
}
