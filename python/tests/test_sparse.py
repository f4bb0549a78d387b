"""SciPy's sparse matrices: the numbers of the dense fit, without its memory."""
import subprocess
import sys

import numpy as np
import pytest
from data import aligned

import eigenmesh

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed; try scripts/setup test")


def table(rows=400, columns=30, filled=0.15, seed=0, dtype=np.float64):
    """Some rows are empty; deviations of the columns fall."""
    rng = np.random.default_rng(seed)
    values = (rng.standard_normal((rows, columns)) + 0.7) * 0.9 ** np.arange(columns)
    values[rng.random((rows, columns)) >= filled] = 0
    values[3::7] = 0
    return values.astype(dtype)


def assert_same(pca, dense, tolerance=1e-10):
    np.testing.assert_allclose(pca.mean_, dense.mean_, atol=tolerance)
    np.testing.assert_allclose(pca.scale_, dense.scale_, rtol=tolerance)
    np.testing.assert_allclose(pca.explained_variance_, dense.explained_variance_, rtol=tolerance)
    np.testing.assert_allclose(aligned(pca.components_, dense.components_), dense.components_, atol=tolerance)


@pytest.mark.parametrize("scale", [None, "std"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "bsr"])
def test_every_kind_is_as_the_dense_table(kind, scale):
    X = table()
    dense = eigenmesh.PCA(4, scale=scale, tol=1e-12).fit(X)
    pca = eigenmesh.PCA(4, scale=scale, tol=1e-12).fit(sparse.csr_matrix(X).asformat(kind))
    assert_same(pca, dense)
    scores = pca.transform(sparse.csr_matrix(X).asformat(kind))
    np.testing.assert_allclose(scores, pca.transform(X), atol=1e-12)


def test_sparse_arrays():
    X = table()
    assert_same(eigenmesh.PCA(3, tol=1e-12).fit(sparse.csr_array(X)), eigenmesh.PCA(3, tol=1e-12).fit(X))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_whole_numbers(dtype):
    X = np.abs(np.rint(3 * table())).astype(dtype)
    assert_same(eigenmesh.PCA(3, tol=1e-12).fit(sparse.csr_matrix(X)), eigenmesh.PCA(3, tol=1e-12).fit(X))


def test_against_an_eigensolve_of_numpy():
    X = table(seed=4)
    pca = eigenmesh.PCA(5, tol=1e-12).fit(sparse.csr_matrix(X))
    values, vectors = np.linalg.eigh(np.cov(X, rowvar=False))
    np.testing.assert_allclose(pca.explained_variance_, values[::-1][:5], rtol=1e-12)
    np.testing.assert_allclose(aligned(pca.components_, vectors[:, ::-1].T[:5]), vectors[:, ::-1].T[:5], atol=1e-9)


def test_indices_of_64_bits_in_no_order_and_twice():
    X = sparse.csr_matrix(table())
    entries = sparse.coo_matrix(X)
    order = np.random.default_rng(1).permutation(2 * entries.nnz)
    rows, columns = np.tile(entries.row, 2)[order], np.tile(entries.col, 2)[order]
    values = np.concatenate([entries.data / 2, entries.data / 2])[order]
    by_rows = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    untidy = sparse.csr_matrix(X.shape)
    untidy.data, untidy.indices, untidy.indptr = values[by_rows], columns[by_rows].astype(np.int64), starts.astype(np.int64)
    before = untidy.data.copy()
    assert_same(eigenmesh.PCA(3, tol=1e-12).fit(untidy), eigenmesh.PCA(3, tol=1e-12).fit(X.toarray()))
    assert untidy.nnz == 2 * X.nnz and (untidy.data == before).all()  # it is the caller's, and stays so


def test_arrays_with_strides_and_indices_of_two_types():
    X = sparse.csr_matrix(table())
    strided = X.copy()
    strided.data, strided.indices = np.repeat(X.data, 2)[::2], np.repeat(X.indices, 2)[::2]
    mixed = X.copy()
    mixed.indptr = X.indptr.astype(np.int64)
    for matrix in (strided, mixed):
        assert_same(eigenmesh.PCA(3, tol=1e-12).fit(matrix), eigenmesh.PCA(3, tol=1e-12).fit(X.toarray()))


def test_float32():
    X = table(3000, 40, dtype=np.float32)
    pca, dense = eigenmesh.PCA(5).fit(sparse.csr_matrix(X)), eigenmesh.PCA(5, tol=1e-10).fit(X.astype(np.float64))
    assert pca.components_.dtype == np.float32 and pca.converged_
    assert_same(pca, dense, 2e-5)
    assert pca.transform(sparse.csr_matrix(X)).dtype == np.float32


@pytest.mark.parametrize("how", [dict(nodes=5, topology="cycle"), dict(nodes=3, method="covariance"), dict(nodes=1)])
def test_over_nodes(how):
    X = table()
    assert_same(eigenmesh.PCA(3, tol=1e-12, **how).fit(sparse.csr_matrix(X)), eigenmesh.PCA(3, tol=1e-12).fit(X))


def test_a_list_is_a_node_each_and_may_have_both_kinds():
    X = table()
    parts = [sparse.csr_matrix(X[:100]), X[100:250], sparse.csc_matrix(X[250:])]
    pca = eigenmesh.PCA(3, tol=1e-12).fit(parts)
    assert_same(pca, eigenmesh.PCA(3, tol=1e-12).fit(X))
    assert pca.network_.messages > 0


