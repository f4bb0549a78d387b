#include "lab/palette.h"

static const unsigned colours[] = {0x20639b, 0xd1603d, 0x2a7f62, 0x7b4b94, 0xa67c00, 0x404040,
                                   0xb5446e, 0x5b8c2a, 0x56a8dc, 0xf0a070, 0x3fbfa8, 0xb59adb};
static const char *const dashes[] = {"solid", "(14,6)", "(4,5)", "(14,5,4,5)", "(22,12)", "(14,5,4,5,4,5)", "(8,4)"};
static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2};

#define ITEM(list, i) (list)[(size_t)(i) % (sizeof(list) / sizeof *(list))]

unsigned palette_rgb(int index)
{
    return ITEM(colours, index);
}

void palette_curve(FILE *script, int index, size_t points)
{
    enum { MARKS = 8 };
    (void)fprintf(script,
                  "with linespoints linecolor '#%06x' linewidth 2.2 dashtype %s pointtype %d pointsize 0.9 "
                  "pointinterval %zu",
                  ITEM(colours, index), ITEM(dashes, index), ITEM(marks, index), points / MARKS + 1);
}

void palette_band(FILE *script, int index)
{
    (void)fprintf(script, "with filledcurves linecolor '#%06x' fillstyle transparent solid 0.14 noborder",
                  ITEM(colours, index));
}
