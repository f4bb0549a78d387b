/* How the curves of a picture differ: in colour, dashes and marks, so that they can be told apart in black and
 * white too. */
#ifndef LAB_PALETTE_H
#define LAB_PALETTE_H

#include <stddef.h>
#include <stdio.h>

/* Of what belongs to no class. */
#define PALETTE_NONE 0xb0b0b0U

/* A colour as 0xRRGGBB; there are twelve. */
unsigned palette_rgb(int index);

/* As part of gnuplot's plot command: the style of the curve of this index, which has so many points, some of which
 * carry its mark. */
void palette_curve(FILE *script, int index, size_t points);

/* The same for an area in a tint of the curve's colour, through which the others can be seen. */
void palette_band(FILE *script, int index);

#endif
