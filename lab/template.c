#include "lab/template.h"

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- files --------------------------------------------------------------------------------------------- */

static em_status read_file(char **out, const char *path, em_error *err)
{
    size_t room = 0;
    FILE *file = fopen(path, "rb");
    int read = file && getdelim(out, &room, 0, file) > 0;
    if (file) (void)fclose(file);
    return read ? EM_OK : emi_fail(err, EM_EIO, "%s: cannot be read; try without LAB_DIR", path);
}

em_status lab_file_text(char **out, const char *name, em_error *err)
{
    const char *directory = getenv("LAB_DIR");
    char path[PATH_MAX];
    if (directory && snprintf(path, sizeof path, "%s/%s", directory, name) < PATH_MAX) return read_file(out, path, err);
    const lab_file *file = lab_files;
    while (file->name && strcmp(file->name, name) != 0) file++;
    *out = file->name ? strdup(file->text) : NULL;
    if (!file->name) return emi_fail(err, EM_EINVAL, "%s: no such file of lab; try one that is there", name);
    return *out ? EM_OK : emi_fail_memory(err, name);
}

/* ---- what to fill in -------------------------------------------------------------------------------------- */

/* A text; or an item of a list, all of which have the list's name. */
struct fill {
    const char *name; /* borrowed */
    char *text;       /* NULL: an item, which has */
    fill *parts;
    size_t length;
    fill *part_of, *next;
    int failed; /* of the outermost: memory ran out */
};

fill *fill_new(void)
{
    return calloc(1, sizeof(fill));
}

void fill_free(fill **with)
{
    for (fill *one = *with, *next; one; one = next) {
        next = one->next;
        fill_free(&one->parts);
        free(one->text);
        free(one);
    }
    *with = NULL;
}

/* From here on in its list. */
static fill *find(fill *from, const char *name)
{
    while (from && strcmp(from->name, name) != 0) from = from->next;
    return from;
}

void fill_fail(fill *with)
{
    while (with && with->part_of) with = with->part_of;
    if (with) with->failed = 1;
}

fill *fill_add(fill *with, const char *name)
{
    fill *part = with ? calloc(1, sizeof *part) : NULL;
    if (!part) {
        fill_fail(with);
        return NULL;
    }
    *part = (fill){.name = name, .part_of = with};
    fill **last = &with->parts;
    while (*last) last = &(*last)->next;
    return *last = part;
}

__attribute__((format(printf, 4, 0))) static void append(fill *with, const char *name, int anew, const char *format,
                                                         va_list arguments)
{
    fill *part = with ? find(with->parts, name) : NULL;
    va_list again;
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (!part) part = fill_add(with, name);
    if (!part) return;
    if (anew) part->length = 0;
    char *text = more < 0 ? NULL : realloc(part->text, part->length + (size_t)more + 1);
    if (text) {
        part->text = text;
        (void)vsnprintf(text + part->length, (size_t)more + 1, format, arguments);
        part->length += (size_t)more;
    } else {
        fill_fail(with);
    }
}

void fill_text(fill *with, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(with, name, 1, format, arguments);
    va_end(arguments);
}

void fill_more(fill *with, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(with, name, 0, format, arguments);
    va_end(arguments);
}

void fill_pairs(fill *with, const char *const (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) fill_text(with, pairs[i][0], "%s", pairs[i][1] ? pairs[i][1] : "");
}

void fill_number_list(fill *with, const fill_number *list, size_t count)
{
    for (size_t i = 0; i < count; i++) fill_text(with, list[i].name, "%.9g", list[i].value);
}

void fill_flag(fill *with, const char *name, int value)
{
    fill_text(with, name, "%s", value ? "1" : "");
}

/* ---- texts that stay texts ----------------------------------------------------------------------------------- */

/* What a letter of `special` becomes, by its place there.  A control character is a blank, so that a text stays on its line.
 *
 * Inside gnuplot's single quotes nothing has a meaning but the quote itself, which gnuplot gets wrong where a text begins with
 * it: a typographic apostrophe does as well.  What is no text would make an SVG that nothing opens. */
typedef struct escape {
    const char *ending, *special, *instead[8];
    int numbered; /* control characters and what is no letter: \u001f */
    int for_xml;
} escape;

static const escape escapes[] = {
    {.ending = ".html", .special = "&<>\"'", .instead = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}},
    {.ending = ".md", .special = "\\`*_<[|~", .instead = {"\\\\", "\\`", "\\*", "\\_", "\\<", "\\[", "\\|", "\\~"}},
    {.ending = ".json", .special = "\"\\", .instead = {"\\\"", "\\\\"}, .numbered = 1},
    {.ending = ".gp", .special = "'", .instead = {"\u2019"}, .for_xml = 1},
};

