"""scikit-learn's base classes and checks where it is installed, and what the estimator needs of them elsewhere."""
from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from ._gpu import DeviceRows, device_rows
from ._native import LENDABLE, is_lendable
from ._sparse import as_rows, is_sparse, with_room_for_sums

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted

    HAVE_SKLEARN = True
except ImportError:
    HAVE_SKLEARN = False

_TYPES = list(LENDABLE)
_FLOATS = [np.float64, np.float32]


def remember_features(estimator: Any, count: int, names: Optional[np.ndarray] = None) -> None:
    """What a fit has seen, or a file has kept: how many features, and their names where all are strings."""
    estimator.n_features_in_ = count
    vars(estimator).pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = names


def names_of(X: Any) -> Optional[np.ndarray]:
    """Those of its columns, where all are strings."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def validated_or_there(estimator: Any, X: Any, reset: bool) -> Any:
    """The same, or rows of a GPU as they lie there."""
    rows = device_rows(X)
    if rows is None:
        return validated(estimator, X, reset=reset)
    if reset:
        remember_features(estimator, rows.shape[1])
    elif rows.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
                         f"{estimator.n_features_in_} features as input.")
    return rows


def as_table(X: Any, types: list = _TYPES, least: int = 1) -> Any:
    """Rows of numbers, of types that the library reads; nobody remembers what they were."""
    table = as_rows(X) if is_sparse(X) else np.asarray(X)
    if table.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if table.dtype not in types:
        table = table.astype(np.float64)
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] < least:
        raise ValueError(f"Expected rows of features, got an array of shape {table.shape}.")
    return table


if HAVE_SKLEARN:

    def validated(estimator: Any, X: Any, reset: bool) -> Any:
        """Rows to fit, in a type that the library reads where it lies. That they are finite is for the library to see,
        which passes over them anyway."""
        return _validate_data(estimator, X, reset=reset, dtype=_TYPES, force_all_finite=False, ensure_min_samples=1,
                              accept_sparse="csr")

    def validated_rows(estimator: Any, X: Any, sparse: bool = False) -> Any:
        """Rows for a fitted estimator, float32 where they are, else float64; all of them finite."""
        check_is_fitted(estimator)
        return _validate_data(estimator, X, reset=False, dtype=_FLOATS, accept_sparse="csr" if sparse else False)

    def validated_scores(X: Any) -> np.ndarray:
        from sklearn.utils import check_array

        return check_array(X, dtype=_FLOATS, ensure_min_features=0)

    def _validate_data(estimator: Any, X: Any, **how: Any) -> np.ndarray:
        X = with_room_for_sums(X)
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:  # before scikit-learn 1.6 it is a method
            return estimator._validate_data(X, **how)
        how["ensure_all_finite"] = how.pop("force_all_finite", True)
        return validate_data(estimator, X, **how)

else:

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, from the signature of __init__."""

        @classmethod
        def _names(cls) -> List[str]:
            from inspect import signature

            return [name for name in signature(cls.__init__).parameters if name != "self"]

        def get_params(self, deep: bool = True) -> dict:
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **parameters: Any) -> "BaseEstimator":
            for name, value in parameters.items():
                if name not in self._names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            from inspect import signature

            presets = signature(type(self).__init__).parameters
            changed = [f"{name}={value!r}" for name, value in self.get_params().items()
                       if value is not presets[name].default and value != presets[name].default]
            return f"{type(self).__name__}({', '.join(changed)})"

    class TransformerMixin:  # type: ignore[no-redef]
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
            return self.fit(X, y, **fit_params).transform(X)  # type: ignore[attr-defined]

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
            check_is_fitted(self)
            prefix = type(self).__name__.lower()
            return np.asarray([f"{prefix}{k}" for k in range(self._n_features_out)], dtype=object)  # type: ignore

    def check_is_fitted(estimator: Any) -> None:
        if not hasattr(estimator, "components_"):
            raise ValueError(f"This {type(estimator).__name__} instance is not fitted yet; try fit first.")

    def _same_names(names: Optional[np.ndarray], known: Optional[np.ndarray]) -> bool:
        return names is None or known is None or list(names) == list(known)

    def validated(estimator: Any, X: Any, reset: bool) -> Any:
        table, names = as_table(X, _TYPES), names_of(X)
        if reset:
            remember_features(estimator, table.shape[1], names)
        elif not _same_names(names, getattr(estimator, "feature_names_in_", None)):
            raise ValueError("The feature names should match those that were passed during fit, in the same order.")
        elif table.shape[1] != estimator.n_features_in_:
            raise ValueError(f"X has {table.shape[1]} features, but {type(estimator).__name__} is expecting "
                             f"{estimator.n_features_in_} features as input.")
        return table

    def validated_rows(estimator: Any, X: Any, sparse: bool = False) -> Any:
        check_is_fitted(estimator)
        return _finite(validated(estimator, X, reset=False), sparse)

    def validated_scores(X: Any) -> np.ndarray:
        return _finite(as_table(X, _FLOATS, least=0), False)

    def _finite(table: Any, sparse: bool) -> Any:
        if is_sparse(table) and not sparse:
            raise TypeError("A sparse matrix was passed, but dense data is required; try X.toarray()")
        if not np.isfinite(table.data if is_sparse(table) else table).all():
            raise ValueError("Input X contains NaN or infinity.")
        return table


def lendable(table: Any) -> Any:
    """The table itself, or a packed copy where the library cannot read it as it lies."""
    if is_sparse(table):
        return as_rows(table)
    if isinstance(table, DeviceRows):
        return table
    return table if is_lendable(table) else np.ascontiguousarray(table)
