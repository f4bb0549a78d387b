#include "message.h"
#include "progress.h"

#include <ctype.h>
#include <stdarg.h>

em_status(refuse)(em_error *err, em_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->code = code;
    err->node = -1;
    (void)vsnprintf(err->msg, sizeof err->msg, format, args);
    va_end(args);
    return code;
}

em_status(refuse_memory)(em_error *err, const char *what)
{
    return refuse(err, EM_ENOMEM, "%s: out of memory; try smaller data or a machine with more", what);
}

void complain(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* A file's name may hold anything; the message stays one line of text. */
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '?';
    progress_erase();
    (void)fprintf(stderr, "eigenmesh: %s\n", line);
}

int exit_status(em_status status)
{
    switch (status) {
    case EM_OK: return 0;
    case EM_EINVAL:
    case EM_ENOTSUP:
    case EM_EDATA:
    case EM_EIO: return 2;
    case EM_ENOMEM:
    case EM_EOUTPUT:
    case EM_ENET:
    case EM_ENUMERIC: return 1;
    }
    return 1;
}
