/* What tests of readers and writers share: files of every making, and tables compared number by number. */
#ifndef TESTS_SUPPORT_TABLES_H
#define TESTS_SUPPORT_TABLES_H

#include "support/check.h"

/* Reading the path gives exactly these numbers (NaN equals NaN), however many rows are asked for at once. */
#define assert_table(path, options, rows, columns, ...)                                                                \
    check_table(path, options, rows, columns, (const double[]){__VA_ARGS__}, __FILE__, __LINE__)
void check_table(const char *path, const em_read_options *options, size_t rows, size_t columns, const double *wanted,
                 const char *file, int line);

/* Opening the path fails with this code and these words, and leaves nothing. */
#define assert_refused(path, options, code, words) check_refused(path, options, code, words, __FILE__, __LINE__)
void check_refused(const char *path, const em_read_options *options, em_status code, const char *words,
                   const char *file, int line);

/* The path opens, or the test fails. */
#define open_table(path) check_opens(path, __FILE__, __LINE__)
em_data *check_opens(const char *path, const char *file, int line);

/* Cut after any number of bytes, these are no longer a file that opens. */
#define assert_no_prefix_opens(name, bytes, count) check_prefixes(name, bytes, count, __FILE__, __LINE__)
void check_prefixes(const char *name, const void *bytes, size_t count, const char *file, int line);

/* Bytes of a whole file; the caller frees them. */
unsigned char *file_bytes(const char *path, size_t *count);

/* Text as a file in the scratch directory. */
const char *scratch_text(const char *name, const char *text);

/* Bytes, gzipped, as a file in the scratch directory. */
const char *scratch_gz(const char *name, const void *bytes, size_t count);

/* Bytes of a .npy whose header is `header`, whatever it says, and then `payload`; the path of it. */
const char *scratch_npy(const char *name, const char *header, const void *payload, size_t count);

/* A file among the large ones that are not part of the project; NULL where it is missing. */
const char *shared_file(const char *name);

#endif
