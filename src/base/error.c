#include "base/error.h"

#include <stdarg.h>

const char *em_status_text(em_status status)
{
    switch (status) {
#define X(name, code, text)                                                                                            \
    case EM_##name: return text;
        EM_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

/* A message is one line, whatever bytes a hostile file put into it. */
static void keep_to_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static em_status fail(em_error *err, em_status code, int node, const char *format, va_list args)
{
    if (err) {
        err->code = code;
        err->node = node;
        (void)vsnprintf(err->msg, sizeof err->msg, format, args);
        keep_to_one_line(err->msg);
    }
    return code;
}

em_status(emi_fail)(em_error *err, em_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    em_status status = fail(err, code, -1, format, args);
    va_end(args);
    return status;
}

em_status(emi_fail_at)(em_error *err, em_status code, int node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    em_status status = fail(err, code, node, format, args);
    va_end(args);
    return status;
}

em_status(emi_fail_memory)(em_error *err, const char *what)
{
    return emi_fail(err, EM_ENOMEM, "%s: out of memory; try fewer nodes, fewer components or a machine with more",
                    what);
}
