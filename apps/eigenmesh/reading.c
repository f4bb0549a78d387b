#include "reading.h"
#include "cluster.h"
#include "message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Files that were read alike: the first one's name, and how it was read.  One text, in lines of its own kind so that it
 * can travel: the file, the remarks, and then the position, the name and the reason of each column left out, each with a
 * 0 after it; an empty text ends it. */
struct read_file {
    size_t alike; /* files, this one counted */
    char *text;
};

enum { SHOWN = 8 };

/* ---- a file's text ----------------------------------------------------------------------------------- */

typedef struct builder {
    char *text;
    size_t size, room;
    int failed;
} builder;

/* With its 0. */
static void put(builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(builder *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    size_t needed = b->size + (size_t)length + 1;
    if (!b->failed && needed > b->room) {
        char *text = realloc(b->text, 2 * needed);
        b->failed = text == NULL;
        if (text) b->text = text, b->room = 2 * needed;
    }
    if (!b->failed) {
        (void)vsnprintf(b->text + b->size, b->room - b->size, format, again);
        b->size = needed;
    }
    va_end(again);
    va_end(args);
}

static const char *next(const char *text)
{
    return text + strlen(text) + 1;
}

/* A column left out, and the text behind it; NULL: there is no more. */
static const char *take(const char *at, em_left_out *out)
{
    if (!*at) return NULL;
    out->column = (size_t)strtoull(at, NULL, 10);
    out->name = next(at);
    out->why = next(out->name);
    return next(out->why);
}

static const char *file_of(const char *text)
{
    return text;
}

static const char *remarks_of(const char *text)
{
    return next(text);
}

static const char *columns_of(const char *text)
{
    return next(next(text));
}

/* Read alike: the same remarks, and the same columns left out; the reasons may quote different cells. */
static int is_alike(const char *a, const char *b)
{
    em_left_out one, other;
    if (strcmp(remarks_of(a), remarks_of(b)) != 0) return 0;
    a = columns_of(a);
    b = columns_of(b);
    for (;;) {
        a = take(a, &one);
        b = take(b, &other);
        if (!a || !b) return !a && !b;
        if (one.column != other.column || strcmp(one.name, other.name) != 0) return 0;
    }
}

/* ---- the list ------------------------------------------------------------------------------------------ */

static em_status add(reading *r, const char *text, size_t size, size_t alike, em_error *err)
{
    for (size_t n = 0; n < r->count; n++)
        if (is_alike(r->files[n].text, text)) {
            r->files[n].alike += alike;
            return EM_OK;
        }
    struct read_file *files = realloc(r->files, (r->count + 1) * sizeof *files);
    if (files) r->files = files;
    char *copy = files ? malloc(size) : NULL;
    if (!copy) return refuse_memory(err, "columns left out");
    memcpy(copy, text, size);
    r->files[r->count++] = (struct read_file){alike, copy};
    return EM_OK;
}

em_status reading_add(reading *r, const em_data *table, em_error *err)
{
    builder b = {0};
    const em_left_out *out;
    r->rows_dropped += em_data_rows_dropped(table);
    put(&b, "%s", em_data_name(table));
    put(&b, "%s", em_data_remarks(table));
    for (size_t n = 0; (out = em_data_left_out(table, n)) != NULL; n++) {
        put(&b, "%zu", out->column);
        put(&b, "%s", out->name);
        put(&b, "%s", out->why);
    }
    put(&b, "%s", "");
    em_status status = b.failed ? refuse_memory(err, "columns left out") : add(r, b.text, b.size, 1, err);
    free(b.text);
    return status;
}

/* The end of a file's text. */
static const char *end_of(const char *text)
{
    em_left_out out;
    const char *at = columns_of(text), *behind;
    while ((behind = take(at, &out)) != NULL) at = behind;
    return at + 1;
}

/* Everything, for the first process: how many files are alike, and their text. */
static void pack(const reading *r, builder *b)
{
    for (size_t n = 0; n < r->count; n++) {
        const char *end = end_of(r->files[n].text);
        put(b, "%zu", r->files[n].alike);
        for (const char *at = r->files[n].text; at < end; at = next(at)) put(b, "%s", at);
    }
    put(b, "%s", "");
}

static em_status unpack(reading *r, const char *all, size_t size, em_error *err)
{
    for (const char *at = all; at < all + size;) {
        if (!*at) { /* the end of one process's */
            at++;
            continue;
        }
        size_t alike = (size_t)strtoull(at, NULL, 10);
        const char *text = next(at), *end = end_of(text);
        em_status status = add(r, text, (size_t)(end - text), alike, err);
        if (status != EM_OK) return status;
        at = end;
    }
    return EM_OK;
}

em_status reading_gather(reading *r, em_error *err)
{
    em_status status = EM_OK;
    builder own = {0};
    char *all = NULL;
    size_t size = 0;
    if (cluster_size() == 1) return EM_OK;
    pack(r, &own);
    TRY(cluster_agree(own.failed ? refuse_memory(err, "columns left out") : EM_OK, err));
    TRY(cluster_gather_text(own.text, own.size, &all, &size, err));
    TRY(cluster_sum(&r->rows_dropped, err));
    if (cluster_rank() == 0) {
        reading merged = {.rows_dropped = r->rows_dropped};
        status = unpack(&merged, all, size, err);
        reading_free(r);
        *r = merged;
    }
    TRY(cluster_agree(status, err));
done:
    free(all);
    free(own.text);
    return status;
}

void reading_free(reading *r)
{
    for (size_t n = 0; n < r->count; n++) free(r->files[n].text);
    free(r->files);
    *r = (reading){0};
}

/* ---- for people and for programs ------------------------------------------------------------------------ */

/* "id (text, such as 'P1'), column 3 (empty)", as many as are shown, into out; how many there are.  With `unasked`, only those
 * that the program left out by itself. */
static size_t list_left_out(const char *at, int unasked, char *out, size_t room)
{
    em_left_out column;
    size_t count = 0, used = 0;
    *out = 0;
    while ((at = take(at, &column)) != NULL) {
        char name[32];
        if (unasked && (strcmp(column.why, "as asked") == 0 || strcmp(column.why, "the label") == 0)) continue;
        if (count++ >= SHOWN || used >= room) continue;
        (void)snprintf(name, sizeof name, "column %zu", column.column + 1);
        used += (size_t)snprintf(out + used, room - used, "%s%.100s (%.100s)", count > 1 ? ", " : "",
                                 *column.name ? column.name : name, column.why);
    }
    for (char *c = out; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
    if (count > SHOWN && used < room) (void)snprintf(out + used, room - used, " and %zu more", count - SHOWN);
    return count;
}

enum { LINE = SHOWN * 220 };

void reading_print(const reading *r, FILE *out)
{
    char line[LINE];
    for (size_t n = 0; n < r->count; n++) {
        const struct read_file *file = &r->files[n];
        if (!*remarks_of(file->text)) continue;
        (void)fprintf(out, "read      %s", file_of(file->text));
        if (file->alike > 1) (void)fprintf(out, " and %zu more", file->alike - 1);
        (void)fprintf(out, ": %s\n", remarks_of(file->text));
        if (list_left_out(columns_of(file->text), 0, line, sizeof line)) (void)fprintf(out, "left out  %s\n", line);
    }
    if (r->rows_dropped)
        (void)fprintf(out, "dropped   %zu row%s with missing values\n", r->rows_dropped,
                      r->rows_dropped == 1 ? "" : "s");
}

void reading_warn(const reading *r)
{
    char line[LINE];
    for (size_t n = 0; n < r->count; n++)
        if (list_left_out(columns_of(r->files[n].text), 1, line, sizeof line))
            complain("%s: left out %s; try --columns to choose", file_of(r->files[n].text), line);
    if (r->rows_dropped)
        complain("--missing: %zu row%s dropped; try --missing mean", r->rows_dropped, r->rows_dropped == 1 ? "" : "s");
}

void reading_json(json *j, const reading *r)
{
    em_left_out column;
    json_open(j, "inputs", '[');
    for (size_t n = 0; n < r->count; n++) {
        const char *text = r->files[n].text, *at = columns_of(text);
        json_open(j, NULL, '{');
        json_text(j, "file", file_of(text));
        json_whole(j, "read_alike", r->files[n].alike);
        json_text(j, "remarks", remarks_of(text));
        json_open(j, "left_out", '[');
        while ((at = take(at, &column)) != NULL) {
            json_open(j, NULL, '{');
            json_whole(j, "column", column.column);
            json_text(j, "name", column.name);
            json_text(j, "why", column.why);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_whole(j, "rows_dropped", r->rows_dropped);
}
