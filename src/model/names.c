#include "data/names.h"
#include "base/memory.h"
#include "model/model.h"

const char *em_model_feature_name(const em_model *model, int feature)
{
    return model->feature_names && feature >= 0 && feature < model->d ? model->feature_names[feature] : NULL;
}

em_status emi_model_name_features(em_model *model, const char *const *names, em_error *err)
{
    char **copies = names ? emi_names_copy(names, (size_t)model->d) : NULL;
    if (names && !copies) return emi_fail_memory(err, "feature names");
    emi_free(model->feature_names);
    model->feature_names = copies;
    return EM_OK;
}
