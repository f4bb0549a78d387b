#include "methods/method.h"

#include <math.h>
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

int emi_rounds_to(double target, double beta)
{
    enum { MOST = 1000 };
    if (beta <= target) return 1;
    double rounds = ceil(log(target) / log(beta));
    return rounds < MOST ? (int)rounds : MOST;
}
