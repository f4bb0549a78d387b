/* Rows that come in batches, and fits of what was kept of them. */
#ifndef TESTS_SUPPORT_STREAMS_H
#define TESTS_SUPPORT_STREAMS_H

#include "fit/options.h"

/* With a tolerance of 1e-12. */
em_options stream_options(const char *method, int components);

/* A fit of these nodes' tables, on a cycle. */
em_status stream_try_fit(em_model **model, em_data *const *tables, int nodes, const em_options *options, em_error *err);
em_model *stream_fit(em_data *const *tables, int nodes, const em_options *options);

/* Rows order[0 .. count) as one batch. */
void stream_add(em_moments *m, const double *rows, int d, const size_t *order, size_t count, em_dtype type);

#endif
