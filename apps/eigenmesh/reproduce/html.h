/* Writing HTML: whatever a text holds, it stays text. */
#ifndef EIGENMESH_REPRODUCE_HTML_H
#define EIGENMESH_REPRODUCE_HTML_H

#include <stdio.h>

/* The text, escaped for use between tags and inside quoted attributes. */
void html_text(FILE *out, const char *text);

/* The format as it is, and in place of each %s, the only conversion there is, a text escaped. */
void html_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For data: addresses. */
void html_base64(FILE *out, const char *text);

#endif
