"""Algorithms on a simulated network, for those who study them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

import numpy as np

from ._conventions import lendable
from ._fitting import Callback, Watch, fit, tolerance_for
from ._graph import Graph, Topology, Weights
from ._model import Traffic
from ._native import lend, lib
from ._sparse import is_sparse
from .errors import InvalidArgument


@dataclass(frozen=True)
class Simulation:
    """What a run of one method over one network did."""

    method: str
    graph: Graph
    history: Dict[str, np.ndarray]  #: a row an iteration; `error` is the paper's, against a central eigensolve
    components: np.ndarray
    explained_variance: np.ndarray
    exact_variance: np.ndarray
    component_error: np.ndarray  #: of each component, the mean over the nodes
    network: Traffic
    step: float
    converged: bool
    reason: str

    @property
    def iterations(self) -> int:
        return int(self.history["iteration"][-1])

    @property
    def error(self) -> float:
        return float(self.history["error"][-1])


def synthetic(features: int, samples: int, components: int, gap: float, seed: int) -> np.ndarray:
    """The paper's data: a Gaussian with eigenvalues evenly from 1 to 0.8 (1 alone of one component), then `gap` times the
    last of these, then evenly down to 0.1, along the directions of a random orthonormal basis."""
    if not (1 <= components < features and samples >= 1 and 0 < gap <= 1):
        raise InvalidArgument(f"synthetic data: {samples} samples of {features} features, {components} components, gap "
                              f"{gap}; try fewer components than features, and a gap above 0, at most 1")
    random = np.random.default_rng(seed)
    leading = np.linspace(1, 0.8, components) if components > 1 else np.ones(1)
    below = gap * leading[-1]
    spectrum = np.concatenate([leading, np.linspace(below, min(below, 0.1), features - components)])
    basis, _ = np.linalg.qr(random.standard_normal((features, features)))
    return random.standard_normal((samples, features)) * np.sqrt(spectrum) @ basis.T


def simulate(X: Any = None, *, method: str = "dsa", n_components: int = 5, nodes: int = 10,
             topology: Topology = "er:0.5", weights: Weights = "metropolis", step: Union[str, float] = "auto",
             tol: Optional[float] = None, max_iter: Optional[int] = None, random_state: int = 0, features: int = 20,
             samples: int = 10_000, gap: float = 0.8, callback: Optional[Callback] = None,
             **options: Any) -> Simulation:
    """Run any method over any topology and keep what happened.

    X is spread over the nodes, or, as a list of arrays, one a node. Without X the data is synthetic: `samples` of a
    Gaussian in `features` dimensions, whose (K+1)-th eigenvalue is `gap` times the K-th. Further options have the names
    of the command line's: step_decay, consensus_rounds, qr_signs, rayleigh_ritz, oversample, scale.

    >>> import eigenmesh
    >>> run = eigenmesh.simulate(method="dsa", topology="cycle", max_iter=200)
    >>> run.history["error"].shape, run.history["units"][-1]
    ((201,), 200.0)
    >>> exact = eigenmesh.simulate(method="krylov", topology="cycle")
    >>> bool(exact.error < 1e-12 < run.error)
    True
    """
    graph = Graph(topology, nodes, weights, random_state)
    if X is None:
        arrays = [synthetic(features, samples, n_components, gap, random_state)]
    else:
        parts = X if isinstance(X, (list, tuple)) and all(np.ndim(part) == 2 for part in X) else [X]
        arrays = [lendable(part if is_sparse(part) else np.asarray(part)) for part in parts]
    tables = [lend(array) for array in arrays]
    wishes = {"components": n_components, "method": method, "step": step, "iterations": max_iter, "seed": random_state,
              "tolerance": tolerance_for(method, tol), "trace": "all", "truth": "compute", **options}
    model = fit(tables, graph, wishes, watch=Watch(callback))
    return Simulation(
        method=model.method, graph=graph, history=model.history(), components=model.components,
        explained_variance=model.per_component("explained_variance"),
        exact_variance=model.per_component("exact_variance"), component_error=model.per_component("component_error"),
        network=model.traffic(), step=model.info.step, converged=model.converged, reason=model.reason)
