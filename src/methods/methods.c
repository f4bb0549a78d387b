#include "methods/method.h"

#include <string.h>

const emi_method *const emi_methods[] = {&emi_krylov,    &emi_covariance, &emi_deepca, &emi_fastpca,
                                         &emi_sdot,      &emi_sadot,      &emi_dsa,    &emi_dpgd,
                                         &emi_seqdistpm, &emi_gha,        &emi_oi,     NULL};

const em_method_info *em_method(int index)
{
    for (int m = 0; emi_methods[m]; m++)
        if (m == index) return &emi_methods[m]->info;
    return NULL;
}

const emi_method *emi_method_find(const char *name)
{
    for (int m = 0; emi_methods[m]; m++)
        if (strcmp(emi_methods[m]->info.name, name) == 0) return emi_methods[m];
    return NULL;
}

/* By multiplication, which every processor rounds alike: logarithms may differ in their last bit, and nodes that do not mix
 * equally often wait for each other for ever.  MOST is out of reach of a path of 1000 nodes: fewer rounds than are called
 * for would not converge in any number of iterations, which costs more than they do. */
int emi_rounds_to(double target, double beta)
{
    enum { MOST = 10000000 };
    double left = beta;
    int rounds = 1;
    while (left > target && rounds < MOST) {
        left *= beta;
        rounds++;
    }
    return rounds;
}
