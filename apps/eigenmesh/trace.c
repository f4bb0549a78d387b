#include "trace.h"
#include "number.h"

#include <math.h>

/* A number that does not apply leaves its column empty. */
static void put(FILE *out, double value)
{
    char text[NUMBER_TEXT];
    (void)fprintf(out, ",%s", isnan(value) ? "" : number_text(value, text));
}

void trace_heading(FILE *out)
{
    (void)fputs("iteration,rounds,messages,bytes,units,seconds,residual,consensus,error\n", out);
}

void trace_rows(FILE *out, const char *label, const em_model *model)
{
    const em_trace_row *row;
    for (size_t r = 0; (row = em_model_trace_row(model, r)); r++) {
        if (label) (void)fprintf(out, "%s,", label);
        (void)fprintf(out, "%ld,%llu,%llu,%llu", row->iteration, (unsigned long long)row->rounds,
                      (unsigned long long)row->messages, (unsigned long long)row->bytes);
        put(out, row->units);
        put(out, row->seconds);
        put(out, row->residual);
        put(out, row->consensus);
        put(out, row->error);
        (void)fputc('\n', out);
    }
}
