/* Codes of genotypes, two bits each and sixteen in a word, into the numbers that they stand for. */
#ifndef EMI_DATA_DECODE_H
#define EMI_DATA_DECODE_H

#include "data/genotypes.h"

/* `bytes` of codes to as many numbers, float or double, as whole words have: room for those. */
typedef void emi_decode_fn(const unsigned char *codes, size_t bytes, const double value[EMI_GENOTYPES], void *numbers);

/* The quickest that this processor can do.  All that it can, for tests: NULL after the last. */
emi_decode_fn *emi_decoder(emi_real real);
emi_decode_fn *emi_decoder_at(emi_real real, int n);

#endif
