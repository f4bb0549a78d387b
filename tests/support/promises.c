#include "support/promises.h"

#include "methods/method.h"

static int is_inexact_and_uses(const char *method, unsigned option)
{
    const emi_method *m = emi_method_find(method);
    return m && !m->info.exact && (m->uses & option);
}

int promises_the_step(const char *method)
{
    return is_inexact_and_uses(method, EMI_USES_STEP);
}

int promises_the_mixes(const char *method)
{
    return is_inexact_and_uses(method, EMI_USES_ROUNDS);
}

int promises_its_own_mixes(const char *method)
{
    return promises_the_mixes(method) && emi_method_find(method)->rounds == 0;
}
