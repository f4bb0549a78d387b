/* What can be read off a curve, and the curve as a table. */
#include "base/text.h"
#include "lab/paper/paper.h"

#include <math.h>
#include <string.h>

const curve *setup_curve(const setup *s, const char *key)
{
    for (int c = 0; c < s->curve_count; c++)
        if (strcmp(s->curves[c].key, key) == 0) return &s->curves[c];
    return NULL;
}

double curve_position(const lab_curve_row *row, axis along)
{
    switch (along) {
    case AXIS_ITERATIONS: return (double)row->iteration;
    case AXIS_UNITS: return row->units;
    case AXIS_BYTES: return row->bytes;
    }
    return NAN;
}

int curve_ran(const curve *c)
{
    return c->runs > 0 && c->count > 0;
}

double curve_end(const curve *c)
{
    if (!c || !c->count) return NAN;
    size_t first = c->count - (c->count + 9) / 10;
    double sum = 0;
    for (size_t t = first; t < c->count; t++) sum += c->rows[t].error;
    return sum / (double)(c->count - first);
}

double curve_reaches(const curve *c, double error, axis along)
{
    for (size_t t = 0; c && t < c->count; t++)
        if (c->rows[t].error <= error) return curve_position(&c->rows[t], along);
    return INFINITY;
}

void curve_write(FILE *out, const curve *c)
{
    char text[EMI_NUMBER_TEXT + 1];
    (void)fputs("iteration,rounds,bytes,units,error,least,most\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const lab_curve_row *row = &c->rows[i];
        const double values[] = {row->rounds, row->bytes, row->units, row->error, row->least, row->most};
        (void)fprintf(out, "%ld", row->iteration);
        /* A number that does not apply leaves its column empty. */
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            text[emi_text_of_double(text, values[v])] = 0;
            (void)fprintf(out, ",%s", isnan(values[v]) ? "" : text);
        }
        (void)fputc('\n', out);
    }
}
