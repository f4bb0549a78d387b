#include "lab/paper/records.h"

#include "base/error.h"
#include "base/text.h"
#include "lab/template.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--) text[n - 1] = 0;
    return text;
}

/* One line into the list; 0: it is none of a record. */
static int take_line(records *r, char *line)
{
    record *last = r->count ? &r->list[r->count - 1] : NULL;
    char *equals = strchr(line, '='), *end = strchr(line, ']'), *blank = strchr(line, ' ');
    if (*line == '[' && blank && end) {
        *blank = *end = 0;
        r->list[r->count++] = (record){.kind = line + 1, .key = blank + 1};
        return 1;
    }
    if (!last || !equals || last->count == RECORD_FIELDS) return 0;
    *equals = 0;
    last->fields[last->count].name = trimmed(line);
    last->fields[last->count++].value = trimmed(equals + 1);
    return 1;
}

/* Lines that go on become part of those above them. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (*from == '\n' && from[1] == ' ') {
            while (isspace((unsigned char)*from)) from++;
            *to++ = ' ';
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

em_status records_open(records *out, const char *file, em_error *err)
{
    em_status status = EM_OK;
    size_t lines = 1;
    *out = (records){0};
    TRY(lab_file_text(&out->text, file, err));
    join_lines(out->text);
    for (const char *at = out->text; (at = strchr(at, '\n')); at++) lines++;
    out->list = calloc(lines, sizeof *out->list);
    if (!out->list) TRY(emi_fail_memory(err, file));
    for (char *line = out->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line && *line != '#' && !take_line(out, line))
            TRY(emi_fail(err, EM_EDATA, "%s: '%s' is neither [KIND KEY] nor NAME = VALUE; try mending it", file, line));
    }
done:
    if (status != EM_OK) records_free(out);
    return status;
}

void records_free(records *r)
{
    free(r->list);
    free(r->text);
    *r = (records){0};
}

const record *records_find(const records *r, const char *kind, const char *key)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->list[i].kind, kind) == 0 && strcmp(r->list[i].key, key) == 0) return &r->list[i];
    return NULL;
}

const char *record_text(const record *of, const char *name)
{
    for (int i = 0; i < of->count; i++)
        if (strcmp(of->fields[i].name, name) == 0) return of->fields[i].value;
    return "";
}

double record_number(const record *of, const char *name)
{
    double value = NAN;
    (void)emi_text_double(record_text(of, name), &value);
    return value;
}

int next_word(const char **list, const char *separators, char *word, size_t room)
{
    *list += strspn(*list, " ");
    if (!**list) return 0;
    size_t length = strcspn(*list, separators);
    (void)snprintf(word, room, "%.*s", (int)length, *list);
    *list += length;
    if (**list) ++*list;
    (void)trimmed(word);
    return 1;
}

int words_have(const char *list, const char *word)
{
    char one[128];
    while (next_word(&list, " ", one, sizeof one))
        if (strcmp(one, word) == 0) return 1;
    return 0;
}
