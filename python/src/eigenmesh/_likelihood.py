"""The probabilistic model that a fit leaves: Tipping and Bishop, Probabilistic principal component analysis, 1999."""
from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np

from ._conventions import check_is_fitted, validated_rows
from .errors import InvalidArgument


class ProbabilisticModel:
    """Gaussian rows: the components' variances along them, and the same noise in all other directions. Whitening, which
    is of the scores, does not change it."""

    components_: np.ndarray
    mean_: np.ndarray
    scale_: np.ndarray
    explained_variance_: np.ndarray
    noise_variance_: float
    n_components_: int

    def get_covariance(self) -> np.ndarray:
        """Covariance of the features in the model: that of the components, and noise in all other directions."""
        check_is_fitted(self)
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0)
        covariance = (self.components_.T * above) @ self.components_
        covariance.flat[:: len(covariance) + 1] += self.noise_variance_
        return covariance * np.outer(self.scale_, self.scale_)

    def get_precision(self) -> np.ndarray:
        """The inverse of the covariance."""
        check_is_fitted(self)
        if self._is_singular():
            raise InvalidArgument("get_precision: the covariance is singular, there is a direction without variance; "
                                  "try fewer components than min(n_samples, n_features)")
        variances, noise = self._variances(), self._noise()
        precision = (self.components_.T * (1 / variances - 1 / noise)) @ self.components_
        precision.flat[:: len(precision) + 1] += 1 / noise
        return precision / np.outer(self.scale_, self.scale_)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihood of each row; -inf where the model has a direction without variance, and so no density."""
        rows = self._standard(validated_rows(self, X))
        if self._is_singular():
            return np.full(len(rows), -np.inf, dtype=rows.dtype)
        variances, noise = self._variances(), self._noise()
        scores = rows @ self.components_.T
        rows -= scores @ self.components_  # what is left is noise
        distances = scores ** 2 @ (1 / variances) + (rows ** 2).sum(axis=1) / noise
        volume = np.log(variances).sum() + self._noise_directions() * np.log(noise) + 2 * np.log(self.scale_).sum()
        return -0.5 * (distances + volume + len(self.mean_) * log(2 * pi))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows."""
        return np.mean(self.score_samples(X))

    def _standard(self, rows: np.ndarray) -> np.ndarray:
        """Centred and scaled, in memory of their own."""
        centred = rows - self.mean_
        return centred / self.scale_ if (self.scale_ != 1).any() else centred

    def _noise_directions(self) -> int:
        return len(self.mean_) - self.n_components_

    def _noise(self) -> float:
        """1 stands for it where no direction is left."""
        return self.noise_variance_ if self._noise_directions() else self.mean_.dtype.type(1)

    def _variances(self) -> np.ndarray:
        return np.maximum(self.explained_variance_, self.noise_variance_)

    def _is_singular(self) -> bool:
        """Is there a direction without variance? Past the rank the components have none, and the noise is rounding."""
        return not (self._noise() > 0 and (self.explained_variance_ > 0).all())
