#include "model/entries.h"

#include <string.h>

#define DOUBLES(label, pointer, n)                                                                                     \
    {                                                                                                                  \
        label, EMI_DOUBLES, 1, {n, 0}, n, pointer, 0                                                                   \
    }
#define DOUBLE(label, pointer)                                                                                         \
    {                                                                                                                  \
        label, EMI_DOUBLES, 0, {0, 0}, 1, pointer, 0                                                                   \
    }
#define INT64(label, pointer)                                                                                          \
    {                                                                                                                  \
        label, EMI_INT64, 0, {0, 0}, 1, pointer, 0                                                                     \
    }
#define UINT64(label, pointer)                                                                                         \
    {                                                                                                                  \
        label, EMI_UINT64, 0, {0, 0}, 1, pointer, 0                                                                    \
    }
#define UINT64S(label, pointer)                                                                                        \
    {                                                                                                                  \
        label, EMI_UINT64, 1, {EM_PHASES, 0}, EM_PHASES, pointer, 0                                                    \
    }
#define TEXT(label, array)                                                                                             \
    {                                                                                                                  \
        label, EMI_TEXT, 0, {0, 0}, sizeof array, array, 0                                                             \
    }

/* The answer, under scikit-learn's names. */
static int answer_entries(em_model *model, emi_entry_buffers *b, emi_entry *out)
{
    size_t K = (size_t)model->K, d = (size_t)model->d;
    const emi_entry entries[] = {
        {"components", EMI_DOUBLES, 2, {K, d}, K * d, model->components, 0},
        DOUBLES("mean", model->mean, d),
        DOUBLES("scale", model->scale, d),
        {"feature_names", EMI_NAMES, 1, {d, 0}, d, &model->feature_names, 1},
        DOUBLES("explained_variance", model->explained_variance, K),
        DOUBLES("explained_variance_ratio", model->explained_variance_ratio, K),
        DOUBLES("singular_values", model->singular_values, K),
        DOUBLES("residuals", model->residuals, K),
        {"angle_bounds", EMI_DOUBLES, 1, {K, 0}, K, model->angle_bounds, 1},
        {"clusters", EMI_INT64, 1, {K, 0}, K, model->cluster, 1},
        {"subspace_bounds", EMI_DOUBLES, 1, {K, 0}, K, model->subspace_bounds, 1},
        DOUBLE("noise_variance", &model->noise_variance),
        UINT64("n_samples", &b->n_samples),
        INT64("n_features", &b->n_features),
        INT64("n_components", &b->n_components),
    };
    memcpy(out, entries, sizeof entries);
    return (int)(sizeof entries / sizeof *entries);
}

emi_entry emi_format_entry(emi_entry_buffers *b)
{
    return (emi_entry){"format_version", EMI_INT64, 0, {0, 0}, 1, &b->format, 1};
}

/* How it was found. */
static int info_entries(em_info *info, emi_entry_buffers *b, emi_entry *out)
{
    const emi_entry entries[] = {
        TEXT("method", info->method),
        TEXT("operator", info->operator_name),
        TEXT("choice", info->choice),
        INT64("converged", &b->converged),
        INT64("reason", &b->reason),
        INT64("iterations", &b->iterations),
        DOUBLE("step", &info->step),
        DOUBLE("tolerance", &info->tolerance),
        DOUBLE("change", &info->change),
        DOUBLE("consensus", &info->consensus),
        DOUBLE("error", &info->error),
        INT64("nodes", &b->nodes),
        INT64("threads", &b->threads),
        UINT64("seed", &b->seed),
        UINT64S("rounds", b->rounds),
        UINT64S("messages", b->messages),
        UINT64S("bytes", b->bytes),
        DOUBLES("units", b->units, EM_PHASES),
        DOUBLE("seconds_setup", &info->seconds_setup),
        DOUBLE("seconds", &info->seconds),
        INT64("constant_features", &b->constant_features),
        INT64("open_cluster", &b->open_cluster),
        {"rank", EMI_INT64, 0, {0, 0}, 1, &b->rank, 1},
        {"limited", EMI_INT64, 0, {0, 0}, 1, &b->limited, 1},
        TEXT("version", b->version),
        emi_format_entry(b),
    };
    memcpy(out, entries, sizeof entries);
    return (int)(sizeof entries / sizeof *entries);
}

int emi_model_entries(em_model *model, emi_entry_buffers *buffers, emi_entry *out)
{
    int count = answer_entries(model, buffers, out);
    return count + info_entries(&model->info, buffers, out + count);
}

void emi_buffers_from_model(const em_model *model, emi_entry_buffers *b)
{
    const em_info *info = &model->info;
    *b = (emi_entry_buffers){.format = EMI_MODEL_FORMAT,
                             .n_components = model->K,
                             .n_features = model->d,
                             .n_samples = model->N,
                             .converged = info->reason == EM_CONVERGED,
                             .reason = info->reason,
                             .iterations = info->iterations,
                             .nodes = info->nodes,
                             .threads = info->threads,
                             .constant_features = info->constant_features,
                             .open_cluster = info->open_cluster,
                             .rank = info->rank,
                             .limited = info->limited,
                             .seed = info->seed};
    (void)snprintf(b->version, sizeof b->version, "%s", em_version());
    for (int phase = 0; phase < EM_PHASES; phase++) {
        b->rounds[phase] = info->traffic[phase].rounds;
        b->messages[phase] = info->traffic[phase].messages;
        b->bytes[phase] = info->traffic[phase].bytes;
        b->units[phase] = info->traffic[phase].units;
    }
}

void emi_buffers_to_model(const emi_entry_buffers *b, em_model *model)
{
    em_info *info = &model->info;
    model->N = b->n_samples;
    info->reason = (em_reason)b->reason;
    info->iterations = (long)b->iterations;
    info->nodes = (int)b->nodes;
    info->threads = (int)b->threads;
    info->constant_features = (int)b->constant_features;
    info->open_cluster = (int)b->open_cluster;
    info->rank = (int)b->rank;
    info->limited = (int)b->limited;
    info->seed = b->seed;
    info->samples = b->n_samples;
    info->features = model->d;
    info->components = model->K;
    for (int phase = 0; phase < EM_PHASES; phase++)
        info->traffic[phase] = (em_traffic){.rounds = b->rounds[phase],
                                            .messages = b->messages[phase],
                                            .bytes = b->bytes[phase],
                                            .units = b->units[phase]};
    emi_model_derive(model);
}
