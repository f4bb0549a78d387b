#include "lab/template.h"

#include "base/error.h"
#include "base/utf8.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- files --------------------------------------------------------------------------------------------- */

static em_status read_file(char **out, const char *path, em_error *err)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MOST + 1);
    size_t size = file && text ? fread(text, 1, MOST, file) : 0;
    int whole = file && !ferror(file) && feof(file);
    if (file) (void)fclose(file);
    *out = text;
    if (whole) return EM_OK;
    free(text);
    *out = NULL;
    return emi_fail(err, EM_EIO, "%s: cannot be read (%zu bytes of it); try without LAB_DIR", path, size);
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

typedef struct entry {
    const char *name; /* borrowed */
    char *text;       /* or NULL, and */
    fill *items;
    size_t size; /* of what a stream has written */
    struct entry *next;
} entry;

struct fill {
    fill *part_of;
    fill *next; /* of the same list */
    entry *entries;
    int *failed; /* one for all: memory ran out */
    int own_failed;
};

static fill *new_fill(fill *part_of)
{
    fill *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->part_of = part_of;
    made->failed = part_of ? part_of->failed : &made->own_failed;
    return made;
}

em_status fill_open(fill **out, em_error *err)
{
    *out = new_fill(NULL);
    return *out ? EM_OK : emi_fail_memory(err, "page");
}

void fill_free(fill **with)
{
    for (fill *one = *with, *next; one; one = next) {
        next = one->next;
        for (entry *e = one->entries, *after; e; e = after) {
            after = e->next;
            fill_free(&e->items);
            free(e->text);
            free(e);
        }
        free(one);
    }
    *with = NULL;
}

static entry *find(const fill *with, const char *name, size_t length)
{
    for (entry *e = with->entries; e; e = e->next)
        if (strncmp(e->name, name, length) == 0 && !e->name[length]) return e;
    return NULL;
}

static entry *add_entry(fill *with, const char *name)
{
    entry *e = find(with, name, strlen(name));
    if (!e && (e = calloc(1, sizeof *e))) *e = (entry){.name = name, .next = with->entries}, with->entries = e;
    if (!e) *with->failed = 1;
    return e;
}

FILE *fill_stream(fill *with, const char *name)
{
    entry *e = add_entry(with, name);
    FILE *stream = e ? open_memstream(&e->text, &e->size) : NULL;
    if (!stream) *with->failed = 1;
    return stream;
}

void fill_text(fill *with, const char *name, const char *format, ...)
{
    va_list arguments;
    FILE *stream = fill_stream(with, name);
    if (!stream) return;
    va_start(arguments, format);
    if (vfprintf(stream, format, arguments) < 0) *with->failed = 1;
    va_end(arguments);
    if (fclose(stream) != 0) *with->failed = 1;
}

void fill_flag(fill *with, const char *name, int value)
{
    fill_text(with, name, "%s", value ? "1" : "");
}

/* Where there is no memory, what would have gone into the item goes nowhere that is shown. */
fill *fill_add(fill *with, const char *name)
{
    entry *e = add_entry(with, name);
    fill *item = e ? new_fill(with) : NULL, **last;
    if (!item) {
        *with->failed = 1;
        return with;
    }
    for (last = &e->items; *last; last = &(*last)->next) continue;
    return *last = item;
}

/* ---- texts that stay texts ----------------------------------------------------------------------------------- */

