#!/usr/bin/env python3
"""Rows in batches: eigenmesh.PCA.partial_fit beside scikit-learn's IncrementalPCA, in one run.

    PYTHONPATH=build/python python3 bench/streaming.py [--markdown] [--batch N] [-k K] [--rounds R] [--threads T] ...

MNIST in batches of 1,000, K = 10, unless told otherwise; synthetic rows where it is not at hand. Time is the best of
rounds in which both take turns, from the first batch to the model, which IncrementalPCA makes after every batch; "with
a model a batch" eigenmesh does too. Errors are against the eigenvectors of the covariance of all rows, found by LAPACK
in double: of a component, the sine of its angle; of the subspace, the sine of the largest one. Then batches of one
row: how long a call takes. It fails where eigenmesh takes longer.
"""
import argparse
import os
import sys
import time
from pathlib import Path


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("-k", "--components", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--single-rows", type=int, default=1_000_000, metavar="N",
                        help="calls with one row; 0 for none")
    parser.add_argument("--markdown", action="store_true", help="the table as docs/streaming.md has it")
    return parser.parse_args()


def exact(X, components):
    """The leading eigenvectors, as rows."""
    import numpy as np

    centred = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    return np.linalg.eigh(centred.T @ centred / (len(X) - 1))[1].T[::-1][:components]


def errors(found, truth):
    """Sines: of the worst component's angle, and of the subspace's largest one. From what is left of the truth, as
    cosines near 1 tell nothing below 1e-8."""
    import numpy as np

    found = np.linalg.qr(found.astype(np.float64).T)[0].T
    along = np.sum(truth * found, axis=1, keepdims=True) * found
    return np.linalg.norm(truth - along, axis=1).max(), np.linalg.norm(truth - truth @ found.T @ found, 2)


def stream(make, ask):
    """The estimator after all batches; `ask` looks at what must be there after each of them, and at the end."""

    def run(X, batch):
        pca = make()
        for first in range(0, len(X), batch):
            pca.partial_fit(X[first:first + batch])
            if ask == "each":
                pca.components_
        pca.components_
        return pca

    return run


def contenders(components):
    from sklearn.decomposition import IncrementalPCA

    import eigenmesh

    return {"eigenmesh": stream(lambda: eigenmesh.PCA(components), "end"),
            "eigenmesh, with a model a batch": stream(lambda: eigenmesh.PCA(components), "each"),
            "IncrementalPCA": stream(lambda: IncrementalPCA(components), "each")}


def race(X, args):
    """Best seconds and the last model of each."""
    best = {}
    for _ in range(args.rounds):
        for name, run in contenders(args.components).items():
            time.sleep(0.05)  # BLAS threads spin for a while after a call, and would disturb the next one
            began = time.perf_counter()
            pca = run(X, args.batch)
            seconds = time.perf_counter() - began
            best[name] = min(seconds, best.get(name, (seconds,))[0]), pca
    return best


def tell(source, X, args):
    """A line each; is eigenmesh the faster one?"""
    best, truth = race(X, args), exact(X, args.components)
    theirs = best["IncrementalPCA"][0]
    title = f"{source} {len(X):,} x {X.shape[1]} {X.dtype}"
    for name, (seconds, pca) in best.items():
        component, subspace = errors(pca.components_, truth)
        if args.markdown:
            print(f"| {title} | {name} | {seconds:.2f} s | {seconds / theirs:.2f} | {subspace:.1e} | {component:.1e} |")
        else:
            print(f"  {name:33} {seconds:7.2f} s  {seconds / theirs:5.2f} of IncrementalPCA   "
                  f"errors: subspace {subspace:.1e}, worst component {component:.1e}")
        title = ""
    return best["eigenmesh"][0] <= theirs


def single_rows(count, features=10):
    """Microseconds a call."""
    import numpy as np

    import eigenmesh

    rows = np.random.default_rng(0).standard_normal((min(count, 10_000), features)) * np.linspace(2, 1, features) + 1e8
    parts = [rows[n:n + 1] for n in range(len(rows))]
    pca, began, work = eigenmesh.PCA(2), time.perf_counter(), time.process_time()
    for n in range(count):
        pca.partial_fit(parts[n % len(parts)])
    seconds, work = time.perf_counter() - began, time.process_time() - work
    print(f"\npartial_fit, {count:,} batches of one row of {features} features: {seconds:.1f} s, "
          f"{work / count * 1e6:.1f} us of processor time a call")


def main():
    args = options()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # BLAS looks once, when it is loaded
        os.environ[name] = str(args.threads)
    import eigenmesh  # noqa: F401  before NumPy, so that both have the kernels for this CPU

    sys.path.insert(0, str(Path(__file__).resolve().parent / "pca"))
    from problems import Problem

    if args.markdown:
        print("| rows | estimator | time | of IncrementalPCA's | error of the subspace | of the worst component |\n"
              "|---|---|---|---|---|---|")
    faster = []
    for dtype in ("float64", "float32"):
        data = Problem("MNIST", args.rows, 784, dtype, {}).load()
        if not args.markdown:
            print(f"{data}, in batches of {args.batch:,}, K = {args.components}, {args.threads} threads")
        faster.append(tell(data.source, data.X, args))
    if args.single_rows:
        single_rows(args.single_rows)
    return 0 if all(faster) else 1


if __name__ == "__main__":
    sys.exit(main())
