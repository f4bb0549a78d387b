/* Inside the HDF5 library: one thread at a time, and its own messages silent. */
#ifndef EMI_DATA_HDF5_LOCK_H
#define EMI_DATA_HDF5_LOCK_H

#include <hdf5.h>

typedef struct emi_hdf5_scope {
    H5E_auto2_t report;
    void *client;
} emi_hdf5_scope;

emi_hdf5_scope emi_hdf5_enter(void);
void emi_hdf5_leave(emi_hdf5_scope *scope);

#endif
