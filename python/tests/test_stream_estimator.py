"""An estimator of rows that keep coming: when its model is made, copies, threads, and what goes wrong."""
import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
from data import spectrum
from streams import assert_finds, streamed

import eigenmesh
from eigenmesh import PCA, Moments

X = spectrum(300, 12)


# ---- when the model is made --------------------------------------------------------------------------------

def test_it_is_of_all_rows_whenever_it_is_asked_for():
    X = spectrum(300, 12, decay=0.5)
    pca = PCA(3).partial_fit(X[:100])
    np.testing.assert_allclose(pca.transform(X), PCA(3).fit(X[:100]).transform(X), atol=1e-9)
    assert pca.n_samples_ == 100 and "components_" in vars(pca)
    pca.partial_fit(X[100:])
    assert "components_" not in vars(pca) and pca.n_samples_seen_ == 300
    signs = np.sign(np.sum(pca.components_ * PCA(3).fit(X[:100]).components_, axis=1))
    assert pca.n_samples_ == 300 and (signs > 0).all() and 0 < pca.turn_ < 1
    assert_finds(pca, X)
    for name in ("verdict_", "history_", "noise_variance_", "_n_features_out"):
        assert hasattr(copy.copy(pca).partial_fit(X[:2]), name)
    assert not hasattr(pca.partial_fit(X[:2]), "no_such_thing_") and not hasattr(pca, "no_such_thing")


def test_the_last_answer_is_where_the_next_one_begins():
    rows = spectrum(4000, 150, decay=0.8)
    pca = PCA(3, nodes=4, topology="path", method="krylov", tol=1e-6)
    streamed(pca, np.array_split(rows[:3900], 8)).refresh()
    assert np.isnan(pca.turn_) and not pca.held_
    cold = PCA(3, nodes=4, topology="path", method="krylov", tol=1e-6).fit(rows).network_.phases["method"]
    before = pca.components_
    pca.partial_fit(rows[3900:]).refresh()
    assert pca.network_.phases["method"].rounds < cold.rounds
    assert 0 < pca.turn_ < 0.5 and not pca.held_ and (np.sum(before * pca.components_, axis=1) > 0).all()
    pca.refresh()
    assert pca.held_ and pca.turn_ < 1e-5
    np.testing.assert_allclose(pca.refresh(init=before).components_, pca.components_, atol=1e-5)


def test_signs_follow_through_a_stream():
    rng = np.random.default_rng(4)
    pca, last = PCA(2), None
    for n in range(30):  # turns slowly, so that the largest entry becomes another one
        angle = n * np.pi / 30
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        if last is not None:
            pca.forget(0.3)
        pca.partial_fit(rng.standard_normal((500, 2)) * [3, 1] @ turn)
        assert last is None or (np.sum(last * pca.components_, axis=1) > 0.5).all()
        last = pca.components_
    assert last[0] @ [1, 0] < -0.9


def test_another_scale_is_another_start():
    pca = PCA(3).partial_fit(X).refresh()
    pca.set_params(scale="std").refresh()
    assert np.isnan(pca.turn_)
    np.testing.assert_allclose(pca.components_, PCA(3, scale="std").fit(X).components_, atol=1e-10)


def test_fit_resets():
    pca = PCA(3).partial_fit(X[:100]).fit(X[100:])
    assert not hasattr(pca, "n_samples_seen_")
    assert_finds(pca, X[100:])
    with pytest.warns(UserWarning, match="rows of fit were not kept"):
        pca.partial_fit(X[:50])
    assert pca.n_samples_seen_ == 50
    assert_finds(pca, X[:50])


def test_nodes_and_those_that_saw_nothing():
    pca = streamed(PCA(3, nodes=3), np.split(X, [10, 20]))
    assert [stream.shape[0] for stream in pca._streams] == [10, 10, 280]
    assert_finds(pca.set_params(tol=1e-12), X)
    assert_finds(pca.partial_fit(X[:1]).set_params(nodes=2), np.concatenate([X, X[:1]]))
    with pytest.raises(eigenmesh.InvalidArgument, match="1 of the 2 here have seen no row; try"):
        PCA(3, nodes=2).partial_fit(X).refresh()


# ---- among others of its kind ------------------------------------------------------------------------------

