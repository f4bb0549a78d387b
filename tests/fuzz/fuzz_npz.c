/* .npz: the only table in it, one that is named, and some of its columns. */
#include "fuzz.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const em_read_options some = {.size = sizeof(em_read_options), .columns = "1,0"};
    char named[128];
    const char *path = fuzz_file(bytes, size);
    (void)snprintf(named, sizeof named, "%s:X", path);
    fuzz_table(path, NULL);
    fuzz_table(named, NULL);
    fuzz_table(path, &some);
    return 0;
}
