/* A number for a lot of numbers: one changed bit gives another, and so does, as good as certainly, any other change. */
#ifndef EMI_BASE_DIGEST_H
#define EMI_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define EMI_DIGEST_START 0x9e3779b97f4a7c15u

/* The digest so far, continued by `count` 64-bit words. */
uint64_t emi_digest(uint64_t digest, const void *words, size_t count);

/* By one; and by a text, its end included. */
uint64_t emi_digest_number(uint64_t digest, uint64_t number);
uint64_t emi_digest_text(uint64_t digest, const char *text);

#endif