static void put_escaped(FILE *out, const char *text, const escape *how)
{
    for (const char *next = text; *text; text = next) {
        uint32_t letter = emi_utf8_next(&next);
        const char *special = letter < 0x80 ? strchr(how->special, (int)letter) : NULL;
        int control = letter < 0x20 || letter == 0x7f;
        int is_none = (letter == EMI_UTF8_UNKNOWN && next - text == 1) || letter == 0xfffe || letter == 0xffff;
        if (special)
            (void)fputs(how->instead[special - how->special], out);
        else if (how->numbered && (control || letter == EMI_UTF8_UNKNOWN))
            (void)fprintf(out, "\\u%04x", (unsigned)letter);
        else if (control || (how->for_xml && is_none))
            (void)fputc(control ? ' ' : '?', out);
        else if (how->for_xml && strncmp(text, "]]>", 3) == 0)
            (void)fputs("] ", out); /* that ends a text of XML */
        else
            (void)fwrite(text, 1, (size_t)(next - text), out);
    }
}

/* RFC 4648, section 4. */
static void put_base64(FILE *out, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t left = strlen(text); left > 0; left -= left < 3 ? left : 3, bytes += 3) {
        uint32_t group = (uint32_t)bytes[0] << 16;
        if (left > 1) group |= (uint32_t)bytes[1] << 8;
        if (left > 2) group |= bytes[2];
        (void)fputc(digits[group >> 18], out);
        (void)fputc(digits[group >> 12 & 63], out);
        (void)fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        (void)fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}

/* ---- filling in ------------------------------------------------------------------------------------------------ */

typedef struct page {
    FILE *out;
    const escape *escape; /* NULL: texts as they are */
    int depth;            /* of files in files */
    em_status status;
    em_error *err;
} page;

/* A tag's parts: {{#name}} has the mark '#'. */
typedef struct tag {
    char mark; /* # ^ ? / >, or 0 */
    char name[64];
    const char *begin, *end; /* of all of it, and of the line where it is alone there */
} tag;

static int next_tag(const char *text, const char *at, tag *t)
{
    const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;
    if (!close) return 0;
    *t = (tag){.mark = strchr("#^?/>", open[2]) ? open[2] : 0, .begin = open, .end = close + 2};
    const char *name = open + 2 + (t->mark != 0);
    (void)snprintf(t->name, sizeof t->name, "%.*s", (int)(close - name), name);
    if (t->mark && (open == text || open[-1] == '\n') && *t->end == '\n') t->end++;
    return 1;
}

static void put_file(page *p, const char *file, const fill *with);

/* In the item at hand, then in what that is part of. */
static const fill *look_up(const fill *with, const char *name)
{
    static const fill yes = {.text = "1"};
    const fill *part = NULL;
    if (strcmp(name, "more") == 0) return with->name && find(with->next, with->name) ? &yes : NULL;
    for (; with && !part; with = with->part_of) part = find(with->parts, name);
    return part;
}

static void put_value(const page *p, const char *name, const fill *with)
{
    const char *raw = emi_text_after(name, "raw "), *base64 = emi_text_after(name, "base64 ");
    const fill *part = look_up(with, raw ? raw : base64 ? base64 : name);
    if (!part || !part->text) return;
    if (base64)
        put_base64(p->out, part->text);
    else if (raw || !p->escape)
        (void)fputs(part->text, p->out);
    else
        put_escaped(p->out, part->text, p->escape);
}

/* Up to the end of the section that `at` is in, which is returned; shown: or passed over. */
static const char *put_section(page *p, const char *text, const char *at, const fill *with, int shown)
{
    tag t;
    while (next_tag(text, at, &t)) {
        if (shown) (void)fwrite(at, 1, (size_t)(t.begin - at), p->out);
        at = t.end;
        if (t.mark == '/') return at;
        if (t.mark == '#' || t.mark == '^' || t.mark == '?') {
            const fill *item = shown ? look_up(with, t.name) : NULL;
            if (item && item->text && !*item->text) item = NULL;
            int once = t.mark != '#' || (item && item->text);
            const char *end = put_section(p, text, at, with, shown && once && !item == (t.mark == '^'));
            for (; !once && item; item = find(item->next, t.name)) (void)put_section(p, text, at, item, 1);
            at = end;
        } else if (shown && t.mark == '>') {
            put_file(p, t.name, with);
        } else if (shown) {
            put_value(p, t.name, with);
        }
    }
    if (shown) (void)fputs(at, p->out);
    return at + strlen(at);
}

static void put_file(page *p, const char *file, const fill *with)
{
    enum { DEEPEST = 8 };
    char *text = NULL;
    if (++p->depth > DEEPEST) p->status = emi_fail(p->err, EM_EDATA, "%s: includes itself; try without", file);
    if (p->status == EM_OK) p->status = lab_file_text(&text, file, p->err);
    if (text) (void)put_section(p, text, text, with, 1);
    free(text);
    p->depth--;
}

em_status template_put(FILE *out, const char *file, const fill *with, em_error *err)
{
    page p = {.out = out, .err = err};
    for (size_t e = 0; e < sizeof escapes / sizeof *escapes; e++)
        if (strstr(file, escapes[e].ending)) p.escape = &escapes[e];
    if (!with || with->failed) return emi_fail_memory(err, file);
    put_file(&p, file, with);
    return p.status;
}
