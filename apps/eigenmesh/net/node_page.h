/* The page of a site in a study: node --report. */
#ifndef EIGENMESH_APP_NODE_PAGE_H
#define EIGENMESH_APP_NODE_PAGE_H

#include "node_report.h"
#include "page.h"

/* data: the site's own rows, with its columns in the study's order. */
em_status node_page_write(FILE *stream, page_notes *notes, const arguments *args, const node_end *end,
                          const em_data *data, em_error *err);

#endif
