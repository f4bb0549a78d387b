/* What the caller asks: the options, the one table that describes them, for all who ask and tell. */
#ifndef EMI_FIT_OPTIONS_H
#define EMI_FIT_OPTIONS_H

#include "run/driver.h"

typedef enum emi_scale {
    EMI_SCALE_AUTO, /* binomial for genotypes, none for what else there is */
    EMI_SCALE_NONE,
    EMI_SCALE_STD,
    EMI_SCALE_SPECTRAL,
    EMI_SCALE_BINOMIAL
} emi_scale;

typedef enum emi_precision { EMI_PRECISION_AUTO, EMI_PRECISION_SINGLE, EMI_PRECISION_DOUBLE } emi_precision;

typedef enum emi_wire { EMI_WIRE_AUTO, EMI_WIRE_32, EMI_WIRE_64 } emi_wire;

typedef enum emi_device_choice { EMI_DEVICE_AUTO, EMI_DEVICE_CPU, EMI_DEVICE_GPU } emi_device_choice;

/* An option is a member here and an entry of the table in options.c, which says what it is by default.  Texts belong to
 * an object of em_options_create; whoever fills one in by hand lends them, and leaves em_options_set alone. */
struct em_options {
    const char *method;       /* a registered name, or "auto"                 */
    int components;           /* K                                            */
    double variance;          /* as many as explain more than this; 0: K      */
    double step;              /* alpha; 0: as large as is stable              */
    emi_decay step_decay;     /* alpha, alpha/sqrt(t+1), alpha/(t+1)^p        */
    double step_power;        /* that p                                       */
    int consensus_rounds;     /* mixes an iteration; 0: the method's own      */
    emi_qr_signs qr_signs;    /* of R's diagonal                              */
    int rayleigh_ritz;        /* deepca: report Ritz vectors                  */
    emi_precision precision;  /* of products with the rows                    */
    emi_wire wire;            /* of blocks that are sent                      */
    emi_device_choice device; /* that multiplies the rows                    */
    int oversample;           /* extra vectors in a block; -1: the method's   */
    long iterations;          /* at most; -1: the method's own                */
    double max_seconds;       /* in the iterations; 0: no limit               */
    double tolerance;         /* stop under this; 0: never                    */
    int limits;               /* find what limits of Q need                   */
    int center;               /* remove the global mean                       */
    emi_scale scale;          /*                                              */
    uint64_t seed;            /* everything random follows from it            */
    int truth_compute;        /* solve centrally too, for study               */
    emi_trace_kind trace;     /* keep a row an iteration                      */
    const char *checkpoint;   /* a file; NULL: none                           */
    double checkpoint_every;  /* seconds; 0: as often as can be               */
    int resume;               /* go on from the checkpoint                    */

    /* What is no text has functions of its own. */
    const double *init, *truth;         /* d x K, row-major, borrowed; NULL: none       */
    size_t init_size[2], truth_size[2]; /* their d and K, where these were told; 0 where not */
    const em_model *last;               /* the answer to begin from, borrowed; NULL: none    */
    em_monitor_fn *monitor;
    void *monitor_user;
};

enum { EMI_OPTIONS_MAX = 60 }; /* of the table */

em_options emi_options_default(void);

/* ---- the table, for those who compare options ----------------------------------------------------- */

/* A number for the index-th option's value, by its text: another value, another number, as good as certainly. */
uint64_t emi_option_digest(const em_options *options, int index);

/* Does the result depend on it, so that a checkpoint is good for this value only? */
int emi_option_decides(int index);

/* An option that is not as by default, and that a method which declares these uses would not read; NULL: there is none. */
const char *emi_options_unread(const em_options *options, unsigned uses);

#endif
