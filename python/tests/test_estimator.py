"""The estimator among others of its kind, and what it says of itself."""
import copy
import pickle
import warnings

import numpy as np
import pytest
from data import aligned, spectrum
from sklearn.utils.estimator_checks import parametrize_with_checks

import eigenmesh

X = spectrum(300, 12)


# ---- scikit-learn ------------------------------------------------------------------------------------

def checks_of(estimator):
    try:
        from sklearn.utils.estimator_checks import estimator_checks_generator as generator
    except ImportError:  # before scikit-learn 1.6
        from functools import partial

        from sklearn.utils.estimator_checks import check_estimator

        generator = partial(check_estimator, generate_only=True)
    return [(check.func.__name__, {key: value for key, value in check.keywords.items() if key != "name"})
            for _, check in generator(estimator)]


@parametrize_with_checks([eigenmesh.PCA(), eigenmesh.PCA(1, whiten=True),
                          eigenmesh.PCA(1, method="krylov", scale="std")])
def test_every_check_of_an_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)  # a check that is skipped raises SkipTest, which is seen in the summary


def test_every_check_that_sklearns_pca_is_put_to_is_among_them():
    from sklearn.decomposition import PCA

    ours = checks_of(eigenmesh.PCA())
    assert all(check in ours for check in checks_of(PCA()))


def test_clone_keeps_parameters_and_forgets_the_fit():
    from sklearn.base import clone

    pca = eigenmesh.PCA(2, nodes=3, topology="star").fit(X)
    other = clone(pca)
    assert other.get_params() == pca.get_params()
    assert not hasattr(other, "components_")


def test_pipeline_and_grid_search():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    data = load_iris()
    pipe = make_pipeline(eigenmesh.PCA(2, scale="std"), LogisticRegression(max_iter=1000))
    search = GridSearchCV(pipe, {"pca__n_components": [1, 2, 3], "pca__whiten": [False, True]}, cv=3, n_jobs=2)
    search.fit(data.data, data.target)
    assert search.best_score_ > 0.9


def test_grid_search_by_likelihood():
    from sklearn.model_selection import GridSearchCV

    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, 3)) @ rng.standard_normal((3, 10)) * 3 + 0.1 * rng.standard_normal((400, 10))
    search = GridSearchCV(eigenmesh.PCA(), {"n_components": [1, 2, 3, 5, 8]}).fit(rows)
    assert search.best_params_ == {"n_components": 3}


def test_set_output_and_feature_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"x{n}" for n in range(12)])
    pca = eigenmesh.PCA(2).set_output(transform="pandas").fit(frame)
    assert list(pca.feature_names_in_) == list(frame.columns)
    assert list(pca.transform(frame).columns) == ["pca0", "pca1"] == list(pca.get_feature_names_out())
    np.testing.assert_allclose(pca.transform(frame), eigenmesh.PCA(2).fit(X).transform(X), atol=1e-12)


# ---- data in one place, or at several nodes -----------------------------------------------------------

def test_rows_spread_over_nodes_give_the_same_answer():
    one = eigenmesh.PCA(4).fit(X)
    many = eigenmesh.PCA(4, nodes=10, topology="cycle").fit(X)
    np.testing.assert_allclose(many.components_, one.components_, atol=1e-10)
    assert many.network_.rounds > 0 and many.network_.bytes > 0 and many.network_.units > 0
    assert one.network_.bytes == 0


def test_a_list_is_one_node_each():
    parts = [X[:50], X[50:51], X[51:]]
    pca = eigenmesh.PCA(4).fit(parts)
    np.testing.assert_allclose(pca.components_, eigenmesh.PCA(4).fit(X).components_, atol=1e-10)
    assert pca.n_samples_ == 300 and pca.network_.bytes > 0


def test_lists_that_do_not_fit():
    with pytest.raises(ValueError, match="features"):
        eigenmesh.PCA().fit([X, X[:, :5]])
    with pytest.raises(eigenmesh.InvalidArgument, match="2 tables for 3 nodes"):
        eigenmesh.PCA(nodes=3).fit([X, X])
    with pytest.raises(eigenmesh.InvalidArgument, match="nodes"):
        eigenmesh.PCA(nodes=0).fit(X)