@pytest.mark.parametrize("directions", [None, 6])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda pca: pickle.loads(pickle.dumps(pca))])
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.filterwarnings("ignore::eigenmesh.SketchWarning")
def test_copies_go_on_with_the_same_bits(twin, dtype, directions, asked):
    rows = X.astype(dtype)
    pca = streamed(PCA(3, nodes=2, topology="path", directions=directions), np.array_split(rows[:200], 6))
    if asked:
        pca.refresh()
    other = twin(pca)
    assert other.n_samples_seen_ == 200
    other.partial_fit(rows[200:])
    assert pca.n_samples_seen_ == 200 and other.n_samples_seen_ == 300
    pca.partial_fit(rows[200:])
    for name in ("components_", "explained_variance_", "mean_", "turns_"):
        np.testing.assert_array_equal(getattr(pca, name), getattr(other, name))
    assert pca.components_.dtype == dtype and other.transform(rows).dtype == dtype


def test_clones_and_unfitted_ones():
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError

    pca = clone(PCA(3, directions=9).partial_fit(X))
    assert pca.directions == 9 and not hasattr(pca, "n_samples_seen_") and not hasattr(pca, "components_")
    with pytest.raises(NotFittedError):
        pca.transform(X)
    assert pickle.loads(pickle.dumps(pca)).get_params() == pca.get_params()
    assert Moments(4).__reduce__()[1] == (4,)


def test_names_of_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"x{n}" for n in range(12)])
    pca = PCA(2).set_output(transform="pandas").partial_fit(frame[:100]).partial_fit(frame[100:])
    assert list(pca.feature_names_in_) == list(frame.columns)
    assert list(pca.transform(frame).columns) == ["pca0", "pca1"] == list(pca.get_feature_names_out())
    with pytest.warns(UserWarning, match="valid feature names"):
        pca.partial_fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pca.partial_fit(X, check_input=False)
    with pytest.raises(ValueError, match="feature names should match"):
        pca.partial_fit(frame[frame.columns[::-1]])
    assert list(PCA(2).fit(Moments().update(frame)).feature_names_in_) == list(frame.columns)
    with pytest.raises(eigenmesh.DataError, match="called 'x11'"):
        Moments().update(frame).update(frame[frame.columns[::-1]])
    assert pca.n_samples_seen_ == 900


def test_what_is_shown_and_reported(tmp_path):
    pca = PCA(2).partial_fit(X)
    pca._repr_html_()
    assert "_model" not in vars(pca)  # to be shown in a notebook is no reason to make one
    pca.report(tmp_path / "page.html")
    assert "PCA(n_components=2).fit(X)" in (tmp_path / "page.html").read_text() and pca.n_samples_ == 300


def test_saved_and_loaded(tmp_path):
    pca = PCA(2).partial_fit(X)
    pca.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(eigenmesh.load(tmp_path / "model.npz").components_, pca.components_)


