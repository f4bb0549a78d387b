/* Numbers in text, read strictly: the whole text must be the number, or it is refused. */
#ifndef EMI_BASE_TEXT_H
#define EMI_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Each returns non-zero when `text` is not such a number, and leaves *out alone then. */
int emi_text_double(const char *text, double *out); /* finite */
int emi_text_long(const char *text, long *out);
int emi_text_u64(const char *text, uint64_t *out);
int emi_text_size(const char *text, size_t *out);

/* What follows `prefix` in `text`, or NULL. */
const char *emi_text_after(const char *text, const char *prefix);

#endif
