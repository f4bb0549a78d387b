/* Damage: what disks, networks, editors and spreadsheets do to a file, and what an attacker would. */
#ifndef MUTATIONS_MUTATE_H
#define MUTATIONS_MUTATE_H

#include "bytes.h"

/* One to four random changes; of text, also by cells, delimiters and lines. */
void mutate(bytes *b, int text, dice *d);

#endif
