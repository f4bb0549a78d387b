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

__all__ = ["convergence", "network", "scores", "scree"]

# As the command line draws.
_COLOURS = "#20639b #d1603d #2a7f62 #7b4b94 #a67c00 #404040 #b5446e #5b8c2a #56a8dc #f0a070 #3fbfa8 #b59adb".split()
_BARS, _MANY_ROWS = "#3f79ab", 3000

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
    """The share of variance of each component as bars, and of all up to it as a curve, on an axis of its own.

    >>> import eigenmesh, numpy as np
    >>> pca = eigenmesh.PCA(3).fit(np.random.default_rng(0).standard_normal((50, 5)))
    >>> len(eigenmesh.plot.scree(pca).patches)
    3
    """
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    ratio = pca.explained_variance_ratio_
    number = np.arange(1, len(ratio) + 1)
    ax = _axes(ax)
    ax.bar(number, ratio, width=0.75, color=_BARS)
    ax.set_xlabel("component")
    ax.set_ylabel("share of the variance", color=_BARS)
    beside = ax.twinx()
    beside.plot(number, np.cumsum(ratio), "o-" if len(ratio) <= 60 else "-", color=_COLOURS[1], markersize=4)
    beside.set_ylabel("cumulative share", color=_COLOURS[1])
    beside.set_ylim(0, max(1.0, float(np.sum(ratio))))
    for one in (ax, beside):
        one.yaxis.set_major_formatter(PercentFormatter(1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def scores(pca: PCA, X: Any, labels: Any = None, *, ax: Any = None) -> Any:
    """The rows of X along the first two components, coloured by `labels`: up to twelve classes, or numbers.

    The scores of a single component are a histogram, or a strip for each class.

    >>> import eigenmesh, numpy as np
    >>> X = np.random.default_rng(0).standard_normal((50, 5))
    >>> ax = eigenmesh.plot.scores(eigenmesh.PCA(2).fit(X), X, ["a", "b"] * 25)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    Z = pca.transform(X)
    names = None if labels is None else np.asarray(labels)
    if names is not None and names.shape != (len(Z),):
        raise InvalidArgument(f"scores: labels of shape {names.shape} for {len(Z)} rows; try one a row")
    classes = None if names is None else np.unique(names)
    numbers = classes is not None and len(classes) > len(_COLOURS)
    if numbers and not np.issubdtype(names.dtype, np.number):
        raise InvalidArgument(f"scores: {len(classes)} different labels are too many for a legend; try classes, or numbers")
    ax = _axes(ax)
    how = {"s": 12 if len(Z) <= _MANY_ROWS else 4, "alpha": 0.75, "linewidths": 0, "rasterized": len(Z) > _MANY_ROWS}
    ax.set_xlabel(_component(pca, 0))
    if Z.shape[1] > 1:
        ax.set_ylabel(_component(pca, 1))
    if numbers:
        points = ax.scatter(Z[:, 0], Z[:, 1] if Z.shape[1] > 1 else names, c=names, cmap="viridis", **how)
        ax.figure.colorbar(points, ax=ax)
    elif classes is None and Z.shape[1] == 1:
        ax.hist(Z[:, 0], bins=int(np.clip(2 * np.cbrt(len(Z)), 5, 100)), color=_COLOURS[0], rwidth=0.94)
        ax.set_ylabel("rows")
    else:
        _scatter_classes(ax, Z, names, [None] if classes is None else classes, how)
    return ax


def _scatter_classes(ax: Any, Z: np.ndarray, names: Optional[np.ndarray], classes: Sequence[Any],
                     how: Dict[str, Any]) -> None:
    jitter = np.random.default_rng(0).uniform(-0.32, 0.32, len(Z))
    for n, name in enumerate(classes):
        rows = slice(None) if names is None else names == name
        upward = Z[rows, 1] if Z.shape[1] > 1 else jitter[rows] - n
        ax.scatter(Z[rows, 0], upward, color=_COLOURS[n], label=str(name), **how)
    if Z.shape[1] == 1:
        ax.set_yticks([])
    if names is not None:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), markerscale=2, frameon=False)


def _component(pca: PCA, k: int) -> str:
    whitened = ", whitened" if pca.whiten else ""
    return f"component {k + 1}{whitened} ({100 * pca.explained_variance_ratio_[k]:.3g}% of the variance)"


def _history(run: Union[Simulation, PCA]) -> Dict[str, np.ndarray]:
    return run.history if isinstance(run, Simulation) else run.history_


def _name(run: Union[Simulation, PCA]) -> str:
    return run.method if isinstance(run, Simulation) else run.method_
