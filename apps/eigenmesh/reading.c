#include "reading.h"
#include "cluster.h"
#include "input.h"
#include "message.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts --------------------------------------------------------------------------------------------- */

static void put(texts *t, const char *text)
{
    size_t bytes = strlen(text) + 1, needed = t->size + bytes;
    if (!t->failed && needed > t->room) {
        char *grown = emi_realloc(t->text, 2 * needed);
        t->failed = grown == NULL;
        if (grown) t->text = grown, t->room = 2 * needed;
    }
    if (t->failed) return;
    memcpy(t->text + t->size, text, bytes);
    t->size = needed;
}

static const char *next(const char *text)
{
    return text + strlen(text) + 1;
}

/* ---- names --------------------------------------------------------------------------------------------- */

void features_free(features *f)
{
    emi_free(f->names);
    emi_free(f->owner_and_names.text);
    *f = (features){0};
}

/* Where the names are in the text, behind their owner's. */
static em_status find_names(features *f, em_error *err)
{
    const texts *all = &f->owner_and_names;
    size_t count = 0;
    for (size_t n = 0; n < all->size; n++) count += all->text[n] == 0;
    f->names = all->failed ? NULL : emi_calloc(count + 1, sizeof *f->names);
    if (!f->names) return emi_fail_memory(err, "names of columns");
    for (const char *at = next(all->text); at < all->text + all->size; at = next(at)) f->names[f->count++] = at;
    return EM_OK;
}

static em_status features_of_table(features *f, const em_data *table, em_error *err)
{
    put(&f->owner_and_names, em_data_name(table));
    for (size_t k = 0; k < em_data_columns(table) && em_data_column_name(table, k); k++)
        put(&f->owner_and_names, em_data_column_name(table, k));
    return find_names(f, err);
}

em_status features_of_model(features *f, const em_model *model, const char *path, em_error *err)
{
    if (!em_model_feature_name(model, 0)) return EM_OK;
    put(&f->owner_and_names, path);
    for (int k = 0; k < em_model_features(model); k++) put(&f->owner_and_names, em_model_feature_name(model, k));
    return find_names(f, err);
}

em_status reading_share(reading *r, em_error *err)
{
    em_status status = EM_OK;
    features *f = &r->features;
    size_t size = f->owner_and_names.size;
    TRY(cluster_share(&size, sizeof size, err));
    if (size == 0) goto done;
    if (cluster_rank() != 0) {
        features_free(f);
        f->owner_and_names = (texts){.text = emi_calloc(size, 1), .size = size, .room = size};
    }
    TRY(cluster_agree(f->owner_and_names.text ? EM_OK : emi_fail_memory(err, "names of columns"), err));
    TRY(cluster_share(f->owner_and_names.text, size, err));
    TRY(cluster_agree(cluster_rank() != 0 ? find_names(f, err) : EM_OK, err));
done:
    return status;
}

/* A table that was read by these names: one that has none has them by position; one that has names where the first has
 * none is refused. */
static em_status settle_names(reading *r, em_data *table, em_error *err)
{
    const features *f = &r->features;
    const char *first = f->owner_and_names.text;
    if ((f->count == 0) == (em_data_column_name(table, 0) == NULL)) return EM_OK;
    if (f->count == 0)
        return emi_fail(err, EM_EDATA,
                        "%s: has names of columns, where %s, the first, has none; try one with names first",
                        em_data_name(table), first);
    if (em_data_columns(table) != f->count)
        return emi_fail(err, EM_EDATA,
                        "%s: has %zu columns, where %s has %zu features; try the same ones, or --columns",
                        em_data_name(table), em_data_columns(table), first, f->count);
    r->by_position = em_data_name(table);
    return em_data_set_column_names(table, f->names, err);
}

/* ---- what was decided ------------------------------------------------------------------------------------ */

/* Of each file there is its name, the remarks, and then the position, the name and the reason of each column left out; an
 * empty text ends them. */
static em_status note(reading *r, const em_data *table, em_error *err)
{
    const em_left_out *out;
    r->rows_dropped += em_data_rows_dropped(table);
    put(&r->files, em_data_name(table));
    put(&r->files, em_data_remarks(table));
    for (size_t n = 0; (out = em_data_left_out(table, n)) != NULL; n++) {
        char column[24];
        (void)snprintf(column, sizeof column, "%zu", out->column);
        put(&r->files, column);
        put(&r->files, out->name);
        put(&r->files, out->why);
    }
    put(&r->files, "");
    return r->files.failed ? emi_fail_memory(err, "columns left out") : EM_OK;
}

