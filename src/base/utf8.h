/* Characters as bytes, and back. */
#ifndef EMI_BASE_UTF8_H
#define EMI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { EMI_UTF8_MOST = 4, EMI_UTF8_UNKNOWN = 0xfffd }; /* bytes a character takes; what stands for one that is none */

/* The character that *text begins with, which is not empty; *text then is what follows it.  A byte that is no UTF-8 counts as
 * one character, EMI_UTF8_UNKNOWN. */
uint32_t emi_utf8_next(const char **text);

/* How many characters the text has. */
size_t emi_utf8_length(const char *text);

/* Write a character; returns its bytes, 0 where there is none of this code. */
size_t emi_utf8_put(char out[EMI_UTF8_MOST], uint32_t code);

#endif
