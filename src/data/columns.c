#include "data/columns.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

typedef struct selection {
    const char *file;
    size_t count; /* of the file's columns */
    const char *const *names;
    size_t *pick, picked;
    unsigned char *taken; /* [count] */
} selection;

static em_status take(selection *s, size_t column, const char *item, em_error *err)
{
    if (column >= s->count)
        return emi_fail(err, EM_EINVAL, "columns %s: %s has %zu columns, counted from 0; try 0-%zu", item, s->file,
                        s->count, s->count - 1);
    if (s->taken[column])
        return emi_fail(err, EM_EINVAL, "columns %s: column %zu of %s is named twice; try it once", item, column,
                        s->file);
    s->taken[column] = 1;
    s->pick[s->picked++] = column;
    return EM_OK;
}

/* "A-B" with numbers on both sides. */
static int is_range(const char *item, size_t *first, size_t *last)
{
    char left[32];
    const char *dash = strchr(item, '-');
    size_t length = dash ? (size_t)(dash - item) : 0;
    if (!dash || length >= sizeof left) return 0;
    memcpy(left, item, length);
    left[length] = 0;
    return emi_text_size(left, first) == 0 && emi_text_size(dash + 1, last) == 0;
}

static em_status take_item(selection *s, const char *item, em_error *err)
{
    size_t first, last;
    for (size_t c = 0; s->names && c < s->count; c++)
        if (strcmp(s->names[c], item) == 0) return take(s, c, item, err);
    if (emi_text_size(item, &first) == 0) return take(s, first, item, err);
    if (!is_range(item, &first, &last))
        return emi_fail(err, EM_EINVAL, "columns %s: no such column in %s; try numbers from 0, ranges as 0-9%s", item,
                        s->file, s->names ? ", or names of its header" : "");
    if (first > last) return emi_fail(err, EM_EINVAL, "columns %s: runs backwards; try %zu-%zu", item, last, first);
    for (size_t c = first; c <= last; c++) {
        em_status status = take(s, c, item, err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

em_status emi_columns_parse(const char *spec, size_t count, const char *const *names, const char *file, size_t **out,
                            size_t *picked, em_error *err)
{
    em_status status = EM_OK;
    selection s = {.file = file, .count = count, .names = names};
    char *copy = emi_strdup(spec);
    s.pick = emi_calloc(count, sizeof *s.pick);
    s.taken = emi_calloc(count, 1);
    if (!copy || !s.pick || !s.taken) TRY(emi_fail_memory(err, file));
    for (char *item = copy, *next; item; item = next) {
        next = strchr(item, ',');
        if (next) *next++ = 0;
        if (!*item) TRY(emi_fail(err, EM_EINVAL, "columns %s: an item is empty; try 0-9,12", spec));
        TRY(take_item(&s, item, err));
    }
    *out = s.pick;
    *picked = s.picked;
    s.pick = NULL;
done:
    emi_free(s.taken);
    emi_free(s.pick);
    emi_free(copy);
    return status;
}
