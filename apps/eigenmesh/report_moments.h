/* What moments hold, for people and for programs. */
#ifndef EIGENMESH_REPORT_MOMENTS_H
#define EIGENMESH_REPORT_MOMENTS_H

#include "print.h"

/* Whether they are exact, and what was forgotten. */
em_status report_moments(em_moments *moments, em_error *err);

/* How many rows and features; and the same, as members of the object that is open. */
em_status report_moments_json(json *j, em_moments *moments, em_error *err);

/* The mean of each feature, by its name: of the first ones, for people. */
em_status report_means(em_moments *moments, em_error *err);
em_status report_means_json(json *j, em_moments *moments, em_error *err);

/* What can be done where more rows will come. */
void report_moments_held(const em_plan *plan);

#endif
