#include "ranks.h"
#include "cluster.h"
#include "message.h"

#include <stdlib.h>

static const char *const names[RANK_SHARES] = {"computing", "sending", "waiting"};

em_status ranks_gather(ranks *out, const em_info *info, em_error *err)
{
    em_status status = EM_OK;
    const double own[RANK_SHARES] = {[COMPUTING] = info->seconds - info->seconds_sending - info->seconds_waiting,
                                     [SENDING] = info->seconds_sending,
                                     [WAITING] = info->seconds_waiting};
    *out = (ranks){.count = cluster_size()};
    if (cluster_speaks()) {
        out->seconds = calloc((size_t)out->count + 1, sizeof *out->seconds);
        if (!out->seconds) status = emi_fail_memory(err, "ranks");
    }
    status = cluster_agree(status, err);
    if (status != EM_OK) return status;
    return cluster_gather(own, sizeof own, out->seconds, err);
}

void ranks_free(ranks *r)
{
    free(r->seconds);
    *r = (ranks){0};
}

/* "computing 1.2 s at most (rank 2), 1.1 s in the mean" */
static void print_share(const ranks *r, int share)
{
    double sum = 0;
    int slowest = 0;
    for (int i = 0; i < r->count; i++) {
        sum += r->seconds[i][share];
        if (r->seconds[i][share] > r->seconds[slowest][share]) slowest = i;
    }
    (void)printf("%s %.3g s at most (rank %d), %.3g s in the mean\n", names[share], r->seconds[slowest][share], slowest,
                 sum / r->count);
}

void ranks_print(const ranks *r)
{
    if (r->count < 2 || !r->seconds) return;
    (void)printf("ranks     %d, ", r->count);
    for (int share = 0; share < RANK_SHARES; share++) {
        if (share) (void)printf("%10s", "");
        print_share(r, share);
    }
}

void ranks_json(json *j, const ranks *r)
{
    if (!r->seconds) return;
    json_open(j, "ranks", '[');
    for (int i = 0; i < r->count; i++) {
        json_open(j, NULL, '{');
        json_whole(j, "rank", (uint64_t)i);
        for (int share = 0; share < RANK_SHARES; share++) json_real(j, names[share], r->seconds[i][share]);
        json_close(j, '}');
    }
    json_close(j, ']');
}
