/* What the rows of a picture are called. */
#include "base/error.h"
#include "base/text.h"
#include "lab/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NaN: it is none. */
static double number_of(const char *text)
{
    double value = NAN;
    (void)emi_text_double(text, &value);
    return value;
}

static int by_number(const void *a, const void *b)
{
    double x = number_of(*(const char *const *)a), y = number_of(*(const char *const *)b);
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int find(const labels *l, const char *text)
{
    int c = 0;
    while (c < l->count && strcmp(l->classes[c], text) != 0) c++;
    return c;
}

em_status labels_sort_out(labels *l, em_error *err)
{
    int numbers = 1, many = 0;
    l->count = l->missing = 0;
    l->least = INFINITY;
    l->most = -INFINITY;
    for (size_t row = 0; row < l->rows; row++) {
        const char *text = l->of(l->from, row);
        if (emi_text_is_missing(text, strlen(text))) {
            l->missing = 1;
            continue;
        }
        double value = number_of(text);
        if (isnan(value)) numbers = 0;
        l->least = fmin(l->least, value);
        l->most = fmax(l->most, value);
        if (many || find(l, text) < l->count) continue;
        many = l->count == CLASSES_MAX;
        if (!many) l->classes[l->count++] = text;
    }
    if (l->count == 0)
        return emi_fail(err, EM_EDATA, "--label: '%s' is empty in every row; try another column", l->name);
    if (many && !numbers)
        return emi_fail(
            err, EM_EDATA,
            "--label: '%s' has more than %d different texts, too many for a legend; try a column of classes, or "
            "of numbers",
            l->name, CLASSES_MAX);
    if (many) l->count = 0;
    qsort(l->classes, (size_t)l->count, sizeof *l->classes, numbers ? by_number : by_text);
    return EM_OK;
}

int labels_class(const labels *l, size_t row)
{
    return find(l, l->of(l->from, row));
}

double labels_number(const labels *l, size_t row)
{
    return number_of(l->of(l->from, row));
}
