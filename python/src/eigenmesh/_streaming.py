"""Rows that keep coming: `partial_fit`, `forget` and `refresh`."""
from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING, Any, Callable, List, Optional, TypeVar

from ._conventions import lendable, validated
from ._fitting import last_of
from ._model import Model
from ._moments import Moments, is_packed
from ._mpi import Cluster, agreed
from .errors import InvalidArgument, warn

_Estimator = TypeVar("_Estimator", bound="Streaming")
_OF_THE_ROWS = ("n_features_in_", "feature_names_in_", "n_samples_seen_")


class _Turns:
    """A lock, so that threads take turns; copies and what was pickled have their own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple:
        return _Turns, ()


class Streaming:
    """A part of PCA. `_streams` has the moments of each node; where there are some and no `_model`, one is made when it
    is asked for, from `_last` on."""

    n_features_in_: int
    scale: Optional[str]
    directions: Optional[int]
    _streams: List[Moments]
    _last: Model
    _model: Model
    _table: Callable[..., Any]
    _checked_nodes: Callable[..., int]
    _nodes_for: Callable[..., int]
    _fit_tables: Callable[..., Any]

    def partial_fit(self: _Estimator, X: Any, y: Any = None, check_input: bool = True) -> _Estimator:
        """Add rows to those seen so far, and find nothing yet: nothing is sent, and no model is made.

        The model is made by `refresh`; or, where there is one process, when its attributes or methods are next used,
        so that they are always of all rows seen. It is that of `fit` of all rows, whatever batches and order they came
        in. Of rows with up to 5,000 features their `Moments` are held; for more, see `directions`. With several
        `nodes` a batch is one node's: that with the fewest rows so far.

        Parameters
        ----------
        X : array, sparse matrix or Moments
            A batch of one row or more; or all that was seen elsewhere.
        y : ignored
        check_input : bool
            False: X is known to be a packed array, or CSR matrix, of floats with these features.

        >>> import numpy as np
        >>> from eigenmesh import PCA
        >>> X = np.random.default_rng(0).standard_normal((500, 6)) * [6, 5, 4, 3, 2, 1]
        >>> pca = PCA(2)
        >>> for batch in np.array_split(X, 20):
        ...     _ = pca.partial_fit(batch)
        >>> pca.n_samples_seen_, bool(np.allclose(pca.components_, PCA(2).fit(X).components_, atol=1e-10))
        (500, True)
        """
        with self._turns():
            return self._add(X, check_input)

    def _add(self: _Estimator, X: Any, check_input: bool) -> _Estimator:
        known = vars(self)
        first = "_streams" not in known
        rows = X if not first and self._is_plain(X) else self._checked_batch(X, first, check_input)
        streams = [Moments(self.directions) for _ in range(self._checked_nodes())] if first else known["_streams"]
        stream = streams[0] if len(streams) == 1 else min(streams, key=lambda moments: moments.shape[0])
        if isinstance(rows, Moments):
            stream.merge(rows)
        else:
            stream.add(rows, known.get("feature_names_in_") if first else None)
        if not first:
            self._outdate()
        elif "_model" in known:
            warn("partial_fit: the rows of fit were not kept, and this begins anew; try partial_fit of all of them")
            self._drop_model()
        known["_streams"] = streams
        return self

    @property
    def n_samples_seen_(self) -> int:
        """Rows that have come in this process."""
        return sum(stream.shape[0] for stream in self._streams)

    def forget(self: _Estimator, factor: float) -> _Estimator:
        """All rows seen so far count for less: their weights are multiplied by 0 < factor <= 1.

        Called with the same factor before every batch, they fade away exponentially. What is to be dropped whole is a
        window: see `Moments`.
        """
        with self._turns():
            self._need_rows("forget")
            for stream in self._streams:
                if stream.shape[0]:
                    stream.forget(factor)
            self._outdate()
        return self

    def refresh(self: _Estimator, *, init: Any = None, comm: Any = None) -> _Estimator:
        """Make the model of all rows seen, by `partial_fit`, in this process or in all processes of a communicator.

        It begins from the last model, or from `init` as in `fit`: where that still holds, one average tells so
        (`held_`). Signs follow it, and `turn_` says how far this one lies from it. With `comm` every process calls it,
        each with what it has seen.
        """
        cluster = None if comm is None else Cluster(comm)
        with self._turns():  # no row comes between what is read and the model of it
            with agreed(cluster):
                self._need_rows("refresh")
                here = self._checked_nodes()
                here = cluster.hosted(here) if cluster and here > 1 else here
                tables = _grouped(self._streams, here)
                nodes = self._nodes_for(tables, cluster)
                last = self._last_model() if init is None else last_of(init)
            self._fit_tables(tables, nodes, init, last, cluster)
            self._shared = cluster is not None
        return self

    def _turns(self) -> _Turns:
        """Threads may add rows at once, also the first ones."""
        lock: _Turns = vars(self).setdefault("_lock", _Turns())  # one for all, whoever comes first
        return lock

    # ---- what is known of the rows -------------------------------------------------------------------

    def _is_plain(self, X: Any) -> bool:
        """An array of floats that nothing can be wrong with but its values, which the library looks at."""
        return (is_packed(X) and X.shape[0] > 0 and X.shape[1] == self.n_features_in_
                and "feature_names_in_" not in vars(self))

    def _checked_batch(self, X: Any, first: bool, check_input: bool) -> Any:
        if isinstance(X, Moments):
            return self._table(X, reset=first)
        return lendable(validated(self, X, reset=first) if first or check_input else X)

    def _need_rows(self, what: str) -> None:
        if "_streams" not in vars(self):
            raise InvalidArgument(f"{what}: no rows were seen; try partial_fit first")

    # ---- a model of what was seen --------------------------------------------------------------------

    def _last_model(self) -> Optional[Model]:
        """Where the next one begins, unless rows are now measured otherwise."""
        last = vars(self).get("_model", vars(self).get("_last"))
        return last if last and last.scale == self.scale else None

    def _outdate(self) -> None:
        """The model is not of all rows any more: it is where the next one begins."""
        if "_model" in vars(self):
            self._last = self._model
            self._drop_model()

    def _drop_model(self) -> None:
        for name in list(vars(self)):
            if _is_of_the_model(name):
                delattr(self, name)

    def _end_stream(self) -> None:
        for name in ("_streams", "_last", "_shared"):
            vars(self).pop(name, None)

    if not TYPE_CHECKING:  # who checks types is told of attributes that there are

        def __getattr__(self, name: str) -> Any:
            """What has no value: it may be the model's, which is made now."""
            known = vars(self)
            if not _is_of_the_model(name) or "_streams" not in known or "_model" in known:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if known.get("_shared"):
                raise InvalidArgument(f"{name}: rows have come since the last model of all processes; try "
                                      "refresh(comm=...) in every one")
            self.refresh()
            return getattr(self, name)

    def __copy__(self: _Estimator) -> _Estimator:
        """Rows that come to it do not come to the other."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        vars(other).pop("_lock", None)
        if "_streams" in vars(self):
            other._streams = [copy.copy(stream) for stream in self._streams]
        return other


def _is_of_the_model(name: str) -> bool:
    """Is an attribute what a fit has found?"""
    return name == "_model" or name.endswith("_") and not name.startswith("_") and name not in _OF_THE_ROWS


def _grouped(streams: List[Moments], count: int) -> List[Moments]:
    """What was seen, as that of so many nodes."""
    if len(streams) != count:
        streams = [Moments.merged([Moments(streams[0].directions), *streams[n::count]]) for n in range(count)]
    empty = sum(stream.shape[0] == 0 for stream in streams)
    if empty:
        raise InvalidArgument(f"nodes: {empty} of the {count} here have seen no row; try a batch for each, or fewer "
                              "nodes")
    return streams
