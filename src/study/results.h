/* What an experiment leaves behind. */
#ifndef EMI_STUDY_RESULTS_H
#define EMI_STUDY_RESULTS_H

#include "base/error.h"

/* One fit: a model, or why there is none. */
typedef struct emi_run {
    em_model *model;
    em_error error;
} emi_run;

typedef struct emi_curve {
    size_t count;
    em_curve_row *rows;
} emi_curve;

struct em_results {
    int contenders, trials;
    int *each;         /* [contenders] runs a trial: 1, or one a node       */
    emi_run **runs;    /* [contenders][trials * each], a trial after another */
    emi_curve *curves; /* [contenders]                                       */
    int stopped;
};

/* Room for the runs of an experiment. */
em_status emi_results_new(em_results **out, const em_experiment *x, em_error *err);

/* The curves, from the runs. */
em_status emi_results_draw(em_results *results, em_error *err);

#endif
