/* CSV and TSV, under every reading that the caller can ask for. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"b", "a"};
    static const em_read_options readings[] = {
        {.size = sizeof(em_read_options), .header = EM_HEADER_AUTO},
        {.size = sizeof(em_read_options), .header = EM_HEADER_YES, .missing = EM_MISSING_MEAN},
        {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .missing = EM_MISSING_DROP},
        {.size = sizeof(em_read_options), .columns = "b,0"},
        {.size = sizeof(em_read_options), .columns = "-1", .label = "0"},
        {.size = sizeof(em_read_options), .delimiter = ";", .missing = EM_MISSING_MEAN},
        {.size = sizeof(em_read_options), .features = names, .feature_count = 2, .features_of = "another"},
    };
    const char *path = fuzz_file(bytes, size);
    for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) fuzz_table(path, &readings[r]);
    return 0;
}
