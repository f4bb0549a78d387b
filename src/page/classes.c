#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "page/points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_step = 1e-12; /* of a scale, beside its largest number: 15 digits tell more than this */

typedef struct kind {
    const char *name;
    size_t points;
    double number; /* NaN: it is none */
} kind;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_size(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    return x->points != y->points ? (x->points < y->points) - (x->points > y->points) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return emi_text_order(((const kind *)a)->name, ((const kind *)b)->name);
}

static int has_label(const char *text)
{
    return text && !emi_text_is_missing(text, strlen(text));
}

/* The labels that there are, each with the number of its points; returns how many.  sorted: room for all labels. */
static size_t count_kinds(const emi_points *p, const char **sorted, kind *kinds)
{
    size_t labelled = 0, count = 0;
    for (size_t n = 0; n < p->count; n++)
        if (has_label(p->labels[n])) sorted[labelled++] = p->labels[n];
    qsort(sorted, labelled, sizeof *sorted, by_text);
    for (size_t n = 0; n < labelled; n++) {
        if (n == 0 || strcmp(sorted[n], sorted[n - 1]) != 0) {
            kinds[count] = (kind){.name = sorted[n], .number = NAN};
            (void)emi_text_double(sorted[n], &kinds[count++].number);
        }
        kinds[count - 1].points++;
    }
    return count;
}

/* Are there too many numbers for classes, and nothing else?  Of a scale each step is another number, so that "1.0", "1.00" and so on, and
 * what only its last digits tell apart, are none. */
static int is_scale(emi_classes *c, const kind *kinds, size_t count)
{
    if (count <= EMI_CLASSES_MOST) return 0;
    c->least = INFINITY, c->most = -INFINITY;
    for (size_t n = 0; n < count; n++) {
        if (isnan(kinds[n].number)) return 0; /* infinite ones too */
        c->least = fmin(c->least, kinds[n].number);
        c->most = fmax(c->most, kinds[n].number);
    }
    double width = c->most - c->least, size = fmax(fabs(c->most), fabs(c->least));
    return isfinite(width) && width / EMI_SCALE_STEPS > fmax(least_step * size, DBL_MIN);
}

static int class_of(const emi_classes *c, const char *label)
{
    double number;
    int n = 0;
    if (!has_label(label)) return c->count + 1;
    if (c->is_scale && emi_text_double(label, &number) == 0) {
        n = (int)(c->count * ((number - c->least) / (c->most - c->least)));
        return n < c->count ? n : c->count - 1;
    }
    while (n < c->count && strcmp(c->names[n], label) != 0) n++;
    return n;
}

/* The most frequent ones, in order of their names. */
static void choose(emi_classes *c, kind *kinds, size_t count)
{
    size_t kept = count <= EMI_CLASSES_MOST ? count : EMI_CLASSES_MOST - 1;
    qsort(kinds, count, sizeof *kinds, by_size);
    c->kinds = count - kept;
    qsort(kinds, kept, sizeof *kinds, by_name);
    for (size_t n = 0; n < kept; n++) c->names[n] = kinds[n].name;
    c->count = (int)kept;
}

em_status emi_classes_find(emi_classes *c, const emi_points *p, em_error *err)
{
    *c = (emi_classes){.of = emi_calloc(p->count + 1, sizeof *c->of)};
    const char **sorted = emi_calloc(p->count + 1, sizeof *sorted);
    kind *kinds = emi_calloc(p->count + 1, sizeof *kinds);
    int has_memory = c->of && sorted && kinds;
    if (has_memory && p->labels) {
        size_t count = count_kinds(p, sorted, kinds);
        c->is_scale = is_scale(c, kinds, count);
        if (c->is_scale)
            c->count = EMI_SCALE_STEPS;
        else
            choose(c, kinds, count);
        for (size_t n = 0; n < p->count; n++) {
            int class = c->of[n] = class_of(c, p->labels[n]);
            if (class < c->count) c->sizes[class]++;
            c->others += class == c->count;
            c->nameless += class == c->count + 1;
        }
    }
    emi_free(kinds);
    emi_free(sorted);
    if (!has_memory) emi_classes_free(c);
    return has_memory ? EM_OK : emi_fail_memory(err, "labels");
}

void emi_classes_free(emi_classes *c)
{
    emi_free(c->of);
    *c = (emi_classes){0};
}
