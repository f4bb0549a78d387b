/* What every fuzz target needs: its bytes as a file, and a table read from end to end. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <eigenmesh/eigenmesh.h>

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A path under which these bytes are a regular file, until the next call; no disk is touched. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* The same for a reader that needs a real name, ending in `suffix`: a file in TMPDIR, always the same one. */
const char *fuzz_file_named(const uint8_t *bytes, size_t size, const char *suffix);

/* Bytes gzipped, into out[room]; their number. */
size_t fuzz_pack(const uint8_t *bytes, size_t size, uint8_t *out, size_t room);

/* Open the path and read its rows, in blocks.  What opens must have rows and columns and must be readable where it is
 * not damaged; what does not open must say why in one line. */
void fuzz_table(const char *path, const em_read_options *options);

/* A failure must come with its code and with one line of text. */
void fuzz_check_error(em_status status, const em_error *err);

#endif
