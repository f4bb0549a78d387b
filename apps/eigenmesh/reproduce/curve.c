/* Where a curve's rows lie along an axis, and the curve as a table. */
#include "number.h"
#include "paper.h"

#include <math.h>

double curve_position(const em_curve_row *row, axis along)
{
    switch (along) {
    case AXIS_ITERATIONS: return (double)row->iteration;
    case AXIS_UNITS: return row->units;
    case AXIS_BYTES: return row->bytes;
    }
    return NAN;
}

void curve_write(FILE *out, const curve *c)
{
    char text[NUMBER_TEXT];
    (void)fputs("iteration,rounds,bytes,units,error,least,most\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const em_curve_row *row = &c->rows[i];
        const double values[] = {row->rounds, row->bytes, row->units, row->error, row->least, row->most};
        (void)fprintf(out, "%ld", row->iteration);
        /* A number that does not apply leaves its column empty. */
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            (void)fprintf(out, ",%s", isnan(values[v]) ? "" : number_text(values[v], text));
        (void)fputc('\n', out);
    }
}
