/* How the methods compare, for people and for programs. */
#include "compare.h"
#include "report.h"

#include <math.h>

static const struct {
    double error;
    const char *text;
} goals[] = {{1e-3, "1e-3"}, {1e-6, "1e-6"}, {1e-10, "1e-10"}};

enum { GOALS = sizeof goals / sizeof *goals };

/* Units sent when the error was first so small; NaN when it never was. */
static double units_to(const em_model *model, double error)
{
    const em_trace_row *row;
    for (size_t r = 0; (row = em_model_trace_row(model, r)); r++)
        if (row->error <= error) return row->units;
    return NAN;
}

static void cell(table *t, const char *format, double value)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, format, value);
}

/* In a word: the reasons' own texts are sentences. */
static const char *result_of(const em_info *info)
{
    switch (info->reason) {
    case EM_CONVERGED: return "converged";
    case EM_SETTLED: return "settled";
    case EM_STOPPED_ITERATIONS: return "iteration limit";
    case EM_STOPPED_DIVERGED: return "diverged";
    case EM_STOPPED_USER: return "interrupted";
    case EM_STOPPED_SHORT: return "stopped short";
    case EM_STOPPED_ROUNDING: return "rounding";
    case EM_STOPPED_MISSED: return "missed one";
    }
    return "unknown";
}

static void print_heading(table *t)
{
    static const char *const names[] = {"method", "result", "iterations", "rounds",
                                        "units",  "bytes",  "seconds",    "error"};
    enum { NAMES = sizeof names / sizeof *names };
    table_begin(t, NAMES + GOALS);
    for (int i = 0; i < NAMES; i++) table_cell(t, "%s", names[i]);
    for (int i = 0; i < GOALS; i++) table_cell(t, "units to %s", goals[i].text);
}

static void print_row(table *t, const char *name, const em_model *model)
{
    const em_info *info = em_model_info(model);
    const em_traffic *sent = &info->traffic[EM_METHOD];
    table_cell(t, "%s", name);
    table_cell(t, "%s", result_of(info));
    table_cell(t, "%ld", info->iterations);
    table_cell(t, "%llu", (unsigned long long)sent->rounds);
    table_cell(t, "%.6g", sent->units);
    table_cell(t, "%llu", (unsigned long long)sent->bytes);
    table_cell(t, "%.3g", info->seconds);
    cell(t, "%.1e", info->error);
    for (int i = 0; i < GOALS; i++) cell(t, "%.6g", units_to(model, goals[i].error));
}

static void print_failed_row(table *t, const contender *failed)
{
    table_cell(t, "%s", failed->name);
    table_cell(t, "%s", failed->error.code ? "failed" : "not run");
    for (int i = 2; i < t->columns; i++) table_cell(t, "-");
}

em_status compare_print(const comparison *c, em_error *err)
{
    table t;
    print_heading(&t);
    for (int i = 0; i < c->count; i++) {
        if (c->contenders[i].model)
            print_row(&t, c->contenders[i].name, c->contenders[i].model);
        else
            print_failed_row(&t, &c->contenders[i]);
    }
    em_status status = table_print(&t, err);
    for (int i = 0; i < c->count && status == EM_OK; i++) {
        const contender *one = &c->contenders[i];
        if (one->error.code) (void)printf("\n%s failed: %s\n", one->name, one->error.msg);
        if (one->model && *em_model_info(one->model)->choice)
            (void)printf("\nauto      %s: %s\n", em_model_info(one->model)->method, em_model_info(one->model)->choice);
    }
    return status;
}

void compare_json(json *j, const comparison *c)
{
    json_open(j, "methods", '[');
    for (int i = 0; i < c->count; i++) {
        const contender *one = &c->contenders[i];
        json_open(j, NULL, '{');
        json_text(j, "name", one->name);
        json_text(j, "failure", one->error.code ? one->error.msg : NULL);
        if (one->model) {
            report_json(j, one->model);
            json_open(j, "units_to", '{');
            for (int g = 0; g < GOALS; g++) json_real(j, goals[g].text, units_to(one->model, goals[g].error));
            json_close(j, '}');
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

void compare_write(FILE *out, const comparison *c)
{
    (void)fputs("method,", out);
    trace_heading(out);
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].model) trace_rows(out, c->contenders[i].name, c->contenders[i].model);
}
