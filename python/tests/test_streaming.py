"""Rows that keep coming: what is found of them is what a fit of all rows finds, which NumPy is asked for."""
import collections
import copy
import time
import warnings

import numpy as np
import pytest
from data import aligned, spectrum
from streams import assert_finds, streamed, truth

import eigenmesh
from eigenmesh import PCA, Moments

X = spectrum(300, 12)


def batches(rows, rng):
    """Cut at random places, some of them into single rows."""
    cuts = np.sort(rng.choice(np.arange(1, len(rows)), rng.integers(0, 12), replace=False))
    for part in np.split(rows, cuts):
        yield from np.split(part, len(part)) if rng.random() < 0.3 else [part]


# ---- the same as a fit of all rows ---------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(100))
def test_any_batches_nodes_and_order(seed):
    rng = np.random.default_rng(seed)
    features = int(rng.integers(2, 25))
    rows = spectrum(int(rng.integers(30, 400)), features, seed=seed, decay=0.8)
    parts = list(batches(rows, rng))
    rng.shuffle(parts)
    nodes = min(int(rng.choice([1, 1, 2, 5])), len(parts))
    pca = streamed(PCA(min(4, features), nodes=nodes, topology="path", tol=1e-12), parts)
    assert pca.n_samples_seen_ == len(rows) and "_model" not in vars(pca)
    assert_finds(pca.refresh(), rows)
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0), rtol=1e-12, atol=1e-13)
    assert pca.n_samples_ == len(rows) and pca.weight_ == len(rows) and pca.sketch_bound_ == 0


@pytest.mark.parametrize("seed", range(10))
def test_single_precision_to_its_digits(seed):
    rows = spectrum(3000, 15, seed=seed).astype(np.float32)
    pca = streamed(PCA(4), batches(rows, np.random.default_rng(seed)))
    assert pca.components_.dtype == pca.transform(rows).dtype == np.float32
    assert_finds(pca, rows.astype(np.float64), components=3e-6, variances=2e-6)
    mixed = PCA(4).partial_fit(rows[:100]).partial_fit(rows[100:].astype(np.float64))
    assert mixed.components_.dtype == np.float64


@pytest.mark.parametrize("wanted", [None, 0.9, "mle", 0])
def test_any_number_of_components(wanted):
    pca, whole = streamed(PCA(wanted), np.array_split(X, 7)), PCA(wanted).fit(X)
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(pca.noise_variance_, whole.noise_variance_, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(pca.score(X), whole.score(X), rtol=1e-9)


@pytest.mark.parametrize("scale", ["std", "spectral"])
def test_scaled_and_whitened(scale):
    rows = X * np.geomspace(1, 100, 12)
    pca, whole = (PCA(3, scale=scale, whiten=True) for _ in range(2))
    streamed(pca, np.array_split(rows, 9))
    np.testing.assert_allclose(pca.transform(rows), whole.fit(rows).transform(rows), atol=1e-9)
    np.testing.assert_allclose(pca.t2_scores(rows), whole.t2_scores(rows), rtol=1e-8)


def test_sparse_and_dense_batches():
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(np.random.default_rng(1).random((400, 20)) < 0.2, spectrum(400, 20, decay=0.8), 0)
    kinds = [sparse.csr_matrix, np.asarray, sparse.csc_matrix, np.asfortranarray, lambda part: part[:, ::-1][:, ::-1]]
    parts = [kinds[n % len(kinds)](part) for n, part in enumerate(np.array_split(rows, 40))]
    assert_finds(streamed(PCA(4), parts), rows)


@pytest.mark.parametrize("dtype", ["f2", "i1", "u8", "?", ">f8", "O"])
def test_batches_of_other_types(dtype):
    rows = (X * 8).astype(dtype) if dtype != "?" else X > X.mean(axis=0)
    pca = streamed(PCA(2), np.array_split(rows, 5))
    digits = 3e-6 if dtype == "f2" else 1e-10
    assert_finds(pca, rows.astype(np.float64), components=digits, variances=3e-7 if dtype == "f2" else 1e-12)


def test_more_features_than_rows():
    rows = spectrum(20, 60, decay=0.8)
    assert_finds(streamed(PCA(5), np.array_split(rows, 6)), rows)


@pytest.mark.parametrize("size", [1e-120, 1e-20, 1e20, 1e120])
def test_any_units(size):
    rows = spectrum(200, 8, decay=0.8)
    pca = streamed(PCA(3), np.array_split(rows * size, 9))
    values, vectors = truth(rows)
    np.testing.assert_allclose(pca.explained_variance_ / size / size, values[:3], rtol=1e-12)
    np.testing.assert_allclose(aligned(pca.components_, vectors[:3]), vectors[:3], atol=1e-10)


def test_components_beyond_the_rank():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((100, 3)) * [3, 2, 1] @ rng.standard_normal((3, 9)) + 7
    pca, whole = streamed(PCA(6), np.array_split(rows, 30)), PCA(6).fit(rows)
    assert pca.rank_ == whole.rank_ == 3 and pca.converged_
    np.testing.assert_allclose(aligned(pca.components_, whole.components_)[:3], whole.components_[:3], atol=1e-10)
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-12, atol=1e-12)
    same = PCA(1).partial_fit(np.ones((5, 3)))
    with pytest.raises(eigenmesh.DataError, match="no variance"):
        same.refresh()
    assert same.partial_fit([[1, 1, 2]]).n_components_ == 1


