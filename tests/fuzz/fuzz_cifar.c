/* CIFAR-10 binary, which is known by its name alone. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_table(fuzz_file_named(bytes, size, ".bin"), NULL);
    return 0;
}
