"""What the estimator says of its own accuracy, against a truth of more digits."""
import warnings
import zipfile

import numpy as np
import pytest
from data import spectrum

import eigenmesh


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# ---- the truth ------------------------------------------------------------------------------------------

def jacobi(X):
    """Right singular vectors of the centred table by rotations in long double, each to its own digits: where columns
    are in units of their own, numpy's SVD has eps times the largest of them in the smallest."""
    rows = np.asarray(X, dtype=np.longdouble)
    rows = rows - rows.mean(axis=0)
    columns, V = rows.T.copy(), np.eye(X.shape[1], dtype=np.longdouble)
    for _ in range(40):
        largest = 0
        for i in range(len(columns) - 1):
            for j in range(i + 1, len(columns)):
                a, b, c = columns[i] @ columns[i], columns[j] @ columns[j], columns[i] @ columns[j]
                cosine = abs(c) / np.sqrt(a * b)
                if cosine < 1e-18:
                    continue
                largest = max(largest, cosine)
                z = (b - a) / (2 * c)
                t = (1 if z >= 0 else -1) / (abs(z) + np.sqrt(1 + z * z))
                turn = np.array([[1, -t], [t, 1]]) / np.sqrt(1 + t * t)
                columns[[i, j]], V[[i, j]] = turn @ columns[[i, j]], turn @ V[[i, j]]
        if largest < 1e-17:
            break
    order = np.argsort(-np.einsum("ij,ij->i", columns, columns))
    return V[order].astype(np.float64)


def numpys(X):
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]


def sines(pca, truth):
    """Of the angles to the true components."""
    true = truth[: pca.n_components_]
    return np.linalg.norm(pca.components_ - np.sum(pca.components_ * true, axis=1)[:, None] * true, axis=1)


