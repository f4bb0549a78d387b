/* Running gnuplot, which draws the pictures. */
#ifndef LAB_GNUPLOT_H
#define LAB_GNUPLOT_H

#include "base/output.h"
#include "lab/template.h"

#include <limits.h>

enum { GNUPLOT_PATH_MAX = PATH_MAX };

/* What a picture is written as. */
typedef enum picture_kind { PICTURE_SVG, PICTURE_PNG, PICTURE_PDF, PICTURE_KINDS } picture_kind;

/* Where a picture goes, and as what. */
typedef struct canvas {
    emi_output *output;
    picture_kind kind;
} canvas;

/* Where it is installed; 0 when it is not. */
int gnuplot_find(char path[GNUPLOT_PATH_MAX]);

/* It is there; `what` is the option or command that needs it. */
em_status gnuplot_require(const char *what, em_error *err);

/* It can draw what the end of the file's name asks for: .svg, .png or .pdf; "-" is an SVG. */
em_status gnuplot_require_for(const char *what, const char *path, em_error *err);

/* The kind of picture that a name asks for; PICTURE_KINDS: none, which gnuplot_require_for does not let pass. */
picture_kind gnuplot_kind(const char *path);

/* Draw plots/picture.gp, filled in, as a picture of so many pixels, into the output; `with` is freed. */
em_status gnuplot_draw(const canvas *to, int width, int height, fill *with, em_error *err);

#endif
