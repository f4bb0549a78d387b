#include "input.h"
#include "cluster.h"
#include "message.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------------------- */

/* Where the names are in the text, behind their owner's. */
static em_status find_names(reading *r, em_error *err)
{
    const texts *all = &r->owner_and_names;
    size_t count = 0;
    for (size_t n = 0; n < all->size; n++) count += all->text[n] == 0;
    r->names = all->failed ? NULL : emi_calloc(count, sizeof *r->names);
    if (!r->names) return emi_fail_memory(err, "names of columns");
    for (const char *at = text_after(all->text); at < all->text + all->size; at = text_after(at))
        r->names[r->count++] = at;
    return EM_OK;
}

static em_status name_by_table(reading *r, const em_data *data, em_error *err)
{
    const char *name = em_data_name(data);
    for (size_t k = 0; name; name = em_data_column_name(data, k++)) texts_put(&r->owner_and_names, name);
    return find_names(r, err);
}

em_status reading_by_model(reading *r, const em_model *model, const char *path, em_error *err)
{
    const char *name = em_model_feature_name(model, 0) ? path : NULL;
    if (!name) return EM_OK;
    for (int k = 0; name; name = em_model_feature_name(model, k++)) texts_put(&r->owner_and_names, name);
    return find_names(r, err);
}

em_status reading_by_names(reading *r, const char *owner, const char *const *names, size_t count, em_error *err)
{
    texts_put(&r->owner_and_names, owner);
    for (size_t k = 0; k < count; k++) texts_put(&r->owner_and_names, names[k]);
    return find_names(r, err);
}

em_status reading_share(reading *r, em_error *err)
{
    em_status status = EM_OK;
    texts *all = &r->owner_and_names;
    size_t size = all->size;
    TRY(cluster_share(&size, sizeof size, err));
    if (cluster_rank() != 0) *all = (texts){.text = emi_calloc(size, 1), .size = size, .room = size};
    TRY(cluster_agree(all->text ? EM_OK : emi_fail_memory(err, "names of columns"), err));
    TRY(cluster_share(all->text, size, err));
    TRY(cluster_agree(cluster_rank() != 0 ? find_names(r, err) : EM_OK, err));
done:
    return status;
}

/* A table that was read by these names: one that has none has them by position; one that has names where the first has
 * none is refused. */
static em_status settle_names(reading *r, em_data *data, em_error *err)
{
    const char *first = r->owner_and_names.text, *name = em_data_name(data);
    if ((r->count == 0) == (em_data_column_name(data, 0) == NULL)) return EM_OK;
    if (r->count == 0)
        return emi_fail(err, EM_EDATA,
                        "%s: has names of columns, where %s, the first, has none; try one with names first", name,
                        first);
    if (em_data_columns(data) != r->count)
        return emi_fail(err, EM_EDATA,
                        "%s: has %zu columns, where %s has %zu features; try the same ones, or --columns", name,
                        em_data_columns(data), first, r->count);
    r->by_position = name;
    return em_data_set_column_names(data, r->names, err);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Which of the words the option has as its value. */
static em_status choose(const arguments *args, const char *option, const char *const words[3], const char *wrong,
                        int *choice, em_error *err)
{
    const char *text = args_value(args, option);
    for (*choice = 0; *choice < 3; ++*choice)
        if (strcmp(text, words[*choice]) == 0) break;
    return *choice < 3 ? EM_OK : emi_fail(err, EM_EINVAL, "--%s: '%s' %s", option, text, wrong);
}

/* The library speaks of columns and a delimiter; here they are options. */
static em_status as_typed(em_status status, em_error *err)
{
    static const char *const names[][2] = {
        {"columns ", "--columns "}, {"column ", "--label "}, {"delimiter: ", "--delimiter: "}};
    em_error library = *err;
    for (int n = 0; status != EM_OK && n < 3; n++) {
        const char *rest = emi_text_after(library.msg, names[n][0]);
        if (rest) (void)emi_fail(err, status, "%s%s", names[n][1], rest);
    }
    return status;
}

/* Of each file there is its name, the remarks, and then the position, the name and the reason of each column left out; an
 * empty text ends them. */
static em_status note(reading *r, const em_data *data, em_error *err)
{
    const em_left_out *out;
    r->rows_dropped += em_data_rows_dropped(data);
    texts_put(&r->files, em_data_name(data));
    texts_put(&r->files, em_data_remarks(data));
    for (size_t n = 0; (out = em_data_left_out(data, n)) != NULL; n++) {
        char column[24];
        (void)snprintf(column, sizeof column, "%zu", out->column);
        texts_put(&r->files, column);
        texts_put(&r->files, out->name);
        texts_put(&r->files, out->why);
    }
    texts_put(&r->files, "");
    return r->files.failed ? emi_fail_memory(err, "columns left out") : EM_OK;
}

em_status reading_open(reading *r, em_data **out, const char *path, const arguments *args, const char *label,
                       em_error *err)
{
    static const char *const headers[] = {[EM_HEADER_AUTO] = "auto", [EM_HEADER_YES] = "yes", [EM_HEADER_NO] = "no"};
    static const char *const ways[] = {
        [EM_MISSING_ERROR] = "error", [EM_MISSING_DROP] = "drop", [EM_MISSING_MEAN] = "mean"};
    em_status status = EM_OK;
    int header, missing;
    TRY(choose(args, "header", headers, "is not yes, no or auto; try --header yes", &header, err));
    TRY(choose(args, "missing", ways, "is not error, drop or mean; try --missing drop", &missing, err));
    em_read_options options = {.size = sizeof options,
                               .header = (em_header)header,
                               .missing = (em_missing)missing,
                               .columns = args_text(args, "columns"),
                               .delimiter = args_text(args, "delimiter"),
                               .label = label,
                               .transpose = args_given(args, "transpose"),
                               .features = r->count ? r->names : NULL,
                               .feature_count = r->count,
                               .features_of = r->owner_and_names.text};
    TRY(as_typed(em_data_open(out, path, &options, err), err));
    if (r->owner_and_names.size == 0) TRY(name_by_table(r, *out, err));
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
    emi_free(r->names);
    emi_free(r->owner_and_names.text);
    emi_free(r->files.text);
    *r = (reading){0};
}

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

enum { SHOWN = 8, LINE = SHOWN * 220 };

/* "id (text, such as 'P1'), column 3 (empty)", as many as are shown, into out; how many there are.  With `unasked`, only those
 * that the program left out by itself. */
static size_t list_left_out(const file_read *file, int unasked, char out[LINE])
{
    em_left_out column;
    size_t count = 0, used = 0;
    for (const char *at = file->columns; *at;) {
        char name[32];
        at = take(at, &column);
        if (unasked && (strcmp(column.why, "as asked") == 0 || strcmp(column.why, "the label") == 0)) continue;
        if (count++ >= SHOWN) continue;
        (void)snprintf(name, sizeof name, "column %zu", column.column + 1);
        used += (size_t)snprintf(out + used, LINE - used, "%s%.100s (%.100s)", count > 1 ? ", " : "",
                                 *column.name ? column.name : name, column.why);
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
