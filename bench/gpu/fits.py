#!/usr/bin/env python3
"""Fits on a GPU beside PyTorch's and CuPy's: python3 bench/gpu/fits.py --library libeigenmesh.so [--csv FILE] [--only WORD].

Rows that lie on the GPU, from the call to the model, and rows of the host. The library is called as it is, by ctypes, so that
nothing but it, PyTorch and, where there is one, CuPy is needed. Every answer is judged alike: the largest residual |C x - theta x| /
theta of its components, with C in double precision. Times are the median of some tries after two that are not counted; PyTorch's
pca_lowrank and what is to be as good take turns.
"""
from __future__ import annotations

import argparse
import contextlib
import csv
import ctypes
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import torch

K, TRIES = 10, 7
F64, F32 = 0, 1
#: rows, features, type, goal in ms with rows on the GPU (0: none)
SHAPES = [("like MNIST", 60_000, 784, "float64", 10), ("like MNIST", 60_000, 784, "float32", 10),
          ("many rows", 400_000, 2_000, "float32", 60), ("many features", 20_000, 10_000, "float64", 40),
          ("few rows", 2_000, 50_000, "float32", 0)]


class Info(ctypes.Structure):
    """What em_info begins with."""

    _fields_ = [("method", ctypes.c_char * 24), ("operator", ctypes.c_char * 16), ("reason", ctypes.c_int),
                ("iterations", ctypes.c_long)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("node", ctypes.c_int), ("msg", ctypes.c_char * 512)]


def _loaded(path: str) -> ctypes.CDLL:
    """The library; what it needs may lie beside it, in `system`."""
    try:
        return ctypes.CDLL(path)
    except OSError:
        waiting = sorted(Path(path).parent.glob("system/*.so*"))
        for _ in waiting:  # each may need others
            for other in list(waiting):
                with contextlib.suppress(OSError):
                    ctypes.CDLL(str(other), mode=ctypes.RTLD_GLOBAL)
                    waiting.remove(other)
        return ctypes.CDLL(path)


class Eigenmesh:
    """As much of the C interface as a fit takes."""

    def __init__(self, path: str) -> None:
        self.lib = _loaded(path)
        self.lib.em_model_components.restype = ctypes.POINTER(ctypes.c_double)
        self.lib.em_model_info.restype = ctypes.POINTER(Info)

    def call(self, name: str, *arguments: object) -> None:
        error = Error()
        if getattr(self.lib, name)(*arguments, ctypes.byref(error)) != 0:
            raise RuntimeError(error.msg.decode())

    def fit(self, address: int, shape: tuple, single: bool, there: bool, device: str, tolerance: float = 0) -> tuple:
        """Components, and what was done."""
        data, shards, graph, mesh, options, model = (ctypes.c_void_p() for _ in range(6))
        of = ctypes.byref
        rows, columns, none = ctypes.c_size_t(shape[0]), ctypes.c_size_t(shape[1]), ctypes.c_ssize_t(0)
        lent = [of(data), ctypes.c_void_p(address), F32 if single else F64, rows, columns, none, none]
        if there:
            self.call("em_data_from_gpu", *lent, ctypes.c_void_p(1))
        else:
            self.call("em_data_from_array", *lent)
        try:
            self.call("em_shards_split", of(shards), data, 1, None, ctypes.c_uint64(0))
            self.call("em_graph_create", of(graph), b"complete", 1, ctypes.c_uint64(0))
            self.call("em_mesh_open", of(mesh), None, graph, 0)
            self.call("em_options_create", of(options))
            for name, value in (("components", str(K)), ("device", device), ("tolerance", str(tolerance or (1e-6 if single else 1e-10)))):
                self.call("em_options_set", options, name.encode(), value.encode())
            self.call("em_fit", of(model), options, mesh, shards)
            found = np.ctypeslib.as_array(self.lib.em_model_components(model), (K, shape[1])).copy()
            about = self.lib.em_model_info(model).contents
            return found, f"{about.method.decode()}, {about.iterations} iterations"
        finally:
            for kind, handle in (("em_model_free", model), ("em_options_free", options), ("em_mesh_close", mesh),
                                 ("em_graph_free", graph), ("em_shards_free", shards), ("em_data_free", data)):
                getattr(self.lib, kind)(of(handle))


def made(rows: int, columns: int, kind: str) -> torch.Tensor:
    """Rows whose variances fall as those of pictures do, about a mean that is not zero; on the GPU."""
    torch.manual_seed(0)
    dtype = getattr(torch, kind)
    rank = min(rows, columns, 400)
    weights = torch.arange(1, rank + 1, device="cuda", dtype=dtype) ** -0.8
    basis = torch.linalg.qr(torch.randn(columns, rank, device="cuda", dtype=dtype))[0]
    X = torch.randn(rows, rank, device="cuda", dtype=dtype) * weights @ basis.T
    for first in range(0, rows, 50_000):  # a block at a time: noise of the whole would be as large as the rows
        X[first:first + 50_000] += 0.01 * torch.randn(min(50_000, rows - first), columns, device="cuda", dtype=dtype)
    return X.add_(0.1).contiguous()


