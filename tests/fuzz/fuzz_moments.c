/* A file of moments: load it, merge it with itself read anew, and open it as a table with fewer columns. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST = 64 };
    static double covariance[MOST * MOST];
    em_moments *moments = NULL;
    em_data *data = NULL;
    em_error err = {0};
    double bound;
    const em_read_options some = {.size = sizeof some, .columns = "1,0"};
    const char *path = fuzz_file(bytes, size);
    fuzz_check_error(em_moments_load(&moments, path, &err), &err);
    if (moments && em_moments_columns(moments) <= MOST) {
        if (em_data_open(&data, path, NULL, &err) == EM_OK)
            fuzz_check_error(em_moments_update(moments, data, &err), &err);
        fuzz_check_error(em_moments_forget(moments, 0.5, &err), &err);
        fuzz_check_error(em_moments_bound(moments, &bound, &err), &err);
        fuzz_check_error(em_moments_covariance(moments, covariance, &err), &err);
    }
    em_data_free(&data);
    em_moments_free(&moments);
    fuzz_check_error(em_data_open(&data, path, &some, &err), &err);
    em_data_free(&data);
    return 0;
}
