#include "mesh/engine.h"

const emi_engine *const emi_engines[] = {&emi_engine_local, NULL};

const char *em_engine_name(int index)
{
    for (int i = 0; emi_engines[i]; i++)
        if (i == index) return emi_engines[i]->name;
    return NULL;
}
