#!/usr/bin/python3
"""Check a model file against NumPy's own eigenvectors of the same data.

    check_model.py MODEL.npz DATA.npy [--tol 1e-2] [--scale none|std]

--tol bounds each component's sin^2 of the angle to the truth, and the relative error of
the variances.  Exit status 1, with every complaint on a line, where something is off.
"""
import argparse
import sys

import numpy as np

EXACT = 1e-9      # for what no method approximates: mean, scale, how numbers relate
SAME_VALUE = 1e-8  # eigenvalues this close (relative) define a subspace, not vectors


def expected_scale(data, how):
    """What each feature is divided by: its N-1 standard deviation, 1 where constant."""
    if how == "none":
        return np.ones(data.shape[1])
    deviation = data.std(axis=0, ddof=1)
    constant = np.ptp(data, axis=0) == 0
    return np.where(constant, 1.0, deviation)


def pca(data, scale):
    """All variances (N-1 convention) in falling order, and their vectors as columns."""
    scaled = (data - data.mean(axis=0)) / scale
    values, vectors = np.linalg.eigh(scaled.T @ scaled / (len(data) - 1))
    return values[::-1], vectors[:, ::-1]


def form_complaints(model, d):
    """Names, types and shapes; nothing else is looked at unless these are right."""
    if "components" not in model or model["components"].ndim != 2:
        yield "components: missing, or not a matrix"
        return
    K = len(model["components"])
    shapes = {"components": (K, d), "mean": (d,), "scale": (d,), "explained_variance": (K,),
              "explained_variance_ratio": (K,), "singular_values": (K,)}
    for name, shape in shapes.items():
        if name not in model:
            yield f"{name}: missing"
        elif model[name].dtype != np.float64 or model[name].shape != shape:
            yield (f"{name}: {model[name].dtype} {model[name].shape}, "
                   f"expected float64 {shape}")
        elif not np.isfinite(model[name]).all():
            yield f"{name}: has values that are not finite"
    if "n_samples" not in model:
        yield "n_samples: missing"
    elif model["n_samples"].shape != () or model["n_samples"].dtype.kind not in "iu":
        yield "n_samples: not one integer"


def value_complaints(model, data, how, tol):
    N = len(data)
    scale = expected_scale(data, how)
    values, vectors = pca(data, scale)
    V = model["components"]
    K = len(V)
    variance = model["explained_variance"]

    if model["n_samples"] != N:
        yield f"n_samples: {model['n_samples']}, expected {N}"
    off = np.abs(model["mean"] - data.mean(axis=0)).max() / (np.abs(data).max() or 1)
    if off > EXACT:
        yield f"mean: off by {off:.2g} of the largest value"
    yield from relative("scale", model["scale"], scale, EXACT)

    for k, x in enumerate(V):
        if abs(np.linalg.norm(x) - 1) > EXACT:
            yield f"components[{k}]: norm {np.linalg.norm(x):.17g}, expected 1"
        if x[np.abs(x).argmax()] <= 0:
            yield f"components[{k}]: its entry of largest magnitude is not positive"
        same = vectors[:, np.abs(values - values[k]) <= SAME_VALUE * values[0]]
        sin2 = np.sum((x - same @ (same.T @ x)) ** 2)
        if sin2 > tol:
            yield f"components[{k}]: sin^2 of the angle to the truth {sin2:.3g}, over {tol:g}"

    yield from relative("explained_variance", variance, values[:K], tol)
    if (np.diff(variance) > EXACT * values[0]).any():
        yield "explained_variance: not in falling order"
    yield from relative("explained_variance_ratio", model["explained_variance_ratio"],
                        variance / values.sum(), EXACT)
    yield from relative("singular_values", model["singular_values"],
                        np.sqrt(variance * (N - 1)), EXACT)


def relative(name, found, wanted, tol):
    """Entry by entry, relative to the wanted one (to the largest where that is ~0)."""
    size = np.maximum(np.abs(wanted), EXACT * np.abs(wanted).max())
    off = np.abs(found - wanted) / np.where(size == 0, 1.0, size)
    if off.max() > tol:
        k = off.argmax()
        yield f"{name}[{k}]: {found[k]:.17g}, expected {wanted[k]:.17g} to within {tol:g}"


def main():
    parser = argparse.ArgumentParser(description="check a model against NumPy's PCA")
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--tol", type=float, default=1e-2)
    parser.add_argument("--scale", choices=["none", "std"], default="none")
    args = parser.parse_args()

    try:
        with np.load(args.model, allow_pickle=False) as archive:
            model = {name: archive[name] for name in archive.files}
        data = np.load(args.data, allow_pickle=False).astype(np.float64)
    except (OSError, ValueError) as problem:
        sys.exit(f"check_model: {problem}")

    complaints = list(form_complaints(model, data.shape[1]))
    if not complaints:
        complaints = list(value_complaints(model, data, args.scale, args.tol))
    if complaints:
        sys.exit("\n".join(f"{args.model}: {words}" for words in complaints))
    print(f"{args.model}: {len(model['components'])} components agree with NumPy")


if __name__ == "__main__":
    main()
