/* The registry of methods.  A new method is a file of its own and a line in methods.c. */
#ifndef EMI_METHODS_METHOD_H
#define EMI_METHODS_METHOD_H

#include "methods/solver.h"

/* The options a method reads; one that it does not read is refused, since silence would let the user
 * believe that it had an effect. */
enum { EMI_USES_STEP = 1, EMI_USES_ROUNDS = 2, EMI_USES_QR = 4 };

typedef struct emi_method {
    em_method_info info;
    unsigned uses;
    long iterations;   /* at most, when the user does not say           */
    int per_component; /* that many for each component                  */
    int rounds;        /* mixes an iteration, when the user does not say */
    em_status (*run)(emi_solver *s);
} emi_method;

extern const emi_method *const emi_methods[];
extern const emi_method emi_dsa, emi_gha, emi_oi, emi_dpgd, emi_seqdistpm;

const emi_method *emi_method_find(const char *name); /* NULL: no such method */

/* What "auto" stands for on a network of so many nodes. */
const emi_method *emi_method_auto(int nodes);

/* Scratch that any method needs for one node's arithmetic. */
size_t emi_method_needs(int d, int K);

#endif
