/* Models compared to the last bit, and their traces. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "support/check.h"

/* Everything that a fit finds, decides and sends is the same; only clocks and threads may differ. */
#define assert_same_model(a, b) check_same_model(a, b, __FILE__, __LINE__)
void check_same_model(const em_model *a, const em_model *b, const char *file, int line);

/* All rows of the trace, which lie side by side in this version of the library; NULL where there are none. */
const em_trace_row *trace_of(const em_model *model, size_t *rows);

#endif
