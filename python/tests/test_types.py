"""Types of what comes out, by the type of what goes in: scikit-learn's."""
import numpy as np
import pytest
from data import spectrum

import eigenmesh

pytest.importorskip("sklearn")
from sklearn.decomposition import PCA as Reference  # noqa: E402

ARRAYS = ("components_", "mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_")
X = np.abs(spectrum(80, 6)) * 20


def results(pca, rows):
    """Everything that an estimator says, by name."""
    said = {name: getattr(pca, name) for name in (*ARRAYS, "noise_variance_")}
    said["transform"] = pca.transform(rows)
    said["fit_transform"] = pca.fit_transform(rows)
    said["inverse_transform"] = pca.inverse_transform(said["transform"])
    said.update(covariance=pca.get_covariance(), precision=pca.get_precision(), score=pca.score(rows),
                score_samples=pca.score_samples(rows))
    return said


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("dtype", "f2 f4 f8 i1 i4 i8 u1 u8 ?".split())
def test_what_comes_out(dtype, whiten):
    rows = X.astype(dtype) if dtype != "?" else X > X.mean()
    ours = results(eigenmesh.PCA(2, whiten=whiten).fit(rows), rows)
    theirs = results(Reference(2, whiten=whiten, svd_solver="full").fit(rows), rows)
    expected = np.float32 if dtype == "f4" else np.float64
    for name in theirs:
        assert np.asarray(ours[name]).dtype == np.asarray(theirs[name]).dtype == expected, name


@pytest.mark.parametrize("fitted", ["f4", "f8"])
@pytest.mark.parametrize("given", ["f4", "f8", "i4"])
def test_rows_of_another_type(fitted, given):
    rows = X.astype(given)
    ours, theirs = (kind(2).fit(X.astype(fitted)) for kind in (eigenmesh.PCA, Reference))
    assert ours.transform(rows).dtype == theirs.transform(rows).dtype
    assert ours.score_samples(rows).dtype == theirs.score_samples(rows).dtype


def test_single_precision_is_that_of_the_results_alone():
    """A fit in float32 would lose a mean that is far from zero."""
    rows = (spectrum(2000, 6) + 1000).astype(np.float32)
    double = Reference(3, svd_solver="full").fit(rows.astype(np.float64))
    pca = eigenmesh.PCA(3).fit(rows)
    for name in ("mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"):
        np.testing.assert_allclose(getattr(pca, name), getattr(double, name), rtol=2e-7)
    np.testing.assert_allclose(np.abs(pca.components_), np.abs(double.components_), atol=1e-6)
    np.testing.assert_allclose(pca.score_samples(rows), double.score_samples(rows), rtol=1e-3)


def test_parts_of_different_types():
    assert eigenmesh.PCA(2).fit([X[:40].astype("f4"), X[40:].astype("f4")]).components_.dtype == np.float32
    assert eigenmesh.PCA(2).fit([X[:40].astype("f4"), X[40:]]).components_.dtype == np.float64
    assert eigenmesh.PCA(2, nodes=4, scale="std").fit(X.astype("f4")).scale_.dtype == np.float32


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_variances_beyond_single_precision(size):
    rows = (X * size).astype(np.float32)
    pca = eigenmesh.PCA(2, whiten=True).fit(rows)
    assert pca.explained_variance_.dtype == np.float64
    plain = eigenmesh.PCA(2).fit(X)
    np.testing.assert_allclose(pca.explained_variance_ / size ** 2, plain.explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(pca.transform(rows).std(axis=0, ddof=1), 1, rtol=1e-6)


def test_another_fit_has_another_type():
    pca = eigenmesh.PCA(2).fit(X.astype(np.float32)).fit(X)
    assert all(getattr(pca, name).dtype == np.float64 for name in ARRAYS)


def test_a_file_is_double(tmp_path):
    pca = eigenmesh.PCA(2).fit(X.astype(np.float32))
    pca.save(tmp_path / "model.npz")
    loaded = eigenmesh.load(tmp_path / "model.npz")
    assert loaded.components_.dtype == np.float64
    np.testing.assert_array_equal(loaded.components_.astype(np.float32), pca.components_)
