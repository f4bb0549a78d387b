"""Moments of rows that keep coming: all that a fit needs of them."""
from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager, nullcontext
from numbers import Integral
from typing import Any, Iterable, Iterator, Optional, Tuple

import numpy as np

from ._conventions import as_table, lendable, names_of
from ._files import FilePath, content_of, loaded, path_of
from ._fitting import threads
from ._native import LENDABLE, borrowed_doubles, checked, create, ffi, lend, lib, text_of
from .errors import InvalidArgument

_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_WORTH_THREADS = 1e8  # multiplications: some 20 ms of one core, beside which starting others is nothing


class Moments:
    """How many rows there were, their mean, and the sums of squares and products of their differences from it.

    That is all that a fit needs of rows, and it is exact, whatever batches and order they came in: `PCA.fit` takes
    moments wherever it takes a table. They take n_features x n_features numbers, for up to 5,000 features.

    Parameters
    ----------
    directions : int or None
        For more features: hold the largest directions alone, ten a component that will be wanted or more, and a `bound`
        on what that lacks (frequent directions: E. Liberty, KDD 2013).

    A window of the last three hours is three of them, of which the oldest is dropped whole:

    >>> import collections, numpy as np
    >>> from eigenmesh import Moments, PCA
    >>> rng = np.random.default_rng(0)
    >>> hours, pca = collections.deque(maxlen=3), None
    >>> for hour in range(5):
    ...     hours.append(Moments().update(rng.standard_normal((200, 4)) * [4, 3, 2, 1]))
    ...     pca = PCA(2).fit(Moments.merged(hours), init=pca)
    >>> pca.n_samples_, bool(pca.turn_ < 0.2)
    (600, True)
    """

    ndim = 2  # where a table is asked how many it has

    def __init__(self, directions: Optional[int] = None) -> None:
        self.directions = directions
        self.dtype: Any = _DOUBLE  #: float32 where all rows were
        self._handle: Any = None
        self._lock = threading.RLock()
        self._fits = 0  # that read them now

    # ---- adding ------------------------------------------------------------------------------------

    def update(self, X: Any) -> "Moments":
        """Add rows: an array, a DataFrame or a sparse matrix. Where one is not finite all are refused."""
        return self.add(lendable(as_table(X)), names_of(X))

    def add(self, table: Any, names: Optional[np.ndarray] = None) -> "Moments":
        """The same of a table that can be lent as it is."""
        with self._lock:
            self._check_free()
            known = self._handle is not None
            handle = self._handle if known else self._made(table.shape[1])
            with _threads(handle) if _are_many(table) else nullcontext():
                if names is None and is_packed(table):
                    checked(lib.py_moments_add, handle, ffi.from_buffer(table), LENDABLE[table.dtype], *table.shape)
                else:
                    checked(lib.em_moments_update, handle, lend(table, names))
            self._take(handle, self.dtype if known else None, table.dtype)
        return self

    def merge(self, other: "Moments") -> "Moments":
        """Add all that another one has, which stays as it is: as if its rows had come here."""
        with held([self, other]):
            self._check_free()
            if other._handle is None:
                return self
            known = self._handle is not None
            handle = self._handle if known else self._made(other.shape[1])
            checked(lib.em_moments_merge, handle, other._handle)
            self._take(handle, self.dtype if known else None, other.dtype)
        return self

    @staticmethod
    def merged(several: Iterable["Moments"]) -> "Moments":
        """A new one with all that several have."""
        parts = list(several)
        whole = Moments(parts[0].directions if parts else None)
        for part in parts:
            whole.merge(part)
        return whole

    def forget(self, factor: float) -> "Moments":
        """Rows so far count for less: their weights are multiplied by 0 < factor <= 1."""
        with self._lock:
            self._check_free()
            checked(lib.em_moments_forget, self._known("forget"), factor)
        return self

    def _check_free(self) -> None:
        """Other threads wait; a callback of the fit is in its own."""
        if self._fits:
            raise InvalidArgument("moments: a fit is reading them; try when it has ended")

    def _made(self, features: int) -> Any:
        if self.directions is None:
            return create("em_moments", lib.em_moments_create, lib.em_moments_free, features)
        if not isinstance(self.directions, Integral) or self.directions < 0:
            raise InvalidArgument(f"directions={self.directions!r}: not a number of them; try ten a component, or None")
        return create("em_moments", lib.em_moments_create_sketch, lib.em_moments_free, features,
                      int(self.directions))

    def _take(self, handle: Any, before: Any, now: Any) -> None:
        """What has come is in it: of no failure anything stays."""
        self._handle = handle
        self.dtype = now if now is _SINGLE and before in (None, _SINGLE) else _DOUBLE

    def _known(self, what: str) -> Any:
        if self._handle is None:
            raise InvalidArgument(f"{what}: of no rows; try adding some first")
        return self._handle

    # ---- what they know ----------------------------------------------------------------------------

    @property
    def shape(self) -> Tuple[int, int]:
        """(n_samples, n_features): all rows that were ever added."""
        if self._handle is None:
            return 0, 0
        return lib.em_moments_rows(self._handle), lib.em_moments_columns(self._handle)

    @property
    def weight(self) -> float:
        """Of all rows: their number, until any are forgotten."""
        return 0.0 if self._handle is None else lib.em_moments_weight(self._handle)

    @property
    def bound(self) -> float:
        """What a sketch's covariance may lack, in any direction; 0 where all is exact."""
        with self._lock:
            bound = ffi.new("double *")
            checked(lib.em_moments_bound, self._known("bound"), bound)
            return bound[0]

    @property
    def mean(self) -> np.ndarray:
        return self._numbers("mean", self.shape[1])

    @property
    def covariance(self) -> np.ndarray:
        return self._numbers("covariance", self.shape[1], self.shape[1])

    @property
    def feature_names(self) -> Optional[np.ndarray]:
        names = [lib.em_moments_column_name(self._handle, f) for f in range(self.shape[1])]
        return np.array([text_of(name) for name in names], dtype=object) if names and names[0] else None

    def _numbers(self, name: str, *shape: int) -> np.ndarray:
        with self._lock:
            handle, found = self._known(name), np.empty(shape)
            checked(getattr(lib, f"em_moments_{name}"), handle, borrowed_doubles(found))
            return found

    def as_data(self) -> Any:
        """An em_data of them, for a fit; they must be `lent` meanwhile."""
        return create("em_data", lib.em_data_from_moments, lib.em_data_free, self._known("moments"))

    def __repr__(self) -> str:
        rows, features = self.shape
        return f"<Moments of {rows} rows of {features} features>"

    # ---- files and copies --------------------------------------------------------------------------

    def save(self, path: FilePath) -> None:
        """Write them as the .npz that `eigenmesh moments` writes. It shows the mean and all covariances."""
        with self._lock:
            checked(lib.em_moments_save, self._known("save"), path_of(path))

    @classmethod
    def load(cls, path: FilePath) -> "Moments":
        """From such a file."""
        handle = create("em_moments", lib.em_moments_load, lib.em_moments_free, path_of(path))
        moments = cls(lib.em_moments_directions(handle) or None)
        moments._handle = handle
        return moments

    @classmethod
    def from_bytes(cls, content: bytes, dtype: Any) -> "Moments":
        moments = loaded(cls.load, content)
        moments.dtype = dtype
        return moments

    def __reduce__(self) -> tuple:
        if self._handle is None:
            return Moments, (self.directions,)
        return Moments.from_bytes, (content_of(self.save), self.dtype)