def in_units(column, columns=12):
    """A table of ordinary columns, and one in units of its own."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((200, columns)) * np.linspace(1, 10, columns)
    return np.insert(rows, 3, column(rng, np.arange(200.0)), axis=1)


BADLY_SCALED = {
    "1e2": lambda rng, n: 1e2 * rng.standard_normal(200),
    "1e4": lambda rng, n: 1e4 * rng.standard_normal(200),
    "1e6": lambda rng, n: 1e6 * rng.standard_normal(200),
    "a timestamp": lambda rng, n: 1.7e9 + 86400 * n,
    "a timestamp of a few seconds": lambda rng, n: 1.7e9 + rng.uniform(0, 30, 200),
}


def test_the_truth_is_numpys_where_that_has_the_digits():
    X = spectrum(100, 8)
    turned = np.abs(np.sum(jacobi(X) * numpys(X), axis=1))
    np.testing.assert_allclose(turned, 1, atol=1e-13)


# ---- angle bounds ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("wanted", [None, 3])
@pytest.mark.parametrize("seed", range(3))
def test_angle_bounds_hold(seed, wanted, nodes):
    X = spectrum(150, 10, seed)
    pca = eigenmesh.PCA(wanted, nodes=nodes).fit(X)
    assert pca.converged_ and pca.verdict_ == "converged"
    assert (sines(pca, jacobi(X)) <= pca.angle_bounds_).all()
    assert (sines(pca, numpys(X)) <= pca.angle_bounds_ + 1e-13).all()
    assert (pca.angle_bounds_ < 1e-8).all() and (pca.residuals_ <= 1e-12).all()


@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("wanted", [None, 3])
@pytest.mark.parametrize("kind", BADLY_SCALED)
def test_angle_bounds_hold_where_columns_have_units_of_their_own(kind, wanted, nodes):
    X = in_units(BADLY_SCALED[kind])
    pca = eigenmesh.PCA(wanted, nodes=nodes).fit(X)
    assert pca.converged_ and pca.rank_ == pca.n_components_
    assert (sines(pca, jacobi(X)) <= pca.angle_bounds_).all()
    assert (pca.angle_bounds_ < 1e-6).all()


@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("kind", ["1e4", "a timestamp"])
def test_angle_bounds_hold_where_iterations_find_them(kind, nodes):
    X = in_units(BADLY_SCALED[kind], columns=60)
    pca = eigenmesh.PCA(3, nodes=nodes, method="krylov").fit(X)
    assert pca.converged_
    assert (sines(pca, jacobi(X)) <= pca.angle_bounds_).all()
    assert (pca.angle_bounds_ < 1e-6).all()


def test_the_bounds_of_an_answer_that_is_off():
    X = spectrum(150, 40)
    rough = eigenmesh.PCA(3, nodes=4, method="krylov", tol=1e-2).fit(X)
    off = sines(rough, jacobi(X))
    assert rough.converged_ and off.max() > 1e-4
    assert (off <= rough.angle_bounds_).all() and rough.angle_bounds_.max() < 0.5


def test_clusters():
    rng = np.random.default_rng(2)
    U = np.linalg.qr(np.column_stack([np.ones(50), rng.standard_normal((50, 5))]))[0][:, 1:]
    V = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    X = U @ np.diag([5.0, 3, 3, 2, 1]) @ V.T
    pca = eigenmesh.PCA().fit(X)
    assert pca.converged_ and pca.clusters_.tolist() == [0, 1, 1, 3, 4] and pca.clusters_.dtype.kind == "i"
    assert (pca.angle_bounds_[1:3] == 1).all() and (pca.angle_bounds_[[0, 3, 4]] < 1e-10).all()
    assert (pca.subspace_bounds_ < 1e-10).all()
    outside = pca.components_[1:3] - pca.components_[1:3] @ V[:, 1:3] @ V[:, 1:3].T
    assert np.linalg.norm(outside, 2) <= pca.subspace_bounds_[1]


# ---- verdicts ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("table", [
    np.array([[0.0, 1], [1, 3], [2, 5], [3, 7]]), spectrum(6, 10), np.repeat(spectrum(40, 3), 2, axis=1),
], ids=["a line", "few rows", "columns twice"])
def test_past_the_rank_there_is_no_variance(table, nodes):
    pca = eigenmesh.PCA(nodes=nodes).fit(table)
    rank = np.linalg.matrix_rank(table - table.mean(axis=0))
    assert pca.converged_ and pca.rank_ == rank < pca.n_components_
    for numbers in (pca.explained_variance_, pca.explained_variance_ratio_, pca.singular_values_, pca.residuals_):
        assert (numbers[rank:] == 0).all() and (pca.angle_bounds_[rank:] == 1).all()
    assert (pca.explained_variance_[:rank] > 0).all()
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(pca.n_components_), atol=1e-12)


@pytest.mark.parametrize("method", ["dsa", "dpgd", "seqdistpm", "sdot", "sadot", "gha"])
def test_settled_is_no_warning(method):
    nodes = 1 if method == "gha" else 5
    pca = eigenmesh.PCA(2, nodes=nodes, topology="cycle", method=method).fit(spectrum(300, 12))
    assert pca.verdict_ in ("settled", "converged")
    assert pca.converged_ == (pca.verdict_ == "converged") == (pca.residuals_.max() <= 1e-6)
    assert method != "dsa" or pca.verdict_ == "settled"


def test_the_warning_names_the_worst_residual():
    X = spectrum(300, 12)
    with pytest.warns(eigenmesh.ConvergenceWarning) as caught:
        pca = eigenmesh.PCA(2, nodes=5, method="krylov", max_iter=1).fit(X)
    text = str(caught[0].message)
    assert pca.verdict_ in text and f"worst residual {pca.residuals_.max():.1e} (tolerance 1e-10)" in text
    assert "max_iter" in text


def test_diverging_advises_a_smaller_step():
    with pytest.warns(eigenmesh.ConvergenceWarning, match="diverged .* worst residual .* try a smaller step"):
        eigenmesh.PCA(2, nodes=5, method="dsa", step=100.0).fit(spectrum(300, 12))


def test_rounding_advises_to_scale():
    X = in_units(lambda rng, n: 1e13 * rng.standard_normal(200))
    with pytest.warns(eigenmesh.ConvergenceWarning, match='rounding leaves components undetermined.* try scale="std"'):
        pca = eigenmesh.PCA(3, method="krylov").fit(X)
    assert not pca.converged_ and pca.angle_bounds_[0] < 1e-10 < pca.angle_bounds_[1]
    assert eigenmesh.PCA(3, method="krylov", scale="std").fit(X).converged_


# ---- files -------------------------------------------------------------------------------------------------

def test_files_keep_the_bounds(tmp_path):
    pca = eigenmesh.PCA(3, nodes=4).fit(spectrum(150, 10))
    pca.save(tmp_path / "model.npz")
    loaded = eigenmesh.load(tmp_path / "model.npz")
    for name in ("angle_bounds_", "subspace_bounds_", "clusters_", "residuals_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(pca, name))
    assert (loaded.rank_, loaded.verdict_, loaded.converged_) == (3, "converged", True)


def test_a_file_that_is_older_than_the_bounds(tmp_path):
    pca = eigenmesh.PCA(3).fit(spectrum(150, 10))
    pca.save(tmp_path / "model.npz")
    new = {f"{name}.npy" for name in ("angle_bounds", "subspace_bounds", "clusters", "rank", "limited")}
    with zipfile.ZipFile(tmp_path / "model.npz") as model, zipfile.ZipFile(tmp_path / "older.npz", "w") as older:
        assert new < set(model.namelist())
        for name in set(model.namelist()) - new:
            older.writestr(name, model.read(name))
    loaded = eigenmesh.load(tmp_path / "older.npz")
    np.testing.assert_array_equal(loaded.components_, pca.components_)
    assert np.isnan(loaded.angle_bounds_).all() and np.isnan(loaded.subspace_bounds_).all()
    assert loaded.clusters_.tolist() == [0, 1, 2] and loaded.rank_ == 3 and loaded.converged_
