#include "base/config.h"

#include <eigenmesh/eigenmesh.h>

const char *em_version(void)
{
    return EMI_VERSION;
}

const char *em_built_with(int index)
{
    static const char *const parts[] = {EMI_BLAS_TEXT, EMI_ZLIB_TEXT, EMI_LIBZIP_TEXT, EMI_HDF5_TEXT};
    return index >= 0 && index < (int)(sizeof parts / sizeof *parts) ? parts[index] : NULL;
}
