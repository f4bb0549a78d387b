/* An audit log, alone and beside a second one: the bytes up to the first 0 are one log, what follows it another. */
#include "fuzz.h"
#include "net/audit.h"

#include <stdlib.h>
#include <string.h>

static void say(void *context, const char *finding)
{
    int *count = context;
    if (strpbrk(finding, "\n\r\033")) abort();
    ++*count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    em_error err = {0};
    int findings = 0;
    const uint8_t *zero = size ? memchr(bytes, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - bytes) : size;
    const char *paths[2] = {fuzz_file(bytes, first), NULL};
    if (zero) paths[1] = fuzz_file_named(zero + 1, size - first - 1, ".log");
    em_status status = emi_audit_check(paths, zero ? 2 : 1, say, &findings, &err);
    fuzz_check_error(status, &err);
    if ((status == EM_EDATA) != (findings > 0) && status != EM_EIO) abort();
    return 0;
}
