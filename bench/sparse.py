#!/usr/bin/env python3
"""Sparse rows: eigenmesh.PCA beside scikit-learn's TruncatedSVD, seconds and peak memory, as ratios of the same run.

    PYTHONPATH=build/python python3 bench/sparse.py [--rows N] [--columns D] [--filled SHARE] [-k K] [--rounds R]

Each fit is a process of its own that makes the matrix first. TruncatedSVD finds singular vectors of the matrix as it is; eigenmesh, the
principal components, which are those of the centred one. "topics" are rows with structure, as texts and cells have; "even" are entries
without any, which is the hardest there is: eigenvalues that hardly differ.
"""
import argparse
import json
import os
import subprocess
import sys
import time

MEMORY = "/proc/self/status"


def peak_bytes():
    with open(MEMORY) as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def made(kind, rows, columns, filled, seed=0):
    """Float32 in compressed rows, block by block, so that making it leaves no larger peak than it is."""
    import numpy as np
    import scipy.sparse as sparse

    rng = np.random.default_rng(seed)
    each = int(filled * columns)
    values = rng.random(rows * each, dtype=np.float32) + np.float32(0.5)
    indices = np.empty(rows * each, dtype=np.int32)
    weights = rng.gamma(0.3, size=(100, columns)) + 0.02  # of the columns, in each topic
    for first in range(0, rows, 2000):
        count = min(2000, rows - first)
        if kind == "topics":
            chances = weights[rng.integers(0, len(weights), count)]
            keys = -np.log(rng.random((count, columns))) / chances  # the smallest are a draw without replacement
        else:
            keys = rng.random((count, columns))
        indices[first * each:(first + count) * each] = np.argpartition(keys, each, axis=1)[:, :each].ravel()
    starts = np.arange(0, rows * each + 1, each, dtype=np.int32)
    matrix = sparse.csr_matrix((values, indices, starts), shape=(rows, columns))
    matrix.sort_indices()
    return matrix


def fit(contender, matrix, components):
    if contender == "eigenmesh":
        import eigenmesh

        eigenmesh.PCA(2).fit(matrix[:1000])  # what is loaded once is no part of it
        forget_peak()
        before, began = peak_bytes(), time.perf_counter()
        pca = eigenmesh.PCA(components).fit(matrix)
        seconds = time.perf_counter() - began
        return seconds, peak_bytes() - before, f"{pca.method_}, {pca.n_iter_} steps, {pca.verdict_}, residual " \
            f"{pca.residuals_.max():.0e}"
    from sklearn.decomposition import TruncatedSVD

    TruncatedSVD(2, algorithm="arpack").fit(matrix[:1000])
    forget_peak()
    before, began = peak_bytes(), time.perf_counter()
    TruncatedSVD(components, algorithm="arpack").fit(matrix)
    return time.perf_counter() - began, peak_bytes() - before, "algorithm='arpack'"


def run_one(arguments):
    if arguments.one == "eigenmesh":
        import eigenmesh  # noqa: F401  before NumPy, so that it has the kernels for this CPU
    matrix = made(arguments.kind, arguments.rows, arguments.columns, arguments.filled)
    size = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    seconds, grown, how = fit(arguments.one, matrix, arguments.components)
    print(json.dumps({"seconds": seconds, "memory": (size + grown) / size, "how": how, "size": size}))


def in_a_process(contender, kind, arguments):
    command = [sys.executable, os.path.abspath(__file__), "--one", contender, "--kind", kind, "--rows", str(arguments.rows),
               "--columns", str(arguments.columns), "--filled", str(arguments.filled), "-k", str(arguments.components)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare(kind, arguments):
    best = {}
    for _ in range(arguments.rounds):  # in turn, so that all meet the same load of the machine
        for contender in ("eigenmesh", "TruncatedSVD"):
            found = in_a_process(contender, kind, arguments)
            known = best.setdefault(contender, found)
            known["seconds"] = min(known["seconds"], found["seconds"])
            known["memory"] = max(known["memory"], found["memory"])
    ours, theirs = best["eigenmesh"], best["TruncatedSVD"]
    print(f"{kind}: {arguments.rows} x {arguments.columns}, {arguments.filled:.1%} filled, float32, K = {arguments.components}; "
          f"matrix {ours['size'] / 1e6:.0f} MB")
    for name, found in best.items():
        print(f"  {name:13} {found['seconds']:7.2f} s   {found['seconds'] / theirs['seconds']:5.2f} of TruncatedSVD   "
              f"peak {found['memory']:.2f} times the matrix   ({found['how']})")
    return ours["seconds"] < theirs["seconds"] and ours["memory"] < 1.3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=2_000)
    parser.add_argument("--filled", type=float, default=0.05)
    parser.add_argument("-k", "--components", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kind", choices=["topics", "even"])
    parser.add_argument("--one", choices=["eigenmesh", "TruncatedSVD"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(arguments)
        return 0
    kinds = [arguments.kind] if arguments.kind else ["topics", "even"]
    return 0 if all([compare(kind, arguments) for kind in kinds]) else 1


if __name__ == "__main__":
    sys.exit(main())
