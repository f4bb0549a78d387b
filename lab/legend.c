#include "lab/legend.h"

legend legend_of(int count, size_t longest, int width, int columns_max)
{
    enum { LETTER = 8, SAMPLE = 66, LINE = 20, MARGIN = 6 };
    int columns = width / (LETTER * (int)longest + SAMPLE);
    if (columns > columns_max) columns = columns_max;
    if (columns < 1) columns = 1;
    int rows = (count + columns - 1) / columns;
    return (legend){.rows = rows, .height = LINE * rows + MARGIN, .longest = longest};
}

/* gnuplot does not know how wide letters are in an SVG, and leaves a quarter too much where there are many. */
void legend_put(FILE *script, const legend *l, int picture_height)
{
    enum { FEW = 16 };
    (void)fprintf(script,
                  "set key at screen 0.5, %.6f center top vertical Left reverse maxrows %d width -%zu samplen 5 "
                  "font ',13' textcolor '#303030'\n",
                  (double)l->height / picture_height, l->rows ? l->rows : 1, l->longest > FEW ? l->longest / 4 : 0);
}
