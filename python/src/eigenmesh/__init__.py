"""Principal components of data that stays where it is.

    >>> import numpy as np, eigenmesh
    >>> X = np.random.default_rng(0).standard_normal((1000, 20)) @ np.diag(np.linspace(2, 1, 20))
    >>> pca = eigenmesh.PCA(n_components=3, nodes=10, topology="er:0.5").fit(X)
    >>> pca.transform(X).shape, pca.converged_
    ((1000, 3), True)

`PCA` is an estimator with scikit-learn's conventions; `Moments` are what it needs of rows that keep coming; `simulate`
runs any method over any network and keeps its trace; `load` opens a model that the command line wrote;
`eigenmesh.plot` draws.
"""
from . import _kernels  # noqa: F401  before NumPy: it loads OpenBLAS
from . import errors
from ._fitting import Progress, methods
from ._graph import Graph, GraphMeasures
from ._model import Traffic
from ._moments import Moments
from ._native import lib as _lib
from ._native import text_of as _text_of
from ._pca import PCA, load
from ._simulate import Simulation, simulate
from .errors import *  # noqa: F401,F403  every exception is at hand as eigenmesh.Name

__version__ = _text_of(_lib.em_version())
__all__ = ["PCA", "Moments", "load", "simulate", "Simulation", "Graph", "GraphMeasures", "Progress", "Traffic"]
__all__ += ["methods"] + [name for name in errors.__all__ if name != "error_for"] + ["__version__"]


def __getattr__(name: str) -> object:
    """`eigenmesh.plot` is imported when it is asked for."""
    if name == "plot":
        from importlib import import_module

        return import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
