"""What tests of rows that keep coming have in common: NumPy's answer, which shares nothing with the library's."""
import numpy as np
from data import aligned


def truth(rows, weights=None):
    """Variances and components (as rows) of the covariance, unbiased also where weights differ."""
    weights = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
    total = weights.sum()
    centred = rows - rows[0]
    centred = centred - weights @ centred / total
    variances, vectors = np.linalg.eigh(centred.T * weights @ centred / (total - (weights ** 2).sum() / total))
    return variances[::-1], vectors.T[::-1]


def assert_finds(pca, rows, weights=None, components=1e-10, variances=1e-12):
    values, vectors = truth(rows, weights)
    found = len(pca.components_)
    np.testing.assert_allclose(pca.explained_variance_, values[:found], rtol=variances)
    np.testing.assert_allclose(aligned(pca.components_, vectors[:found]), vectors[:found], atol=components)


def streamed(pca, parts):
    for part in parts:
        pca.partial_fit(part)
    return pca
