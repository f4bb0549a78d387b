"""Writes the sparse-*.npz here, as SciPy saves them; test_npz_sparse.c knows the numbers."""
import pathlib

import numpy as np
import scipy.sparse as sparse

HERE = pathlib.Path(__file__).parent
TABLE = np.array([[0, 1.5, 0, 0], [0, 0, 0, 0], [2, 0, 0, -3], [0, 0, 4, 0.25], [0, 0, 0, 5]])


def write(name, matrix, compressed=True):
    sparse.save_npz(HERE / f"sparse-{name}.npz", matrix, compressed=compressed)


def with_wide_indices(matrix):
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


write("csr", sparse.csr_matrix(TABLE))
write("csr-stored", sparse.csr_matrix(TABLE), compressed=False)
write("csr-f32", with_wide_indices(sparse.csr_matrix(TABLE.astype(np.float32))))
write("csr-big-endian", sparse.csr_matrix(TABLE).astype(">f8"))
write("csr-i64", sparse.csr_matrix((4 * TABLE).astype(np.int64)))
write("csr-u8", sparse.csr_matrix(np.abs(4 * TABLE).astype(np.uint8)))
write("csr-bool", sparse.csr_matrix(TABLE != 0))
write("csr-empty", sparse.csr_matrix((3, 2)))
write("csc", sparse.csc_matrix(TABLE))
write("coo", sparse.coo_matrix((np.array([1.0, 2, 4]), ([1, 0, 1], [0, 1, 0])), shape=(2, 2)))
write("bsr", sparse.bsr_matrix(np.eye(4)))
write("complex", sparse.csr_matrix(1j * TABLE))
