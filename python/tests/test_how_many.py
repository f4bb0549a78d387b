"""How many components: none, a number, a fraction of the variance, Minka's estimate, or all; as in scikit-learn."""
import pickle

import numpy as np
import pytest
from data import aligned, spectrum

import eigenmesh
from eigenmesh._minka import dimension, log_evidences

pytest.importorskip("sklearn")
from sklearn import datasets  # noqa: E402
from sklearn.decomposition import PCA as Reference  # noqa: E402
from sklearn.decomposition._pca import _assess_dimension  # noqa: E402

IRIS = datasets.load_iris().data


def both(wanted, X):
    return eigenmesh.PCA(wanted).fit(X), Reference(wanted, svd_solver="full").fit(X)


def along_axes(*lengths):
    """Rows along the axes, whose singular values are whole numbers."""
    return np.vstack([np.diag(lengths), -np.diag(lengths)] * 2)


# ---- numbers -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("X", [IRIS, IRIS[:3], IRIS.T])
def test_all(X):
    ours, theirs = both(None, X)
    assert ours.n_components_ == theirs.n_components_ == min(X.shape)


@pytest.mark.parametrize("wanted", [1, 3, np.int64(2), np.int8(4), np.float32(0.9)])
def test_numbers(wanted):
    ours, theirs = both(wanted, IRIS)
    assert ours.n_components_ == theirs.n_components_ and type(ours.n_components_) is int


@pytest.mark.parametrize("wanted", ["MLE", "", -1, 5, 0.0, 1.0, 1.5, np.nan, np.inf, -0.5, True, False, [2],
                                    np.ones(2), 2j])
def test_other_numbers_are_refused(wanted):
    with pytest.raises(eigenmesh.InvalidArgument, match="n_components=.* between 0 and .*=4 nor a fraction"):
        eigenmesh.PCA(wanted).fit(IRIS)


@pytest.mark.parametrize("X", [IRIS, spectrum(10, 25), IRIS.astype(np.float32)], ids=["tall", "wide", "float32"])
def test_none(X, tmp_path):
    ours, theirs = both(0, X)
    digits = {"rtol": 1e-12 if X.dtype == np.float64 else 1e-5}
    assert ours.components_.shape == theirs.components_.shape == (0, X.shape[1]) and ours.n_components_ == 0
    assert ours.transform(X).shape == theirs.transform(X).shape == (len(X), 0)
    assert all(len(getattr(ours, name)) == 0 for name in ("explained_variance_", "angle_bounds_", "clusters_"))
    assert len(ours.get_feature_names_out()) == 0
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, **digits)
    back = ours.inverse_transform(ours.transform(X))
    np.testing.assert_allclose(back, np.tile(X.mean(axis=0), (len(X), 1)), **digits)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), **digits)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), **digits)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), **digits)
    assert pickle.loads(pickle.dumps(ours)).score(X) == ours.score(X)
    with pytest.raises(eigenmesh.InvalidArgument, match="save"):
        ours.save(tmp_path / "model.npz")


def test_none_is_the_first_choice_of_a_search():
    from sklearn.model_selection import GridSearchCV

    noise = np.random.default_rng(1).standard_normal((200, 8))
    assert GridSearchCV(eigenmesh.PCA(), {"n_components": range(8)}).fit(noise).best_params_ == {"n_components": 0}


# ---- fractions -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("fraction", [0.25, 0.5, 0.6, 0.625, 0.75, 0.875, 0.9])
@pytest.mark.parametrize("method", ["auto", "krylov", "covariance"])
def test_a_fraction_that_is_hit_takes_one_more(fraction, method):
    X = along_axes(2, 1, 1, 1, 1)
    wanted = 1 + np.searchsorted([0.5, 0.625, 0.75, 0.875, 1], fraction, side="right")  # scikit-learn's rule
    assert eigenmesh.PCA(fraction, method=method).fit(X).n_components_ == wanted
    assert eigenmesh.PCA(fraction, nodes=4, method=method).fit(X).n_components_ == wanted


@pytest.mark.parametrize("seed", range(20))
def test_fractions(seed):
    rng = np.random.default_rng(seed)
    X = spectrum(int(rng.integers(5, 120)), int(rng.integers(2, 60)), seed, decay=rng.uniform(0.5, 1))
    for fraction in rng.uniform(0, 1, 4):
        ours, theirs = both(fraction, X)
        assert ours.n_components_ == theirs.n_components_
        assert ours.explained_variance_ratio_.sum() > fraction >= ours.explained_variance_ratio_[:-1].sum()


# ---- Minka's estimate ----------------------------------------------------------------------------------

def drawn(seed):
    """Components of every number and strength in noise of every strength, none at all included."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 25))
    k, rows = int(rng.integers(1, d + 1)), int(rng.integers(d, 400))
    signal = rng.standard_normal((rows, k)) @ rng.standard_normal((k, d)) * 10.0 ** rng.uniform(-2, 2)
    return signal + rng.choice([0, 0.01, 0.3, 1]) * rng.standard_normal((rows, d)) + rng.standard_normal(d)


@pytest.mark.parametrize("seed", range(60))
def test_the_estimate_is_theirs(seed):
    X = drawn(seed)
    ours, theirs = both("mle", X)
    assert ours.n_components == "mle" and ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(aligned(ours.components_, theirs.components_), theirs.components_, atol=1e-6)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-9,
                               atol=1e-14 * theirs.explained_variance_[0])


@pytest.mark.parametrize("seed", range(10))
def test_the_evidence_is_theirs(seed):
    X = np.random.default_rng(seed).standard_normal((200, 9)) * np.linspace(3, 1, 9)
    values = Reference(svd_solver="full").fit(X).explained_variance_
    theirs = [_assess_dimension(values, k, 200) for k in range(1, 9)]
    ours = log_evidences(values, 200)
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), rtol=1e-9)


def test_units_do_not_matter():
    for size in (1e-9, 1e9):  # scikit-learn finds no variance at all in the first
        assert eigenmesh.PCA("mle").fit(IRIS * size).n_components_ == eigenmesh.PCA("mle").fit(IRIS).n_components_ == 3


def test_equal_variances():
    """The evidence has a pole there, at which scikit-learn fails."""
    assert dimension(np.array([50.0, 50, 1, 1, 1]), 100) == 2
    assert dimension(np.ones(5), 100) == 1
    assert eigenmesh.PCA("mle").fit(along_axes(2, 1, 1, 1)).n_components_ == 1


def test_the_rest_is_as_if_that_number_had_been_asked_for(tmp_path):
    X = drawn(3)
    pca = eigenmesh.PCA("mle", nodes=3).fit(X)
    asked = eigenmesh.PCA(pca.n_components_, nodes=3).fit(X)
    np.testing.assert_allclose(pca.transform(X), asked.transform(X), atol=1e-9 * np.abs(X).max())
    assert pca.score(X) == pytest.approx(asked.score(X)) and pca.rank_ == asked.rank_
    assert len(pca.angle_bounds_) == len(pca.clusters_) == pca.n_components_ and pca.converged_
    pca.save(tmp_path / "model.npz")
    loaded = eigenmesh.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.components_, pca.components_)
    assert loaded.n_components_ == pca.n_components_ and loaded.noise_variance_ == pca.noise_variance_


def test_where_there_is_no_estimate():
    with pytest.raises(ValueError, match="n_components='mle' is only supported if n_samples >= n_features"):
        eigenmesh.PCA("mle").fit(IRIS.T)
    with pytest.raises(eigenmesh.InvalidArgument, match="one feature"):
        eigenmesh.PCA("mle").fit(IRIS[:, :1])
