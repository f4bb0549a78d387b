#include "model/entries.h"

#include <limits.h>
#include <string.h>

#define AT(member)      offsetof(em_model, member)
#define TEXT_AT(member) AT(member), sizeof((em_model *)0)->member

_Static_assert(sizeof(em_reason) == sizeof(int), "a reason is stored as an int");

const emi_entry emi_format_entry = {"format_version", EMI_INT, EMI_ONE, AT(format), 0, 1};

const emi_entry emi_model_entries[] = {
    /* The answer, under scikit-learn's names. */
    {"components", EMI_REAL, EMI_COMPONENTS_BY_FEATURES, AT(components), 0, 0},
    {"mean", EMI_REAL, EMI_EACH_FEATURE, AT(mean), 0, 0},
    {"scale", EMI_REAL, EMI_EACH_FEATURE, AT(scale), 0, 0},
    {"feature_names", EMI_NAMES, EMI_EACH_FEATURE, AT(feature_names), 0, 1},
    {"explained_variance", EMI_REAL, EMI_EACH_COMPONENT, AT(explained_variance), 0, 0},
    {"explained_variance_ratio", EMI_REAL, EMI_EACH_COMPONENT, AT(explained_variance_ratio), 0, 0},
    {"singular_values", EMI_REAL, EMI_EACH_COMPONENT, AT(singular_values), 0, 0},
    {"residuals", EMI_REAL, EMI_EACH_COMPONENT, AT(residuals), 0, 0},
    {"angle_bounds", EMI_REAL, EMI_EACH_COMPONENT, AT(angle_bounds), 0, 1},
    {"clusters", EMI_INT64, EMI_EACH_COMPONENT, AT(cluster), 0, 1},
    {"subspace_bounds", EMI_REAL, EMI_EACH_COMPONENT, AT(subspace_bounds), 0, 1},
    {"noise_variance", EMI_REAL, EMI_ONE, AT(noise_variance), 0, 0},
    {"n_samples", EMI_UINT64, EMI_ONE, AT(N), 0, 0},
    {"n_features", EMI_INT, EMI_ONE, AT(d), 0, 0},
    {"n_components", EMI_INT, EMI_ONE, AT(K), 0, 0},

    /* How it was found. */
    {"method", EMI_TEXT, EMI_ONE, TEXT_AT(info.method), 0},
    {"operator", EMI_TEXT, EMI_ONE, TEXT_AT(info.operator_name), 0},
    {"choice", EMI_TEXT, EMI_ONE, TEXT_AT(info.choice), 0},
    {"converged", EMI_INT, EMI_ONE, AT(converged), 0, 0},
    {"reason", EMI_INT, EMI_ONE, AT(info.reason), 0, 0},
    {"iterations", EMI_LONG, EMI_ONE, AT(info.iterations), 0, 0},
    {"step", EMI_REAL, EMI_ONE, AT(info.step), 0, 0},
    {"tolerance", EMI_REAL, EMI_ONE, AT(info.tolerance), 0, 0},
    {"change", EMI_REAL, EMI_ONE, AT(info.change), 0, 0},
    {"consensus", EMI_REAL, EMI_ONE, AT(info.consensus), 0, 0},
    {"error", EMI_REAL, EMI_ONE, AT(info.error), 0, 0},
    {"nodes", EMI_INT, EMI_ONE, AT(info.nodes), 0, 0},
    {"threads", EMI_INT, EMI_ONE, AT(info.threads), 0, 0},
    {"seed", EMI_UINT64, EMI_ONE, AT(info.seed), 0, 0},
    {"rounds", EMI_UINT64, EMI_EACH_PHASE, AT(info.traffic[0].rounds), 0, 0},
    {"messages", EMI_UINT64, EMI_EACH_PHASE, AT(info.traffic[0].messages), 0, 0},
    {"bytes", EMI_UINT64, EMI_EACH_PHASE, AT(info.traffic[0].bytes), 0, 0},
    {"units", EMI_REAL, EMI_EACH_PHASE, AT(info.traffic[0].units), 0, 0},
    {"seconds_setup", EMI_REAL, EMI_ONE, AT(info.seconds_setup), 0, 0},
    {"seconds", EMI_REAL, EMI_ONE, AT(info.seconds), 0, 0},
    {"constant_features", EMI_INT, EMI_ONE, AT(info.constant_features), 0, 0},
    {"open_cluster", EMI_INT, EMI_ONE, AT(info.open_cluster), 0, 0},
    {"rank", EMI_INT, EMI_ONE, AT(info.rank), 0, 1},
    {"limited", EMI_INT, EMI_ONE, AT(info.limited), 0, 1},
    {"version", EMI_TEXT, EMI_ONE, TEXT_AT(version), 0},
    {"format_version", EMI_INT, EMI_ONE, AT(format), 0, 1},
    {0},
};

