/* Random numbers that follow from a seed alone, the same on every machine.
 *
 * Integers and uniforms come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014);
 * normals from LAPACK's dlarnv, whose sequence can be entered anywhere.  Purposes draw
 * from streams of their own, so that one more draw in one place does not change what
 * another sees. */
#ifndef EMI_BASE_RANDOM_H
#define EMI_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef enum emi_stream {
    EMI_STREAM_GRAPH,
    EMI_STREAM_SPLIT,
    EMI_STREAM_INIT,
    EMI_STREAM_DATA,
    EMI_STREAM_KRYLOV,
    EMI_STREAM_SKETCH
} emi_stream;

typedef struct emi_random {
    uint64_t state;
} emi_random;

emi_random emi_random_seed(uint64_t seed, emi_stream stream);
uint64_t emi_random_bits(emi_random *random);
double emi_random_uniform(emi_random *random);             /* in [0, 1)        */
size_t emi_random_below(emi_random *random, size_t bound); /* in 0 .. bound-1  */
void emi_random_shuffle(emi_random *random, size_t *items, size_t count);
void emi_random_normals(emi_random *random, double *out, size_t count);

/* Mean zero, variance one, and about normal, in a tenth of the time: for sketches. */
void emi_random_roughly_normals(emi_random *random, double *out, size_t count);

/* A place in a sequence of normals. */
typedef struct emi_normals {
    uint64_t state; /* 48 bits */
} emi_normals;

emi_normals emi_normals_begin(emi_random *random);
emi_normals emi_normals_after(emi_normals here, uint64_t count); /* so many further on, at once */

/* The same numbers however the sequence is cut into draws. */
void emi_normals_draw(emi_normals *normals, double *out, size_t count);

#endif
