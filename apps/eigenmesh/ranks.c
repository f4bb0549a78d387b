#include "ranks.h"
#include "cluster.h"
#include "message.h"

#include <stdlib.h>

em_status ranks_gather(ranks *out, const em_info *info, em_error *err)
{
    em_status status = EM_OK;
    const rank_times own = {info->seconds - info->seconds_sending - info->seconds_waiting, info->seconds_sending,
                            info->seconds_waiting};
    *out = (ranks){.count = cluster_size()};
    if (cluster_speaks()) {
        out->times = calloc((size_t)out->count + 1, sizeof *out->times);
        if (!out->times) status = refuse_memory(err, "ranks");
    }
    status = cluster_agree(status, err);
    if (status == EM_OK) cluster_gather((const double *)&own, 3, (double *)out->times);
    return status;
}

void ranks_free(ranks *r)
{
    free(r->times);
    *r = (ranks){0};
}

/* "computing 1.2 s at most (rank 2), 1.1 s in the mean" */
static void print_share(const ranks *r, const char *name, size_t offset)
{
    double most = -1, sum = 0;
    int slowest = 0;
    for (int i = 0; i < r->count; i++) {
        double seconds = *(const double *)((const char *)&r->times[i] + offset);
        sum += seconds;
        if (seconds > most) most = seconds, slowest = i;
    }
    (void)printf("%s %.3g s at most (rank %d), %.3g s in the mean", name, most, slowest, sum / r->count);
}

void ranks_print(const ranks *r)
{
    if (r->count < 2 || !r->times) return;
    (void)printf("ranks     %d, ", r->count);
    print_share(r, "computing", offsetof(rank_times, computing));
    (void)printf("\n          ");
    print_share(r, "sending", offsetof(rank_times, sending));
    (void)printf("\n          ");
    print_share(r, "waiting", offsetof(rank_times, waiting));
    (void)putchar('\n');
}

void ranks_json(json *j, const ranks *r)
{
    if (!r->times) return;
    json_open(j, "ranks", '[');
    for (int i = 0; i < r->count; i++) {
        json_open(j, NULL, '{');
        json_whole(j, "rank", (uint64_t)i);
        json_real(j, "computing", r->times[i].computing);
        json_real(j, "sending", r->times[i].sending);
        json_real(j, "waiting", r->times[i].waiting);
        json_close(j, '}');
    }
    json_close(j, ']');
}
