/* Experiments: one problem, several methods, several trials; what came of each, and the curves of them.
 *
 * An experiment is nothing but fits.  A trial draws its data, splits it over the nodes and lets every contender loose on it,
 * those over the network first: the exact answer that they are measured by, where one is asked for, is that of the others
 * too. */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include <eigenmesh/eigenmesh.h>

/* Where a contender runs: over the network; where all data is in one place; or at every node by itself, on that node's
 * data, which is as many runs. */
typedef enum lab_place { LAB_OVER_NETWORK, LAB_IN_ONE_PLACE, LAB_EACH_ALONE } lab_place;

typedef struct lab_contender {
    const char *label; /* borrowed */
    lab_place place;
    em_options *options; /* borrowed; seed and monitor are the experiment's */
} lab_contender;

typedef struct lab_experiment_progress {
    int finished, total; /* runs */
    double under_way;    /* the sum of what is done of those that are running */
    const char *label;   /* of the contender that this report came from */
    int trial;
} lab_experiment_progress;

/* Called now and then, by one thread at a time; non-zero stops the experiment. */
typedef int lab_experiment_monitor_fn(const lab_experiment_progress *progress, void *user);

/* Everything in it is borrowed.  Zero it first. */
typedef struct lab_experiment {
    const em_graph *graph;
    const em_data *data; /* split over the nodes as it lies; or, where it is NULL, */
    struct {             /* drawn anew for every trial by lab_generate */
        size_t features, samples, components;
        double gap;
    } drawn;
    const lab_contender *contenders;
    int contender_count;
    int trials;
    uint64_t seed; /* trial t draws its data and start from seed + t */
    int threads;   /* cores to use, 0 for all: they share trials, or the nodes of a single one */
    lab_experiment_monitor_fn *monitor;
    void *monitor_user;
} lab_experiment;

typedef struct lab_results lab_results;

/* Run all contenders in all trials.  A contender's failure of its own (numbers, memory) is a result; so is one that the
 * monitor stopped, after which no other runs.  The results do not depend on the number of cores where there are several
 * nodes. */
em_status lab_experiment_run(lab_results **out, const lab_experiment *about, em_error *err);

/* How many runs a contender had in all, and one of them: its model, or NULL and why. */
int lab_results_runs(const lab_results *results, int contender);
const em_model *lab_results_model(const lab_results *results, int contender, int run);
const em_error *lab_results_error(const lab_results *results, int contender, int run); /* code EM_OK: not run */
int lab_results_stopped(const lab_results *results);                                   /* by a monitor */

/* A contender's runs as one curve, a row an iteration: means over the runs, and the least and the largest error.  A run that
 * converged sooner than others stays where it ended; one that broke off ends the curve. */
typedef struct lab_curve_row {
    long iteration;
    double rounds, bytes, units;
    double error, least, most;
} lab_curve_row;

const lab_curve_row *lab_results_curve(const lab_results *results, int contender, size_t *rows);
void lab_results_free(lab_results **handle);

#endif