def test_simulate():
    X = table()
    run = eigenmesh.simulate(sparse.csr_matrix(X), method="krylov", n_components=3, nodes=4)
    assert run.error < 1e-12


def test_whitened_and_back():
    X = table()
    pca = eigenmesh.PCA(3, whiten=True, tol=1e-12)
    scores = pca.fit_transform(sparse.csr_matrix(X))
    np.testing.assert_allclose(scores.std(axis=0, ddof=1), 1, rtol=1e-9)
    np.testing.assert_allclose(pca.inverse_transform(scores), pca.inverse_transform(pca.transform(X)), atol=1e-10)


def test_what_is_not_finite_is_named():
    X = sparse.csr_matrix(table())
    X.data[5] = np.nan
    row, column = np.searchsorted(X.indptr, 5, side="right") - 1, X.indices[5]
    with pytest.raises(ValueError, match=f"row {row}, column {column} "):
        eigenmesh.PCA(2).fit(X)
    pca = eigenmesh.PCA(2).fit(table())
    with pytest.raises(ValueError):
        pca.transform(X)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64, np.float32, np.float64])
def test_the_matrix_stays_as_it_is(dtype):
    """Entries twice and in no order, of a matrix that nobody may write to."""
    data = np.array([3, 1, 2, 1, 1, 5, 4], dtype)
    X = sparse.csr_matrix((data, np.array([2, 0, 2, 1, 1, 0, 2]), np.array([0, 3, 5, 6, 7])), shape=(4, 3))
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    pca = eigenmesh.PCA(2).fit(X)
    pca.transform(X)
    for part, was in zip((X.data, X.indices, X.indptr), before):
        np.testing.assert_array_equal(part, was)
    if dtype is not bool:
        np.testing.assert_allclose(pca.mean_, [6 / 4, 2 / 4, 9 / 4])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.float16, bool])
def test_what_coordinates_have_twice_is_added_up_as_numbers(dtype):
    values, rows, columns = np.array([100, 100, 100, 1, 1]).astype(dtype), [0, 0, 0, 1, 2], [0, 0, 0, 1, 0]
    X = sparse.coo_matrix((values, (rows, columns)), (3, 2))
    each = float(values[0])  # 1 of bool
    np.testing.assert_allclose(eigenmesh.PCA(1).fit(X).mean_ * 3, [3 * each + 1, 1])
    np.testing.assert_array_equal(X.data, values)
    assert X.dtype == dtype


def test_starts_that_leave_the_arrays_and_come_back():
    X = sparse.csr_matrix((1000, 2))
    X.indices, X.data, X.indptr = np.zeros(1000, np.int32), np.ones(1000), np.arange(1001, dtype=np.int32)
    X.indptr[5] = 2_000_000_000
    with pytest.raises(ValueError, match="row 4 .* goes from entry 4 to 2000000000 of 1000"):
        eigenmesh.PCA(1).fit(X)


def test_indices_that_are_no_whole_numbers():
    X = sparse.csr_matrix(table())
    X.indices = X.indices + 0.5
    with pytest.raises(ValueError, match="indices of float64"):
        eigenmesh.PCA(1).fit(X)


def test_arrays_that_are_too_short():
    for spoil in (lambda X: setattr(X, "data", X.data[:-5]), lambda X: setattr(X, "indices", X.indices[:-1]),
                  lambda X: X.indptr.__setitem__(-1, 100_000), lambda X: setattr(X, "indptr", X.indptr[:-1])):
        X = sparse.csr_matrix(table())
        spoil(X)
        with pytest.raises(ValueError, match="sparse matrix: indptr has"):
            eigenmesh.PCA(1).fit(X)


def test_advice_is_of_what_there_is():
    X = sparse.csr_matrix(table())
    X.data[5] = np.nan
    for bad, says in ((X, "try filling it$"), (sparse.csr_matrix((10, 4)), "try other data$")):
        with pytest.raises(ValueError, match=says):
            eigenmesh.PCA(1).fit(bad)


def test_what_is_refused():
    X = sparse.csr_matrix(table())
    with pytest.raises(eigenmesh.DataError, match="no variance"):
        eigenmesh.PCA(1).fit(sparse.csr_matrix((10, 4)))
    with pytest.raises(ValueError, match="[Cc]omplex"):
        eigenmesh.PCA(1).fit(X * 1j)
    with pytest.raises(ValueError, match="features"):
        eigenmesh.PCA(1).fit(X).transform(X[:, :5])
    with pytest.raises(TypeError, match="dense"):
        eigenmesh.PCA(1).fit(X).score_samples(X)
    broken = X.copy()
    broken.indices[0] = 99
    with pytest.raises(ValueError, match="row 0 has an entry in column 99"):
        eigenmesh.PCA(1).fit(broken)


def test_a_fit_copies_nothing():
    """48 MB of entries, which would be 1.6 GB of numbers."""
    script = """
import resource, numpy as np, scipy.sparse as sparse, eigenmesh
rng = np.random.default_rng(0)
rows, columns, each = 200_000, 1000, 30
indices = rng.integers(0, columns // each, (rows, each), dtype=np.int32) + np.arange(each, dtype=np.int32) * (columns // each)
X = sparse.csr_matrix((rng.random(rows * each, dtype=np.float32), indices.ravel(),
                       np.arange(0, rows * each + 1, each, dtype=np.int32)), shape=(rows, columns))
eigenmesh.PCA(2).fit(X[:1000]).transform(X[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
pca = eigenmesh.PCA(2, tol=1e-3).fit(X)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert grown < X.data.nbytes / 2, (grown, X.data.nbytes)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
