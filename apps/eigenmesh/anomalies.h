/* The columns of transform --scores: scores along the components, T^2 and Q, with the limits of these. */
#ifndef EIGENMESH_ANOMALIES_H
#define EIGENMESH_ANOMALIES_H

#include "command.h"
#include "print.h"

enum { ANOMALY_T2, ANOMALY_Q, ANOMALIES };

typedef struct anomalies {
    int components;          /* scores along them are wanted       */
    int wanted[ANOMALIES];   /* and these                          */
    double limit[ANOMALIES]; /* NaN: not known, and why            */
    double error;            /* of that of Q                       */
    char why[ANOMALIES][sizeof((em_error *)0)->msg];
    size_t above[ANOMALIES]; /* rows beyond it so far              */
    size_t rows;
    double confidence;
    double sketch_bound; /* of the model: its variances may be too small by this much */
    const char **names;  /* of the columns; NULL: components alone, as ever */
    char (*text)[32];
} anomalies;

em_status anomalies_open(anomalies *a, const arguments *args, const em_model *model, em_error *err);
void anomalies_close(anomalies *a);

size_t anomalies_columns(const anomalies *a, const em_model *model);

/* A block of rows: z is their scores, out all that is wanted. */
em_status anomalies_map(anomalies *a, const em_model *model, const double *in, size_t rows, const double *z,
                        double *out, em_error *err);

void anomalies_print(const anomalies *a);
void anomalies_json(json *j, const anomalies *a);

#endif
