/* What the files of the study share: its parts in the order in which they are made. */
#ifndef EIGENMESH_NET_STUDY_PARTS_H
#define EIGENMESH_NET_STUDY_PARTS_H

#include "net/study.h"
#include "net/study_outline.h"

/* From the sites' lists of neighbours: edges, each once and sorted, and the tree.  The sites have their names. */
em_status emi_study_join(emi_study *study, const emi_study_lines *lines, const emi_study_outline *outline,
                         em_error *err);

/* Can every edge that is used be dialled? */
em_status emi_study_check_dialling(const emi_study *study, const char *file, em_error *err);

/* The canonical text, its digest and the fingerprint, of all the rest. */
em_status emi_study_seal(emi_study *study, const char *file, em_error *err);

#endif
