/* How this program says that something is wrong: one line on stderr, and an exit status. */
#ifndef EIGENMESH_MESSAGE_H
#define EIGENMESH_MESSAGE_H

#include <eigenmesh/eigenmesh.h>

/* Leave through `done`, where everything is released once. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != EM_OK) goto done;                                                                                \
    } while (0)

/* Record "WHAT: WHY; try WHAT" and return the code, as the library does. */
em_status refuse(em_error *err, em_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

em_status refuse_memory(em_error *err, const char *what);

#ifdef __clang_analyzer__
/* It does not see into another file that these never return EM_OK. */
#define refuse(err, code, ...)   ((refuse)(err, code, __VA_ARGS__), code)
#define refuse_memory(err, what) ((refuse_memory)(err, what), EM_ENOMEM)
#endif

/* Print "eigenmesh: MESSAGE", always exactly one line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0 done, 1 the job failed, 2 wrong usage or input. */
int exit_status(em_status status);

#endif
