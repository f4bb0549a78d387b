/* Whose log is it?  Its first "begin" says so. */
#include "net/audit_check.h"

#include <stdlib.h>
#include <string.h>

static void take_head(emi_log *log, const emi_line *line)
{
    emi_text fingerprint;
    uint64_t number = 1;
    if (emi_line_digest(line, "study_digest", log->study_digest) != 0 || emi_line_site(line, "site", log->site) != 0) {
        *log->site = 0;
        return;
    }
    log->is_root = emi_line_number(line, "number", &number) == 0 && number == 0;
    if (emi_line_text(line, "fingerprint", &fingerprint) == 0 && fingerprint.size < sizeof log->fingerprint)
        memcpy(log->fingerprint, fingerprint.at, fingerprint.size);
}

static em_status read_head(emi_log *log, em_error *err)
{
    emi_lines lines;
    emi_line line;
    emi_text text;
    emi_line_end how = EMI_LINE_WHOLE;
    int readable = 0;
    em_status status = emi_lines_open(&lines, log->file, log->path, err);
    while (status == EM_OK && !*log->site && how != EMI_LINE_NO_MORE) {
        status = emi_lines_next(&lines, &text, &how, err);
        if (status != EM_OK || how == EMI_LINE_NO_MORE) break;
        readable |= how == EMI_LINE_NO_END && emi_line_may_be_first(text); /* as far as can be told */
        if (how == EMI_LINE_TOO_LONG || emi_line_read(&line, text.at, text.size) != NULL) continue;
        readable = 1;
        if (line.kind == EMI_LINE_BEGIN) take_head(log, &line);
    }
    emi_lines_close(&lines);
    if (status == EM_OK && !readable)
        return em_fail(err, EM_EIO, "%s: no line of it is one of an audit log; try another file", log->path);
    return status;
}

static int compare_named(const void *a, const void *b)
{
    const emi_named *x = a, *y = b;
    int order = memcmp(x->study, y->study, EMI_SHA_BYTES);
    if (order == 0) order = strcmp(x->site, y->site);
    return order;
}

/* The same, and the first on the command line before its twins. */
static int compare_given(const void *a, const void *b)
{
    int order = compare_named(a, b);
    return order ? order : ((const emi_named *)a)->log - ((const emi_named *)b)->log;
}

/* One log a site. */
static void sort_names(emi_check *check)
{
    int count = 0;
    for (int n = 0; n < check->log_count; n++) {
        const emi_log *log = &check->logs[n];
        if (*log->site) check->names[count++] = (emi_named){log->study_digest, log->site, n};
    }
    qsort(check->names, (size_t)count, sizeof *check->names, compare_given);
    for (int n = 0; n < count; n++) {
        emi_named name = check->names[n], *before = n ? &check->names[check->name_count - 1] : NULL;
        if (before && compare_named(before, &name) == 0) {
            check->logs[name.log].is_twin = 1;
            emi_audit_find(check, name.log, 0, "a second log of this site, and only %s is compared with others",
                           check->logs[before->log].path);
        } else {
            check->names[check->name_count++] = name;
        }
    }
}

/* Of each study the first log, and a word where there is more than one study. */
static void sort_studies(emi_check *check)
{
    const emi_log *known = NULL;
    int first = 0;
    for (int n = 0; n < check->name_count; n = first) {
        int least = check->names[n].log;
        for (first = n; first < check->name_count; first++) {
            if (memcmp(check->names[first].study, check->names[n].study, EMI_SHA_BYTES) != 0) break;
            if (check->names[first].log < least) least = check->names[first].log;
        }
        for (int m = n; m < first; m++) check->logs[check->names[m].log].study = least;
    }
    for (int n = 0; n < check->log_count; n++) {
        const emi_log *log = &check->logs[n];
        if (!*log->site) continue;
        if (!known) known = log;
        if (memcmp(log->study_digest, known->study_digest, EMI_SHA_BYTES) != 0)
            emi_audit_find(check, n, 0, "of another study (%s) than %s (%s)", log->fingerprint, known->path,
                           known->fingerprint);
    }
}

em_status emi_check_heads(emi_check *check, em_error *err)
{
    em_status status = EM_OK;
    for (int n = 0; status == EM_OK && n < check->log_count; n++) status = read_head(&check->logs[n], err);
    if (status != EM_OK) return status;
    sort_names(check);
    sort_studies(check);
    return EM_OK;
}

int emi_check_peer(const emi_check *check, int log, const char *site)
{
    emi_named wanted = {check->logs[log].study_digest, site, 0};
    const emi_named *found = bsearch(&wanted, check->names, (size_t)check->name_count, sizeof wanted, compare_named);
    return found ? found->log : -1;
}
