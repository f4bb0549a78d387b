"""Rows that do not fit a model: Hotelling's T^2 and the squared distance Q, with their usual limits."""
from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np

from ._conventions import check_is_fitted, lendable, validated, validated_rows
from ._native import borrowed_doubles, checked, ffi, lend, lib
from .errors import InvalidArgument

_NUMBERS_AT_ONCE = 1 << 20


class AnomalyScores:
    """A part of PCA."""

    _model: Any
    n_components_: int

    def t2_scores(self, X: Any) -> np.ndarray:
        """T^2 of every row, the sum over components of score^2 / variance: how far it lies from the mean, within the
        components' subspace.

        >>> import numpy as np
        >>> from eigenmesh import PCA
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((1000, 8)) * [5, 4, 3, 1, 1, 1, 1, 1]
        >>> pca = PCA(3, limits=True).fit(X)
        >>> strange = pca.mean_ + [0, 0, 0, 0, 9, 0, 0, 0]
        >>> bool(pca.t2_scores([strange])[0] > pca.t2_limit(0.99)), bool(pca.q_scores([strange])[0] > pca.q_limit(0.99))
        (False, True)
        """
        return self._anomalies(X)[0]

    def q_scores(self, X: Any) -> np.ndarray:
        """Q of every row, in the scaled units the square of its distance from the components' subspace: what they do not
        explain of it."""
        return self._anomalies(X)[1]

    def t2_limit(self, confidence: float = 0.99) -> float:
        """What T^2 of a new row of normal data exceeds with a chance of 1 - confidence, by the F distribution."""
        return self._limit("t2_limit", lib.em_model_t2_limit, confidence)[0]

    def q_limit(self, confidence: float = 0.99) -> float:
        """The same of Q, by Jackson and Mudholkar (Technometrics 21, 1979). It takes a fit with limits=True, or one that
        found all eigenvalues; `q_limit_error` says how well it is known."""
        return self._limit("q_limit", lib.em_model_q_limit, confidence)[0]

    def q_limit_error(self, confidence: float = 0.99) -> float:
        """The standard error of `q_limit`, where the spread of the variance left out was estimated; else 0."""
        return self._limit("q_limit_error", lib.em_model_q_limit, confidence)[1]

    def _anomalies(self, X: Any) -> Tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        self._need_components("scores")
        rows = lendable(validated(self, X, reset=False))
        t2, q = np.empty(rows.shape[0]), np.empty(rows.shape[0])
        table, at_once = lend(rows), max(1, _NUMBERS_AT_ONCE // rows.shape[1])
        block = np.empty((min(at_once, rows.shape[0]), rows.shape[1]))
        for first in range(0, rows.shape[0], at_once):
            count = min(at_once, rows.shape[0] - first)
            checked(lib.em_data_read, table, first, count, borrowed_doubles(block))
            checked(lib.em_model_anomalies, self._model.handle, borrowed_doubles(block), count,
                    borrowed_doubles(t2[first:]), borrowed_doubles(q[first:]))
        if not (np.isfinite(t2).all() and np.isfinite(q).all()):
            validated_rows(self, X, sparse=True)  # refuses what is not finite; squares of what is may still be too large
        return t2, q

    def _limit(self, name: str, function: Callable[..., int], confidence: float) -> Tuple[float, float]:
        check_is_fitted(self)
        self._need_components(name)
        limit, error = ffi.new("double *"), ffi.new("double *")
        if function == lib.em_model_t2_limit:
            checked(function, self._model.handle, confidence, limit)
        else:
            checked(function, self._model.handle, confidence, limit, error)
        return limit[0], error[0]

    def _need_components(self, name: str) -> None:
        if self.n_components_ == 0:
            raise InvalidArgument(f"{name}: there are no components; try n_components=1 or more")
