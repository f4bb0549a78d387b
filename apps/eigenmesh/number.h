/* A double as text that reads back as the same double. */
#ifndef EIGENMESH_NUMBER_H
#define EIGENMESH_NUMBER_H

enum { NUMBER_TEXT = 32 };

/* The fewest digits, from 15 on, that are enough; returns out. */
const char *number_text(double value, char out[NUMBER_TEXT]);

#endif