def test_topology_and_weights_as_arrays():
    edges = [(0, 1), (1, 2), (2, 3)]
    W = eigenmesh.Graph(edges, nodes=4).weights
    pca = eigenmesh.PCA(3, nodes=4, topology=edges, weights=W).fit(X)
    np.testing.assert_allclose(pca.components_, eigenmesh.PCA(3).fit(X).components_, atol=1e-10)
    with pytest.raises(eigenmesh.InvalidArgument, match="weights"):
        eigenmesh.PCA(3, nodes=4, topology=edges, weights=np.eye(3)).fit(X)


@pytest.mark.parametrize("scale", ["std", "spectral"])
def test_scale(scale):
    rows = X * np.geomspace(1, 100, 12)
    pca = eigenmesh.PCA(scale=scale).fit(rows)
    if scale == "std":
        np.testing.assert_allclose(pca.scale_, rows.std(axis=0, ddof=1), rtol=1e-12)
    else:
        assert pca.explained_variance_[0] == pytest.approx(300 / 299)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(rows)), rows, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(pca.get_covariance(), np.cov(rows.T), atol=1e-10 * np.cov(rows.T).max())
    np.testing.assert_allclose(pca.get_precision() @ np.cov(rows.T), np.eye(12), atol=1e-6)
    assert pca.score(rows) == pytest.approx(eigenmesh.PCA().fit(rows).score(rows), rel=1e-9)


# ---- how it went ------------------------------------------------------------------------------------------

def test_history_and_counts():
    pca = eigenmesh.PCA(2, nodes=5, topology="cycle", method="dsa", max_iter=50, tol=0).fit(X)
    assert set(pca.history_) == {"iteration", "rounds", "messages", "bytes", "units", "seconds", "residual",
                                 "consensus", "error"}
    np.testing.assert_array_equal(pca.history_["iteration"], np.arange(51))
    np.testing.assert_array_equal(pca.history_["units"], np.arange(51))
    assert pca.history_["residual"][-1] < pca.history_["residual"][0]
    assert pca.network_.rounds == sum(part.rounds for part in pca.network_.phases.values())
    assert pca.network_.phases["method"].units == 50


def test_not_converging_warns_and_says_so():
    with pytest.warns(eigenmesh.ConvergenceWarning, match="iteration limit after 3 iterations"):
        pca = eigenmesh.PCA(2, nodes=5, method="dsa", max_iter=3, tol=1e-9).fit(X)
    assert not pca.converged_ and pca.n_iter_ == 3


def test_no_warning_where_it_converges_or_was_not_to():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert eigenmesh.PCA(2).fit(X).converged_
        assert not eigenmesh.PCA(2, nodes=5, method="dsa", max_iter=3, tol=0).fit(X).converged_


def test_a_callback_sees_every_iteration_and_may_stop():
    seen = []

    def callback(progress):
        seen.append(progress)
        return progress.iteration == 7

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # who stops it knows that it has not converged
        pca = eigenmesh.PCA(2, nodes=5, method="dsa", max_iter=100, tol=0, callback=callback).fit(X)
    assert [progress.iteration for progress in seen] == list(range(1, 8))
    assert pca.n_iter_ == 7 and not pca.converged_


