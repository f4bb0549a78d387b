/* Logs with each other: a block that leaves one site is the block that arrives at the next, and where all sites must have seen
 * the same, they have. */
#include "net/audit_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what neighbours were told of a log ---------------------------------------------------------------------------- */

static int compare_digests(const void *a, const void *b)
{
    return memcmp((*(const emi_log_line *const *)a)->digest, (*(const emi_log_line *const *)b)->digest, EMI_SHA_BYTES);
}

/* The line of this digest, counted from 1; 0: none. */
static size_t find_line(const emi_log *log, const emi_log_line *const *sorted,
                        const unsigned char digest[EMI_SHA_BYTES])
{
    emi_log_line wanted;
    const emi_log_line *key = &wanted;
    memcpy(wanted.digest, digest, EMI_SHA_BYTES);
    const emi_log_line *const *found = bsearch(&key, sorted, log->line_count, sizeof *sorted, compare_digests);
    return found ? (size_t)(*found - log->lines) + 1 : 0;
}

/* A line that was the last of log `of` when it was named must still be there, and behind those that the same neighbour knew
 * before.  What a log says of itself is said to several, whose links need not come up in the order of the greetings. */
static void check_named_lines(emi_check *check, int of, int by, const emi_log_line *const *sorted)
{
    const emi_log *other = &check->logs[by];
    size_t last = 0;
    for (size_t n = 0; n < other->meeting_count; n++) {
        const emi_meeting *meeting = &other->meetings[n];
        if (meeting->peer != of) continue;
        size_t line = find_line(&check->logs[of], sorted, meeting->audit);
        if (line == 0 || (of == by && line >= meeting->line)) {
            emi_audit_find(check, of, last,
                           "cut or rewritten after that: line %zu of %s names a last line that is not here",
                           meeting->line, other->path);
            return;
        }
        if (line < last && of != by) {
            emi_audit_find(check, of, line,
                           "named as the last by line %zu of %s, which knew line %zu before: it was set back",
                           meeting->line, other->path, last);
            return;
        }
        last = line;
    }
}

em_status emi_check_meetings(emi_check *check, em_error *err)
{
    for (int of = 0; of < check->log_count; of++) {
        const emi_log *log = &check->logs[of];
        if (!*log->site || log->is_twin) continue;
        const emi_log_line **sorted = calloc(log->line_count + 1, sizeof *sorted);
        if (!sorted) return em_fail(err, EM_ENOMEM, "%s: out of memory; try fewer logs at a time", log->path);
        for (size_t n = 0; n < log->line_count; n++) sorted[n] = &log->lines[n];
        qsort((void *)sorted, log->line_count, sizeof *sorted, compare_digests);
        for (int by = 0; by < check->log_count; by++) check_named_lines(check, of, by, sorted);
        free((void *)sorted);
    }
    return EM_OK;
}

/* ---- events in order ----------------------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
    return memcmp(((const emi_start *)a)->run, ((const emi_start *)b)->run, EMI_SHA_BYTES);
}

static em_status number_runs(emi_check *check, em_error *err)
{
    size_t *number = calloc(check->start_count + 1, sizeof *number), run = 0;
    if (!number) return em_fail(err, EM_ENOMEM, "the audit logs: out of memory; try fewer at a time");
    if (check->start_count) qsort(check->starts, check->start_count, sizeof *check->starts, compare_runs);
    for (size_t n = 0; n < check->start_count; n++) {
        if (n && compare_runs(&check->starts[n - 1], &check->starts[n]) != 0) run++;
        number[check->starts[n].place] = run;
    }
    for (size_t n = 0; n < check->event_count; n++) check->events[n].run = number[check->events[n].run];
    free(number);
    return EM_OK;
}

#define ORDER(x, y)                                                                                                    \
    if ((x) != (y)) return (x) < (y) ? -1 : 1

/* Of one run and, for blocks, along one link. */
static int compare_links(const emi_event *x, const emi_event *y)
{
    ORDER(x->study, y->study);
    ORDER(x->kind, y->kind);
    ORDER(x->run, y->run);
    ORDER(x->from, y->from);
    ORDER(x->to, y->to);
    return 0;
}

static int compare_keys(const emi_event *x, const emi_event *y)
{
    int order = compare_links(x, y);
    if (order) return order;
    ORDER(x->number, y->number);
    return 0;
}

static int compare_events(const void *a, const void *b)
{
    const emi_event *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order) return order;
    ORDER(x->late, y->late);
    ORDER(x->log, y->log);
    ORDER(x->line, y->line);
    return 0;
}

