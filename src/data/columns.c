#include "data/columns.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- asked for ------------------------------------------------------------------------------------ */

typedef struct selection {
    const char *file;
    size_t count; /* of the file's columns */
    const char *const *names;
    unsigned char *taken; /* [count] */
    emi_columns *out;
} selection;

void emi_columns_free(emi_columns *columns)
{
    emi_free(columns->excluded);
    emi_free(columns->pick);
    *columns = (emi_columns){0};
}

static em_status take(selection *s, size_t column, int exclude, const char *item, em_error *err)
{
    if (column >= s->count)
        return emi_fail(err, EM_EINVAL, "columns %s: %s has %zu columns, counted from 0; try 0-%zu", item, s->file,
                        s->count, s->count - 1);
    if (exclude) {
        s->out->excluded[column] = 1;
        return EM_OK;
    }
    if (s->taken[column])
        return emi_fail(err, EM_EINVAL, "columns %s: column %zu of %s is named twice; try it once", item, column,
                        s->file);
    s->taken[column] = 1;
    s->out->named = 1;
    s->out->pick[s->out->picked++] = column;
    return EM_OK;
}

/* "A-B" with numbers on both sides. */
static int is_range(const char *item, size_t *first, size_t *last)
{
    const char *dash = strchr(item, '-');
    return dash && emi_text_size_in(item, (size_t)(dash - item), first) == 0 && emi_text_size(dash + 1, last) == 0;
}

/* Columns of this name, and the first of them. */
static size_t count_named(size_t count, const char *const *names, const char *item, size_t *column)
{
    size_t found = 0;
    for (size_t c = 0; names && c < count; c++)
        if (strcmp(names[c], item) == 0 && found++ == 0) *column = c;
    return found;
}

static em_status refuse_two(const char *item, const char *file, em_error *err)
{
    return emi_fail(err, EM_EINVAL, "columns %s: more than one column of %s has that name; try positions, from 0", item,
                    file);
}

