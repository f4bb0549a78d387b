/* The paper's experiments, as measured: what the files of apps/eigenmesh/reproduce hand to each other.
 *
 * A set-up (data, network, contenders) is run once, as one experiment; a picture shows some of its curves against one
 * axis; a figure is a row of pictures; a claim is judged by the curves. */
#ifndef EIGENMESH_REPRODUCE_PAPER_H
#define EIGENMESH_REPRODUCE_PAPER_H

#include "base/output.h"
#include "lab/experiment.h"

typedef enum axis { AXIS_ITERATIONS, AXIS_UNITS, AXIS_BYTES } axis;

double curve_position(const lab_curve_row *row, axis along);

/* ---- curves: the result of set-ups --------------------------------------------------------------- */

typedef struct curve {
    const char *key;   /* "dsa-0.1": unique in its set-up, part of file names */
    const char *label; /* "dsa, step 0.1": for legends                       */
    int runs;          /* that it is the mean of; 0: it could not run         */
    size_t count;
    const lab_curve_row *rows; /* row t is iteration t                         */
    char *note;                /* "diverged after 35 iterations"; NULL: nothing to say */
} curve;

typedef struct setup {
    const char *key;   /* "fig3-er-0.8"                                                      */
    const char *title; /* "Erdos-Renyi network, gap 0.8"                                     */
    char about[256];   /* "d = 20, K = 5, N = 10,000, M = 10, er:0.5 (23 edges), 10 trials"  */
    int curve_count;
    curve *curves;
    lab_results *results; /* where the rows lie */
    double seconds;
} setup;

/* Its curve of this key; NULL: there is none. */
const curve *setup_curve(const setup *s, const char *key);

/* Where it ends: the mean of the last tenth of its errors; NaN where there is none.  Where it first falls to an error, along
 * an axis; infinity where it never does. */
double curve_end(const curve *c);
double curve_reaches(const curve *c, double error, axis along);

/* ---- pictures and figures ---------------------------------------------------------------------------- */

typedef struct picture {
    char *file; /* "fig3-er-0.8-units.svg" */
    const setup *about;
    axis along;
    const char *const *keys; /* of the curves shown, NULL ends them; NULL: all */
    int log_x;
} picture;

typedef struct figure {
    const char *key;     /* "fig3"                                                           */
    const char *title;   /* "Figure 3: K = 5, error against communication"                   */
    const char *caption; /* a sentence or two                                               */
    int ours;            /* the paper does not have it                                       */
    int picture_count;
    picture *pictures;
} figure;

/* ---- claims ---------------------------------------------------------------------------------------------- */

enum { CLAIM_NUMBERS = 24 };

typedef enum verdict { HOLDS, FAILS, PARTLY, NOT_RUN } verdict;

/* One measured number, where it was measured, and whether it bears the claim out there. */
typedef struct evidence {
    const char *where; /* "Erdos-Renyi network, gap 0.8"              */
    char text[160];    /* "dsa 683 units to 1e-2, seqdistpm 8130"     */
    int holds;
} evidence;

typedef struct claim {
    const char *key;      /* "fig3-efficiency"                                */
    const char *figure;   /* "Figure 3"                                       */
    const char *sentence; /* what the paper says, in one sentence of ours     */
    const char *remark;   /* what to know beside it; NULL: nothing            */
    int evidence_count;
    evidence evidence[CLAIM_NUMBERS];
    verdict verdict;
} claim;

/* ---- all of it -------------------------------------------------------------------------------------------- */

typedef struct reproduction {
    const char *command; /* as typed, for the record */
    int quick, trials;
    uint64_t seed;
    int setup_count;
    setup *setups;
    int figure_count;
    figure *figures;
    int claim_count;
    claim *claims;
} reproduction;

/* A curve as CSV: iteration,rounds,bytes,units,error,least,most. */
void curve_write(FILE *out, const curve *c);

/* A picture as SVG, into the output. */
em_status picture_draw(emi_output *output, const picture *p, em_error *err);

/* Judge the claims of the figures that were run. */
em_status claims_judge(reproduction *r, em_error *err);
const char *verdict_text(verdict v);

/* The pages.  `pictures` holds the text of each SVG, figure by figure, picture by picture. */
void page_claims_markdown(FILE *out, const reproduction *r);
void page_claims_json(FILE *out, const reproduction *r);
void page_index(FILE *out, const reproduction *r, const char *const *pictures);

#endif
