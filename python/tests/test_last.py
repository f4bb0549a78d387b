"""Fits that begin from the last answer, and rows that do not fit a model."""
import pickle

import numpy as np
import pytest

import eigenmesh
from eigenmesh import PCA


def rows_of(n, d=40, seed=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * (0.9 ** np.arange(d)) @ np.linalg.qr(rng.standard_normal((d, d)))[0] + 5


@pytest.mark.parametrize("nodes", [1, 5])
def test_from_the_last_answer(nodes, tmp_path):
    X = rows_of(3000, 120)
    settings = dict(method="krylov", nodes=nodes, topology="cycle" if nodes > 1 else "complete", tol=1e-9)
    last, cold = PCA(4, **settings).fit(X[:2950]), PCA(4, **settings).fit(X)
    last.save(tmp_path / "last.npz")
    for init in (last, tmp_path / "last.npz", str(tmp_path / "last.npz"), pickle.loads(pickle.dumps(last))):
        warm = PCA(4, **settings).fit(X, init=init)
        assert warm.n_iter_ < cold.n_iter_
        np.testing.assert_allclose(np.abs(warm.components_), np.abs(cold.components_), atol=1e-7)
        assert ((warm.components_ * last.components_).sum(axis=1) > 0).all()
        angles = np.arccos(np.minimum(1, (warm.components_ * last.components_).sum(axis=1)))
        np.testing.assert_allclose(warm.turns_, angles, atol=1e-6)
        assert 0 < warm.turn_ < 0.5 and not warm.held_
    assert np.isnan(cold.turn_) and np.isnan(cold.turns_).all()
    again = PCA(4, **settings).fit(X, init=warm)
    assert again.turn_ < 1e-6 and (again.held_ or nodes == 1)


def test_signs_and_names_and_numbers():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rows_of(500, 6), columns=list("abcdef"))
    last = PCA(2).fit(X)
    turned = PCA(3).fit(X[list("fbadec")], init=last)
    assert turned.turn_ < 1e-6
    with pytest.raises(ValueError, match="no feature 'a'"):
        PCA(2).fit(X.rename(columns={"a": "g"}), init=last)
    with pytest.raises(ValueError, match="scale"):
        PCA(2, scale="std").fit(X, init=last)
    with pytest.raises(ValueError, match="6 features"):
        PCA(2).fit(rows_of(50, 5), init=last)
    assert PCA(0.9).fit(X, init=last).explained_variance_ratio_.sum() > 0.9


@pytest.mark.parametrize("scale", [None, "std"])
def test_scores_against_numpy(scale):
    X = rows_of(800, 12)
    pca = PCA(3, scale=scale, limits=True).fit(X)
    Y = (X - pca.mean_) / pca.scale_
    values, vectors = np.linalg.eigh(np.cov(Y.T))
    values, vectors = values[::-1], vectors[:, ::-1]
    Z = Y @ vectors[:, :3]
    np.testing.assert_allclose(pca.t2_scores(X), (Z ** 2 / values[:3]).sum(axis=1), rtol=1e-8)
    np.testing.assert_allclose(pca.q_scores(X), ((Y - Z @ vectors[:, :3].T) ** 2).sum(axis=1), rtol=1e-8)
    stats = pytest.importorskip("scipy.stats")
    n, K, theta = 800, 3, [0] + [(values[3:] ** power).sum() for power in (1, 2, 3)]
    for confidence in (0.9, 0.99, 0.9999):
        expected = K * (n - 1) * (n + 1) / (n * (n - K)) * stats.f.ppf(confidence, K, n - K)
        assert pca.t2_limit(confidence) == pytest.approx(expected, rel=1e-10)
        h, c = 1 - 2 * theta[1] * theta[3] / (3 * theta[2] ** 2), stats.norm.ppf(confidence)
        expected = theta[1] * (c * h * np.sqrt(2 * theta[2]) / theta[1] + 1
                               + theta[2] * h * (h - 1) / theta[1] ** 2) ** (1 / h)
        assert pca.q_limit(confidence) == pytest.approx(expected, rel=1e-8)
        assert pca.q_limit_error(confidence) == 0
    again = pickle.loads(pickle.dumps(pca))
    assert again.q_limit() == pca.q_limit() and (again.q_scores(X) == pca.q_scores(X)).all()


def test_sparse_and_single_rows():
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.random(300, 20, density=0.2, random_state=1, format="csr")
    pca = PCA(3).fit(X)
    dense = X.toarray()
    np.testing.assert_allclose(pca.q_scores(X), pca.q_scores(dense), rtol=1e-12)
    np.testing.assert_allclose(pca.t2_scores(X[:1]), pca.t2_scores(dense[:1]), rtol=1e-12)
    narrow = PCA(3).fit(dense.astype(np.float32))
    np.testing.assert_allclose(narrow.q_scores(dense), pca.q_scores(dense), rtol=1e-3)


def test_what_is_refused():
    X = rows_of(60, 50)
    pca = PCA(3, method="krylov", nodes=3, topology="complete").fit(X)
    with pytest.raises(eigenmesh.errors.EigenmeshError, match="limits"):
        pca.q_limit()
    for confidence in (0, 1, -1, float("nan")):
        with pytest.raises(ValueError, match="confidence"):
            pca.t2_limit(confidence)
    X[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        pca.t2_scores(X)
    with pytest.raises(ValueError, match="no components"):
        PCA(0).fit(rows_of(60, 50)).t2_scores(rows_of(60, 50))