/* "-label": unless that is a name itself. */
static em_status take_item(selection *s, const char *item, em_error *err)
{
    size_t first = 0, last = 0, named = count_named(s->count, s->names, item, &first);
    int exclude = named == 0 && *item == '-' && item[1];
    const char *wanted = item + exclude;
    if (exclude) named = count_named(s->count, s->names, wanted, &first);
    if (named > 1) return refuse_two(wanted, s->file, err);
    if (named == 1) return take(s, first, exclude, item, err);
    s->out->by_position = 1;
    if (emi_text_size(wanted, &first) == 0) return take(s, first, exclude, item, err);
    if (!is_range(wanted, &first, &last))
        return emi_fail(err, EM_EINVAL, "columns %s: no such column in %s; try numbers from 0, ranges as 0-9%s", item,
                        s->file, s->names ? ", or names of its header" : "");
    if (first > last) return emi_fail(err, EM_EINVAL, "columns %s: runs backwards; try %zu-%zu", item, last, first);
    for (size_t c = first; c <= last; c++) {
        em_status status = take(s, c, exclude, item, err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

/* Those asked for, or all, but for the excluded. */
static em_status settle(selection *s, const char *spec, em_error *err)
{
    emi_columns *out = s->out;
    size_t picked = out->named ? out->picked : s->count;
    out->picked = 0;
    for (size_t n = 0; n < picked; n++) {
        size_t column = out->named ? out->pick[n] : n;
        if (!out->excluded[column]) out->pick[out->picked++] = column;
    }
    if (out->picked > 0) return EM_OK;
    return emi_fail(err, EM_EINVAL, "columns %s: leaves no column of %s; try leaving out fewer", spec, s->file);
}

/* End the item at its comma, take its quotes away, and find the next one; NULL: it was the last. */
static char *cut_item(char *item)
{
    char *name = item + (*item == '-'), *close = *name == '"' ? strchr(name + 1, '"') : NULL;
    char *comma = strchr(close ? close : item, ',');
    if (comma) *comma = 0;
    if (close && !close[1]) {
        *close = 0;
        memmove(name, name + 1, (size_t)(close - name));
    }
    return comma ? comma + 1 : NULL;
}

em_status emi_columns_parse(emi_columns *out, const char *spec, size_t count, const char *const *names,
                            const char *file, em_error *err)
{
    em_status status = EM_OK;
    selection s = {.file = file, .count = count, .names = names, .out = out};
    char *copy = emi_strdup(spec);
    *out = (emi_columns){.pick = emi_calloc(count, sizeof *out->pick), .excluded = emi_calloc(count, 1)};
    s.taken = emi_calloc(count, 1);
    if (!copy || !out->pick || !out->excluded || !s.taken) TRY(emi_fail_memory(err, file));
    for (char *item = copy, *next; item; item = next) {
        next = cut_item(item);
        if (!*item) TRY(emi_fail(err, EM_EINVAL, "columns %s: an item is empty; try 0-9,12", spec));
        TRY(take_item(&s, item, err));
    }
    TRY(settle(&s, spec, err));
done:
    if (status != EM_OK) emi_columns_free(out);
    emi_free(s.taken);
    emi_free(copy);
    return status;
}

em_status emi_column_find(const char *item, size_t count, const char *const *names, const char *file, size_t *column,
                          em_error *err)
{
    size_t named = count_named(count, names, item, column);
    if (named > 1) return refuse_two(item, file, err);
    if (named == 0 && emi_text_size(item, column) != 0)
        return emi_fail(err, EM_EINVAL, "column %s: not in %s; try a name of its header, or a position from 0", item,
                        file);
    if (*column < count) return EM_OK;
    return emi_fail(err, EM_EINVAL, "column %s: %s has %zu columns, counted from 0; try 0 to %zu", item, file, count,
                    count - 1);
}

/* ---- those of another table --------------------------------------------------------------------------- */

typedef struct entry {
    const char *name;
    size_t column;
} entry;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* The columns, sorted by their names. */
static entry *sorted(const char *const *names, size_t count)
{
    entry *all = emi_calloc(count, sizeof *all);
    for (size_t c = 0; all && c < count; c++) all[c] = (entry){names[c], c};
    if (all) qsort(all, count, sizeof *all, by_name);
    return all;
}

static em_status by_position(size_t count, const em_read_options *o, const char *file, size_t *place, em_error *err)
{
    emi_name_list wanted = {0};
    for (size_t f = 0; f < o->feature_count; f++) emi_name_list_add(&wanted, o->features[f]);
    if (o->header != EM_HEADER_NO)
        return emi_fail(err, EM_EDATA,
                        "%s: has no names of columns, where %s has %s; try adding a header; with a model, header=no "
                        "goes by position",
                        file, o->features_of, emi_name_list_end(&wanted));
    if (count != o->feature_count)
        return emi_fail(err, EM_EDATA, "%s: has %zu columns, where %s has %zu features; try inputs with the same ones",
                        file, count, o->features_of, o->feature_count);
    for (size_t f = 0; f < count; f++) place[f] = f;
    return EM_OK;
}

/* Names that occur twice need not be told apart where they stand in the same order. */
static int same_order(const char *const *names, size_t count, const char *const *wanted, size_t wanted_count,
                      size_t *place)
{
    if (count != wanted_count) return 0;
    for (size_t f = 0; f < count; f++) {
        if (strcmp(names[f], wanted[f]) != 0) return 0;
        place[f] = f;
    }
    return 1;
}

static size_t find_one(const entry *all, size_t count, const char *name)
{
    entry wanted = {name, 0};
    const entry *found = bsearch(&wanted, all, count, sizeof *all, by_name);
    if (!found) return EMI_NAME_ABSENT;
    size_t at = (size_t)(found - all);
    int twice = (at > 0 && by_name(&all[at - 1], found) == 0) || (at + 1 < count && by_name(&all[at + 1], found) == 0);
    return twice ? EMI_NAME_TWICE : found->column;
}

em_status emi_names_find(const char *const *names, size_t count, const char *const *wanted, size_t wanted_count,
                         const char *file, size_t *place, em_error *err)
{
    if (same_order(names, count, wanted, wanted_count, place)) return EM_OK;
    entry *all = sorted(names, count);
    if (!all) return emi_fail_memory(err, file);
    for (size_t f = 0; f < wanted_count; f++) place[f] = find_one(all, count, wanted[f]);
    emi_free(all);
    return EM_OK;
}

static em_status refuse_others(const em_read_options *o, const size_t *place, const char *file, em_error *err)
{
    emi_name_list absent = {0}, twice = {0};
    for (size_t f = 0; f < o->feature_count; f++) {
        if (place[f] == EMI_NAME_ABSENT) emi_name_list_add(&absent, o->features[f]);
        if (place[f] == EMI_NAME_TWICE) emi_name_list_add(&twice, o->features[f]);
    }
    if (absent.count)
        return emi_fail(err, EM_EDATA, "%s: has no column %s, as %s has; try files with the same columns", file,
                        emi_name_list_end(&absent), o->features_of);
    if (twice.count)
        return emi_fail(err, EM_EDATA, "%s: more than one column is called %s; try other names", file,
                        emi_name_list_end(&twice));
    return EM_OK;
}

em_status emi_names_match(const char *const *names, size_t count, const em_read_options *options, const char *file,
                          size_t *place, em_error *err)
{
    if (!names) return by_position(count, options, file, place, err);
    em_status status = emi_names_find(names, count, options->features, options->feature_count, file, place, err);
    return status == EM_OK ? refuse_others(options, place, file, err) : status;
}

int emi_names_agree(const em_data *a, const em_data *b)
{
    for (size_t c = 0; a->names && b->names && c < a->columns; c++)
        if (strcmp(a->names[c], b->names[c]) != 0) return 0;
    return 1;
}

/* ---- a list for a message ------------------------------------------------------------------------- */

enum { LISTED = 3, LONGEST = 60 };

void emi_name_list_add(emi_name_list *list, const char *name)
{
    size_t used = strlen(list->text), most = list->most ? list->most : LISTED;
    if (list->count < most)
        (void)snprintf(list->text + used, sizeof list->text - used, "%s%.*s", used ? ", " : "", LONGEST, name);
    list->count++;
}

const char *emi_name_list_end(emi_name_list *list)
{
    size_t used = strlen(list->text), most = list->most ? list->most : LISTED;
    if (list->count > most)
        (void)snprintf(list->text + used, sizeof list->text - used, " and %zu more", list->count - most);
    return list->text;
}