def test_what_a_callback_raises_is_raised():
    def callback(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        eigenmesh.PCA(2, nodes=5, method="dsa", callback=callback).fit(X)


def test_verbose_prints(capsys):
    eigenmesh.PCA(2, verbose=1).fit(X)
    assert "covariance: converged after 1 iterations" in capsys.readouterr().out


# ---- starts and seeds --------------------------------------------------------------------------------------

def test_a_warm_start_is_quicker():
    cold = eigenmesh.PCA(4, method="oi", tol=1e-10, random_state=5).fit(X)
    warm = eigenmesh.PCA(4, method="oi", tol=1e-10).fit(X, init=cold)
    partial = eigenmesh.PCA(4, method="oi", tol=1e-10).fit(X, init=cold.components_[:2])
    assert warm.n_iter_ < cold.n_iter_ / 2
    for pca in (warm, partial):
        np.testing.assert_allclose(pca.components_, cold.components_, atol=1e-6)


def test_more_starts_than_components():
    full = eigenmesh.PCA().fit(X)
    pca = eigenmesh.PCA(2, method="oi").fit(X, init=full)
    np.testing.assert_allclose(pca.components_, full.components_[:2], atol=1e-6)


@pytest.mark.parametrize("init", [np.ones((2, 5)), np.ones(12), np.full((2, 12), np.nan)])
def test_starts_that_do_not_fit(init):
    with pytest.raises(eigenmesh.InvalidArgument, match="init"):
        eigenmesh.PCA(2, method="oi").fit(X, init=init)


def test_a_fraction_has_no_start():
    with pytest.raises(eigenmesh.InvalidArgument, match="fraction"):
        eigenmesh.PCA(0.9).fit(X, init=np.eye(2, 12))


def run_of(random_state):
    return eigenmesh.PCA(2, nodes=6, method="dsa", max_iter=5, tol=0, random_state=random_state).fit(X).components_


def test_random_state():
    np.testing.assert_array_equal(run_of(None), run_of(0))
    assert not np.array_equal(run_of(0), run_of(1))
    np.testing.assert_array_equal(run_of(np.random.RandomState(4)), run_of(np.random.RandomState(4)))
    np.testing.assert_array_equal(run_of(np.random.default_rng(4)), run_of(np.random.default_rng(4)))
    with pytest.raises(eigenmesh.InvalidArgument, match="random_state"):
        run_of("dice")


# ---- copies and types -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda pca: pickle.loads(pickle.dumps(pca))])
def test_copies_are_whole(clone, tmp_path):
    pca = eigenmesh.PCA(3, nodes=3, topology="path").fit(X)
    other = clone(pca)
    np.testing.assert_array_equal(other.transform(X), pca.transform(X))
    assert other.network_ == pca.network_
    other.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(eigenmesh.load(tmp_path / "model.npz").components_, pca.components_)


@pytest.mark.parametrize("dtype", "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 ? >f8 g O".split())
def test_types(dtype):
    numbers = np.abs(spectrum(60, 5) * 8).astype(dtype) if dtype != "?" else spectrum(60, 5) > 0.3
    expected = eigenmesh.PCA(2).fit(numbers.astype(np.float64))
    pca = eigenmesh.PCA(2).fit(numbers)
    np.testing.assert_allclose(pca.components_, expected.components_, atol=2e-6 if dtype == "f4" else 1e-12)
    assert pca.transform(numbers).dtype == (np.float32 if dtype == "f4" else np.float64)


@pytest.mark.parametrize("view", [
    lambda A: np.asfortranarray(A), lambda A: A[::2], lambda A: A[:, ::3], lambda A: A[::-1], lambda A: A[:, ::-1],
    lambda A: A.T[:30].T, lambda A: np.broadcast_to(A[:, :1], (300, 4)) + np.arange(4) * A[:, 1:5],
    lambda A: np.lib.stride_tricks.sliding_window_view(A[:, 0], 4),
])
def test_views(view):
    table = view(X)
    expected = eigenmesh.PCA(2).fit(np.array(table, order="C"))
    np.testing.assert_allclose(eigenmesh.PCA(2).fit(table).components_, expected.components_, atol=1e-12)


def test_repeated_rows_by_broadcast():
    wide = np.broadcast_to(X[:, :1], (300, 3))
    pca = eigenmesh.PCA(1).fit(wide)
    np.testing.assert_allclose(pca.components_, np.full((1, 3), 3 ** -0.5), atol=1e-12)


def test_aligned_helper_is_not_vacuous():
    assert not np.allclose(aligned(-np.eye(2), np.eye(2)), -np.eye(2))


def test_parameters_are_options_of_the_librarys_table():
    """Or about the network, rows that keep coming, the scores and who looks on."""
    from eigenmesh._native import PARAMETERS, options
    names = {PARAMETERS.get(option["name"], option["name"].replace("-", "_")) for option in options()}
    beside = {"nodes", "topology", "weights", "directions", "whiten", "callback", "verbose"}
    parameters = set(eigenmesh.PCA().get_params())
    assert beside < parameters and parameters - beside < names


def test_every_other_option_of_the_table_can_be_simulated_with():
    """By its own name; so can one that is new in the library."""
    from inspect import signature

    from eigenmesh._native import PARAMETERS, options
    own = set(signature(eigenmesh.simulate).parameters)
    for option in options():
        name = PARAMETERS.get(option["name"], option["name"].replace("-", "_"))
        if name in own or name == "checkpoint":  # any text is a file's name
            continue
        with pytest.raises(eigenmesh.InvalidArgument, match=f"^{option['name']} [?]: "):
            eigenmesh.simulate(X, **{name: "?"})
