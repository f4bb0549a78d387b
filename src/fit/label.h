/* What a checkpoint says of itself, and whether it is about the problem at hand. */
#ifndef EMI_FIT_LABEL_H
#define EMI_FIT_LABEL_H

#include "fit/checkpoint.h"

/* To the file, or from it. */
void emi_label_serialize(emi_serializer *p, emi_label *label);

/* Of this problem; reads all rows that live here, to take their digest. */
em_status emi_label_of(emi_label *label, const emi_problem *p, const em_options *options, em_error *err);

/* EM_OK where the one made for `path` is about what this run asks; else which it is that differs. */
em_status emi_label_match(const emi_label *made, const emi_label *own, const char *path, const em_shards *shards,
                          const em_options *options, em_error *err);

#endif
