/* What a picture shows, for those who describe it in words. */
#ifndef EIGENMESH_REPRODUCE_PICTURE_H
#define EIGENMESH_REPRODUCE_PICTURE_H

#include "paper.h"

/* Whether there is anything of it to draw. */
int curve_ran(const curve *c);

/* Whether the curve belongs into the picture: it is asked for, and it has a place there.  Against what is sent, a
 * curve that sends nothing has none. */
int picture_shows(const picture *p, const curve *c);

#endif
