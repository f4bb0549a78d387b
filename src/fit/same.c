#include "fit/same.h"

#include "data/shards.h"

#include <math.h>
#include <string.h>

enum { ASPECTS = EMI_ASPECTS + 3 }; /* those, and the checkpoint */

/* FNV-1a: Fowler, Noll and Vo. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

#define HASH_START 14695981039346656037u

/* A number for a text, or for a few numbers: different ones for different contents, as good as certainly. */
static double digest(const void *bytes, size_t count)
{
    return (double)(hash_bytes(HASH_START, bytes, count) >> 12);
}

static double digest_names(const em_shards *shards)
{
    uint64_t hash = HASH_START;
    const em_data *data = shards->shard[0].data;
    for (size_t c = 0; data->names && c < data->columns; c++)
        hash = hash_bytes(hash, data->names[c], strlen(data->names[c]) + 1);
    return (double)(hash >> 12);
}

static double digest_matrix(const double *values, size_t d, int K)
{
    return values ? digest(values, d * (size_t)K * sizeof *values) : 0;
}

void emi_aspects(emi_aspect out[EMI_ASPECTS], const em_shards *shards, const em_options *o)
{
    const char *method = o->method ? o->method : "auto";
    size_t d = shards->columns;
    const emi_aspect all[EMI_ASPECTS] = {{"the number of features", (double)d},
                                         {"order or naming of the features", digest_names(shards)},
                                         {"--components", o->components},
                                         {"--components", o->variance},
                                         {"--method", digest(method, strlen(method))},
                                         {"--step", o->step},
                                         {"--step-decay", o->step_decay},
                                         {"--step-decay", o->step_power},
                                         {"--consensus-rounds", o->consensus_rounds},
                                         {"--qr-signs", o->qr_signs},
                                         {"--rayleigh-ritz", o->rayleigh_ritz},
                                         {"--oversample", o->oversample},
                                         {"--iterations", (double)o->iterations},
                                         {"--tolerance", o->tolerance},
                                         {"--no-center", o->center},
                                         {"--scale", o->scale},
                                         {"--seed", digest(&o->seed, sizeof o->seed)},
                                         {"--truth", o->truth ? 2 : o->truth_compute},
                                         {"--truth", digest_matrix(o->truth, d, o->components)},
                                         {"--trace", o->trace},
                                         {"--init", digest_matrix(o->init, d, o->components)}};
    memcpy(out, all, sizeof all);
}

static void list(emi_aspect out[ASPECTS], const em_shards *shards, const em_options *o)
{
    const char *path = o->checkpoint ? o->checkpoint : "";
    emi_aspects(out, shards, o);
    out[EMI_ASPECTS] = (emi_aspect){"--checkpoint", digest(path, strlen(path))};
    out[EMI_ASPECTS + 1] = (emi_aspect){"--checkpoint-every", o->checkpoint_every};
    out[EMI_ASPECTS + 2] = (emi_aspect){"--resume", o->resume};
}

em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err)
{
    emi_aspect all[ASPECTS];
    double largest[2 * ASPECTS]; /* of each, and of minus each */
    if (!emi_mesh_is_spread(mesh)) return EM_OK;
    list(all, shards, options);
    for (int a = 0; a < ASPECTS; a++) {
        largest[a] = all[a].value;
        largest[ASPECTS + a] = -all[a].value;
    }
    em_status status = emi_process_max(mesh, largest, 2 * ASPECTS, err);
    for (int a = 0; a < ASPECTS && status == EM_OK; a++)
        if (largest[a] != -largest[ASPECTS + a] && !isnan(all[a].value))
            status =
                emi_fail(err, EM_EINVAL, "fit: %s differs between processes; try the same everywhere", all[a].name);
    return status;
}
