/* A log with itself.  Its lines are chained by digests and numbered, and some are signed; from where these do not fit it is found
 * out what was done, so that a line that was changed, one that is missing and one that was moved are called by their names. */
#include "net/audit_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum verdict {
    FITS,
    UNREADABLE,
    TORN,
    MISNUMBERED, /* it follows the line before by digest, not by number */
    CHANGED,     /* its digest is not what the next line says, or it names a digest that the line before never had */
    ONE_OF_TWO   /* this line or the next */
} verdict;

/* A line in its place, by its number. */
typedef struct placed {
    uint64_t number; /* as it says; where that cannot be, as it ought to be */
    size_t line;     /* from 0 */
} placed;

static int saw(const emi_log *log, size_t line, int what)
{
    return (log->lines[line].saw & what) == what;
}

/* Line n names another digest before it than line n - 1 has, and the numbers are in order: which of both was changed? */
static void judge_pair(const emi_log *log, size_t n, verdict *verdicts)
{
    if (n == 0 || saw(log, n, EMI_SAW_SIGNED_BADLY)) {
        verdicts[n] = CHANGED;
        return;
    }
    if (verdicts[n - 1] != FITS && verdicts[n - 1] != ONE_OF_TWO) return; /* that explains it */
    int has_next = n + 1 < log->line_count && saw(log, n + 1, EMI_SAW_READABLE);
    if (saw(log, n, EMI_SAW_SIGNED_WELL) || (has_next && saw(log, n + 1, EMI_SAW_FOLLOWING)))
        verdicts[n - 1] = CHANGED; /* since line n is as it was */
    else if (has_next || saw(log, n - 1, EMI_SAW_SIGNED_WELL))
        verdicts[n] = CHANGED; /* since nothing fits it on either side, or line n - 1 is as it was */
    else
        verdicts[n - 1] = ONE_OF_TWO;
}

static void judge(const emi_log *log, verdict *verdicts, placed *places)
{
    uint64_t before = 0;
    for (size_t n = 0; n < log->line_count; n++) {
        const emi_log_line *line = &log->lines[n];
        uint64_t number = before + 1;
        if (!saw(log, n, EMI_SAW_READABLE)) {
            verdicts[n] = saw(log, n, EMI_SAW_TORN) ? TORN : UNREADABLE;
        } else if (!saw(log, n, EMI_SAW_FOLLOWING)) {
            if (line->number == number) judge_pair(log, n, verdicts);
            number = line->number;
        } else if (line->number != number) {
            verdicts[n] = MISNUMBERED;
        }
        if (saw(log, n, EMI_SAW_TORN) && verdicts[n] == FITS) verdicts[n] = TORN;
        places[n] = (placed){number, n};
        before = number;
    }
}

static void say_verdict(emi_check *check, int log, size_t n, verdict what)
{
    const emi_log_line *line = &check->logs[log].lines[n];
    switch (what) {
    case FITS: break;
    case UNREADABLE:
        emi_audit_find(check, log, n + 1, "changed: it is no line of an audit log, since %s", line->wrong);
        break;
    case TORN:
        emi_audit_find(check, log, n + 1, "torn, not changed: the process or its machine stopped while it was written");
        break;
    case MISNUMBERED:
        emi_audit_find(check, log, n + 1, "changed: it says that it is number %" PRIu64, line->number);
        break;
    case CHANGED: emi_audit_find(check, log, n + 1, "changed: its digest is not the one in the chain"); break;
    case ONE_OF_TWO:
        emi_audit_find(check, log, n + 1, "changed, or line %zu was: the one's digest is not what the other says",
                       n + 2);
        break;
    }
}

/* Whoever has no key can make all digests anew, but no signature.  A line that was changed by itself has been said. */
static void say_signatures(emi_check *check, int log, const verdict *verdicts)
{
    const emi_log *l = &check->logs[log];
    size_t good = 0; /* lines up to here are vouched for */
    for (size_t n = 0; n < l->line_count; n++) {
        if (saw(l, n, EMI_SAW_SIGNED_WELL)) good = n + 1;
        if (!saw(l, n, EMI_SAW_SIGNED_BADLY) || verdicts[n] != FITS) continue;
        if (good == n)
            emi_audit_find(check, log, n + 1, "changed: its signature is not the site's");
        else
            emi_audit_find(
                check, log, n + 1,
                "its signature does not fit: it was changed, or a line from %zu on was and the digests made anew",
                good + 1);
    }
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void say_missing(emi_check *check, int log, uint64_t first, uint64_t last)
{
    if (first == last)
        emi_audit_find(check, log, (size_t)first, "missing: no line has this number");
    else
        emi_audit_find(check, log, (size_t)first,
                       "missing, and all from there to line %" PRIu64 ": no line has these numbers", last);
}

static void say_gaps(emi_check *check, int log, const placed *sorted, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        uint64_t before = n ? sorted[n - 1].number : 0;
        if (n && sorted[n].number == before)
            emi_audit_find(check, log, sorted[n].line + 1,
                           "its number, %" PRIu64 ", is line %zu's too: one of both was put in", before,
                           sorted[n - 1].line + 1);
        else if (sorted[n].number != before + 1)
            say_missing(check, log, before + 1, sorted[n].number - 1);
    }
}

/* Lines that were moved together are one finding. */
static void say_moved(emi_check *check, int log, const placed *sorted, size_t count)
{
    const emi_log *l = &check->logs[log];
    size_t *place = malloc(count * sizeof *place);
    if (!place) {
        emi_audit_find(check, log, 0, "its lines are in another order");
        return;
    }
    for (size_t n = 0; n < count; n++) place[sorted[n].line] = n;
    for (size_t n = 0; n < count; n++) {
        size_t first = n;
        if (place[n] == n) continue;
        while (n + 1 < count && place[n + 1] == place[n] + 1) n++;
        if (first == n)
            emi_audit_find(check, log, n + 1, "moved: number %" PRIu64 " stands here", l->lines[n].number);
        else
            emi_audit_find(check, log, first + 1, "moved, with all to line %zu: numbers %" PRIu64 " and on stand here",
                           n + 1, l->lines[first].number);
    }
    free(place);
}

em_status emi_check_chain(emi_check *check, int log, em_error *err)
{
    const emi_log *l = &check->logs[log];
    size_t count = l->line_count;
    verdict *verdicts = calloc(count, sizeof *verdicts);
    placed *places = calloc(count, sizeof *places);
    em_status status = verdicts && places ? EM_OK : EM_ENOMEM;
    if (status == EM_OK) {
        int sorted = 1;
        judge(l, verdicts, places);
        for (size_t n = 0; n < count; n++) say_verdict(check, log, n, verdicts[n]);
        say_signatures(check, log, verdicts);
        for (size_t n = 1; n < count; n++) sorted &= places[n - 1].number <= places[n].number;
        if (!sorted) qsort(places, count, sizeof *places, compare_placed);
        say_gaps(check, log, places, count);
        if (!sorted) say_moved(check, log, places, count);
    } else {
        status = em_fail(err, EM_ENOMEM, "%s: out of memory; try fewer logs at a time", l->path);
    }
    free(verdicts);
    free(places);
    return status;
}
