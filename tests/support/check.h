/* cmocka, with what it lacks: comparing doubles, and scratch files. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <eigenmesh/eigenmesh.h>

/* |got - wanted| <= tolerance * max(1, |wanted|), with a message that shows both. */
#define assert_close(got, wanted, tolerance) check_close(got, wanted, tolerance, #got, __FILE__, __LINE__)
void check_close(double got, double wanted, double tolerance, const char *what, const char *file, int line);

/* Status is EM_OK, or the error's message is shown. */
#define assert_ok(call, err) check_ok(call, err, #call, __FILE__, __LINE__)
void check_ok(em_status status, const em_error *err, const char *what, const char *file, int line);

/* Status is `code`, and the message contains `words`. */
#define assert_fails(call, code, words, err) check_fails(call, code, words, err, #call, __FILE__, __LINE__)
void check_fails(em_status status, em_status code, const char *words, const em_error *err, const char *what,
                 const char *file, int line);

/* End a test case here, and say why: `make test` lists it. */
#define skip_for(why)                                                                                                  \
    do {                                                                                                               \
        print_message("skipped: %s\n", why);                                                                           \
        skip();                                                                                                        \
    } while (0)

/* Where every access is checked or every instruction emulated, all is many times slower, and the same code runs whatever the seed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(EM_EMULATED)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* A path inside a directory that this test program owns, removed when it ends. */
const char *scratch(const char *name);

/* Write bytes to a file; the path is returned. */
const char *scratch_file(const char *name, const void *bytes, size_t count);

#endif
