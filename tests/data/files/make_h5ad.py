"""Writes the *.h5ad here with h5py, laid out as AnnData 0.8 lays them out; test_anndata.c knows the numbers."""
import pathlib

import h5py
import numpy as np
import scipy.sparse as sparse

HERE = pathlib.Path(__file__).parent
TABLE = np.array([[0, 1.5, 0, 0], [0, 0, 0, 0], [2, 0, 0, -3], [0, 0, 4, 0.25], [0, 0, 0, 5]])


def put_frame(file, name, index, names):
    frame = file.create_group(name)
    frame.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": index})
    frame.attrs["column-order"] = np.array([], dtype=h5py.string_dtype())
    frame.create_dataset(index, data=np.array(names, dtype=object), dtype=h5py.string_dtype())
    frame[index].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def put_matrix(file, name, matrix):
    group = file.create_group(name)
    group.attrs.update({"encoding-type": f"{matrix.format}_matrix", "encoding-version": "0.1.0"})
    group.attrs["shape"] = matrix.shape
    for what in ("data", "indices", "indptr"):
        group.create_dataset(what, data=getattr(matrix, what), compression="gzip", chunks=(3,))


def write(name, matrix):
    with h5py.File(HERE / name, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        put_matrix(file, "X", matrix)
        put_matrix(file, "layers/counts", sparse.csr_matrix(4 * TABLE).astype(np.int64))
        put_frame(file, "obs", "_index", [f"cell-{n}" for n in range(5)])
        put_frame(file, "var", "gene", ["ACTB", "MYC", "g\u00f6", "TP53"])
        file["obsm/X_pca"] = np.zeros((5, 2))


write("cells-csr.h5ad", sparse.csr_matrix(TABLE.astype(np.float32)))
write("cells-csc.h5ad", sparse.csc_matrix(TABLE))
