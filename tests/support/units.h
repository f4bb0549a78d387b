/* Data in other units, and fits of it. */
#ifndef SUPPORT_UNITS_H
#define SUPPORT_UNITS_H

#include "fit/options.h"

enum { N = 60, D = 5, K = 3, NODES = 3 };

/* N rows of D features, with variances 9, 4, 2, 1 and 0.5; freed by the caller. */
double *units_rows(void);

/* K components, to a residual of 1e-10. */
em_options units_options(const char *method, emi_scale scale);

/* On a path of a few nodes. */
em_status units_fit(em_model **model, const double *rows, size_t count, int d, const em_options *options,
                    em_error *err);

void assert_all_finite(const em_model *model);

/* (y - mean) / deviation in long double, which has the range that doubles lack. */
double *standardised(const double *rows, size_t count, int d, double *deviation);

#endif