em_status reading_open(reading *r, em_data **out, const char *path, const arguments *args, const char *label,
                       em_error *err)
{
    em_status status = EM_OK;
    features *f = &r->features;
    em_read_options options = {.size = sizeof options, .label = label};
    if (f->count > 0) {
        options.features = f->names;
        options.feature_count = f->count;
        options.features_of = f->owner_and_names.text;
    }
    TRY(input_open(out, path, args, options, err));
    if (f->owner_and_names.size == 0) TRY(features_of_table(f, *out, err));
    TRY(settle_names(r, *out, err));
    TRY(note(r, *out, err));
done:
    return status;
}

em_status reading_gather(reading *r, em_error *err)
{
    em_status status = EM_OK;
    texts all = {0};
    if (cluster_size() == 1) return EM_OK;
    TRY(cluster_gather(r->files.text, r->files.size, &all.text, &all.size, err));
    if (cluster_rank() == 0) {
        emi_free(r->files.text);
        r->files = all;
    }
    TRY(cluster_sum(&r->rows_dropped, err));
done:
    return status;
}

void reading_free(reading *r)
{
    features_free(&r->features);
    emi_free(r->files.text);
    *r = (reading){0};
}

/* ---- for people and for programs ------------------------------------------------------------------------ */

static const char *remarks_of(const char *file)
{
    return next(file);
}

static const char *columns_of(const char *file)
{
    return next(next(file));
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

/* The file after this one, or the first one where this is NULL; NULL: there is no more.  Between those of two processes
 * there may be more zeros than one. */
static const char *next_file(const reading *r, const char *file)
{
    if (r->files.size == 0) return NULL;
    const char *at = file ? columns_of(file) : r->files.text, *end = r->files.text + r->files.size;
    for (em_left_out out; file && *at;) at = take(at, &out);
    while (at < end && !*at) at++;
    return at < end ? at : NULL;
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

/* How many files were read like this one, itself counted; 0 where one before it was. */
static size_t count_alike(const reading *r, const char *file)
{
    size_t count = 0;
    for (const char *other = NULL; (other = next_file(r, other));) {
        if (other != file && !is_alike(other, file)) continue;
        if (other != file && count == 0) return 0;
        count++;
    }
    return count;
}

enum { SHOWN = 8, LINE = SHOWN * 220 };

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

void reading_print(const reading *r)
{
    char line[LINE];
    for (const char *file = NULL; (file = next_file(r, file));) {
        size_t alike = *remarks_of(file) ? count_alike(r, file) : 0;
        if (!alike) continue;
        (void)printf("read      %s", file);
        if (alike > 1) (void)printf(" and %zu more", alike - 1);
        (void)printf(": %s\n", remarks_of(file));
        if (list_left_out(columns_of(file), 0, line, sizeof line)) (void)printf("left out  %s\n", line);
    }
    if (r->rows_dropped)
        (void)printf("dropped   %zu row%s with missing values\n", r->rows_dropped, r->rows_dropped == 1 ? "" : "s");
    if (r->by_position)
        (void)printf("names     those of %s, by position in %s, which has none\n", r->features.owner_and_names.text,
                     r->by_position);
}

void reading_warn(const reading *r)
{
    char line[LINE];
    for (const char *file = NULL; (file = next_file(r, file));)
        if (count_alike(r, file) && list_left_out(columns_of(file), 1, line, sizeof line))
            complain("%s: left out %s; try --columns to choose", file, line);
    if (r->rows_dropped)
        complain("--missing: %zu row%s dropped; try --missing mean", r->rows_dropped, r->rows_dropped == 1 ? "" : "s");
}

void reading_json(json *j, const reading *r)
{
    em_left_out column;
    json_open(j, "inputs", '[');
    for (const char *file = NULL; (file = next_file(r, file));) {
        const char *at = columns_of(file);
        size_t alike = count_alike(r, file);
        if (!alike) continue;
        json_open(j, NULL, '{');
        json_text(j, "file", file);
        json_whole(j, "read_alike", alike);
        json_text(j, "remarks", remarks_of(file));
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
    json_text(j, "names_by_position", r->by_position);
}
