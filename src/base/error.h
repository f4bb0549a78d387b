/* Status and error text. */
#ifndef EMI_BASE_ERROR_H
#define EMI_BASE_ERROR_H

#include <eigenmesh/eigenmesh.h>

/* Record a failure and return its code: `return emi_fail(err, EM_EINVAL, "...", ...)`. */
em_status emi_fail(em_error *err, em_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, at a node. */
em_status emi_fail_at(em_error *err, em_status code, int node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* No memory for `what`: how much was wanted, and what to try; without that, a smaller problem. */
em_status emi_fail_memory(em_error *err, const char *what);
em_status emi_fail_memory_try(em_error *err, const char *what, const char *remedy);

#ifdef __clang_analyzer__
/* It does not see into another file that these never return EM_OK. */
#define emi_fail(err, code, ...)               ((emi_fail)(err, code, __VA_ARGS__), code)
#define emi_fail_at(err, code, node, ...)      ((emi_fail_at)(err, code, node, __VA_ARGS__), code)
#define emi_fail_memory(err, what)             ((emi_fail_memory)(err, what), EM_ENOMEM)
#define emi_fail_memory_try(err, what, remedy) ((emi_fail_memory_try)(err, what, remedy), EM_ENOMEM)
#endif

/* A function of the interface that only looks something up: EMI_GETTER(size_t, em_data_rows, em_data *data, data->rows) */
#define EMI_GETTER(type, name, object, value)                                                                          \
    type name(const object)                                                                                            \
    {                                                                                                                  \
        return value;                                                                                                  \
    }

/* Leave through `done`, where everything is released once. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != EM_OK) goto done;                                                                                \
    } while (0)

#endif