def _are_many(table: Any) -> bool:
    return table.shape[0] * float(table.shape[1]) ** 2 > _WORTH_THREADS


def is_packed(table: Any) -> bool:
    """An array of floats, row by row."""
    return (type(table) is np.ndarray and table.flags.c_contiguous and table.ndim == 2
            and (table.dtype is _DOUBLE or table.dtype is _SINGLE))


@contextmanager
def _threads(handle: Any) -> Iterator[None]:
    """As many as there are, and for now alone: a process that forks would not have them."""
    checked(lib.em_moments_set_threads, handle, threads())
    try:
        yield
    finally:
        checked(lib.em_moments_set_threads, handle, 1)


@contextmanager
def held(several: Iterable[Moments]) -> Iterator[None]:
    """No other thread changes these until the end of the `with`."""
    distinct = {id(one): one for one in several}
    with ExitStack() as stack:
        for number in sorted(distinct):  # in one order everywhere: two threads do not wait for each other
            stack.enter_context(distinct[number]._lock)
        yield


@contextmanager
def lent(tables: Iterable[Any]) -> Iterator[None]:
    """Nobody changes those of them that are moments, while a fit reads them."""
    several = [table for table in tables if isinstance(table, Moments)]
    with held(several):
        try:
            for one in several:
                one._fits += 1
            yield
        finally:
            for one in several:
                one._fits -= 1
