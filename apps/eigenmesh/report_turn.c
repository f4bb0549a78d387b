#include "report.h"

#include <math.h>

void report_turn(const em_model *model)
{
    const double degrees = 57.29577951308232;
    const em_info *info = em_model_info(model);
    const double *turns = em_model_turns(model);
    int most = 0;
    if (isnan(info->turn)) return;
    for (int k = 1; k < em_model_components_count(model); k++)
        if (turns[k] > turns[most]) most = k;
    if (info->held)
        (void)printf("last      the last answer holds: 1 average");
    else
        (void)printf("last      began from it: %ld iteration%s", info->iterations, info->iterations == 1 ? "" : "s");
    (void)printf("; turned by %.2g degrees in all, component %d by %.2g\n", degrees * info->turn, most + 1,
                 degrees * turns[most]);
}

void report_turn_json(json *j, const em_model *model)
{
    const em_info *info = em_model_info(model);
    json_flag(j, "held", info->held);
    json_real(j, "turn", info->turn);
    json_open(j, "turns", '[');
    for (int k = 0; !isnan(info->turn) && k < em_model_components_count(model); k++)
        json_real(j, NULL, em_model_turns(model)[k]);
    json_close(j, ']');
}
