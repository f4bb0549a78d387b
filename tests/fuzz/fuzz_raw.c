/* raw:TYPE:COLUMNS:FILE: the first byte chooses the type, the second the number of columns. */
#include "fuzz.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const types[] = {"f64", "f32", "f16", "f128", "i8",  "i16",  "i32",
                                        "i64", "u8",  "u16", "u32",  "u64", "bool", "f8"};
    char request[128];
    if (size < 2) return 0;
    (void)snprintf(request, sizeof request, "raw:%s:%d:%s", types[bytes[0] % (sizeof types / sizeof *types)], bytes[1],
                   fuzz_file(bytes + 2, size - 2));
    fuzz_table(request, NULL);
    return 0;
}
