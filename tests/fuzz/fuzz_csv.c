/* CSV and TSV, under every reading that the caller can ask for. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"b", "a"};
    static const em_read_options readings[] = {
        {.header = EM_HEADER_AUTO},
        {.header = EM_HEADER_YES, .missing = EM_MISSING_MEAN},
        {.header = EM_HEADER_NO, .missing = EM_MISSING_DROP},
        {.columns = "b,0"},
        {.columns = "-1", .label = "0"},
        {.delimiter = ";", .missing = EM_MISSING_MEAN},
        {.features = names, .feature_count = 2, .features_of = "another"},
    };
    const char *path = fuzz_file(bytes, size);
    for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) fuzz_table(path, &readings[r]);
    return 0;
}
