#include "data/hdf5_lock.h"

#include <pthread.h>

/* The one lock of the process around a library that has state of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

emi_hdf5_scope emi_hdf5_enter(void)
{
    emi_hdf5_scope scope;
    (void)pthread_mutex_lock(&lock);
    (void)H5Eget_auto2(H5E_DEFAULT, &scope.report, &scope.client);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return scope;
}

void emi_hdf5_leave(emi_hdf5_scope *scope)
{
    (void)H5Eset_auto2(H5E_DEFAULT, scope->report, scope->client);
    (void)pthread_mutex_unlock(&lock);
}
