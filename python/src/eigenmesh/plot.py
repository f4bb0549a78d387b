"""Pictures with matplotlib, where it is installed: each draws into `ax`, or a new figure, and returns the axes.

>>> import eigenmesh, eigenmesh.plot
>>> runs = [eigenmesh.simulate(method=name, max_iter=100) for name in ("dsa", "deepca")]
>>> eigenmesh.plot.convergence(*runs).get_xlabel()
'units sent'
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Union

import numpy as np

from ._graph import Graph
from ._pca import PCA
from ._simulate import Simulation
from .errors import InvalidArgument

__all__ = ["convergence", "network", "scree"]

_LABELS = {"iteration": "iteration", "rounds": "rounds", "messages": "messages sent", "bytes": "bytes sent",
           "units": "units sent", "seconds": "seconds", "residual": "residual",
           "consensus": "disagreement of the nodes", "error": "error"}


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def convergence(*runs: Union[Simulation, PCA], x: Optional[str] = None, y: Optional[str] = None,
                labels: Optional[Sequence[str]] = None, ax: Any = None) -> Any:
    """Error, or what stands for it, against what was spent, one curve a run.

    x: units (where any were sent, else iteration), iteration, rounds, messages, bytes or seconds. y: error where the
    truth was known, else residual; or consensus.
    """
    if not runs:
        raise InvalidArgument("convergence: nothing to draw; try the result of simulate, or a fitted PCA")
    histories = [_history(run) for run in runs]
    x = x or ("units" if any(history["units"][-1] > 0 for history in histories) else "iteration")
    y = y or ("error" if all(np.isfinite(history["error"]).any() for history in histories) else "residual")
    for name in (x, y):
        if name not in _LABELS:
            raise InvalidArgument(f"convergence: no column {name!r} in a trace; try one of {', '.join(_LABELS)}")
    ax = _axes(ax)
    for n, (run, history) in enumerate(zip(runs, histories)):
        seen = np.isfinite(history[y]) & (history[y] > 0)
        ax.semilogy(history[x][seen], history[y][seen], label=labels[n] if labels else _name(run))
    ax.set_xlabel(_LABELS[x])
    ax.set_ylabel(_LABELS[y])
    ax.grid(True, alpha=0.3)
    ax.legend()
    return ax


def network(graph: Union[Graph, Simulation], *, ax: Any = None) -> Any:
    """The nodes on a circle, and lines between those that talk, the darker the more weight.

    >>> import eigenmesh
    >>> len(eigenmesh.plot.network(eigenmesh.Graph("cycle", nodes=6)).lines)
    6
    """
    graph = graph.graph if isinstance(graph, Simulation) else graph
    angle = np.pi / 2 - 2 * np.pi * np.arange(graph.nodes) / graph.nodes
    places = np.column_stack([np.cos(angle), np.sin(angle)])
    W = graph.weights
    edges = graph.edges
    heaviest = max((W[i, j] for i, j in edges), default=1.0)
    ax = _axes(ax)
    for i, j in edges:
        ax.plot(*places[[i, j]].T, color="0.2", alpha=0.2 + 0.6 * W[i, j] / heaviest, linewidth=1, zorder=1)
    ax.scatter(*places.T, s=200 if graph.nodes <= 40 else 20, zorder=2)
    for node in range(graph.nodes if graph.nodes <= 40 else 0):
        ax.annotate(str(node), places[node], ha="center", va="center", color="white", fontsize=8)
    ax.set_title(f"{graph.topology}, {graph.nodes} nodes, {len(edges)} edges")
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def scree(pca: PCA, *, ax: Any = None) -> Any:
    """The share of variance of each component, and of all up to it.

    >>> import eigenmesh, numpy as np
    >>> pca = eigenmesh.PCA(3).fit(np.random.default_rng(0).standard_normal((50, 5)))
    >>> len(eigenmesh.plot.scree(pca).patches)
    3
    """
    ratio = pca.explained_variance_ratio_
    number = np.arange(1, len(ratio) + 1)
    ax = _axes(ax)
    ax.bar(number, ratio, label="each")
    ax.plot(number, np.cumsum(ratio), "o-", color="0.2", markersize=3, label="up to it")
    ax.set_xlabel("component")
    ax.set_ylabel("share of variance")
    ax.set_ylim(0, 1.05)
    ax.legend()
    return ax


def _history(run: Union[Simulation, PCA]) -> Dict[str, np.ndarray]:
    return run.history if isinstance(run, Simulation) else run.history_


def _name(run: Union[Simulation, PCA]) -> str:
    return run.method if isinstance(run, Simulation) else run.method_