static void put_html(FILE *out, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            (void)fputs(names[at - special], out);
        else
            (void)fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

/* A text stays on its line, and nothing in it is taken for Markdown. */
static void put_markdown(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_<[|~", *text)) (void)fputc('\\', out);
        (void)fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

/* Inside double quotes. */
static void put_json(FILE *out, const char *text)
{
    for (const char *next = text; *text; text = next) {
        uint32_t letter = emi_utf8_next(&next);
        if (letter < 0x20 || letter == 0x7f || letter == EMI_UTF8_UNKNOWN)
            (void)fprintf(out, "\\u%04x", (unsigned)letter);
        else
            (void)fprintf(out, "%s%.*s", letter == '"' || letter == '\\' ? "\\" : "", (int)(next - text), text);
    }
}

/* Inside single quotes, where nothing has a meaning but the quote itself, which gnuplot gets wrong where a text begins with it:
 * a typographic apostrophe does as well.  What is no text would make an SVG that nothing opens. */
static void put_gnuplot(FILE *out, const char *text)
{
    for (const char *next = text; *text; text = next) {
        uint32_t letter = emi_utf8_next(&next);
        int is_none = (letter == EMI_UTF8_UNKNOWN && next - text == 1) || letter == 0xfffe || letter == 0xffff;
        if (letter == '\'')
            (void)fputs("\u2019", out);
        else if (is_none || letter < 0x20 || letter == 0x7f)
            (void)fputc(is_none ? '?' : ' ', out);
        else if (strncmp(text, "]]>", 3) == 0)
            (void)fputs("] ", out); /* that ends a text of XML */
        else
            (void)fwrite(text, 1, (size_t)(next - text), out);
    }
}

static void put_raw(FILE *out, const char *text)
{
    (void)fputs(text, out);
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

typedef void put_fn(FILE *out, const char *text);

static put_fn *escape_for(const char *file)
{
    static const struct {
        const char *ending;
        put_fn *put;
    } kinds[] = {{".html", put_html}, {".md", put_markdown}, {".json", put_json}, {".gp", put_gnuplot}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strstr(file, kinds[k].ending)) return kinds[k].put;
    return put_raw;
}

/* ---- filling in ------------------------------------------------------------------------------------------------ */

typedef struct page {
    FILE *out;
    put_fn *put;
    em_status status;
    em_error *err;
} page;

/* A tag's parts: {{#name}} has the mark '#'. */
typedef struct tag {
    char mark; /* # ^ / >, or 0 */
    char name[64];
    const char *begin, *end; /* of all of it, and of the line where it is alone there */
} tag;

static int next_tag(const char *text, const char *at, tag *t)
{
    const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;
    if (!close) return 0;
    *t = (tag){.mark = strchr("#^/>", open[2]) ? open[2] : 0, .begin = open, .end = close + 2};
    const char *name = open + 2 + (t->mark != 0);
    (void)snprintf(t->name, sizeof t->name, "%.*s", (int)(close - name), name);
    if (t->mark && (open == text || open[-1] == '\n') && *t->end == '\n') t->end++;
    return 1;
}

static void put_file(page *p, const char *file, const fill *with);

static void put_value(const page *p, const char *name, const fill *with)
{
    static const struct {
        const char *word;
        put_fn *put;
    } ways[] = {{"raw ", put_raw}, {"base64 ", put_base64}};
    put_fn *put = p->put;
    for (size_t w = 0; w < 2; w++)
        if (strncmp(name, ways[w].word, strlen(ways[w].word)) == 0) name += strlen(ways[w].word), put = ways[w].put;
    for (; with; with = with->part_of) {
        const entry *e = find(with, name, strlen(name));
        if (e && e->text) put(p->out, e->text);
        if (e) return;
    }
}

/* The items to repeat a section for: a list's, or `with` once for a text that is not empty, or none. */
static const fill *items_of(const fill *with, const char *name, int *once)
{
    const fill *part = with;
    *once = 0;
    for (; part; part = part->part_of) {
        const entry *e = find(part, name, strlen(name));
        if (!e) continue;
        *once = e->text && *e->text;
        return *once ? with : e->items;
    }
    return NULL;
}

/* Up to the end of the section that `at` is in, which is returned; shown: or passed over. */
static const char *put_section(page *p, const char *text, const char *at, const fill *with, int shown)
{
    tag t;
    while (next_tag(text, at, &t)) {
        if (shown) (void)fwrite(at, 1, (size_t)(t.begin - at), p->out);
        at = t.end;
        if (t.mark == '/') return at;
        if (t.mark == '#' || t.mark == '^') {
            int once = 0, any = 0;
            const fill *items = items_of(with, t.name, &once);
            const char *end = put_section(p, text, at, with, shown && t.mark == '^' && !items);
            for (any = shown && t.mark == '#'; any && items; items = once ? NULL : items->next)
                (void)put_section(p, text, at, items, 1);
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
    char *text = NULL;
    if (p->status == EM_OK) p->status = lab_file_text(&text, file, p->err);
    if (text) (void)put_section(p, text, text, with, 1);
    free(text);
}

em_status template_put(FILE *out, const char *file, const fill *with, em_error *err)
{
    page p = {.out = out, .put = escape_for(file), .err = err};
    if (*with->failed) return emi_fail_memory(err, file);
    put_file(&p, file, with);
    return p.status;
}
