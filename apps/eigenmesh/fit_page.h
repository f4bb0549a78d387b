/* The page of a fit: fit --report. */
#ifndef EIGENMESH_FIT_PAGE_H
#define EIGENMESH_FIT_PAGE_H

#include "page.h"
#include "problem.h"

em_status fit_page_write(FILE *stream, page_notes *notes, const problem *p, const em_model *model, em_error *err);

#endif
