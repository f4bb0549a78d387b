"""Arrays of whatever of PyTorch, CuPy and JAX is there, on a real GPU, against NumPy: python3 tests/gpu/arrays.py."""
import importlib

import numpy as np

try:
    from eigenmesh import PCA
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(77) from None


def exact(X, k):
    centred = X.astype(np.float64) - X.mean(0, dtype=np.float64)
    _, singular, V = np.linalg.svd(centred, full_matrices=False)
    return V[:k], singular[:k] ** 2 / (len(X) - 1)


def check(name, X, there, **how):
    V, variances = exact(X, 5)
    pca = PCA(5, **how).fit(there)
    assert pca.device_ == "gpu", (name, pca.device_choice_)
    assert pca.converged_, (name, pca.verdict_)
    assert np.allclose(pca.explained_variance_, variances, rtol=1e-5), (name, pca.explained_variance_, variances)
    assert (np.abs((pca.components_ * V).sum(1)) > 1 - 1e-6).all(), name
    scores = pca.transform(there)
    wanted = (X - pca.mean_) @ pca.components_.T
    assert isinstance(scores, np.ndarray) and np.allclose(scores, wanted, atol=1e-3 * np.abs(wanted).max()), name
    print(f"ok: {name}, {X.dtype} {X.shape}, {pca.method_}: {pca.device_choice_}")


def main():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3000, 60)) * 0.8 ** np.arange(60) + 1
    tried = 0
    makers = {"torch": lambda m, X: m.from_numpy(X).cuda(), "cupy": lambda m, X: m.asarray(X),
              "jax": lambda m, X: importlib.import_module("jax.numpy").asarray(X)}
    for name, make in makers.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"skipped: no {name}")
            continue
        for dtype in (np.float64, np.float32):
            X = rows.astype(dtype)
            if name == "jax" and dtype == np.float64:
                continue  # which it does not have unless told
            there = make(module, X)
            check(name, X, there)
            check(f"{name}, 3 nodes", X, there, nodes=3, topology="cycle")
            if name != "jax":
                check(f"{name}, columns", X[:, :30], there[:, :30])
                check(f"{name}, across", X, make(module, np.ascontiguousarray(X.T)).T)
            tried += 1
    if tried == 0:
        raise SystemExit(77)


if __name__ == "__main__":
    main()
