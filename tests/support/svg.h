/* What can be told of a picture from the text of its SVG. */
#ifndef TESTS_SUPPORT_SVG_H
#define TESTS_SUPPORT_SVG_H

#include "lab/gnuplot.h"

/* A picture of the test's own; and when it is drawn, in place and with all texts inside, what it is: the caller frees it. */
canvas svg_canvas(void);
char *svg_drawn(canvas *to, em_status status, em_error *err);

/* The file's text; the caller frees it. */
char *svg_read(const char *path);

/* These words are in the picture, or are not: ">units<" is a whole text. */
void assert_says(const char *svg, const char *words);
void assert_silent(const char *svg, const char *words);

/* How often they are. */
int svg_count(const char *svg, const char *words);

/* Every text is inside the picture, even in a font as wide as DejaVu Sans. */
void assert_texts_inside(const char *svg);

#endif
