#include "base/error.h"

#include "base/memory.h"

#include <eigenmesh/engine.h>

#include <stdarg.h>
#include <stdint.h>

const char *em_status_text(em_status status)
{
    switch (status) {
    case EM_OK: return "success";
    case EM_ENOMEM: return "out of memory";
    case EM_EINVAL: return "invalid argument";
    case EM_ENOTSUP: return "not supported here";
    case EM_EDATA: return "the data is not usable";
    case EM_EIO: return "a file could not be read";
    case EM_EOUTPUT: return "a file could not be written";
    case EM_ENET: return "a neighbour is lost";
    case EM_ENUMERIC: return "a numerical routine failed";
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

em_status em_fail(em_error *err, em_status code, const char *format, ...)
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

em_status em_fail_elsewhere(em_error *err, em_status code, const char *process)
{
    if (code >= EM_OK || code < EM_ENUMERIC) code = EM_ENET;
    return em_fail(err, code, "%s: has failed (%s); try what its own message says", process, em_status_text(code));
}

/* ", 3.2 GB wanted", or "" where no size is known; `out` has room for it. */
static void describe_refused(size_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double amount = (double)bytes;
    int unit = 0;
    for (; amount >= 999.5; unit++) amount /= 1000;
    *out = 0;
    if (bytes == SIZE_MAX)
        (void)snprintf(out, size, ", more wanted than can be counted");
    else if (bytes)
        (void)snprintf(out, size, ", %.3g %s wanted", amount, units[unit]);
}

em_status(emi_fail_memory_try)(em_error *err, const char *what, const char *remedy)
{
    char wanted[48];
    describe_refused(emi_memory_refused(), wanted, sizeof wanted);
    return emi_fail(err, EM_ENOMEM, "%s: out of memory%s; try %s, or a machine with more", what, wanted, remedy);
}

em_status(emi_fail_memory)(em_error *err, const char *what)
{
    return emi_fail_memory_try(err, what, "a smaller problem");
}
