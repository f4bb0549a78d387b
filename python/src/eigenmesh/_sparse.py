"""scipy.sparse matrices, lent to the library as they lie."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

_INDICES = (np.int32, np.int64)


def is_sparse(X: Any) -> bool:
    """Whoever has such a matrix has imported SciPy; nobody else needs it."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(X))


def as_rows(X: Any) -> Any:
    """The matrix itself where it is CSR in float32 or float64, else a converted one."""
    rows = X.tocsr()
    if rows.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    parts = (rows.data, rows.indices, rows.indptr)
    if rows.indices.dtype != rows.indptr.dtype or rows.indices.dtype not in _INDICES:
        parts = (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64))
    elif all(part.flags.c_contiguous for part in parts):
        return rows
    packed = type(rows)(rows.shape, dtype=rows.dtype)  # which would narrow indices that it is given
    packed.data, packed.indices, packed.indptr = (np.ascontiguousarray(part) for part in parts)
    return packed
