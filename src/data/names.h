/* Names of columns, and an array of them in a file: NumPy's text, which is UTF-32, all of one width. */
#ifndef EMI_DATA_NAMES_H
#define EMI_DATA_NAMES_H

#include <stddef.h>

/* A copy of all, one allocation with the pointers; NULL: no memory. */
char **emi_names_copy(const char *const *names, size_t count);

/* Bytes of a character; and characters of a name that a file keeps: what is longer is cut there, and a file that claims
 * more is damaged. */
enum { EMI_UTF32 = 4, EMI_NAME_LONGEST = 1024 };

/* The width of the array; and its bytes, EMI_UTF32 * width * count of them. */
size_t emi_names_width(char *const *names, size_t count);
void emi_names_to_array(char *const *names, size_t count, size_t width, unsigned char *out);

/* The names in an array, one allocation; *bad where it holds what is no text.  NULL then, and without memory. */
char **emi_names_from_array(const unsigned char *array, size_t count, size_t width, int *bad);

#endif
