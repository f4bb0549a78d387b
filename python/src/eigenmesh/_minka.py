"""How many components data has: T. P. Minka, Automatic choice of dimensionality for PCA, NIPS 2000.

>>> import numpy as np
>>> dimension(np.array([9, 4, 1, 1, 1, 1, 1]), 500)
2
"""
from __future__ import annotations

from math import lgamma, log, pi
from typing import Union

import numpy as np

_NOTHING = 1e-15  # a share of the first eigenvalue that is rounding
_ALIKE = 1e-12  # eigenvalues closer than this, relative to their size, are equal


def log_evidences(spectrum: np.ndarray, n_samples: int) -> np.ndarray:
    """The logarithm of p(data | k), equation 30, up to one constant, for k = 1 .. n_features - 1 components in noise;
    -inf where the k-th has no variance. `spectrum` has all eigenvalues, the largest first."""
    values = np.asarray(spectrum, dtype=np.float64) / spectrum[0]
    d, n = len(values), log(n_samples)
    found = np.full(d - 1, -np.inf)
    prior = likelihood = gaps = 0.0  # each grows by what the k-th component adds
    for k in range(1, d):
        first, last, rest = values[:k], values[k - 1], values[k:]
        if last < _NOTHING:
            break
        noise = max(_NOTHING, rest.mean())
        prior += lgamma((d - k + 1) / 2) - log(pi) * (d - k + 1) / 2 - log(2)
        likelihood -= log(last) * n_samples / 2
        gaps += _log_gaps(last - rest, last) + _log_gaps(1 / last - 1 / first[:-1], 1 / first[:-1])
        m = d * k - k * (k + 1) / 2  # the dimension of the space of k directions
        curvature = gaps + (d - k) * _log_gaps(1 / noise - 1 / first, 1 / first) + m * n
        found[k - 1] = (prior + likelihood - log(noise) * n_samples * (d - k) / 2 + log(2 * pi) * (m + k) / 2
                        - curvature / 2 - k * n / 2)
    return found


def _log_gaps(gaps: np.ndarray, sizes: Union[float, np.ndarray]) -> float:
    """The sum of their logarithms. Laplace's approximation has a pole where eigenvalues are equal: directions that
    nothing tells apart count as if they were as far apart as they are large, which leaves the log(n) of a free
    parameter."""
    return np.log(np.where(gaps > _ALIKE * sizes, gaps, sizes)).sum()


def dimension(spectrum: np.ndarray, n_samples: int) -> int:
    """The most probable number of components, at least 1 and fewer than features."""
    return int(np.argmax(log_evidences(spectrum, n_samples))) + 1
