/* AnnData's .h5ad, an HDF5 file: a table X of cells with their genes, sparse or dense, and what the genes are called.  All of it is
 * called inside emi_hdf5_enter (data/hdf5_lock.h). */
#ifndef EMI_DATA_HDF5_ANNDATA_H
#define EMI_DATA_HDF5_ANNDATA_H

#include "data/csr.h"

#include <hdf5.h>

/* The path of what is meant where nothing is named: X of such a file; NULL: it is none. */
const char *emi_anndata_table(hid_t file);

/* Is there a sparse matrix at that path: a group with indptr, indices and data? */
int emi_anndata_is_sparse(hid_t file, const char *path);

/* It; its own to free, also after a failure. */
em_status emi_anndata_read(hid_t file, const char *path, int transpose, const char *name, emi_csr *out, em_error *err);

/* What the table's columns are called, where the file says so of as many: genes, or cells of what is transposed. */
em_status emi_anndata_name(hid_t file, int transpose, em_data *data, em_error *err);

#endif
