/* The registry of methods.  A new method is a file of its own and a line in methods.c. */
#ifndef EMI_METHODS_METHOD_H
#define EMI_METHODS_METHOD_H

#include "methods/steps.h"

typedef struct emi_method {
    em_method_info info;
    unsigned uses, traits;
    long iterations;   /* at most, when the user does not say            */
    int per_component; /* that many for each component                   */
    int mixes;         /* exchanges of a block an iteration, for methods without EMI_USES_ROUNDS */
    int rounds;        /* mixes an iteration, when the user does not say; 0 with
                        * EMI_USES_ROUNDS: chosen from beta by rounds_for   */
    int (*rounds_for)(const emi_solver *s);
    double (*step_factor)(const emi_network *network); /* of the automatic step; NULL: 1 */
    int extra_fields;
    em_status (*run)(emi_solver *s);
} emi_method;

extern const emi_method *const emi_methods[];
extern const emi_method emi_dsa, emi_gha, emi_oi, emi_dpgd, emi_seqdistpm;
extern const emi_method emi_sdot, emi_sadot, emi_deepca, emi_fastpca, emi_covariance, emi_krylov;

const emi_method *emi_method_find(const char *name); /* NULL: no such method */

/* Blocks in krylov's basis, before it restarts. */
enum { EMI_KRYLOV_BLOCKS = 16 };

/* Mixes that shrink disagreement to `target` at the rate of beta. */
int emi_rounds_to(double target, double beta);

/* Scratch that any method needs for one node's arithmetic. */
size_t emi_method_needs(int d, int K);

#endif
