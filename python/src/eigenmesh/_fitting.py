"""One fit: tables lent to the library, a network, options, and somebody who looks on."""
from __future__ import annotations

import math
import os
from contextlib import ExitStack
from functools import lru_cache
from numbers import Integral
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from ._graph import Graph
from ._kernels import CHOICE
from ._model import Model
from ._mpi import Cluster, agreed
from ._native import borrowed_doubles, checked, create, ffi, lib, text_of
from .errors import InvalidArgument, SlowKernelsWarning, warn

LOOK_EVERY = 0.05  # seconds: soon enough for Ctrl-C, too seldom to be felt


class Progress(NamedTuple):
    """What a callback is told after every iteration; where it returns true, the fit ends there."""

    iteration: int  #: done so far
    limit: int  #: and at most
    seconds: float
    change: float  #: as of the last stopping test; NaN before it
    tolerance: float
    error: float  #: NaN unless the truth is known
    residual: float  #: the change, of methods for which that is the largest residual of any node; else NaN


Callback = Callable[[Progress], Any]


class Watch:
    """Looks on during a fit: calls the callback, prints, and lets Python see Ctrl-C."""

    def __init__(self, callback: Optional[Callback] = None, verbose: int = 0) -> None:
        self.callback = callback
        self.verbose = verbose
        self.exception: Optional[BaseException] = None
        self._printed = 0.0

    def report(self, progress: Progress) -> bool:
        if self.verbose and progress.seconds >= self._printed + 1:
            self._printed = progress.seconds
            measure = "change" if math.isnan(progress.residual) else "residual"
            print(f"[eigenmesh] iteration {progress.iteration} of at most {progress.limit}, {progress.seconds:.0f} s, "
                  f"{measure} {progress.change:.1e} (tolerance {progress.tolerance:g})")
        return bool(self.callback and self.callback(progress))


def _keep_exception(kind: type, exception: BaseException, traceback: Any) -> int:
    """An exception may not travel through C: it stops the fit and is raised when that has ended. Ctrl-C's may come
    before the first line of the function, which is why it is caught out here."""
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).exception = exception
    return 1


@ffi.def_extern(name="py_report", onerror=_keep_exception)
def _report(progress: Any, user: Any) -> int:
    return ffi.from_handle(user).report(Progress(*(getattr(progress, field) for field in Progress._fields)))


def threads() -> int:
    """Cores to use: what the usual variables say, which joblib sets in its workers; else 0, for all."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0


@lru_cache(maxsize=None)
def warn_of_slow_kernels() -> None:
    """Once, where OpenBLAS could not be told better: the user has chosen, or others had loaded it."""
    if lib.em_blas_advice():
        earlier = "" if os.environ.get(CHOICE) else "importing eigenmesh before NumPy, or "
        warn(f"{text_of(lib.em_blas())}: made for older CPUs, and slow on this one; try {earlier}"
             f"{text_of(lib.em_blas_advice())} in the environment", SlowKernelsWarning)


def knows_residual(method: str) -> bool:
    """Is a method's tolerance a promise about the residual? That of the others is about the change."""
    return method == "auto" or any(info["name"] == method and info["residual"] for info in methods())


def methods() -> List[Dict[str, Any]]:
    """What the library can do: a dict a method, with its name, summary, update, citation, and whether it is exact.

    >>> import eigenmesh
    >>> sorted(method["name"] for method in eigenmesh.methods() if method["exact"])
    ['covariance', 'deepca', 'fastpca', 'gha', 'krylov', 'oi']
    """
    found = []
    while True:
        info = lib.em_method(len(found))
        if not info:
            return found
        found.append({"name": text_of(info.name), "summary": text_of(info.summary), "update": text_of(info.update),
                      "cite": text_of(info.cite), "single_node": bool(info.single_node), "exact": bool(info.exact),
                      "residual": bool(info.residual)})


def tolerance_for(method: str, tol: Optional[float], single: bool = False) -> float:
    """Where none is given: ten digits, or the six of rows in single precision; a change of 1e-6 for methods that promise none."""
    if tol is not None:
        return tol
    return 1e-10 if knows_residual(method) and not single else 1e-6


def _text(value: Any) -> str:
    return f"{float(value):.17g}" if isinstance(value, (float, np.floating)) else str(value)


