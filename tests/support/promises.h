/* How near a method comes to the truth, by what it declares of itself: a new one needs no word in the tests. */
#ifndef TESTS_SUPPORT_PROMISES_H
#define TESTS_SUPPORT_PROMISES_H

/* It comes to rest within O(step). */
int promises_the_step(const char *method);

/* It comes to rest at what its mixes leave of disagreement. */
int promises_the_mixes(const char *method);

/* The same, with a number of mixes of its own choice that is meant for tolerances of 1e-6. */
int promises_its_own_mixes(const char *method);

#endif
