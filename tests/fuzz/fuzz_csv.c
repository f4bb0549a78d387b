/* CSV and TSV, under every reading that the caller can ask for. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const em_read_options readings[] = {{.header = EM_HEADER_AUTO},
                                               {.header = EM_HEADER_YES},
                                               {.header = EM_HEADER_NO},
                                               {.header = EM_HEADER_AUTO, .columns = "b,0"}};
    const char *path = fuzz_file(bytes, size);
    for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) fuzz_table(path, &readings[r]);
    return 0;
}
