/* Models compared to the last bit. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "support/check.h"

/* Everything that a fit finds, decides and sends is the same; only clocks and threads may differ. */
#define assert_same_model(a, b) check_same_model(a, b, __FILE__, __LINE__)
void check_same_model(const em_model *a, const em_model *b, const char *file, int line);

#endif