def test_a_mean_of_1e8_deviations_in_single_rows():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((100_000, 4)) * [3, 2, 1.5, 1] + 1e8
    pca = PCA(4)
    began = time.perf_counter()
    for row in range(len(rows)):
        pca.partial_fit(rows[row:row + 1])
    seconds = time.perf_counter() - began
    assert_finds(pca, rows, components=1e-8, variances=1e-8)
    assert seconds < 60, seconds  # half a second, on a machine that does nothing else


# ---- rows that count for less, or no more ----------------------------------------------------------------

def test_forgetting():
    pca, weights, seen = PCA(3), np.empty(0), []
    for part in np.array_split(X, 10):
        if seen:
            pca.forget(0.8)
        seen.append(part)
        weights = np.append(0.8 * weights, np.ones(len(part)))
        pca.partial_fit(part)
        assert_finds(pca, np.concatenate(seen), weights)
    assert pca.weight_ == pytest.approx(weights.sum(), rel=1e-14) and pca.n_samples_seen_ == 300
    np.testing.assert_allclose(pca.mean_, weights @ X / weights.sum(), rtol=1e-13)


def test_a_window():
    ring, pca = collections.deque(maxlen=3), None
    for n, part in enumerate(np.array_split(X, 10)):
        ring.append(Moments().update(part))
        pca = PCA(3).fit(Moments.merged(ring), init=pca)
        assert_finds(pca, np.concatenate(np.array_split(X, 10)[max(0, n - 2):n + 1]))


def test_moments_say_what_numpy_says(tmp_path):
    moments = Moments().update(X[:100]).merge(Moments().update(X[100:])).merge(Moments())
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(moments.covariance, np.cov(X.T), rtol=1e-12, atol=1e-14)
    assert (moments.shape, moments.weight, moments.bound) == ((300, 12), 300, 0)
    moments.save(tmp_path / "here.npz")
    again = Moments.load(tmp_path / "here.npz")
    np.testing.assert_array_equal(again.covariance, moments.covariance)
    assert repr(again) == "<Moments of 300 rows of 12 features>"
    assert_finds(PCA(3).fit(again), X)
    assert_finds(PCA(3, tol=1e-12).fit([moments, X[:0:-1], Moments().update(X[:1])]), np.concatenate([X, X]))


def test_moments_of_the_command_line(program, tmp_path):
    import subprocess

    np.save(tmp_path / "rows.npy", X)
    subprocess.run([program, "moments", "rows.npy", "-o", "rows.moments.npz"], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    moments = Moments.load(tmp_path / "rows.moments.npz")
    assert_finds(PCA(3).partial_fit(moments).partial_fit(X[:5]), np.concatenate([X, X[:5]]))


# ---- many features -------------------------------------------------------------------------------------------

def test_too_many_features_are_refused_in_words():
    with pytest.raises(eigenmesh.NotSupported, match=r"5001 features.*; try keeping the rows.*, or directions=200"):
        PCA(2).partial_fit(np.ones((2, 5001)))


def test_a_sketch_says_by_how_much():
    rows = spectrum(2000, 80, decay=0.8)
    pca = streamed(PCA(3, directions=30), np.array_split(rows, 20))
    with pytest.warns(eigenmesh.SketchWarning, match="larger than it says, by up to .*; try more directions") as told:
        pca.refresh()
        copy.copy(pca).partial_fit(rows).components_  # one that nobody asked for by name
    assert [warning.filename for warning in told] == [__file__, __file__]
    values, vectors = truth(rows)
    assert 0 < pca.sketch_bound_ < values[2] / 10
    assert (values[:3] - pca.explained_variance_ <= pca.sketch_bound_ * (1 + 1e-9)).all()
    assert (pca.explained_variance_ <= values[:3] * (1 + 1e-9)).all()
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0), rtol=1e-12, atol=1e-13)
    low = spectrum(500, 80, decay=1e-3)[:, :80] @ np.diag([1.0] * 2 + [0] * 78)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing was left out of rank two
        assert PCA(2, directions=30).partial_fit(low).refresh().sketch_bound_ < 1e-16 * low.var()


def test_sketches_of_more_than_moments_can_hold():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 3)) * [9, 5, 3] @ rng.standard_normal((3, 6000)) / 80 \
        + 0.01 * rng.standard_normal((300, 6000))
    pca = streamed(PCA(3, directions=40), np.array_split(rows, 10))
    with pytest.warns(eigenmesh.SketchWarning):
        pca.refresh()
    exact = PCA(3).fit(rows)
    assert (np.sum(exact.components_ * pca.components_, axis=1) > 1 - 1e-3).all()
    assert (exact.explained_variance_ - pca.explained_variance_ <= pca.sketch_bound_ * (1 + 1e-9)).all()


# ---- units ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("unit", [1e-9, 1e-16, 1e-20, 1e-24, 1e-30, 1e20])
def test_a_column_of_floats_in_other_units(unit):
    """Squares of such are no floats."""
    rows = (X[:, :5] * [unit, 1, 1, 1, 1]).astype(np.float32)
    correlation = np.corrcoef((rows.astype(float) / [unit, 1, 1, 1, 1]).T)
    pca = streamed(PCA(3, scale="std"), np.split(rows, 3)).refresh()
    np.testing.assert_allclose(pca.explained_variance_, np.linalg.eigvalsh(correlation)[::-1][:3], rtol=1e-6)


def test_a_column_whose_squares_are_no_doubles_is_refused():
    """A fit of rows can take it; moments cannot, and must not call it constant."""
    pca = PCA(3, scale="std").partial_fit(X[:, :5] * [1e-200, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="feature 0 .* no doubles; try multiplying"):
        pca.refresh()