def residual(X: torch.Tensor, components: torch.Tensor) -> float:
    """The largest of any component, in double precision whatever the rows are in."""
    V = components.to(device="cuda", dtype=torch.float64)
    mean, product = X.mean(0, dtype=torch.float64), torch.zeros_like(V)
    for block in X.split(50_000):
        centred = block.to(torch.float64) - mean
        product += (centred.T @ (centred @ V.T)).T
    theta = (V * product).sum(1) / (V * V).sum(1)
    return float(((product - theta[:, None] * V).norm(dim=1) / theta).max())


def in_turn(runs: list, tries: int = TRIES) -> list:
    """The median in milliseconds, and the last answer, of each: one after the other, so that what else goes on meets all alike."""
    times, answers = [[] for _ in runs], [None] * len(runs)
    for n in range(tries + 2):
        for r, run in enumerate(runs):
            answers[r] = None
            torch.cuda.synchronize()
            began = time.perf_counter()
            answers[r] = run()
            torch.cuda.synchronize()
            if n > 1:
                times[r].append(1e3 * (time.perf_counter() - began))
    return [(statistics.median(t), answer) for t, answer in zip(times, answers)]


def timed(run, tries: int = TRIES) -> tuple:
    return in_turn([run], tries)[0]


def by_eigh(X: torch.Tensor) -> torch.Tensor:
    centred = X - X.mean(0)
    if X.shape[0] >= X.shape[1]:
        return torch.linalg.eigh(centred.T @ centred)[1][:, -K:].T.flip(0)
    U = torch.linalg.eigh(centred @ centred.T)[1][:, -K:].flip(1)
    V = (centred.T @ U).T
    return V / V.norm(dim=1, keepdim=True)


def by_lowrank(X: torch.Tensor, niter: int) -> torch.Tensor:
    return torch.pca_lowrank(X, q=K + 10, center=True, niter=niter)[2][:, :K].T


def by_cupy(X: torch.Tensor) -> torch.Tensor:
    import cupy

    rows = cupy.from_dlpack(X)
    centred = rows - rows.mean(0)
    return torch.from_dlpack(cupy.linalg.eigh(centred.T @ centred)[1][:, -K:].T[::-1].copy())


def has_cupy() -> bool:
    try:
        import cupy  # noqa: F401
    except ImportError:
        return False
    return True


def measure(name: str, rows: int, columns: int, kind: str, goal: float, em: Eigenmesh, write) -> None:
    X = made(rows, columns, kind)
    shape, single = (rows, columns), kind == "float32"
    title = f"{name}, {rows} x {columns} {kind}"

    def tell(what: str, time_ms: float, answer) -> None:
        about = ""
        if isinstance(answer, tuple):
            answer, about = torch.from_numpy(answer[0]), answer[1]
        write(title, what, time_ms, residual(X, answer), goal if what == "eigenmesh, rows there" else 0, about)

    def note(what: str, run, tries: int = TRIES) -> None:
        try:
            tell(what, *timed(run, tries))
        except RuntimeError as wrong:
            write(title, what, None, None, 0, str(wrong)[:120])

    note("eigenmesh, rows there", lambda: em.fit(X.data_ptr(), shape, single, True, "gpu"))
    note("PyTorch, covariance and eigh", lambda: by_eigh(X), 3)
    for niter in (2, 6, 12):  # to the residual that it comes to, or a smaller one
        as_good = min(residual(X, by_lowrank(X, niter)), 0.5)
        both = in_turn([lambda niter=niter: by_lowrank(X, niter),
                        lambda t=as_good: em.fit(X.data_ptr(), shape, single, True, "gpu", t)], 3 * TRIES)
        tell(f"PyTorch, pca_lowrank of {niter}", *both[0])
        tell("eigenmesh, to that residual", *both[1])
    if has_cupy() and rows >= columns:
        note("CuPy, covariance and eigh", lambda: by_cupy(X), 3)
    host = X.cpu()
    pinned = torch.empty_like(host, pin_memory=True)
    pinned.copy_(host)
    time_ms, _ = timed(lambda: X.copy_(pinned))
    write(title, "the copy from pinned memory alone", time_ms, None, 0, "")
    del pinned
    note("eigenmesh, rows of the host", lambda: em.fit(host.data_ptr(), shape, single, False, "gpu"))
    note("eigenmesh, the CPU alone", lambda: em.fit(host.data_ptr(), shape, single, False, "cpu"), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", dest="shared_library", required=True)
    parser.add_argument("--csv")
    parser.add_argument("--only", default="", help="problems whose name has this word")
    args = parser.parse_args()
    em = Eigenmesh(args.shared_library)
    table = []

    def write(problem, what, time_ms, worst, goal, about) -> None:
        table.append([problem, what, time_ms, worst, goal or None, about])
        told = "      -" if time_ms is None else f"{time_ms:10.2f} ms"
        judged = "" if worst is None else f"  residual {worst:.1e}"
        aim = f"  (goal {goal} ms)" if goal else ""
        print(f"{problem:42} {what:36} {told}{judged}{aim}  {about}", flush=True)

    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CuPy {'there' if has_cupy() else 'not there'}")
    for name, rows, columns, kind, goal in SHAPES:
        if args.only in name:
            measure(name, rows, columns, kind, goal, em, write)
            torch.cuda.empty_cache()
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["problem", "what", "milliseconds", "residual", "goal", "about"])
            writer.writerows(table)


if __name__ == "__main__":
    sys.exit(main())
