"""The numbers of scikit-learn's PCA with its direct solver, on real and on awkward data."""
import numpy as np
import pytest
from data import aligned, spectrum

import eigenmesh

pytest.importorskip("sklearn")
from sklearn import datasets  # noqa: E402
from sklearn.decomposition import PCA as Reference  # noqa: E402


def deficient():
    rng = np.random.default_rng(3)
    return rng.standard_normal((300, 10)) @ rng.standard_normal((10, 40)) + 5


TABLES = {
    "digits": lambda: datasets.load_digits().data,
    "iris": lambda: datasets.load_iris().data,
    "breast cancer": lambda: datasets.load_breast_cancer().data,
    "tall": lambda: spectrum(5000, 30),
    "wide": lambda: spectrum(40, 500, decay=0.99),
    "very wide": lambda: np.random.default_rng(2).standard_normal((40, 3000)),  # more features than are solved directly
    "rank-deficient": deficient,
    "float32": lambda: spectrum(500, 30).astype(np.float32),
}
WANTED = [None, 1, "third", 0.5, 0.95]


def both(table, wanted, **parameters):
    X = TABLES[table]()
    wanted = min(X.shape) // 3 if wanted == "third" else wanted
    reference = Reference(wanted, svd_solver="full", **parameters).fit(X.astype(np.float64))
    return X, eigenmesh.PCA(wanted, **parameters).fit(X), reference


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("table", TABLES)
def test_components_and_variances(table, wanted):
    X, pca, reference = both(table, wanted)
    assert pca.converged_
    assert pca.components_.shape == reference.components_.shape
    digits = 1e-10 if pca.components_.dtype == np.float64 else 1e-6
    # Where there is no variance left, single vectors mean nothing: what rounding leaves of it is relative to the first.
    real = reference.explained_variance_ > 1e-14 * reference.explained_variance_[0]
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
        ours, theirs = getattr(pca, name), getattr(reference, name)
        np.testing.assert_allclose(ours[real], theirs[real], rtol=digits)
        np.testing.assert_allclose(ours[~real], theirs[~real], atol=1e-7 * theirs[0])
    np.testing.assert_allclose(aligned(pca.components_, reference.components_)[real], reference.components_[real],
                               atol=100 * digits)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(pca.n_components_), atol=digits)
    np.testing.assert_allclose(pca.mean_, reference.mean_, rtol=digits / 10, atol=1e-14)
    assert (pca.n_components_, pca.n_samples_, pca.n_features_in_) == (reference.n_components_, *X.shape)


@pytest.mark.parametrize("table", [name for name in TABLES if name != "rank-deficient"])
def test_noise_variance(table):
    _, pca, reference = both(table, "third")
    rtol = 1e-10 if pca.components_.dtype == np.float64 else 1e-6
    np.testing.assert_allclose(pca.noise_variance_, reference.noise_variance_, rtol=rtol)


def test_the_noise_of_data_that_has_none():
    _, pca, _ = both("rank-deficient", "third")
    assert 0 <= pca.noise_variance_ < 1e-13 * pca.explained_variance_[0]


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("table", ["digits", "iris", "breast cancer", "tall", "wide"])
def test_scores_and_back(table, whiten):
    X, pca, reference = both(table, "third", whiten=whiten)
    signs = np.sign(np.sum(pca.components_ * reference.components_, axis=1))
    scores = pca.transform(X)
    theirs = reference.transform(X)
    np.testing.assert_allclose(scores * signs, theirs, atol=1e-8 * np.abs(theirs).max())
    np.testing.assert_allclose(pca.inverse_transform(scores), reference.inverse_transform(theirs), rtol=1e-8,
                               atol=1e-8 * np.abs(X).max())
    if whiten:
        np.testing.assert_allclose(scores.var(axis=0, ddof=1), 1, rtol=1e-8)


@pytest.mark.parametrize("table", ["digits", "iris", "tall", "wide"])
def test_the_probabilistic_model(table):
    X, pca, reference = both(table, "third")
    size = np.abs(reference.get_covariance()).max()
    np.testing.assert_allclose(pca.get_covariance(), reference.get_covariance(), atol=1e-10 * size)
    precision = reference.get_precision()
    np.testing.assert_allclose(pca.get_precision(), precision, atol=1e-8 * np.abs(precision).max())
    np.testing.assert_allclose(pca.score_samples(X), reference.score_samples(X), rtol=1e-8)
    assert pca.score(X) == pytest.approx(reference.score(X), rel=1e-8)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("table", ["iris", "tall", "wide"])
def test_with_no_noise_left(table, whiten):
    """Tall tables leave a covariance of full rank; wide ones no density, of which scikit-learn's score is rounding."""
    X, pca, reference = both(table, None, whiten=whiten)
    plain = Reference(svd_solver="full").fit(X)
    assert pca.noise_variance_ == reference.noise_variance_ == 0
    np.testing.assert_allclose(pca.get_covariance(), plain.get_covariance(), atol=1e-12)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-8)
    if table == "wide":
        assert (pca.score_samples(X) == -np.inf).all() and pca.score(X) == -np.inf
        with pytest.raises(eigenmesh.InvalidArgument, match="get_precision: the covariance is singular"):
            pca.get_precision()
        return
    precision = plain.get_precision()
    np.testing.assert_allclose(pca.get_precision(), precision, atol=1e-10 * np.abs(precision).max())
    np.testing.assert_allclose(pca.score_samples(X), plain.score_samples(X), rtol=1e-10)


def test_past_the_rank_there_is_no_density():
    X = datasets.load_digits().data  # three pixels are always blank
    assert np.isfinite(eigenmesh.PCA(60).fit(X).score(X))
    assert eigenmesh.PCA(62).fit(X).score(X) == eigenmesh.PCA().fit(X).score(X) == -np.inf


def test_the_covariance_does_not_depend_on_whitening():
    X = spectrum(200, 6)
    np.testing.assert_allclose(eigenmesh.PCA(whiten=True).fit(X).get_covariance(), np.cov(X.T), atol=1e-12)


@pytest.mark.parametrize("method", ["krylov", "covariance", "deepca"])
def test_over_a_network_too(method):
    X = datasets.load_digits().data
    reference = Reference(5, svd_solver="full").fit(X)
    pca = eigenmesh.PCA(5, nodes=8, topology="cycle", method=method, tol=1e-11).fit(X)
    np.testing.assert_allclose(aligned(pca.components_, reference.components_), reference.components_, atol=1e-8)
    np.testing.assert_allclose(pca.explained_variance_, reference.explained_variance_, rtol=1e-10)


def test_the_rule_for_signs():
    components = eigenmesh.PCA().fit(datasets.load_iris().data).components_
    largest = np.argmax(np.abs(components), axis=1)
    assert (components[np.arange(len(components)), largest] > 0).all()


@pytest.mark.parametrize("changed", [np.asfortranarray, lambda X: np.rint(100 * X).astype(np.int16),
                                     lambda X: X.astype(np.float16), lambda X: X[:, ::2]])
def test_wide_rows_that_lie_otherwise(changed):
    """Few rows are taken from their own side, and of these only whole rows can be read."""
    X = changed(np.random.default_rng(4).standard_normal((40, 900)).astype(np.float32))
    pca, reference = eigenmesh.PCA(5).fit(X), Reference(5, svd_solver="full").fit(X.astype(np.float64))
    assert pca.converged_
    np.testing.assert_allclose(pca.explained_variance_, reference.explained_variance_, rtol=1e-6)
    ours, theirs = np.abs(pca.transform(X)), np.abs(reference.transform(X))
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * np.abs(X).max())
