/* IDX: all columns, and some of them. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const em_read_options some = {.size = sizeof(em_read_options), .header = EM_HEADER_AUTO, .columns = "1,0"};
    const char *path = fuzz_file(bytes, size);
    fuzz_table(path, NULL);
    fuzz_table(path, &some);
    return 0;
}
