/* Wall-clock seconds from a clock that never goes back. */
#ifndef EMI_BASE_CLOCK_H
#define EMI_BASE_CLOCK_H

double emi_seconds(void);

#endif
