/* One log, line by line: what each is worth, and what it says that others must say too. */
#include "net/audit_check.h"

#include <inttypes.h>
#include <string.h>

static const size_t no_run = SIZE_MAX;

typedef struct reading {
    emi_check *check;
    int log;
    int has_key;
    unsigned char key[EMI_ID_BYTES];
    size_t run;                                            /* of the lines that come; no_run: none */
    int said_no_run;                                       /* once is enough */
    uint64_t next_sum;                                     /* 0: any */
    uint64_t next_model;                                   /* of the run */
    char bytes[sizeof emi_line_signed_as + EMI_LINE_MOST]; /* what a signature is about */
} reading;

static emi_log *log_of(const reading *r)
{
    return &r->check->logs[r->log];
}

static emi_log_line *this_line(const reading *r)
{
    return &log_of(r)->lines[log_of(r)->line_count - 1];
}

#define FIND(r, ...) emi_audit_find((r)->check, (r)->log, log_of(r)->line_count, __VA_ARGS__)

/* ---- signatures --------------------------------------------------------------------------------------------------- */

static int verifies(reading *r, const emi_line *line, emi_text text, const unsigned char key[EMI_ID_BYTES])
{
    size_t head = sizeof emi_line_signed_as;
    memcpy(r->bytes, emi_line_signed_as, head);
    memcpy(r->bytes + head, text.at, line->signed_size);
    return emi_identity_verify(key, r->bytes, head + line->signed_size, line->signature);
}

static int must_be_signed(const emi_line *line)
{
    emi_text site;
    return line->kind == EMI_LINE_BEGIN || line->kind == EMI_LINE_START || line->kind == EMI_LINE_END ||
           (line->kind == EMI_LINE_REFUSED && emi_line_text(line, "site", &site) == 0);
}

/* A line that says whose log it is counts where that key has signed it. */
static int take_key(reading *r, const emi_line *line, emi_text text)
{
    emi_text id;
    char copy[EMI_ID_TEXT] = "";
    unsigned char key[EMI_ID_BYTES];
    if (emi_line_text(line, "id", &id) != 0 || id.size >= sizeof copy) return 0;
    memcpy(copy, id.at, id.size);
    if (emi_id_read(copy, key) != 0 || !verifies(r, line, text, key)) return 0;
    if (r->has_key && memcmp(r->key, key, sizeof key) != 0) FIND(r, "another key than before signs from here on");
    memcpy(r->key, key, sizeof key);
    r->has_key = 1;
    return 1;
}

static void check_signature(reading *r, const emi_line *line, emi_text text)
{
    int good = 0;
    if (!line->is_signed) {
        if (must_be_signed(line)) FIND(r, "not signed, and every line of this kind is");
        return;
    }
    if (line->kind == EMI_LINE_BEGIN)
        good = take_key(r, line, text);
    else if (r->has_key)
        good = verifies(r, line, text, r->key);
    else
        return;
    this_line(r)->saw |= good ? EMI_SAW_SIGNED_WELL : EMI_SAW_SIGNED_BADLY;
}

/* ---- what lines say ------------------------------------------------------------------------------------------------ */

static em_status add_event(reading *r, emi_event event, em_error *err)
{
    emi_check *check = r->check;
    emi_log *log = log_of(r);
    em_status status =
        emi_audit_room((void **)&check->events, check->event_count, &check->event_room, sizeof event, err);
    if (status != EM_OK) return status;
    event.study = log->study;
    event.run = r->run;
    event.log = r->log;
    event.line = log->line_count;
    if (event.kind != EMI_LINE_BLOCK) event.late = !log->is_root;
    check->events[check->event_count++] = event;
    return EM_OK;
}

static em_status add_meeting(reading *r, int peer, const unsigned char audit[EMI_SHA_BYTES], em_error *err)
{
    static const unsigned char nothing[EMI_SHA_BYTES];
    emi_log *log = log_of(r);
    if (peer < 0 || memcmp(audit, nothing, sizeof nothing) == 0) return EM_OK; /* who keeps no log says nothing of it */
    em_status status =
        emi_audit_room((void **)&log->meetings, log->meeting_count, &log->meeting_room, sizeof *log->meetings, err);
    if (status != EM_OK) return status;
    emi_meeting *meeting = &log->meetings[log->meeting_count++];
    *meeting = (emi_meeting){.line = log->line_count, .peer = peer};
    memcpy(meeting->audit, audit, sizeof meeting->audit);
    return EM_OK;
}

