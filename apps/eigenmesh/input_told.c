/* How tables were read, as input.c has noted it: for people, for programs, and for a page. */
#include "input.h"
#include "message.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people and for programs ------------------------------------------------------------------------ */

/* A column left out, and the text behind it, which is empty where there is no more. */
static const char *take(const char *at, em_left_out *out)
{
    *out = (em_left_out){(size_t)strtoull(at, NULL, 10), text_after(at), text_after(text_after(at))};
    return text_after(out->why);
}

typedef struct file_read {
    const char *name, *remarks, *columns;
} file_read;

/* The file after this one, or the first one where this is zeroed; 0: there is no more.  Between those of two processes there
 * may be more zeros than one. */
static int next_file(const reading *r, file_read *file)
{
    em_left_out out;
    if (r->files.size == 0) return 0;
    const char *at = file->name ? file->columns : r->files.text, *end = r->files.text + r->files.size;
    while (file->name && *at) at = take(at, &out);
    while (at < end && !*at) at++;
    if (at == end) return 0;
    *file = (file_read){at, text_after(at), text_after(text_after(at))};
    return 1;
}

/* The same remarks, and the same columns left out; the reasons may quote different cells. */
static int is_alike(const file_read *one, const file_read *other)
{
    em_left_out a, b;
    const char *at = one->columns, *there = other->columns;
    int same = strcmp(one->remarks, other->remarks) == 0;
    while (same && *at && *there) {
        at = take(at, &a);
        there = take(there, &b);
        same = a.column == b.column && strcmp(a.name, b.name) == 0;
    }
    return same && !*at && !*there;
}

/* How many files were read like this one, itself counted; 0 where one before it was. */
static size_t count_alike(const reading *r, const file_read *file)
{
    size_t count = 0;
    for (file_read other = {0}; next_file(r, &other);) {
        if (!is_alike(&other, file)) continue;
        if (count == 0 && other.name != file->name) return 0;
        count++;
    }
    return count;
}

/* Its name, or where it has none its position, as --columns counts. */
enum { POSITION_ROOM = 48 };
static const char *called(const em_left_out *column, char room[POSITION_ROOM])
{
    if (*column->name) return column->name;
    (void)snprintf(room, POSITION_ROOM, "column %zu (from 0)", column->column);
    return room;
}

enum { SHOWN = 8, LINE = SHOWN * 220 };

/* "id (text, such as 'P1'), column 3 (from 0) (empty)", as many as are shown, into out; how many there are.  With `unasked`,
 * only those that the program left out by itself. */
static size_t list_left_out(const file_read *file, int unasked, char out[LINE])
{
    em_left_out column;
    size_t count = 0, used = 0;
    for (const char *at = file->columns; *at;) {
        char room[POSITION_ROOM];
        at = take(at, &column);
        if (unasked && (strcmp(column.why, "as asked") == 0 || strcmp(column.why, "the label") == 0)) continue;
        if (count++ >= SHOWN) continue;
        used += (size_t)snprintf(out + used, LINE - used, "%s%.100s (%.100s)", count > 1 ? ", " : "",
                                 called(&column, room), column.why);
    }
    for (size_t c = 0; c < used; c++)
        if (iscntrl((unsigned char)out[c])) out[c] = ' ';
    if (count > SHOWN) (void)snprintf(out + used, LINE - used, " and %zu more", count - SHOWN);
    return count;
}

void reading_print(const reading *r)
{
    char line[LINE];
    for (file_read file = {0}; next_file(r, &file);) {
        size_t alike = *file.remarks ? count_alike(r, &file) : 0;
        if (!alike) continue;
        (void)printf("read      %s", file.name);
        if (alike > 1) (void)printf(" and %zu more", alike - 1);
        (void)printf(": %s\n", file.remarks);
        if (list_left_out(&file, 0, line)) (void)printf("left out  %s\n", line);
    }
    if (r->rows_dropped)
        (void)printf("dropped   %zu row%s with missing values\n", r->rows_dropped, r->rows_dropped == 1 ? "" : "s");
    if (r->by_position)
        (void)printf("names     those of %s, by position in %s, which has none\n", r->owner_and_names.text,
                     r->by_position);
}

