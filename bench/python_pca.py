#!/usr/bin/python3
"""eigenmesh.PCA against scikit-learn's solvers on the same array, in one run.

    python_pca.py [--rows N] [--features d] [--components K] [--dtype float64|float32] [--repeat R]

60,000 x 784 rows: MNIST from EIGENMESH_SHARED/mnist, else synthetic ones of that shape. Every solver's best of R runs
(the direct one's only), the error of its variances and the sine of the largest angle between its subspace and the
direct solver's; then what the binding adds to the library's own calls.
"""
import argparse
import gzip
import os
import time
import warnings
from pathlib import Path

import numpy as np


def mnist(rows):
    """The training images, or nothing where they are not at hand."""
    shared = Path(os.environ.get("EIGENMESH_SHARED", Path(__file__).resolve().parents[1] / ".." / "shared"))
    for path in sorted(shared.glob("mnist/train-images*")):
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            content = file.read()
        return np.frombuffer(content, dtype=np.uint8, offset=16).reshape(-1, 784)[:rows] / 255
    return None


def synthetic(rows, features):
    """A spectrum that falls like that of images."""
    rng = np.random.default_rng(0)
    directions, _ = np.linalg.qr(rng.standard_normal((features, features)))
    return rng.standard_normal((rows, features)) / np.arange(1, features + 1) ** 0.7 @ directions.T + 1


def seconds_of(fit, repeat):
    best, result = np.inf, None
    for _ in range(repeat):
        began = time.perf_counter()
        result = fit()
        best = min(best, time.perf_counter() - began)
    return best, result


def subspace_error(components, reference):
    """The sine of the largest angle between two subspaces, without the digits that a cosine loses."""
    return np.linalg.norm(components - components @ reference.T @ reference, 2)


def overhead(fit, repeat):
    """What a fit takes beyond the library's own calls, and what these take: the best of several."""
    from eigenmesh import _fitting

    inside, create = [], _fitting.create

    def timed(*arguments):
        began = time.perf_counter()
        made = create(*arguments)
        inside.append(time.perf_counter() - began)
        return made

    _fitting.create = timed
    results = []
    for _ in range(repeat):
        inside.clear()
        wall, _ = seconds_of(fit, 1)
        results.append((wall - sum(inside), sum(inside)))
    _fitting.create = create
    return min(results)


def main():
    parser = argparse.ArgumentParser(description="time PCA in Python")
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--features", type=int, default=784)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--dtype", choices=["float64", "float32"], default="float64")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    import eigenmesh
    from sklearn.decomposition import PCA

    X = mnist(args.rows) if args.features == 784 else None
    print(f"{args.rows} x {args.features} {args.dtype}, {'synthetic' if X is None else 'MNIST'}, K = {args.components}")
    X = np.ascontiguousarray(synthetic(args.rows, args.features) if X is None else X, dtype=args.dtype)
    solvers = {"sklearn full": (1, PCA(args.components, svd_solver="full"))}
    for name in ("randomized", "arpack"):
        solvers[f"sklearn {name}"] = (args.repeat, PCA(args.components, svd_solver=name, random_state=0))
    solvers["eigenmesh"] = (args.repeat, eigenmesh.PCA(args.components))

    warnings.simplefilter("error")
    times, reference = {}, None
    print(f"{'':20} {'seconds':>9} {'variances':>10} {'subspace':>10}")
    for name, (repeat, pca) in solvers.items():
        times[name], fitted = seconds_of(lambda: pca.fit(X), repeat)
        reference = reference or fitted
        variances = np.abs(fitted.explained_variance_ / reference.explained_variance_ - 1).max()
        error = subspace_error(fitted.components_.astype(np.float64), reference.components_.astype(np.float64))
        print(f"{name:20} {times[name]:9.3f} {variances:10.1e} {error:10.1e}")

    fastest = min((name for name in times if name != "eigenmesh"), key=times.get)
    print(f"{fastest} / eigenmesh: {times[fastest] / times['eigenmesh']:.2f} (goal at least 1, hoped 3)")
    extra, library = overhead(lambda: eigenmesh.PCA(args.components).fit(X), args.repeat)
    print(f"the binding: {1e3 * extra:.2f} ms, {100 * extra / library:.2f} % of the library's {library:.3f} s "
          "(goal under 2 ms or 2 %)")


if __name__ == "__main__":
    main()