/* A site that is part of the study, and perhaps one whose log is here. */
static int take_peer(reading *r, const emi_line *line, int *peer)
{
    char site[EMI_SITE_NAME];
    if (emi_line_site(line, "peer", site) != 0) return -1;
    *peer = emi_check_peer(r->check, r->log, site);
    return 0;
}

static em_status lacks(reading *r, const emi_line *line, const char *field)
{
    FIND(r, "a line about '%s' without a right '%s'", emi_line_words[line->kind], field);
    return EM_OK;
}

static em_status take_begin(reading *r, const emi_line *line, em_error *err)
{
    const emi_log *log = log_of(r);
    char site[EMI_SITE_NAME];
    unsigned char study[EMI_SHA_BYTES];
    (void)err;
    r->run = no_run;
    if (emi_line_site(line, "site", site) != 0) return lacks(r, line, "site");
    if (emi_line_digest(line, "study_digest", study) != 0) return lacks(r, line, "study_digest");
    if (strcmp(site, log->site) != 0) FIND(r, "from here on it is the log of another site, %s", site);
    if (memcmp(study, log->study_digest, sizeof study) != 0) FIND(r, "from here on it is the log of another study");
    return EM_OK;
}

static em_status take_up(reading *r, const emi_line *line, em_error *err)
{
    unsigned char theirs[EMI_SHA_BYTES], ours[EMI_SHA_BYTES];
    int peer;
    if (take_peer(r, line, &peer) != 0) return lacks(r, line, "peer");
    if (emi_line_digest(line, "peer_audit", theirs) != 0) return lacks(r, line, "peer_audit");
    if (emi_line_digest(line, "own_audit", ours) != 0) return lacks(r, line, "own_audit");
    em_status status = add_meeting(r, peer, theirs, err);
    return status == EM_OK ? add_meeting(r, r->log, ours, err) : status;
}

static em_status take_start(reading *r, const emi_line *line, em_error *err)
{
    emi_check *check = r->check;
    emi_event event = {.kind = EMI_LINE_START};
    r->run = no_run;
    r->next_sum = r->next_model = 0;
    if (emi_line_digest(line, "run", event.digest) != 0) return lacks(r, line, "run");
    if (emi_line_number(line, "iteration", &event.amount) != 0) return lacks(r, line, "iteration");
    em_status status =
        emi_audit_room((void **)&check->starts, check->start_count, &check->start_room, sizeof *check->starts, err);
    if (status != EM_OK) return status;
    r->run = check->start_count++;
    emi_start *start = &check->starts[r->run];
    start->place = r->run;
    memcpy(start->run, event.digest, sizeof start->run);
    return add_event(r, event, err);
}

static em_status take_sum(reading *r, const emi_line *line, em_error *err)
{
    emi_event event = {.kind = EMI_LINE_SUM};
    if (emi_line_number(line, "number", &event.number) != 0) return lacks(r, line, "number");
    if (emi_line_digest(line, "view", event.digest) != 0) return lacks(r, line, "view");
    if (r->next_sum && event.number != r->next_sum)
        FIND(r, "sum %" PRIu64 " stands where sum %" PRIu64 " comes next", event.number, r->next_sum);
    r->next_sum = event.number + 1;
    return add_event(r, event, err);
}

static em_status take_block(reading *r, const emi_line *line, em_error *err)
{
    emi_event event = {.kind = EMI_LINE_BLOCK};
    emi_text direction;
    int peer;
    if (take_peer(r, line, &peer) != 0) return lacks(r, line, "peer");
    if (emi_line_text(line, "direction", &direction) != 0) return lacks(r, line, "direction");
    event.late = emi_text_is(direction, "received");
    if (!event.late && !emi_text_is(direction, "sent")) return lacks(r, line, "direction");
    if (emi_line_number(line, "number", &event.number) != 0) return lacks(r, line, "number");
    if (emi_line_number(line, "bytes", &event.amount) != 0) return lacks(r, line, "bytes");
    if (emi_line_digest(line, "digest", event.digest) != 0) return lacks(r, line, "digest");
    if (peer < 0 || peer == r->log) return EM_OK;
    event.from = event.late ? peer : r->log;
    event.to = event.late ? r->log : peer;
    return add_event(r, event, err);
}