def test_threads_may_add_at_once():
    parts = np.array_split(spectrum(4000, 30), 400)
    pca = PCA(3).partial_fit(parts[0])
    adders = [threading.Thread(target=streamed, args=(pca, parts[1 + n::4])) for n in range(4)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()
    assert pca.n_samples_seen_ == 4000
    assert_finds(pca, np.concatenate(parts))


@pytest.mark.parametrize("twin", [lambda pca: pca, copy.deepcopy, lambda pca: pickle.loads(pickle.dumps(pca))])
def test_threads_may_bring_the_first_rows_at_once(twin, monkeypatch):
    """Each of them finds no stream yet, and waits there for the other."""
    rows, slow = spectrum(400, 12), threading.Event()
    checked = PCA._checked_batch

    def slowly(self, *how):
        slow.wait(0.05)
        return checked(self, *how)

    monkeypatch.setattr(PCA, "_checked_batch", slowly)
    pca = twin(PCA(3))
    adders = [threading.Thread(target=pca.partial_fit, args=(part,)) for part in np.array_split(rows, 8)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()
    assert pca.n_samples_seen_ == 400
    assert_finds(pca, rows)


def test_rows_that_come_during_a_refresh_are_not_lost(monkeypatch):
    """The model that is being made then is not of all rows; who asks for it afterwards gets another."""
    keep, pca = PCA._keep, PCA(2)
    adder = threading.Thread(target=pca.partial_fit, args=(X[100:],))

    def late(self, model):  # the rows are read, and the model is not there yet
        if adder.ident is None:
            adder.start()
        adder.join(0.2)
        keep(self, model)

    monkeypatch.setattr(PCA, "_keep", late)
    pca.partial_fit(X[:100]).refresh()
    adder.join()
    assert pca.n_samples_seen_ == 300 and pca.n_samples_ == 300
    assert_finds(pca, X)


def test_a_callback_cannot_add_to_what_is_fitted():
    def callback(progress):
        pca.partial_fit(X)

    pca = PCA(2, method="krylov", callback=callback).partial_fit(X)
    with pytest.raises(eigenmesh.InvalidArgument, match="a fit is reading them; try when it has ended"):
        pca.refresh()
    assert_finds(pca.set_params(callback=None).partial_fit(X), np.concatenate([X, X]), variances=1e-10)


def test_a_process_that_forks_goes_on():
    import multiprocessing

    rows = spectrum(1500, 300, decay=0.97)  # enough for several threads
    pca = PCA(2).partial_fit(rows).refresh()
    context = multiprocessing.get_context("fork")
    found = context.Queue()
    child = context.Process(target=lambda: found.put(pca.partial_fit(rows).explained_variance_))
    child.start()
    theirs = found.get(timeout=60)
    child.join()
    np.testing.assert_array_equal(theirs, pca.partial_fit(rows).explained_variance_)


def test_the_number_of_cores_changes_no_bit(monkeypatch):
    rows, found = spectrum(1500, 300, decay=0.97), []
    for cores in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", cores)
        found.append(Moments().update(rows).covariance)
    np.testing.assert_array_equal(*found)


# ---- what goes wrong -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("batch, kind, words", [
    (np.full((2, 12), np.nan), ValueError, "(?i)nan"),
    (np.where(np.arange(24).reshape(2, 12) == 15, np.inf, 1.0), ValueError, r"row 1, column 3 \(from 0\) is inf"),
    (X[:3, :5], ValueError, "5 features"), (X[0], ValueError, "1D array"), (X[:0], ValueError, "0 sample"),
    (X * 1j, ValueError, "Complex"), ([["a"] * 12], ValueError, "could not convert"),
    (Moments().update(X[:, :5]), eigenmesh.InvalidArgument, "moments of 5 features"),
    (Moments(), eigenmesh.InvalidArgument, "of no rows"),
])
def test_what_is_refused_is_not_added(batch, kind, words):
    pca = PCA(2).partial_fit(X[:100])
    with pytest.raises(kind, match=words):
        pca.partial_fit(batch)
    assert pca.n_samples_seen_ == 100
    assert_finds(pca, X[:100])
    fresh = PCA(2)
    if not (isinstance(batch, Moments) and batch.shape[0] or np.shape(batch) == (3, 5)):
        with pytest.raises(kind, match=words):
            fresh.partial_fit(batch)
    assert_finds(fresh.partial_fit(X), X)


@pytest.mark.parametrize("call, words", [
    (lambda: PCA(2).refresh(), "refresh: no rows were seen; try partial_fit"),
    (lambda: PCA(2).forget(0.5), "forget: no rows were seen; try partial_fit"),
    (lambda: PCA(2).partial_fit(X).forget(0), "forget: a factor of 0; try"),
    (lambda: PCA(2).partial_fit(X).forget(float("nan")), "forget: a factor of -?nan; try"),
    (lambda: PCA(2, nodes=0).partial_fit(X), "nodes=0"),
    (lambda: PCA(2).partial_fit(X[:1]).components_, "1 sample"),
    (lambda: PCA(13).partial_fit(X).components_, "n_components=13"),
    (lambda: PCA(2, directions=13).partial_fit(X), "directions: 13 of them.*; try fewer"),
    (lambda: PCA(2, directions=0).partial_fit(X), "directions: none of them; try"),
    (lambda: PCA(2, directions=-1).partial_fit(X), "directions=-1: .*; try"),
    (lambda: PCA(2, directions=2.5).partial_fit(X), "directions=2.5: .*; try"),
    (lambda: PCA(2, nodes=3).fit(Moments().update(X)), "moments are one node's"),
    (lambda: PCA(2).fit(Moments()), "of no rows"),
    (lambda: Moments().mean, "mean: of no rows; try"),
    (lambda: Moments().save("nowhere.npz"), "save: of no rows; try"),
    (lambda: Moments(5).update(X).merge(Moments().update(X)), "directions"),
])
def test_errors_in_words(call, words):
    with pytest.raises(eigenmesh.EigenmeshError, match=words):
        call()


def test_a_failure_leaves_the_last_rows():
    """Also where the model cannot be made: more rows make it possible."""
    pca = PCA(2).partial_fit(X[:1])
    with pytest.raises(eigenmesh.InvalidArgument):
        pca.refresh()
    assert_finds(pca.partial_fit(X[1:]), X)
