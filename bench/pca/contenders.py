"""Who fits: eigenmesh, scikit-learn's solvers, and what a careful user of NumPy and SciPy writes."""
import warnings
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional

import eigenmesh
import numpy as np
import scipy.linalg
import sklearn
from sklearn.decomposition import PCA

EFFICIENCY = 0.2  #: of LAPACK, as a fraction of a large product; to foresee what takes too long


class Answer(NamedTuple):
    variances: np.ndarray
    components: np.ndarray  #: a row each
    trouble: str = ""


@dataclass(frozen=True)
class Contender:
    name: str
    fit: Callable[[np.ndarray, int], Answer]
    takes: Callable[[int, int, int], bool] = lambda rows, features, components: True
    flops: Optional[Callable[[int, int], float]] = None  #: of a direct method, which cannot be interrupted
    counted: bool = True  #: among the peers that the goals are about


# ---- eigenmesh ---------------------------------------------------------------------------------------


def ours(X, components):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenmesh.errors.ConvergenceWarning)
        pca = eigenmesh.PCA(components).fit(X)
    return Answer(pca.explained_variance_, pca.components_, "" if pca.converged_ else pca.verdict_)


# ---- scikit-learn ------------------------------------------------------------------------------------


def solver(name):
    def fit(X, components):
        pca = PCA(components, svd_solver=name, random_state=0).fit(X)
        return Answer(pca.explained_variance_, pca.components_)

    return fit


def svd_flops(rows, features):
    most, least = max(rows, features), min(rows, features)
    return (6 * most * least**2 + 20 * least**3) / EFFICIENCY


# ---- NumPy and SciPy, in the rows' own type ----------------------------------------------------------


def covariance(X):
    """Centred after the product, as scikit-learn's covariance_eigh does: the rows are not copied."""
    mean = X.mean(axis=0)
    C = X.T @ X
    C -= len(X) * np.outer(mean, mean)
    C /= len(X) - 1
    return C


def leading(C, components):
    """The largest eigenpairs: values, and vectors as rows."""
    wanted = [len(C) - components, len(C) - 1]
    values, vectors = scipy.linalg.eigh(C, subset_by_index=wanted, overwrite_a=True, check_finite=False)
    return values[::-1], vectors.T[::-1]


def covariance_some(X, components):
    return Answer(*leading(covariance(X), components))


def covariance_all(X, components):
    values, vectors = np.linalg.eigh(covariance(X))
    return Answer(values[::-1][:components], vectors.T[::-1][:components])


def gram(X, components):
    """From the small side where rows are fewer than features."""
    centred = X - X.mean(axis=0)
    values, vectors = leading(centred @ centred.T / (len(X) - 1), components)
    directions = vectors @ centred
    return Answer(values, directions / np.linalg.norm(directions, axis=1, keepdims=True))


def covariance_flops(rows, features):
    return rows * features**2 + 4 / 3 * features**3 / EFFICIENCY


# ---- all of them ---------------------------------------------------------------------------------------

OURS = Contender("eigenmesh", ours)
SKLEARN = [
    Contender("full", solver("full"), flops=svd_flops),
    Contender("arpack", solver("arpack"), takes=lambda rows, features, components: components < min(rows, features)),
    Contender("randomized", solver("randomized")),
]
if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 5):
    SKLEARN.append(Contender("covariance_eigh", solver("covariance_eigh"), flops=covariance_flops))
NUMPY = [
    Contender("cov+eigh", covariance_some, flops=covariance_flops),
    Contender("cov+eigh all", covariance_all, flops=covariance_flops),
    Contender("gram+eigh", gram, takes=lambda rows, features, components: rows < features, counted=False),
]
PEERS = [*SKLEARN, *NUMPY]
