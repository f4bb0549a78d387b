/* Sparse matrices that SciPy saved. */
#ifndef EMI_DATA_NPZ_SPARSE_H
#define EMI_DATA_NPZ_SPARSE_H

#include "data/data.h"
#include "data/npz.h"

int emi_npz_is_sparse(const emi_npz *npz);

/* Nothing of the archive is needed any more then. */
em_status emi_npz_sparse_open(em_data *data, emi_npz *npz, int transpose, em_error *err);

#endif
