/* Does the driver notice?  Programs that misbehave, each in a way of its own, must be found out. */
#ifndef MUTATIONS_SELF_TEST_H
#define MUTATIONS_SELF_TEST_H

/* In a directory that arena_enter has made; non-zero, and a line for each, when one was not found out. */
int self_test(void);

#endif
