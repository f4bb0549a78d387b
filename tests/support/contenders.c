#include "support/contenders.h"

lab_contender contender(const char *method, lab_place place, int K, long iterations)
{
    lab_contender made = {.label = method, .place = place, .options = em_options_default()};
    made.options.method = method;
    made.options.components = K;
    made.options.iterations = iterations;
    made.options.truth_compute = 1;
    made.options.trace = EM_TRACE_ALL;
    return made;
}
