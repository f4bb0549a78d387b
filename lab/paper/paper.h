/* The paper's experiments: what figures.txt asks for, and as measured.
 *
 * A set-up (data, network, contenders) is run once, as one experiment; a picture shows some of its curves against one
 * axis; a figure is a row of pictures; a claim is judged by the curves. */
#ifndef LAB_PAPER_PAPER_H
#define LAB_PAPER_PAPER_H

#include "base/output.h"
#include "lab/experiment.h"
#include "lab/paper/records.h"

typedef enum axis { AXIS_ITERATIONS, AXIS_UNITS, AXIS_BYTES, AXES } axis;

/* What they are called: in file names; by the paper, below a picture; on the page, and in its tables, in units of so much. */
typedef struct axis_names {
    const char *key, *title, *words, *noun;
    double unit;
} axis_names;
extern const axis_names paper_axes[AXES];

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
    const record *plan; /* what figures.txt says of it                                        */
    const char *key;    /* "fig3-er-0.8"                                                      */
    const char *title;  /* "Erdos-Renyi network, gap 0.8"                                     */
    char about[256];    /* "d = 20, K = 5, N = 10,000, M = 10, er:0.5 (23 edges), 10 trials"  */
    int curve_count;
    curve *curves;
    lab_results *results; /* where the rows lie */
    double seconds;
} setup;

double curve_position(const lab_curve_row *row, axis along);

/* Whether there is anything of it to draw. */
int curve_ran(const curve *c);

/* Where it ends: the mean of the last tenth of its errors; NaN where there is none.  Where it first falls to an error, along
 * an axis; infinity where it never does. */
double curve_end(const curve *c);
double curve_reaches(const curve *c, double error, axis along);

/* A curve as CSV: iteration,rounds,bytes,units,error,least,most. */
void curve_write(FILE *out, const curve *c);

/* ---- pictures and figures ---------------------------------------------------------------------------- */

typedef struct picture {
    char file[128]; /* "fig3-er-0.8-units.svg" */
    const setup *about;
    axis along;
    const char *keys; /* of the curves shown; "": all */
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

/* Whether the curve belongs into the picture: it is asked for, and it has a place there.  Against what is sent, a
 * curve that sends nothing has none. */
int picture_shows(const picture *p, const curve *c);

/* A picture as SVG, into the output. */
em_status picture_draw(emi_output *output, const picture *p, em_error *err);

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
    records plans, claims_text; /* what all others point to */
    int setup_count;
    setup *setups;
    int figure_count;
    figure *figures;
    int claim_count;
    claim *claims;
} reproduction;

/* The set-ups of these figures, or of "all", and their figures; nothing is run yet.  To be closed in any case. */
em_status paper_open(reproduction *r, const char *const *figures, int count, em_error *err);
void paper_close(reproduction *r); /* accepts the zeroed and the half-built */

/* Every file that it will make, the pages last, until NULL; `name` has room for it. */
enum { PAPER_NAME = 128, PAPER_PAGES = 3 };
const char *paper_file(const reproduction *r, int index, char name[PAPER_NAME]);
extern const char *const paper_pages[PAPER_PAGES];

/* How hard to try. */
typedef struct effort {
    int trials; /* of drawn data; images are what they are, one trial */
    int quick;
    int threads;
    uint64_t seed;
    long iterations_max; /* of every curve; 0: as planned */
    lab_experiment_monitor_fn *monitor;
} effort;

/* Measure all curves of the set-up, on this table where it is about images.  After the monitor has stopped it the set-up is
 * not complete: *stopped is set. */
em_status setup_measure(setup *s, const records *plans, const em_data *table, const effort *how, int *stopped,
                        em_error *err);

/* Judge the claims by the set-ups that were run. */
em_status claims_judge(reproduction *r, em_error *err);
void claims_free(reproduction *r);
const char *verdict_text(verdict v);

/* One of the pages.  `pictures` holds the text of each SVG, figure by figure, picture by picture. */
em_status page_write(FILE *out, const char *page, const reproduction *r, const char *const *pictures, em_error *err);

/* ---- images: MNIST and CIFAR-10 as the paper uses them ------------------------------------------------------ */

typedef struct images {
    const record *of;
    em_data *table;
    float *pixels;
    size_t rows, columns;
} images;

/* The set-up's data set; NULL: it is drawn. */
const record *setup_data(const setup *s, const records *plans);

/* One of its files, which is there; "" past the last. */
em_status images_file(const record *data, const char *directory, int index, char *path, size_t room, em_error *err);

/* All of them as one table, pixels divided by a number, as they come or sorted by class; kept where it is open already. */
em_status images_open(images *set, const record *data, const char *directory, em_error *err);
void images_close(images *set); /* accepts the zeroed */

#endif
