#include "net/pace.h"

int emi_pace_allows(const emi_pace *pace, double now)
{
    return now - pace->last >= pace->pause;
}

void emi_pace_take(emi_pace *pace, double now)
{
    if (now - pace->last >= EMI_PACE_QUIET) *pace = (emi_pace){0};
    if (pace->count < EMI_PACE_FREE) pace->count++;
    if (pace->count == EMI_PACE_FREE) pace->pause = pace->pause < 1 ? 1 : 2 * pace->pause;
    if (pace->pause > EMI_PACE_MOST) pace->pause = EMI_PACE_MOST;
    pace->last = now;
}
