/* Which pictures the set-ups that were run make. */
#ifndef EIGENMESH_REPRODUCE_FIGURES_H
#define EIGENMESH_REPRODUCE_FIGURES_H

#include "plan.h"

em_status figures_lay_out(reproduction *r, em_error *err);
void figures_free(reproduction *r); /* accepts the half-built */

#endif
