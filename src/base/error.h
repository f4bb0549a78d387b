/* Status and error text. */
#ifndef EMI_BASE_ERROR_H
#define EMI_BASE_ERROR_H

#include <eigenmesh/eigenmesh.h>

/* Record a failure and return its code: `return emi_fail(err, EM_EINVAL, "...", ...)`. */
em_status emi_fail(em_error *err, em_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, at a node. */
em_status emi_fail_at(em_error *err, em_status code, int node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Out of memory while holding `what`. */
em_status emi_fail_memory(em_error *err, const char *what);

/* Leave through `done`, where everything is released once. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != EM_OK) goto done;                                                                                \
    } while (0)

#endif