class Wishes:
    """An em_options and the memory that it points to."""

    def __init__(self, options: Dict[str, Any], watch: Watch, init: Optional[np.ndarray],
                 last: Optional[Model] = None) -> None:
        self.native = create("em_options", lib.em_options_create, lib.em_options_free)
        handle = ffi.new_handle(watch)
        watched = ffi.new("py_watch *", {"period": 0.0 if watch.callback else LOOK_EVERY, "user": handle})
        self._watched = ffi.gc(watched, lib.py_forget)
        self._kept: List[Any] = [init, last, watch, handle, watched]
        for name, value in options.items():
            if value is not None:
                checked(lib.em_options_set, self.native, name.replace("_", "-").encode(), _text(value).encode())
        if init is not None:
            lib.em_options_set_start(self.native, borrowed_doubles(init), *init.shape)
        if last is not None:
            lib.em_options_set_last(self.native, last.handle)
        lib.em_options_set_monitor(self.native, ffi.addressof(lib, "py_monitor"), watched)

    def steps(self) -> np.ndarray:
        """The iterations of the fit and how near each was, as far as the method knows: rows of (iteration, change)."""
        noted, kind = self._watched, np.dtype([("iteration", "long"), ("change", "float64")])
        if noted.count == 0:
            return np.empty((0, 2))
        steps = np.frombuffer(ffi.buffer(noted.steps, noted.count * kind.itemsize), dtype=kind)
        return np.column_stack([steps["iteration"], steps["change"]])


def _shards(tables: List[Any], hosted: int) -> Any:
    if len(tables) > 1:
        return create("em_shards", lib.em_shards_of, lib.em_shards_free, tables, len(tables))
    return create("em_shards", lib.em_shards_split, lib.em_shards_free, tables[0], hosted, ffi.NULL, 0)


def _mesh(graph: Graph, cluster: Optional[Cluster]) -> Any:
    if cluster is None:
        return create("em_mesh", lib.em_mesh_open, lib.em_mesh_close, ffi.NULL, graph.handle, threads())
    return create("em_mesh", lib.py_mpi_mesh_open, lib.em_mesh_close, cluster.pointer, graph.handle, threads())


def last_of(init: Any) -> Optional[Model]:
    """The model that a fit is to begin from: a fitted estimator's, or that of a file."""
    if isinstance(init, (str, os.PathLike)):
        return Model.load(init)
    return getattr(init, "_model", None)


def seed_of(random_state: Any) -> int:
    """The library's seed, of what scikit-learn takes for one."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= random_state < 2 ** 64:
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2 ** 32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2 ** 31 - 1))
    raise InvalidArgument(f"random_state={random_state!r}: not a source of numbers; try an integer from 0 on")


def start_of(init: Any, components: Any, features: int, seed: int) -> Optional[np.ndarray]:
    """d x K: the rows given, and random ones for those that are not."""
    if init is None:
        return None
    given = np.asarray(getattr(init, "components_", init), dtype=np.float64)
    if not isinstance(components, int):
        raise InvalidArgument("init: for a number of components, not a fraction of variance; try n_components=10")
    if given.ndim != 2 or given.shape[1] != features or not np.isfinite(given).all():
        raise InvalidArgument(f"init: of shape {given.shape}, or not finite; try (components, {features})")
    missing = max(0, components - len(given))
    rest = np.random.default_rng(seed).standard_normal((missing, features))
    rest -= rest @ np.linalg.pinv(given) @ given
    return np.ascontiguousarray(np.vstack([given, rest])[:components].T)


def fit(tables: List[Any], graph: Graph, options: Dict[str, Any], *, watch: Watch, init: Optional[np.ndarray] = None,
        last: Optional[Model] = None, cluster: Optional[Cluster] = None) -> Model:
    """Find the components of tables (em_data): several are one a node, one is split over the nodes that live here.

    options: by the library's names, "_" for "-"; those that are None keep their default. init: d x K; last: an
    answer to begin from.
    """
    with ExitStack() as stack:
        with agreed(cluster):
            warn_of_slow_kernels()
            wishes = Wishes(options, watch, init, last)
            hosted = cluster.hosted(graph.nodes) if cluster else graph.nodes
            shards = stack.enter_context(_shards(tables, hosted))
        # Closing is collective where opening was: it must not wait for the garbage collector.
        mesh = stack.enter_context(_mesh(graph, cluster))
        model = Model(create("em_model", lib.em_fit, lib.em_model_free, wishes.native, mesh, shards))
    if watch.exception is not None:
        raise watch.exception
    model.steps = wishes.steps()
    return model
