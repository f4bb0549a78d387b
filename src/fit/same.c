#include "fit/same.h"

#include "base/digest.h"
#include "data/shards.h"

#include <string.h>

static uint64_t digest_names(const em_shards *shards)
{
    uint64_t digest = EMI_DIGEST_START;
    const em_data *data = shards->shard[0].data;
    for (size_t c = 0; data->names && c < data->columns; c++) digest = emi_digest_text(digest, data->names[c]);
    return digest;
}

static uint64_t digest_matrix(uint64_t digest, const double *values, size_t d, int K)
{
    return values ? emi_digest(digest, values, d * (size_t)K) : digest;
}

int emi_asked_list(emi_asked out[EMI_ASKED_MAX], const em_shards *shards, const em_options *options)
{
    size_t d = shards->columns;
    em_options fresh = emi_options_default();
    int n = 0, K = options->components;
    out[n++] = (emi_asked){"the number of features", .decides = 1, .value = emi_digest_number(EMI_DIGEST_START, d)};
    out[n++] = (emi_asked){"order or naming of the features", .decides = 1, .value = digest_names(shards)};
    for (int i = 0; em_option(i); i++) {
        const char *name = em_option(i)->name;
        uint64_t value = emi_option_digest(options, i), preset = emi_option_digest(&fresh, i);
        if (strcmp(name, "truth") == 0) value = digest_matrix(value, options->truth, d, K);
        out[n++] = (emi_asked){name, 1, emi_option_decides(i), value, preset};
    }
    out[n++] = (emi_asked){"init", 1, 1, digest_matrix(EMI_DIGEST_START, options->init, d, K), EMI_DIGEST_START};
    return n;
}

em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err)
{
    emi_asked asked[EMI_ASKED_MAX];
    double largest[2 * EMI_ASKED_MAX]; /* of each, and of minus each */
    if (!emi_mesh_is_spread(mesh)) return EM_OK;
    int count = emi_asked_list(asked, shards, options);
    for (int a = 0; a < count; a++) {
        largest[2 * a] = (double)(asked[a].value >> 12); /* as much of it as a double holds */
        largest[2 * a + 1] = -largest[2 * a];
    }
    em_status status = emi_process_max(mesh, largest, 2 * count, err);
    for (int a = 0; a < count && status == EM_OK; a++)
        if (largest[2 * a] != -largest[2 * a + 1])
            status = emi_fail(err, EM_EINVAL, "fit: %s%s differs between processes; try the same everywhere",
                              asked[a].is_option ? "option " : "", asked[a].name);
    return status;
}
