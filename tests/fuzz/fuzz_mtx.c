/* Matrix Market, as it is and transposed, and some of its columns. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const em_read_options readings[] = {
        {.size = sizeof(em_read_options)},
        {.size = sizeof(em_read_options), .transpose = 1},
        {.size = sizeof(em_read_options), .columns = "1,0"},
        {.size = sizeof(em_read_options), .columns = "-0", .missing = EM_MISSING_DROP},
    };
    const char *path = fuzz_file(bytes, size);
    for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) fuzz_table(path, &readings[r]);
    return 0;
}