void reading_warn(const reading *r, const arguments *args)
{
    char line[LINE];
    if (args_given(args, "quiet") || args_reports(args)) return;
    for (file_read file = {0}; next_file(r, &file);)
        if (count_alike(r, &file) && list_left_out(&file, 1, line))
            complain("%s: left out %s; try --columns to choose", file.name, line);
    if (r->rows_dropped)
        complain("--missing: %zu row%s dropped; try --missing mean", r->rows_dropped, r->rows_dropped == 1 ? "" : "s");
}

static void json_file(json *j, const file_read *file, size_t alike)
{
    em_left_out column;
    json_open(j, NULL, '{');
    json_text(j, "file", file->name);
    json_whole(j, "read_alike", alike);
    json_text(j, "remarks", file->remarks);
    json_open(j, "left_out", '[');
    for (const char *at = file->columns; *at;) {
        at = take(at, &column);
        json_open(j, NULL, '{');
        json_whole(j, "column", column.column);
        json_text(j, "name", column.name);
        json_text(j, "why", column.why);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

void reading_json(json *j, const reading *r)
{
    json_open(j, "inputs", '[');
    for (file_read file = {0}; next_file(r, &file);) {
        size_t alike = count_alike(r, &file);
        if (alike) json_file(j, &file, alike);
    }
    json_close(j, ']');
    json_whole(j, "rows_dropped", r->rows_dropped);
    json_text(j, "names_by_position", r->by_position);
}

/* ---- for a page ------------------------------------------------------------------------------------------ */

/* The words of an input, one after the other: its name, the remarks, and the name and the reason of each column. */
static size_t put_words(texts *words, const file_read *file, size_t alike)
{
    em_left_out column;
    size_t count = 0;
    char more[POSITION_ROOM], *name = emi_malloc(strlen(file->name) + sizeof more);
    words->failed |= name == NULL;
    if (!name) return 0;
    (void)snprintf(more, sizeof more, " and %zu more", alike - 1);
    (void)sprintf(name, "%s%s", file->name, alike > 1 ? more : "");
    texts_put(words, name);
    emi_free(name);
    texts_put(words, file->remarks);
    for (const char *at = file->columns; *at; count++) {
        at = take(at, &column);
        texts_put(words, called(&column, more));
        texts_put(words, column.why);
    }
    return count;
}

em_status reading_list_make(reading_list *list, const reading *r, em_error *err)
{
    size_t columns = 0, used = 0, files = 0;
    for (file_read file = {0}; next_file(r, &file);) files++;
    *list = (reading_list){.inputs = emi_calloc(files + 1, sizeof *list->inputs)};
    for (file_read file = {0}; list->inputs && next_file(r, &file);) {
        size_t alike = count_alike(r, &file);
        if (!alike) continue;
        em_page_input *in = &list->inputs[list->count++];
        columns += in->left_out_count = put_words(&list->words, &file, alike);
    }
    list->columns = emi_calloc(2 * columns + 1, sizeof *list->columns);
    if (!list->inputs || !list->columns || list->words.failed) {
        reading_list_free(list);
        return emi_fail_memory(err, "--report");
    }
    const char *at = list->words.text;
    for (em_page_input *in = list->inputs; in < list->inputs + list->count; in++) {
        in->name = at;
        in->remarks = at = text_after(at);
        in->left_out = list->columns + used;
        in->why = list->columns + used + in->left_out_count;
        for (size_t c = 0; c < in->left_out_count; c++) {
            list->columns[used + c] = at = text_after(at);
            list->columns[used + in->left_out_count + c] = at = text_after(at);
        }
        used += 2 * in->left_out_count;
        at = text_after(at);
    }
    return EM_OK;
}

void reading_list_free(reading_list *list)
{
    emi_free(list->inputs);
    emi_free(list->columns);
    emi_free(list->words.text);
    *list = (reading_list){0};
}
