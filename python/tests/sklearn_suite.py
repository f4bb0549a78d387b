"""scikit-learn's own tests of its PCA, put to eigenmesh's: a plugin of pytest, for the file that scikit-learn installs.

    pytest -p sklearn_suite .../sklearn/decomposition/tests/test_pca.py

The file asks sklearn.decomposition for PCA and gets a `PCA` that takes scikit-learn's parameters and is eigenmesh's,
whatever the solver. What must fail is in EXCEPTIONS, with the reason; a test there that passes is a failure (a strict
xfail). Names that an installed scikit-learn does not have do no harm: sparse rows and other arrays came with 1.4.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import sklearn.decomposition
from sklearn.decomposition import _pca

import eigenmesh
from eigenmesh._minka import dimension


class PCA(eigenmesh.PCA):
    """scikit-learn's signature. Solvers, and what they are told, mean nothing here; data is never written to."""

    def __init__(self, n_components=None, *, copy=True, whiten=False, svd_solver="auto", iterated_power="auto",
                 n_oversamples=10, power_iteration_normalizer="auto", random_state=None):
        super().__init__(n_components, whiten=whiten, random_state=random_state)
        self.copy = copy
        self.svd_solver = svd_solver
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer


class Exceptional(NamedTuple):
    """Tests that eigenmesh fails: those of one function, or of these parameters of it."""

    function: str
    reason: str
    parameters: Any = {}  # name: values
    since: tuple = (0, 0)  # the scikit-learn whose test of that name fails


_SPARSE = "sparse rows are taken, whatever the solver"
_ARRAYS = "arrays are NumPy's"
_OTHER_ARRAYS = {"array_namespace": ["numpy.array_api", "array_api_strict", "cupy", "cupy.array_api", "torch"]}

EXCEPTIONS = [
    Exceptional("test_pca_validation", "messages about solvers; the limits of arpack and randomized are not ours"),
    Exceptional("test_n_components_none", "arpack cannot find all components", {"solver": ["arpack"]}),
    Exceptional("test_n_components_mle_error", "arpack and randomized know no \"mle\"; there is one answer here"),
    Exceptional("test_pca_score", "whitening is of the scores: it does not change the likelihood"),
    Exceptional("test_pca_sparse_input", _SPARSE),
    Exceptional("test_sparse_pca_solver_error", _SPARSE),
    Exceptional("test_pca_svd_solver_auto", "the name of the solver is looked at", since=(1, 5)),
    Exceptional("test_array_api_error_and_warnings_on_unsupported_params", _ARRAYS),
    Exceptional("test_pca_array_api_compliance", _ARRAYS, _OTHER_ARRAYS),
    Exceptional("test_pca_mle_array_api_compliance", _ARRAYS, _OTHER_ARRAYS),
]


def _installed() -> tuple:
    return tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def _applies(exception: Exceptional, item: Any) -> bool:
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return (item.originalname == exception.function and _installed() >= exception.since
            and all(given.get(name) in values for name, values in exception.parameters.items()))


def pytest_configure() -> None:
    sklearn.decomposition.PCA = PCA
    _pca._infer_dimension = dimension


def pytest_collection_modifyitems(items: list) -> None:
    for item in items:
        if item.module.PCA is not PCA:
            raise pytest.UsageError(f"{item.nodeid} tests scikit-learn's own PCA")
        for exception in EXCEPTIONS:
            if _applies(exception, item):
                item.add_marker(pytest.mark.xfail(reason=exception.reason, strict=True))
