#include "palette.h"

static const char *const colours[] = {"#20639b", "#d1603d", "#2a7f62", "#7b4b94",
                                      "#a67c00", "#404040", "#b5446e", "#5b8c2a"};
static const char *const dashes[] = {"solid", "(14,6)", "(4,5)", "(14,5,4,5)", "(22,12)", "(14,5,4,5,4,5)", "(8,4)"};
static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2};

#define ITEM(list, i) (list)[(size_t)(i) % (sizeof(list) / sizeof *(list))]

void palette_curve(FILE *script, int index, size_t points)
{
    enum { MARKS = 8 };
    (void)fprintf(script,
                  "with linespoints linecolor '%s' linewidth 2.2 dashtype %s pointtype %d pointsize 0.9 "
                  "pointinterval %zu",
                  ITEM(colours, index), ITEM(dashes, index), ITEM(marks, index), points / MARKS + 1);
}

void palette_band(FILE *script, int index)
{
    (void)fprintf(script, "with filledcurves linecolor '%s' fillstyle transparent solid 0.14 noborder",
                  ITEM(colours, index));
}
