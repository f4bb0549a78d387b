/* Where to draw the nodes of a network. */
#ifndef EMI_PAGE_LAYOUT_H
#define EMI_PAGE_LAYOUT_H

#include <eigenmesh/eigenmesh.h>

/* Places from 0 to the width and the height, the same for the same network every time; x and y are [nodes]. */
em_status emi_layout(const em_graph *graph, double width, double height, double *x, double *y, em_error *err);

#endif