int emi_entry_shape(const emi_entry *entry, const em_model *model, size_t shape[2], size_t *count)
{
    const size_t rows[] = {1, (size_t)model->K, (size_t)model->d, (size_t)model->K, EM_PHASES};
    int dims = entry->extent == EMI_ONE ? 0 : entry->extent == EMI_COMPONENTS_BY_FEATURES ? 2 : 1;
    shape[0] = rows[entry->extent];
    shape[1] = (size_t)model->d;
    *count = dims == 2 ? shape[0] * shape[1] : shape[0];
    return dims;
}

em_dtype emi_entry_type(const emi_entry *entry)
{
    return entry->kind == EMI_REAL ? EM_F64 : entry->kind == EMI_UINT64 ? EM_U64 : EM_I64;
}

void *emi_entry_member(const emi_entry *entry, const em_model *model)
{
    return (unsigned char *)model + entry->offset;
}

/* Its numbers, and how far apart they lie. */
static unsigned char *numbers_of(const emi_entry *entry, const em_model *model, size_t *stride)
{
    *stride = entry->extent == EMI_EACH_PHASE ? sizeof(em_traffic) : sizeof(double);
    unsigned char *member = emi_entry_member(entry, model);
    if (entry->extent == EMI_ONE || entry->extent == EMI_EACH_PHASE) return member;
    void *pointed_to;
    memcpy(&pointed_to, member, sizeof pointed_to);
    return pointed_to;
}

void emi_entry_to_bytes(const emi_entry *entry, const em_model *model, unsigned char *bytes)
{
    size_t shape[2], count, stride;
    const unsigned char *at = numbers_of(entry, model, &stride);
    (void)emi_entry_shape(entry, model, shape, &count);
    for (; count > 0; count--, at += stride, bytes += sizeof(int64_t)) {
        int64_t number = entry->kind == EMI_INT ? *(const int *)at : entry->kind == EMI_LONG ? *(const long *)at : 0;
        int is_short = entry->kind == EMI_INT || entry->kind == EMI_LONG;
        memcpy(bytes, is_short ? (const unsigned char *)&number : at, sizeof number);
    }
}

int emi_entry_from_bytes(const emi_entry *entry, em_model *model, const unsigned char *bytes)
{
    size_t shape[2], count, stride;
    unsigned char *at = numbers_of(entry, model, &stride);
    (void)emi_entry_shape(entry, model, shape, &count);
    for (; count > 0; count--, at += stride, bytes += sizeof(int64_t)) {
        int64_t number;
        memcpy(&number, bytes, sizeof number);
        if (entry->kind == EMI_INT) {
            if (number < INT_MIN || number > INT_MAX) return 0;
            *(int *)at = (int)number;
        } else if (entry->kind == EMI_LONG) {
            *(long *)at = (long)number;
        } else {
            memcpy(at, bytes, sizeof number);
        }
    }
    return 1;
}
