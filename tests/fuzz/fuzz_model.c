/* A model file: load it, and use it where it is small. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST = 64 };
    em_model *model = NULL;
    em_error err = {0};
    double row[MOST] = {0}, scores[MOST];
    fuzz_check_error(em_model_load(&model, fuzz_file(bytes, size), &err), &err);
    if (model && em_model_features(model) <= MOST) {
        fuzz_check_error(em_model_transform(model, row, 1, 1, scores, &err), &err);
        fuzz_check_error(em_model_inverse(model, scores, 1, 0, row, &err), &err);
    }
    em_model_free(&model);
    return 0;
}
