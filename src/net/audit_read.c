/* Reading what audit.c writes, and nothing else: the file may be anyone's. */
#include "net/audit_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is still to be read. */
typedef struct rest {
    const char *at, *end;
} rest;

static int take(rest *r, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return 0;
    r->at += size;
    return 1;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As 0 .. 15; -1: none.  Capitals are not what we write. */
static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_hex(const char *text, unsigned char *bytes, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        int high = hex_value(text[2 * n]), low = hex_value(text[2 * n + 1]);
        if (high < 0 || low < 0) return 0;
        bytes[n] = (unsigned char)(high * 16 + low);
    }
    return 1;
}

static int take_hex(rest *r, unsigned char *bytes, size_t count)
{
    if ((size_t)(r->end - r->at) < 2 * count || !read_hex(r->at, bytes, count)) return 0;
    r->at += 2 * count;
    return 1;
}

/* In one way only: no sign, no needless zero. */
static int take_number(rest *r, uint64_t *number)
{
    const char *first = r->at;
    *number = 0;
    for (; r->at < r->end && is_digit(*r->at); r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return 0;
        *number = *number * 10 + digit;
    }
    return r->at > first && (*first != '0' || r->at == first + 1);
}

static int take_time(rest *r)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    for (const char *f = form; *f; f++, r->at++)
        if (r->at == r->end || (*f == 'd' ? !is_digit(*r->at) : *r->at != *f)) return 0;
    return 1;
}

/* Up to the quotation mark, which is taken too; only what needs an escape has one. */
static int take_text(rest *r, emi_text *text)
{
    text->at = r->at;
    while (r->at < r->end && *r->at != '"') {
        unsigned char byte;
        if (emi_line_is_plain((unsigned char)*r->at))
            r->at++;
        else if (!take(r, "\\u00") || !take_hex(r, &byte, 1) || byte == 0 || emi_line_is_plain(byte))
            return 0;
    }
    text->size = (size_t)(r->at - text->at);
    return text->size <= EMI_LINE_TEXT_WRITTEN && take(r, "\"");
}

static const char *take_head(rest *r, emi_line *line)
{
    emi_text word;
    if (!take(r, "{\"n\":") || !take_number(r, &line->number) || line->number == 0) return "it has no number";
    if (!take(r, ",\"time\":\"") || !take_time(r) || !take(r, "\"")) return "it has no time";
    if (!take(r, ",\"before\":\"") || !take_hex(r, line->before, sizeof line->before) || !take(r, "\""))
        return "it does not say the digest of the line before";
    if (!take(r, ",\"what\":\"") || !take_text(r, &word)) return "it does not say what it is about";
    line->kind = emi_line_kind_of(word);
    return line->kind == EMI_LINE_KINDS ? "it is about nothing that is logged" : NULL;
}

static int has_field(const emi_line *line, emi_text name)
{
    for (int n = 0; n < line->field_count; n++)
        if (line->fields[n].name.size == name.size && memcmp(line->fields[n].name.at, name.at, name.size) == 0)
            return 1;
    return 0;
}

static const char *take_field(rest *r, emi_line *line)
{
    emi_line_field field = {0};
    if (!take(r, ",\"") || !take_text(r, &field.name) || !emi_line_may_name(field.name) || !take(r, ":"))
        return "one of its fields has no name";
    if (has_field(line, field.name)) return "it has a field twice";
    if (line->field_count == EMI_LINE_FIELDS) return "it has too many fields";
    field.is_number = !take(r, "\"");
    if (field.is_number ? !take_number(r, &field.number) : !take_text(r, &field.text))
        return "one of its fields has no value";
    line->fields[line->field_count++] = field;
    return NULL;
}

const char *emi_line_read(emi_line *line, const char *bytes, size_t size)
{
    rest r = {bytes, bytes + size};
    line->field_count = line->is_signed = 0;
    const char *wrong = take_head(&r, line);
    while (!wrong && !take(&r, "}")) {
        line->signed_size = (size_t)(r.at - bytes);
        if (!take(&r, ",\"signature\":\"")) {
            wrong = take_field(&r, line);
        } else {
            line->is_signed = take_hex(&r, line->signature, sizeof line->signature) && take(&r, "\"}");
            if (!line->is_signed) wrong = "it does not end with its signature";
            break;
        }
    }
    if (!wrong && r.at != r.end) wrong = "something stands after its end";
    return wrong;
}

