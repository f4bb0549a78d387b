/* Running gnuplot, which draws the pictures. */
#ifndef EIGENMESH_GNUPLOT_H
#define EIGENMESH_GNUPLOT_H

#include <eigenmesh/eigenmesh.h>
#include <limits.h>

enum { GNUPLOT_PATH_MAX = PATH_MAX };

/* Where it is installed; 0 when it is not. */
int gnuplot_find(char path[GNUPLOT_PATH_MAX]);
em_status gnuplot_require(em_error *err);

/* Begin a script: an SVG picture in the house style.  NULL with an error when there is
 * no room for one. */
FILE *gnuplot_script(int width, int height, em_error *err);

/* A text as a gnuplot string, quotes included. */
void gnuplot_quote(FILE *script, const char *text);

/* Run the script and put the picture into the output.  The script is closed. */
em_status gnuplot_draw(FILE *script, em_output *output, em_error *err);

#endif