/* The events of one kind and run (not blocks), and how many there are. */
static const emi_event *events_of(const emi_check *check, int study, emi_line_kind kind, size_t run, size_t *count)
{
    emi_event key = {.kind = kind, .study = study, .run = run};
    size_t low = 0, high = check->event_count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_links(&check->events[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < check->event_count && compare_links(&check->events[end], &key) == 0;) end++;
    *count = end - low;
    return check->events + low;
}

/* The line in which a log says so; 0: none. */
static size_t line_of(const emi_check *check, int log, emi_line_kind kind, size_t run)
{
    size_t count;
    const emi_event *event = events_of(check, check->logs[log].study, kind, run, &count);
    for (; count > 0; event++, count--)
        if (event->log == log) return event->line;
    return 0;
}

static int is_same(const emi_event *x, const emi_event *y)
{
    return x->amount == y->amount && memcmp(x->digest, y->digest, sizeof x->digest) == 0;
}

/* ---- what all must have seen alike --------------------------------------------------------------------------------- */

static const char *path_of(const emi_check *check, const emi_event *event)
{
    return check->logs[event->log].path;
}

static void check_starts(emi_check *check, const emi_event *events, size_t count)
{
    int root = -1;
    for (int n = 0; n < check->name_count && root < 0; n++) {
        const emi_log *log = &check->logs[check->names[n].log];
        if (log->is_root && log->study == events->study) root = check->names[n].log;
    }
    for (size_t n = 0; n < count; n++) {
        const emi_event *e = &events[n];
        if (root >= 0 && events->log != root)
            emi_audit_find(check, e->log, e->line, "started a run that the root's log, %s, does not have",
                           check->logs[root].path);
        if (n && events[n - 1].log == e->log)
            emi_audit_find(check, e->log, e->line, "started a run for the second time, after line %zu",
                           events[n - 1].line);
        if (!is_same(events, e))
            emi_audit_find(check, e->log, e->line,
                           "started the run at iteration %" PRIu64 ", and line %zu of %s at %" PRIu64, e->amount,
                           events->line, path_of(check, events), events->amount);
    }
}

/* What was said and seen of a log, by the number of the run after it; 0: of none. */
typedef struct so_far {
    size_t told;  /* that a view differs */
    size_t began; /* with the same sum as all others */
} so_far;

/* Sums are counted without a gap, which each log shows by itself; here, that nobody leaves out the first. */
static void check_first_sums(emi_check *check, const emi_event *events, size_t count, so_far *logs)
{
    int is_first = events == check->events || compare_links(events - 1, events) != 0;
    for (size_t n = 0; n < count; n++) {
        so_far *log = &logs[events[n].log];
        if (log->began != events->run + 1 && !is_first)
            emi_audit_find(check, events[n].log, events[n].line,
                           "sum %" PRIu64 " is the run's first here, and others have one before it", events->number);
        log->began = events->run + 1;
    }
}

/* Of each log the first that differs: a view is of all that came before, so that those after it differ too. */
static void check_alike(emi_check *check, const emi_event *events, size_t count, so_far *logs)
{
    if (events->kind == EMI_LINE_SUM) check_first_sums(check, events, count, logs);
    for (size_t n = 1; n < count; n++) {
        const emi_event *e = &events[n];
        if (is_same(events, e)) continue;
        if (e->kind == EMI_LINE_MODEL)
            emi_audit_find(check, e->log, e->line, "the model is another one than in line %zu of %s", events->line,
                           path_of(check, events));
        else if (logs[e->log].told != e->run + 1)
            emi_audit_find(check, e->log, e->line, "the view of sum %" PRIu64 " is another one than in line %zu of %s",
                           e->number, events->line, path_of(check, events));
        logs[e->log].told = e->run + 1;
    }
}

/* A study is done where all have the model: then every log has the run, the model and an end. */
static void check_done(emi_check *check, const emi_event *done)
{
    for (int n = 0; n < check->name_count; n++) {
        int log = check->names[n].log;
        const emi_log *l = &check->logs[log];
        const char *lacks = NULL;
        if (l->study != done->study) continue;
        size_t start = line_of(check, log, EMI_LINE_START, done->run);
        if (start == 0)
            lacks = "start";
        else if (line_of(check, log, EMI_LINE_MODEL, done->run) == 0)
            lacks = "model";
        else if (l->last_done < start)
            lacks = "end";
        if (lacks)
            emi_audit_find(
                check, log, l->line_count,
                "the log ends here without the %s of the run that line %zu of %s ended: the tail was cut, or the "
                "process stopped without a word",
                lacks, done->line, path_of(check, done));
    }
}

/* ---- blocks, along one link in one run ----------------------------------------------------------------------------- */

typedef struct tally {
    const emi_event *first;
    size_t more;
} tally;

static void count_one(tally *t, const emi_event *event)
{
    if (t->first)
        t->more++;
    else
        t->first = event;
}

/* What was found along a link: the first of each kind, and how many more there are. */
typedef struct along {
    tally other, twice, not_sent, not_received;
} along;

static void say_missing(emi_check *check, const tally *t, int log, const char *there, const char *here)
{
    const emi_event *e = t->first;
    if (e)
        emi_audit_find(check, log, 0,
                       "%zu block%s missing among those %s, the first number %" PRIu64 ", %s in line %zu of %s",
                       t->more + 1, t->more ? "s are" : " is", here, e->number, there, e->line, path_of(check, e));
}

/* "; so is 1 more after it", or nothing. */
static const char *more_text(size_t more, char out[48])
{
    *out = 0;
    if (more) (void)snprintf(out, 48, "; so %s %zu more after it", more == 1 ? "is" : "are", more);
    return out;
}

static void say_blocks(emi_check *check, const emi_event *link, const along *found)
{
    const emi_event *e = found->other.first, *twice = found->twice.first;
    char more[48];
    if (e)
        emi_audit_find(check, e->log, e->line,
                       "block %" PRIu64 " to %s is another one than what arrived, in line %zu of %s%s", e->number,
                       check->logs[e->to].site, (e + 1)->line, path_of(check, e + 1),
                       more_text(found->other.more, more));
    if (twice)
        emi_audit_find(check, twice->log, twice->line, "block %" PRIu64 " is in line %zu already%s", twice->number,
                       (twice - 1)->line, more_text(found->twice.more, more));
    say_missing(check, &found->not_sent, link->from, "received", "sent");
    say_missing(check, &found->not_received, link->to, "sent", "received");
}

/* Did any site come to the end of the run? */
static int is_done(const emi_check *check, size_t run)
{
    for (int log = 0; log < check->log_count; log++)
        if (line_of(check, log, EMI_LINE_END, run) > 0) return 1;
    return 0;
}

/* May what was sent last not have arrived?  Not where the receiver came to the end of the run; nor where it never began one that
 * others ended: one that nobody did may have begun anew before it was there. */
static int may_be_on_its_way(const emi_check *check, const emi_event *sent)
{
    int began = line_of(check, sent->to, EMI_LINE_START, sent->run) > 0;
    return line_of(check, sent->to, EMI_LINE_END, sent->run) == 0 && (began || !is_done(check, sent->run));
}

/* Events of one link in one run: pairs of a block that was sent and the same block received. */
static void check_blocks(emi_check *check, const emi_event *events, size_t count)
{
    along found = {0};
    size_t expected = may_be_on_its_way(check, events) ? 0 : count; /* what was sent up to here must have arrived */
    for (size_t n = 0; n < count; n++)
        if (events[n].late && n > expected) expected = n;
    for (size_t n = 0; n < count; n++) {
        const emi_event *e = &events[n];
        int before = n > 0 && compare_keys(e - 1, e) == 0, after = n + 1 < count && compare_keys(e, e + 1) == 0;
        if (before && e[-1].late == e->late)
            count_one(&found.twice, e);
        else if (before && !is_same(e - 1, e))
            count_one(&found.other, e - 1);
        else if (!before && e->late)
            count_one(&found.not_sent, e);
        else if (!after && !e->late && n < expected)
            count_one(&found.not_received, e);
    }
    say_blocks(check, events, &found);
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static void check_kind(emi_check *check, const emi_event *events, size_t count, so_far *logs)
{
    switch (events->kind) {
    case EMI_LINE_START: check_starts(check, events, count); break;
    case EMI_LINE_BLOCK: check_blocks(check, events, count); break;
    case EMI_LINE_END: check_done(check, events); break;
    default: check_alike(check, events, count, logs); break;
    }
}

em_status emi_check_events(emi_check *check, em_error *err)
{
    size_t end;
    so_far *logs = calloc((size_t)check->log_count, sizeof *logs);
    em_status status = logs ? number_runs(check, err) : EM_ENOMEM;
    if (!logs) return em_fail(err, EM_ENOMEM, "the audit logs: out of memory; try fewer at a time");
    if (check->event_count) qsort(check->events, check->event_count, sizeof *check->events, compare_events);
    for (size_t n = 0; status == EM_OK && n < check->event_count; n = end) {
        const emi_event *first = &check->events[n];
        int (*same)(const emi_event *, const emi_event *) =
            first->kind == EMI_LINE_BLOCK ? compare_links : compare_keys;
        for (end = n + 1; end < check->event_count && same(first, &check->events[end]) == 0;) end++;
        check_kind(check, first, end - n, logs);
    }
    free(logs);
    return status;
}
