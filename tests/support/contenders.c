#include "support/contenders.h"

#include <stdatomic.h>

enum { MOST = 512 };

lab_contender contender(const char *method, lab_place place, int K, long iterations)
{
    static em_options all[MOST];
    static atomic_int used; /* tests make them in several threads */
    lab_contender made = {.label = method, .place = place, .options = &all[used++ % MOST]};
    *made.options = emi_options_default();
    made.options->method = method;
    made.options->components = K;
    made.options->iterations = iterations;
    made.options->truth_compute = 1;
    made.options->trace = EMI_TRACE_ALL;
    return made;
}
