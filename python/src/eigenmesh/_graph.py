"""Who may talk to whom."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Union

import numpy as np

from ._native import borrowed_doubles, checked, create, ffi, lib
from .errors import InvalidArgument

Topology = Union[str, Sequence[Sequence[int]], np.ndarray]
Weights = Union[str, np.ndarray]


class GraphMeasures(NamedTuple):
    """What a network is like."""

    nodes: int
    edges: int
    degree_min: int
    degree_max: int
    degree_mean: float
    diameter: int
    beta: float  #: max(|lambda_2|, |lambda_M|) of the weights W: how much of a disagreement a round of gossip leaves
    min_self_weight: float
    tree_depth: int
    rounds_to_1e6: int  #: rounds of gossip that shrink disagreement a million-fold


class Graph:
    """A connected network and its mixing weights.

    Parameters
    ----------
    topology : str or pairs of nodes
        "er:P", "cycle", "star", "path", "complete", "grid:RxC", "torus:RxC", "regular:D", "smallworld:D:P",
        "scalefree:A", "file:EDGES", or the edges themselves.
    nodes : int
    weights : str or array of shape (nodes, nodes)
        "metropolis", "maxdegree" or "lazy", or a matrix: symmetric, doubly stochastic, positive on edges and the
        diagonal.
    seed : int
        What is random follows from it.

    Examples
    --------
    >>> ring = Graph("cycle", nodes=5)
    >>> ring.edges.tolist()
    [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]
    >>> ring.measure().diameter
    2
    >>> Graph([(0, 1), (1, 2)], nodes=3).weights[0].round(3).tolist()
    [0.667, 0.333, 0.0]
    """

    def __init__(self, topology: Topology = "er:0.5", nodes: int = 10, weights: Weights = "metropolis",
                 seed: int = 0) -> None:
        if isinstance(topology, str):
            self.handle = create("em_graph", lib.em_graph_create, lib.em_graph_free, topology.encode(), nodes, seed)
        else:
            self.handle = _from_edges(topology, nodes)
        if isinstance(weights, str):
            checked(lib.em_graph_set_weights, self.handle, weights.encode())
        else:
            _set_matrix(self.handle, weights, nodes)
        self.topology = topology if isinstance(topology, str) else "edges"
        self.nodes = nodes

    def __repr__(self) -> str:
        return f"Graph({self.topology!r}, nodes={self.nodes})"

    @property
    def edges(self) -> np.ndarray:
        """Pairs of nodes (i < j), of shape (edges, 2)."""
        pairs = np.empty((lib.em_graph_edges(self.handle), 2), dtype=int)
        ends = ffi.new("int[2]")
        for index in range(len(pairs)):
            lib.em_graph_edge(self.handle, index, ends, ends + 1)
            pairs[index] = ends[0], ends[1]
        return pairs

    @property
    def weights(self) -> np.ndarray:
        """The mixing weights W, of shape (nodes, nodes)."""
        W = np.zeros((self.nodes, self.nodes))
        for i, j in self.edges:
            W[i, j] = W[j, i] = lib.em_graph_weight(self.handle, i, j)
        for i in range(self.nodes):
            W[i, i] = lib.em_graph_weight(self.handle, i, i)
        return W

    def measure(self) -> GraphMeasures:
        """Degrees, diameter and how fast gossip mixes."""
        info = ffi.new("em_graph_info *", {"size": ffi.sizeof("em_graph_info")})
        checked(lib.em_graph_measure, self.handle, info)
        return GraphMeasures(*(getattr(info, field) for field in GraphMeasures._fields))


def _from_edges(edges: Any, nodes: int) -> Any:
    pairs = np.ascontiguousarray(edges, dtype=np.intc)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise InvalidArgument(f"topology: edges of shape {pairs.shape}; try pairs of nodes, such as [(0, 1), (1, 2)]")
    pointer = ffi.cast("int (*)[2]", pairs.__array_interface__["data"][0])
    return create("em_graph", lib.em_graph_from_edges, lib.em_graph_free, nodes, pointer, len(pairs))


def _set_matrix(handle: Any, weights: Any, nodes: int) -> None:
    W = np.ascontiguousarray(weights, dtype=np.float64)
    if W.shape != (nodes, nodes):
        raise InvalidArgument(f"weights: a matrix of shape {W.shape} for {nodes} nodes; try ({nodes}, {nodes})")
    checked(lib.em_graph_set_weight_matrix, handle, borrowed_doubles(W))
