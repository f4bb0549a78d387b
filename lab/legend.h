/* The legend below a picture's axes: as many columns as the texts leave room for. */
#ifndef LAB_LEGEND_H
#define LAB_LEGEND_H

#include <stddef.h>
#include <stdio.h>

typedef struct legend {
    int rows, height; /* in pixels */
    size_t longest;   /* of its texts */
} legend;

/* For so many texts, the longest of so many letters, in a picture of this width. */
legend legend_of(int count, size_t longest, int width, int columns_max);

/* Place it at the foot of a picture of this height. */
void legend_put(FILE *script, const legend *l, int picture_height);

#endif
