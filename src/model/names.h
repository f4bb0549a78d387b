/* Names of features: UTF-8 here, an array of NumPy's text (UTF-32, all of one width) in the model file. */
#ifndef EMI_MODEL_NAMES_H
#define EMI_MODEL_NAMES_H

#include "model/model.h"

/* Characters of a name that a file keeps: what is longer is cut there, and a file that claims more is damaged. */
enum { EMI_NAME_LONGEST = 1024 };

/* Copies of these d names; NULL: none. */
em_status emi_model_name_features(em_model *model, const char *const *names, em_error *err);

/* The width of the array; and its bytes, 4 * width * count of them. */
size_t emi_names_width(char *const *names, size_t count);
void emi_names_to_array(char *const *names, size_t count, size_t width, unsigned char *out);

/* The names in an array, one allocation; *bad where it holds what is no text.  NULL then, and without memory. */
char **emi_names_from_array(const unsigned char *array, size_t count, size_t width, int *bad);

#endif