int emi_line_may_be_first(emi_text line)
{
    static const char beginning[] = "{\"n\":1,\"time\":\"";
    size_t size = line.size < sizeof beginning - 1 ? line.size : sizeof beginning - 1;
    return memcmp(line.at, beginning, size) == 0;
}

/* ---- its fields --------------------------------------------------------------------------------------------------- */

static const emi_line_field *find(const emi_line *line, const char *name, int is_number)
{
    for (int n = 0; n < line->field_count; n++)
        if (line->fields[n].is_number == is_number && emi_text_is(line->fields[n].name, name)) return &line->fields[n];
    return NULL;
}

int emi_line_text(const emi_line *line, const char *name, emi_text *text)
{
    const emi_line_field *field = find(line, name, 0);
    if (!field) return -1;
    *text = field->text;
    return 0;
}

int emi_line_number(const emi_line *line, const char *name, uint64_t *number)
{
    const emi_line_field *field = find(line, name, 1);
    if (!field) return -1;
    *number = field->number;
    return 0;
}

int emi_line_digest(const emi_line *line, const char *name, unsigned char digest[EMI_SHA_BYTES])
{
    emi_text text;
    if (emi_line_text(line, name, &text) != 0 || text.size != (size_t)2 * EMI_SHA_BYTES) return -1;
    return read_hex(text.at, digest, EMI_SHA_BYTES) ? 0 : -1;
}

int emi_line_site(const emi_line *line, const char *name, char site[EMI_SITE_NAME])
{
    emi_text text;
    if (emi_line_text(line, name, &text) != 0 || text.size < 1 || text.size >= EMI_SITE_NAME) return -1;
    for (size_t n = 0; n < text.size; n++)
        if (!is_digit(text.at[n]) && text.at[n] != '-' && (text.at[n] < 'a' || text.at[n] > 'z')) return -1;
    memcpy(site, text.at, text.size);
    site[text.size] = 0;
    return 0;
}

/* ---- a file's lines ------------------------------------------------------------------------------------------------ */

enum { ROOM = 4 * EMI_LINE_MOST };

em_status emi_lines_open(emi_lines *lines, int file, const char *path, em_error *err)
{
    *lines = (emi_lines){.file = file, .path = path, .room = malloc(ROOM)};
    if (!lines->room) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a larger machine", path);
    if (lseek(file, 0, SEEK_SET) == 0) return EM_OK;
    emi_lines_close(lines);
    return em_fail(err, EM_EIO, "%s: cannot be read from its beginning; try a file", path);
}

void emi_lines_close(emi_lines *lines)
{
    free(lines->room);
    *lines = (emi_lines){0};
}

/* More of the file behind what is in the room. */
static em_status refill(emi_lines *lines, em_error *err)
{
    ssize_t count;
    memmove(lines->room, lines->room + lines->first, lines->last - lines->first);
    lines->last -= lines->first;
    lines->first = 0;
    do count = read(lines->file, lines->room + lines->last, ROOM - lines->last);
    while (count < 0 && errno == EINTR);
    if (count < 0) return em_fail(err, EM_EIO, "%s: cannot be read (%s); try a copy", lines->path, strerror(errno));
    lines->dry = count == 0;
    lines->last += (size_t)count;
    return EM_OK;
}

em_status emi_lines_next(emi_lines *lines, emi_text *text, emi_line_end *how, em_error *err)
{
    size_t looked_at = 0; /* a line is searched once, however often the room is filled */
    int too_long = 0;
    for (;;) {
        char *first = lines->room + lines->first;
        size_t size = lines->last - lines->first;
        const char *end = memchr(first + looked_at, '\n', size - looked_at);
        size_t length = end ? (size_t)(end - first) : size;
        too_long |= length > EMI_LINE_MOST;
        if (end || lines->dry) {
            int none = !end && size == 0 && !too_long;
            *text = too_long ? (emi_text){first, 0} : (emi_text){first, length};
            *how = none ? EMI_LINE_NO_MORE : too_long ? EMI_LINE_TOO_LONG : end ? EMI_LINE_WHOLE : EMI_LINE_NO_END;
            lines->first += length + (end != NULL);
            return EM_OK;
        }
        if (too_long) lines->first = lines->last;
        looked_at = too_long ? 0 : size;
        em_status status = refill(lines, err);
        if (status != EM_OK) return status;
    }
}
