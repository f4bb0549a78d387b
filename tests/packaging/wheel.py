"""The wheel beside NumPy's own BLAS: wheel.py VENV, run by the Python of that environment; see wheel.sh."""
import ctypes
import os
import re
import sys
import threading
import time
from pathlib import Path

import eigenmesh
import numpy

VENV = Path(sys.argv[1]).resolve()
CORES = len(os.sched_getaffinity(0))


# As OpenBLAS calls it, and as NumPy's wheels do.
ASKING = [f"{scipy}openblas_get_num_threads{wide}" for scipy in ("", "scipy_") for wide in ("", "64_")]


def threads_of() -> "dict[str, int]":
    """How many threads every OpenBLAS of this process has, by its file."""
    files = set(re.findall(r"(/\S*/lib\w*openblas[^/\s]*)$", Path("/proc/self/maps").read_text(), re.M))
    found = {}
    for file in files:
        library = ctypes.CDLL(file)
        found[file] = next(getattr(library, name) for name in ASKING if hasattr(library, name))()
    return found


def fit(X) -> bytes:
    pca = eigenmesh.PCA(5, nodes=4, random_state=0).fit(X)
    return pca.components_.tobytes()


def seconds(work, times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        work()
    return time.perf_counter() - begin


def beside(work, other, times: int) -> "tuple[float, list]":
    """The time of the work, and what it gave, while another thread does something else over and over."""
    stop, given = threading.Event(), []

    def again() -> None:
        while not stop.is_set():
            other()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        return seconds(lambda: given.append(work()), times), given
    finally:
        stop.set()
        thread.join()


assert Path(eigenmesh.__file__).resolve().is_relative_to(VENV), eigenmesh.__file__
rng = numpy.random.default_rng(0)
X = rng.normal(size=(4000, 120)) * numpy.linspace(3, 1, 120)
A = rng.normal(size=(500, 500))

# The numbers are NumPy's.
true = numpy.linalg.eigvalsh(numpy.cov(X.T))[::-1][:5]
assert numpy.allclose(eigenmesh.PCA(5).fit(X).explained_variance_, true, rtol=1e-9)
pca = eigenmesh.PCA(2).fit(X)
pca.save("model.npz")
assert numpy.array_equal(numpy.load("model.npz")["components"], eigenmesh.load("model.npz").components_)

# Each BLAS keeps its own threads: a fit changes nothing for NumPy, nor leaves anything changed.
before = threads_of()
ours = [file for file in before if "/eigenmesh.libs/" in file]
assert len(ours) == 1, before
others = len(before) - 1
alone = fit(X)
assert threads_of() == before, (before, threads_of())
tasks = len(os.listdir("/proc/self/task"))
for _ in range(20):
    A @ A
    assert fit(X) == alone
assert len(os.listdir("/proc/self/task")) <= tasks, "threads pile up"
assert tasks <= 1 + (1 + others) * (CORES - 1) + 2, f"{tasks} threads on {CORES} cores"  # a fit's own end with it

# In turns, and at the same time: the same bits, and nobody waits for ever.
products, fits = seconds(lambda: A @ A, 20), seconds(lambda: fit(X), 20)
turns = seconds(lambda: (A @ A, fit(X)), 20)
together, given = beside(lambda: fit(X), lambda: A @ A, 20)
assert all(components == alone for components in given)
assert threads_of() == before
print(f"wheel: {others} other OpenBLAS beside ours, {tasks} threads on {CORES} cores; in turns {turns / (products + fits):.2f} of the "
      f"time of each by itself; a fit while NumPy multiplies {together / fits:.2f} times its time alone")
