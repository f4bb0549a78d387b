/* CSV and TSV, under every reading that the caller can ask for. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const em_read_options readings[] = {
        {EM_HEADER_AUTO, NULL}, {EM_HEADER_YES, NULL}, {EM_HEADER_NO, NULL}, {EM_HEADER_AUTO, "b,0"}};
    const char *path = fuzz_file(bytes, size);
    for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) fuzz_table(path, &readings[r]);
    return 0;
}
