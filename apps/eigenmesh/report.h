/* What a model holds and how it was found, for people and for programs. */
#ifndef EIGENMESH_REPORT_H
#define EIGENMESH_REPORT_H

#include "json.h"

#include <eigenmesh/eigenmesh.h>

/* What the features are called, as many as a line holds; nothing where they have no names. */
void report_names(const em_model *model);
void report_names_json(json *j, const em_model *model);

/* The table of components, what was sent, how it ended. */
em_status report_components(const em_model *model, em_error *err);

/* What the angles in the table do not say: which components only define a subspace together, which have no variance,
 * which are limited by rounding. */
void report_certificate(const em_model *model);
em_status report_traffic(const em_info *info, em_error *err);
void report_ending(const em_info *info);

/* The same as members of the object that is open. */
void report_json(json *j, const em_model *model);

/* The exact variances, where the truth was computed; a truth from a file has vectors alone. */
const double *report_exact(const em_model *model);

/* All phases together. */
em_traffic report_total(const em_info *info);

#endif
