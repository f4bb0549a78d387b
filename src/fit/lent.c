/* What is no text, and lent to options by who calls. */
#include "fit/options.h"

void em_options_set_start(em_options *options, const double *values, size_t features, size_t components)
{
    options->init = values;
    options->init_size[0] = features, options->init_size[1] = components;
}

void em_options_set_truth(em_options *options, const double *values, size_t features, size_t components)
{
    options->truth = values;
    options->truth_size[0] = features, options->truth_size[1] = components;
}

void em_options_set_last(em_options *options, const em_model *last)
{
    options->last = last;
}

void em_options_set_monitor(em_options *options, em_monitor_fn *monitor, void *user)
{
    options->monitor = monitor;
    options->monitor_user = user;
}
