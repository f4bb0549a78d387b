/* What tests of experiments share. */
#ifndef TESTS_SUPPORT_CONTENDERS_H
#define TESTS_SUPPORT_CONTENDERS_H

#include "fit/options.h"
#include "lab/experiment.h"
#include "support/check.h"

/* Called like its method, with K components and at most so many iterations, all of them traced, against a truth that is
 * computed. */
lab_contender contender(const char *method, lab_place place, int K, long iterations);

#endif
