/* gzip.  An even first byte: what follows is the file, and it is likely damaged.  An odd one: what follows is packed
 * first, so that the readers behind gzip are reached. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t packed[1 << 18];
    if (size < 1 || size > sizeof packed / 2) return 0;
    if (bytes[0] % 2)
        fuzz_table(fuzz_file(packed, fuzz_pack(bytes + 1, size - 1, packed, sizeof packed)), NULL);
    else
        fuzz_table(fuzz_file(bytes + 1, size - 1), NULL);
    return 0;
}
