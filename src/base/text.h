/* Numbers in text, as C writes them: a decimal point is a point, whatever locale the program has chosen. */
#ifndef EMI_BASE_TEXT_H
#define EMI_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Read strictly: the whole text must be the number.  Each returns non-zero when `text` is not such a number, and leaves
 * *out alone then. */
int emi_text_double(const char *text, double *out); /* finite */
int emi_text_long(const char *text, long *out);
int emi_text_u64(const char *text, uint64_t *out);
int emi_text_size(const char *text, size_t *out);
int emi_text_size_in(const char *text, size_t length, size_t *out); /* the first `length` characters */

/* strtod as it is in the C locale, for readers with rules of their own. */
double emi_text_strtod(const char *text, char **end);

enum { EMI_NUMBER_TEXT = 32 };

/* The shortest text of 15 digits or more that reads back as the same number; returns its length. */
size_t emi_text_of_double(char out[EMI_NUMBER_TEXT], double value);

/* As printf writes one number, by a format of one conversion; returns what snprintf does. */
int emi_text_print(char *out, size_t room, const char *format, double value);

/* Does a cell of so many characters say that its value is missing: empty, NA, n/a, NaN, null, none, ?, in either case. */
int emi_text_is_missing(const char *text, size_t length);

/* The order of labels, as strcmp tells it: numbers by their value, before all other texts. */
int emi_text_order(const char *a, const char *b);

/* What follows `prefix` in `text`, or NULL. */
const char *emi_text_after(const char *text, const char *prefix);

#endif
