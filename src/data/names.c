#include "data/names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- a list for a message ------------------------------------------------------------------------- */

enum { LISTED = 3, LONGEST = 40 };

void emi_name_list_add(emi_name_list *list, const char *name)
{
    size_t used = strlen(list->text);
    if (list->count < LISTED)
        (void)snprintf(list->text + used, sizeof list->text - used, "%s%.*s", used ? ", " : "", LONGEST, name);
    list->count++;
}

const char *emi_name_list_end(emi_name_list *list)
{
    size_t used = strlen(list->text);
    if (list->count > LISTED)
        (void)snprintf(list->text + used, sizeof list->text - used, " and %zu more", list->count - LISTED);
    return list->text;
}

/* ---- matching ---------------------------------------------------------------------------------------- */

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
static int same_order(const char *const *names, size_t count, const em_read_options *o, size_t *place)
{
    size_t f = 0;
    for (size_t c = 0; c < count && f < o->feature_count; c++)
        if (strcmp(names[c], o->features[f]) == 0) place[f++] = c;
    return f == o->feature_count && count == f;
}

static em_status find_each(const entry *all, size_t count, const em_read_options *o, const char *file, size_t *place,
                           em_error *err)
{
    emi_name_list absent = {0}, twice = {0};
    for (size_t f = 0; f < o->feature_count; f++) {
        entry wanted = {o->features[f], 0};
        const entry *found = bsearch(&wanted, all, count, sizeof *all, by_name);
        if (!found) {
            emi_name_list_add(&absent, wanted.name);
            continue;
        }
        size_t at = (size_t)(found - all);
        if ((at > 0 && by_name(&all[at - 1], found) == 0) || (at + 1 < count && by_name(&all[at + 1], found) == 0))
            emi_name_list_add(&twice, wanted.name);
        place[f] = found->column;
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
    if (same_order(names, count, options, place)) return EM_OK;
    entry *all = sorted(names, count);
    em_status status = all ? find_each(all, count, options, file, place, err) : emi_fail_memory(err, file);
    emi_free(all);
    return status;
}

int emi_names_agree(const em_data *a, const em_data *b)
{
    for (size_t c = 0; a->names && b->names && c < a->columns; c++)
        if (strcmp(a->names[c], b->names[c]) != 0) return 0;
    return 1;
}
