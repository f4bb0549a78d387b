/* What a site does in a run, the same everywhere: the root's names down; the fit; the model down; every site writes it; its digest
 * up; the word that all have it down.  Where the study follows, models are made again and again (follow.h). */
#ifndef EIGENMESH_NET_PROGRAM_H
#define EIGENMESH_NET_PROGRAM_H

#include "net/masked.h"

typedef struct emi_program {
    const em_site_options *options;
    const emi_study *study;
    int site;
    const emi_identity *identity;
    emi_hub *hub;
    uint64_t generation; /* of the run */
    emi_state *state;
    const emi_entry *own;
    const em_data *data;
    em_monitor_fn *monitor;
    void *monitor_user;
    em_site_report *report;
    const atomic_int *interrupted;
    em_model *model;                     /* once it is there */
    const em_model *last;                /* that a fit begins from; NULL: none */
    unsigned char digest[EMI_SHA_BYTES]; /* of the model */
    int *children;                       /* [child_count] in the tree, while it runs */
    int child_count;
    emi_masked *masked; /* until the mesh has them; NULL: the study has none */
} emi_program;

em_status emi_program_run(emi_program *p, em_error *err);

/* Its parts: a fit of all sites' data; its model, byte for byte the root's, at every site, as all then know of each other. */
em_status emi_program_fit(emi_program *p, const em_data *data, em_model **out, em_error *err);
em_status emi_program_share(emi_program *p, const em_model *own, em_error *err);

/* The model that a run left in the state: its bytes, to be freed in any case; and as the caller keeps it. */
em_status emi_program_read_model(const emi_program *p, char **bytes, size_t *size, em_error *err);
em_status emi_program_keep_again(emi_program *p, em_error *err);

/* Names of files of the state. */
#define EMI_STATE_CHECKPOINT "checkpoint.0-0" /* that of node 0, as em_fit names it: see the option */
#define EMI_STATE_ROWS       "rows"           /* at the root: of all sites, that the checkpoint is of */
#define EMI_STATE_MODEL      "model.npz"      /* it was written; whether all have it, `finished` says */
#define EMI_STATE_FINISHED   "finished"       /* all have it; its digest                              */
#define EMI_STATE_TOLD       "told"           /* a byte a site: which neighbours know that it is done */
#define EMI_STATE_ENDED      "ended"          /* and all was said: nobody will ask                    */

#endif
