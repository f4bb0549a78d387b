/* What tests of experiments share: contenders, and models compared to the last bit. */
#ifndef TESTS_SUPPORT_CONTENDERS_H
#define TESTS_SUPPORT_CONTENDERS_H

#include "support/check.h"

/* Called like its method, with K components and at most so many iterations, all of them traced, against a truth that is
 * computed. */
em_contender contender(const char *method, em_place place, int K, long iterations);

/* Everything that a fit finds, decides and sends is the same; only clocks and threads may differ. */
#define assert_same_model(a, b) check_same_model(a, b, __FILE__, __LINE__)
void check_same_model(const em_model *a, const em_model *b, const char *file, int line);

#endif
