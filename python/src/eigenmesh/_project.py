"""Rows to scores, by the library: read once, where they lie."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._conventions import lendable
from ._fitting import threads
from ._native import checked, ffi, lend, lib


def project(rows: Any, mean: np.ndarray, scale: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """((rows - mean) / scale) @ weights.T, in float32 where all of them are, else float64."""
    single = all(array.dtype == np.float32 for array in (rows, mean, weights))
    scores = np.empty((rows.shape[0], len(weights)), dtype=np.float32 if single else np.float64)
    if not scores.size:
        return scores
    held = lendable(rows)
    mean, scale, weights = (np.ascontiguousarray(array, dtype=np.float64) for array in (mean, scale, weights))
    table = lend(held)
    checked(lib.em_project, table, _doubles(mean), _doubles(scale) if (scale != 1).any() else ffi.NULL,
            _doubles(weights), len(weights), lib.EM_F32 if single else lib.EM_F64,
            ffi.cast("void *", scores.ctypes.data), threads())
    return scores


def _doubles(array: np.ndarray) -> object:
    return ffi.cast("const double *", array.ctypes.data)
