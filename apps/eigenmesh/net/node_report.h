/* How taking part in a study ended: for people, and for programs. */
#ifndef EIGENMESH_APP_NODE_REPORT_H
#define EIGENMESH_APP_NODE_REPORT_H

#include "input.h"
#include "report.h"

#include <eigenmesh/net.h>

typedef struct node_end {
    const em_site_report *report;
    const em_model *model; /* NULL: none */
    const reading *input;  /* how the data was read */
    int read_meanwhile;    /* as it came: nothing was said of that before */
    const char *file;      /* where it was to be written; NULL: nowhere */
    const char *page;      /* where a page for people was; NULL: nowhere */
    int page_stays;        /* and stays as it is: nothing was done that it could tell */
    em_status status;
    const em_error *error; /* where the status is not EM_OK */
} node_end;

em_status node_print(const node_end *end, em_error *err);

/* One model of several, as a study that follows makes them: a line each. */
void node_model_print(const em_model *model, int number);
void node_model_json(const em_model *model, int number, const char *file);

/* One line. */
void node_json(const node_end *end);

#endif
