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


def _check_lengths(rows: Any) -> None:
    """The library has but addresses, so that it would read on past an array that is too short."""
    stored = int(rows.indptr[-1]) if len(rows.indptr) else 0
    if len(rows.indptr) != rows.shape[0] + 1 or stored > min(len(rows.data), len(rows.indices)):
        raise ValueError(f"sparse matrix: indptr has {len(rows.indptr)} numbers for {rows.shape[0]} rows, and says that {stored} entries are "
                         f"stored, where data has {len(rows.data)} and indices {len(rows.indices)}; try X.check_format()")


def with_room_for_sums(X: Any) -> Any:
    """Of coordinates, what is there twice is added up on the way to rows: in the type that it has, where 200 and 100 may be 44."""
    if not is_sparse(X) or X.format != "coo" or X.dtype.kind not in "biuf" or X.dtype in (np.float32, np.float64):
        return X
    return type(X)((X.data.astype(np.float64), (X.row, X.col)), shape=X.shape)


def as_rows(X: Any) -> Any:
    """The matrix itself where it is CSR in float32 or float64, else a converted one; it is never changed."""
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    rows = with_room_for_sums(X).tocsr()
    if rows.indices.dtype.kind not in "iu" or rows.indptr.dtype.kind not in "iu":
        raise ValueError(f"sparse matrix: indices of {rows.indices.dtype} and indptr of {rows.indptr.dtype} are no whole numbers; "
                         "try X.check_format()")
    _check_lengths(rows)
    parts = (rows.data, rows.indices, rows.indptr)
    if rows.dtype not in (np.float32, np.float64):  # astype of the matrix would add up, in place, what a row has twice
        parts = (rows.data.astype(np.float64), rows.indices, rows.indptr)
    if rows.indices.dtype != rows.indptr.dtype or rows.indices.dtype not in _INDICES:
        parts = (parts[0], rows.indices.astype(np.int64), rows.indptr.astype(np.int64))
    elif parts[0] is rows.data and all(part.flags.c_contiguous for part in parts):
        return rows
    packed = type(rows)(rows.shape, dtype=parts[0].dtype)  # which would narrow indices that it is given
    packed.data, packed.indices, packed.indptr = (np.ascontiguousarray(part) for part in parts)
    return packed
