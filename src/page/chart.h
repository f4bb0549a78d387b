/* The frame of a picture: axes with numbers at them, and where a value lies between them.  Pictures are SVG inside the page: text
 * stays text, and colours are the style's, so that they follow light and dark. */
#ifndef EMI_PAGE_CHART_H
#define EMI_PAGE_CHART_H

#include "page/html.h"

/* Of values along a side of the picture. */
typedef struct emi_axis {
    double from, to;    /* the values at its ends */
    double least, most; /* the places of these ends, in units of the picture */
    int log;
    int percent;
    int whole; /* numbers of things, of which there are no halves */
    int bare;  /* places that mean nothing, and have no numbers */
    const char *title;
} emi_axis;

/* Wide enough for letters that can be read on a telephone, where a unit is a little less than a pixel. */
enum { EMI_CHART_WIDTH = 440, EMI_CHART_HEIGHT = 300 };
typedef struct emi_chart {
    emi_html *to;
    emi_axis x, y;
    int has_right; /* room for another axis on the right */
} emi_chart;

/* A range that has some of its own size around it; of nothing finite, from -1 to 1. */
void emi_axis_fit(emi_axis *axis, double least, double most, double margin);

/* Begins the SVG, whose words for those who do not see it are these, and draws both axes; then `emi_chart_end`. */
void emi_chart_begin(emi_chart *chart, const char *words);
void emi_chart_end(emi_chart *chart);

/* An axis on the right, of the same picture. */
void emi_chart_right(const emi_chart *chart, emi_axis *right);

/* The place of a value, which is finite. */
double emi_axis_at(const emi_axis *axis, double value);

#endif