static em_status take_model(reading *r, const emi_line *line, em_error *err)
{
    emi_event event = {.kind = EMI_LINE_MODEL, .number = r->next_model++};
    if (emi_line_digest(line, "digest", event.digest) != 0) return lacks(r, line, "digest");
    return add_event(r, event, err);
}

static em_status take_end(reading *r, const emi_line *line, em_error *err)
{
    emi_text word;
    em_status status = EM_OK;
    if (emi_line_text(line, "status", &word) != 0) return lacks(r, line, "status");
    if (emi_text_is(word, "done")) {
        log_of(r)->last_done = log_of(r)->line_count;
        if (r->run != no_run) status = add_event(r, (emi_event){.kind = EMI_LINE_END}, err);
    }
    r->run = no_run;
    return status;
}

static em_status take_line(reading *r, const emi_line *line, em_error *err)
{
    int in_a_run = line->kind == EMI_LINE_SUM || line->kind == EMI_LINE_BLOCK || line->kind == EMI_LINE_MODEL;
    if (in_a_run && r->run == no_run) {
        if (!r->said_no_run) FIND(r, "a line about '%s', and no start before it", emi_line_words[line->kind]);
        r->said_no_run = 1;
        return EM_OK;
    }
    switch (line->kind) {
    case EMI_LINE_BEGIN: return take_begin(r, line, err);
    case EMI_LINE_UP: return take_up(r, line, err);
    case EMI_LINE_START: return take_start(r, line, err);
    case EMI_LINE_SUM: return take_sum(r, line, err);
    case EMI_LINE_BLOCK: return take_block(r, line, err);
    case EMI_LINE_MODEL: return take_model(r, line, err);
    case EMI_LINE_END: return take_end(r, line, err);
    default: return EM_OK;
    }
}

/* ---- line by line -------------------------------------------------------------------------------------------------- */

static em_status next_line(reading *r, emi_text text, emi_line_end how, em_error *err)
{
    static const unsigned char nothing[EMI_SHA_BYTES];
    emi_log *log = log_of(r);
    emi_line line;
    em_status status = emi_audit_room((void **)&log->lines, log->line_count, &log->line_room, sizeof *log->lines, err);
    if (status != EM_OK) return status;
    emi_log_line *kept = &log->lines[log->line_count++], *before = log->line_count > 1 ? kept - 1 : NULL;
    *kept = (emi_log_line){.wrong = how == EMI_LINE_TOO_LONG ? "it is too long" : NULL};
    if (how == EMI_LINE_NO_END) kept->saw |= EMI_SAW_TORN;
    status = emi_sha256(&(emi_piece){text.at, text.size}, 1, kept->digest, err);
    if (!kept->wrong) kept->wrong = emi_line_read(&line, text.at, text.size);
    if (status != EM_OK || kept->wrong) return status;
    kept->saw |= EMI_SAW_READABLE;
    kept->number = line.number;
    if (memcmp(line.before, before ? before->digest : nothing, sizeof line.before) == 0) kept->saw |= EMI_SAW_FOLLOWING;
    if (before && line.kind == EMI_LINE_TORN && (kept->saw & EMI_SAW_FOLLOWING)) before->saw |= EMI_SAW_TORN;
    check_signature(r, &line, text);
    return *log->site && !log->is_twin ? take_line(r, &line, err) : EM_OK;
}

em_status emi_check_read(emi_check *check, int log, em_error *err)
{
    reading r = {.check = check, .log = log, .run = no_run};
    emi_lines lines;
    emi_text text;
    emi_line_end how;
    em_status status = emi_lines_open(&lines, check->logs[log].file, check->logs[log].path, err);
    while (status == EM_OK) {
        status = emi_lines_next(&lines, &text, &how, err);
        if (status != EM_OK || how == EMI_LINE_NO_MORE) break;
        status = next_line(&r, text, how, err);
    }
    emi_lines_close(&lines);
    return status;
}
