/* A file's bytes, and random numbers of the driver's own: what it finds must not depend on what it tests. */
#ifndef MUTATIONS_BYTES_H
#define MUTATIONS_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct bytes {
    unsigned char *at; /* owned */
    size_t size;
} bytes;

/* The driver has nothing to save: what it cannot do ends it, in words. */
void die(const char *what, const char *why) __attribute__((noreturn));

bytes bytes_of(const void *from, size_t size);
bytes bytes_read(const char *path);
void bytes_write(const bytes *b, const char *path);
void bytes_replace(bytes *b, size_t first, size_t count, const void *with, size_t size);
void bytes_free(bytes *b);

typedef struct dice {
    uint64_t state;
} dice;

/* The dice of one mutation: it can be repeated without those before it. */
dice dice_for(uint64_t seed, uint64_t kind, uint64_t mutation);
uint64_t dice_bits(dice *d);
size_t dice_below(dice *d, size_t bound); /* 0 .. bound - 1; 0 for no bound */

#endif
