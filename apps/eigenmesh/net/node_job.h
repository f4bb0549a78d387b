/* What the command `node` holds while it takes part, and its callbacks about rows that keep coming. */
#ifndef EIGENMESH_APP_NODE_JOB_H
#define EIGENMESH_APP_NODE_JOB_H

#include "following.h"
#include "outputs.h"
#include "page.h"

#include <eigenmesh/net.h>

typedef struct node_job {
    const arguments *args;
    reading reading, rearranged;
    em_data *data, *arranged;
    output_file file, page;
    page_notes notes;
    int page_stays; /* one that is there was left alone, as nothing was done */
    em_model *model;
    em_site_report report;
    following following;   /* with --follow */
    em_error late;         /* what went wrong with rows while others were awaited */
    int models;            /* so far */
    double made_at;        /* the last of them */
    double waited, say_at; /* seconds of a wait, as last heard; and when it is said in a line of its own */
} node_job;

/* Ctrl-C, told to the library. */
void node_heed_interrupt(void);

/* --patience, --every, --check: *seconds stays as it is where it was not given. */
em_status node_time(const arguments *args, const char *option, double *seconds, em_error *err);

/* What was asked about rows that keep coming, and when there is a model. */
em_status node_rows_choose(node_job *job, em_site_options *options, em_error *err);

#endif
