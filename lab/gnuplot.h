/* Running gnuplot, which draws the pictures. */
#ifndef LAB_GNUPLOT_H
#define LAB_GNUPLOT_H

#include "base/output.h"

#include <limits.h>

enum { GNUPLOT_PATH_MAX = PATH_MAX };

/* What a picture is written as. */
typedef enum picture_kind { PICTURE_SVG, PICTURE_PNG, PICTURE_PDF } picture_kind;

/* Where a picture goes, and as what. */
typedef struct canvas {
    emi_output *output;
    picture_kind kind;
} canvas;

/* A part of the picture: where its axes are, from 0 to 1 across it and up. */
typedef struct panel {
    double left, right, bottom, top;
} panel;

/* Where it is installed; 0 when it is not. */
int gnuplot_find(char path[GNUPLOT_PATH_MAX]);

/* It is there; `what` is the option or command that needs it. */
em_status gnuplot_require(const char *what, em_error *err);

/* It can draw what the end of the file's name asks for: .svg, .png or .pdf; "-" is an SVG. */
em_status gnuplot_require_for(const char *what, const char *path, em_error *err);

/* The kind of picture that a name asks for, which gnuplot_require_for has let pass. */
picture_kind gnuplot_kind(const char *path);

/* Begin a script: a picture in the house style.  In it, `set ylabel ... offset inward,0` keeps a title near long numbers.
 *  NULL with an error when there is no room for one. */
FILE *gnuplot_script(const canvas *to, int width, int height, em_error *err);

/* Begin one of several panels, each with settings of its own. */
void gnuplot_panel(FILE *script, const panel *place);

/* A text as a gnuplot string, quotes included. */
void gnuplot_quote(FILE *script, const char *text);

/* Run the script and put the picture into the output.  The script is closed. */
em_status gnuplot_draw(FILE *script, const canvas *to, em_error *err);

#endif
