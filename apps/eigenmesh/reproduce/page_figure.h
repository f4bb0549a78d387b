/* The parts of index.html. */
#ifndef EIGENMESH_REPRODUCE_PAGE_FIGURE_H
#define EIGENMESH_REPRODUCE_PAGE_FIGURE_H

#include "paper.h"

/* A figure with its pictures, and under each what it shows in numbers. */
void page_figure(FILE *out, const figure *f, const char *const *pictures);

/* The rules of its looks: light and dark, wide and narrow, screen and paper. */
extern const char page_style[];

#endif
