/* The answer, and how it was found. */
#ifndef EMI_MODEL_MODEL_H
#define EMI_MODEL_MODEL_H

#include "base/error.h"

struct em_model {
    int K, d;
    uint64_t N;
    double *numbers;                                                         /* one allocation for all that follows */
    double *components;                                                      /* [K * d] */
    double *mean, *scale;                                                    /* [d] */
    double *explained_variance, *explained_variance_ratio, *singular_values; /* [K] */
    double *residuals, *angle_bounds, *subspace_bounds;                      /* [K] */
    double *exact_variance, *component_error;                                /* [K] valid when has_truth */
    double *exact_components; /* [K * d] owned; NULL: the fit computed no truth */
    int64_t *cluster;         /* [K] the first component of each one's cluster */
    char **feature_names;     /* [d] UTF-8, one allocation with the pointers: emi_model_name_features; NULL: none */
    double noise_variance;
    int has_truth;
    em_info info;
    int format, converged; /* of the file it is written to */
    char version[32];
    em_trace_row *trace;
    size_t trace_rows;
};

em_status emi_model_new(em_model **out, int K, int d, uint64_t N, em_error *err);

/* What follows from the residuals: their mean, and how bad the worst is. */
void emi_model_derive(em_model *model);

/* Copies of these d names; NULL: none. */
em_status emi_model_name_features(em_model *model, const char *const *names, em_error *err);

/* ---- names in a file: an array of NumPy's text, which is UTF-32, all of one width ------------------- */

/* Bytes of a character; and characters of a name that a file keeps: what is longer is cut there, and a file that claims
 * more is damaged. */
enum { EMI_UTF32 = 4, EMI_NAME_LONGEST = 1024 };

/* The width of the array; and its bytes, EMI_UTF32 * width * count of them. */
size_t emi_names_width(char *const *names, size_t count);
void emi_names_to_array(char *const *names, size_t count, size_t width, unsigned char *out);

/* The names in an array, one allocation; *bad where it holds what is no text.  NULL then, and without memory. */
char **emi_names_from_array(const unsigned char *array, size_t count, size_t width, int *bad);

#endif
