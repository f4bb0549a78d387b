/* A page about a fit, for people: what was computed from what and by whom, how far it can be trusted, and how to do it again, as
 * one HTML file that refers to nothing outside itself, with pictures in it and no script.
 *
 * It is made of a model, and of whatever else the caller knows; what is not known is not on it, or it says what would tell.  All
 * texts are UTF-8, and nothing in them is taken for HTML.  Rows of the data are on the page, as points, only where the caller
 * gives tables: then it says so at its top. */
#ifndef EIGENMESH_PAGE_H
#define EIGENMESH_PAGE_H

#include <eigenmesh/eigenmesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that was read, or several that were read alike. */
typedef struct em_page_input {                /* frozen */
    const char *name;                         /* "a.csv and 2 more" */
    const char *remarks;                      /* how it was read; "": nothing to say */
    const char *const *left_out, *const *why; /* columns that are no features: what each is called, and the
                                               * reason, of which the page quotes no cell */
    size_t left_out_count;
} em_page_input;

/* What went over a link of this site, in a study. */
typedef struct em_page_link { /* frozen */
    const char *name;         /* of the neighbour */
    uint64_t bytes_sent, bytes_received;
    int cuts;
    double seconds_waited;
} em_page_link;

/* How near a fit was after an iteration, as em_progress tells it. */
typedef struct em_page_step { /* frozen */
    long iteration;
    double change;
} em_page_step;

/* Zeroes after the size, and NULL, mean: not known. */
typedef struct em_page {
    size_t size;                                  /* sizeof(em_page) */
    const em_model *model;                        /* must be there */
    const char *subject;                          /* whose components they are: "flowers.csv" */
    int64_t made;                                 /* when, in seconds since 1970 */
    const char *command;                          /* that makes the model again, as one types it */
    const em_options *options;                    /* what was asked */
    const char *const *fact_names, *const *facts; /* what else is to be said: "study", "heart" */
    size_t fact_count;

    const em_page_input *inputs;
    size_t input_count;
    uint64_t rows_dropped; /* for missing values */

    const em_graph *graph;
    const char *topology;          /* "er:0.5" */
    const char *const *node_names; /* [nodes]; NULL: they have numbers */
    const uint64_t *node_rows;     /* [nodes]; NULL, or 0 each: not known */
    int own_node;                  /* whose page this is, from 1; 0: nobody's in particular */
    int masked;                    /* sums were masked */
    const em_page_link *links;
    size_t link_count;

    const em_page_step *steps; /* drawn where the model has no trace */
    size_t step_count;

    const em_data *const
        *tables; /* whose rows are drawn as points: up to 5000 of them, by chance that is the same every time */
    int table_count;
    const char *label;         /* what the points' colours tell; NULL: all are alike */
    const char *const *labels; /* [rows of all tables]; NULL: em_data_label has them */

    int fragment; /* the answer in short, without rows, as a piece of another page: a notebook's, say */

    int processes; /* that had the nodes: several nodes in one are a simulation, and the page says so */
} em_page;

/* Into a stream, whose own failures are the stream's to tell; or a file, whole or not at all. */
EM_API em_status em_page_write(const em_page *page, FILE *stream, em_error *err);
EM_API em_status em_page_save(const em_page *page, const char *path, em_error *err);

#ifdef __cplusplus
}
#endif
#endif
