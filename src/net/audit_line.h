/* The form of one line of the audit log, which the writer and the reader share; audit.h says what is in it. */
#ifndef EIGENMESH_NET_AUDIT_LINE_H
#define EIGENMESH_NET_AUDIT_LINE_H

#include "net/audit.h"

#include <time.h>

enum {
    EMI_LINE_MOST = 65536, /* bytes, more than the fields below can take */
    EMI_LINE_FIELDS = 16,
    EMI_LINE_NAME = 32,  /* bytes of a field's name */
    EMI_LINE_TEXT = 512, /* bytes of a text before they are escaped */
    EMI_LINE_TEXT_WRITTEN = 6 * EMI_LINE_TEXT + 3
};

typedef enum emi_line_kind {
    EMI_LINE_BEGIN,
    EMI_LINE_TORN,
    EMI_LINE_UP,
    EMI_LINE_DOWN,
    EMI_LINE_REFUSED,
    EMI_LINE_START,
    EMI_LINE_SUM,
    EMI_LINE_BLOCK,
    EMI_LINE_MODEL,
    EMI_LINE_END,
    EMI_LINE_KINDS
} emi_line_kind;

extern const char *const emi_line_words[EMI_LINE_KINDS];

/* What a signature is about begins with this, its 0 included. */
extern const char emi_line_signed_as[18];

/* Letters as they lie in a line, escapes and all; no 0 after them. */
typedef struct emi_text {
    const char *at;
    size_t size;
} emi_text;

int emi_text_is(emi_text text, const char *word);

/* Which it is; EMI_LINE_KINDS: none. */
emi_line_kind emi_line_kind_of(emi_text word);

/* a-z and _, and none of those that every line has. */
int emi_line_may_name(emi_text name);

/* Printable, and neither " nor \: as it is; all else is escaped. */
int emi_line_is_plain(unsigned char byte);

/* ---- writing ------------------------------------------------------------------------------------------------------ */

typedef struct emi_draft {
    size_t size;
    char text[EMI_LINE_MOST];
} emi_draft;

void emi_draft_begin(emi_draft *draft, uint64_t number, time_t now, const unsigned char before[EMI_SHA_BYTES],
                     const char *what);
void emi_draft_add(emi_draft *draft, const emi_field_of_line *field);
void emi_draft_sign(emi_draft *draft, const unsigned char signature[EMI_SIGNATURE_BYTES]);
void emi_draft_end(emi_draft *draft); /* with the end of the line */

/* ---- reading ------------------------------------------------------------------------------------------------------ */

typedef struct emi_line_field {
    emi_text name, text;
    int is_number;
    uint64_t number;
} emi_line_field;

typedef struct emi_line {
    uint64_t number;
    unsigned char before[EMI_SHA_BYTES];
    emi_line_kind kind;
    int field_count;
    emi_line_field fields[EMI_LINE_FIELDS]; /* inside the bytes that were read */
    int is_signed;
    unsigned char signature[EMI_SIGNATURE_BYTES];
    size_t signed_size; /* of its bytes, those that the signature is about */
} emi_line;

/* NULL; or, where the bytes are none that the writer can have written, why not. */
const char *emi_line_read(emi_line *line, const char *bytes, size_t size);

/* Does a log begin so?  Its first line may be torn. */
int emi_line_may_be_first(emi_text line);

/* Its field of that name and kind: 0, or -1 where it has none. */
int emi_line_text(const emi_line *line, const char *name, emi_text *text);
int emi_line_number(const emi_line *line, const char *name, uint64_t *number);
int emi_line_digest(const emi_line *line, const char *name, unsigned char digest[EMI_SHA_BYTES]);

/* A site's name, with a 0 after it. */
int emi_line_site(const emi_line *line, const char *name, char site[EMI_SITE_NAME]);

/* ---- a file's lines, whatever is in it ----------------------------------------------------------------------------- */

typedef enum emi_line_end {
    EMI_LINE_WHOLE,
    EMI_LINE_NO_END,   /* the file's last, torn */
    EMI_LINE_TOO_LONG, /* its text is left out */
    EMI_LINE_NO_MORE
} emi_line_end;

typedef struct emi_lines {
    int file; /* borrowed */
    const char *path;
    char *room;
    size_t first, last; /* what is in the room and not handed out */
    int dry;            /* nothing more in the file */
} emi_lines;

em_status emi_lines_open(emi_lines *lines, int file, const char *path, em_error *err);
void emi_lines_close(emi_lines *lines); /* accepts the zeroed */

/* The next; its text is good until the next call. */
em_status emi_lines_next(emi_lines *lines, emi_text *text, emi_line_end *how, em_error *err);

#endif
