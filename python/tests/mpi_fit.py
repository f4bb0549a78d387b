"""Run by every process of mpirun: the answer is that of all rows in one place, in every process."""
import sys

import numpy as np
from data import spectrum
from mpi4py import MPI

import eigenmesh

comm = MPI.COMM_WORLD
X = spectrum(400, 15)
local = np.array_split(X, comm.size)[comm.rank]


def same_everywhere(array):
    return all(np.array_equal(array, other) for other in comm.allgather(array))


def refused(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"not refused: {text}")


def the_answer_is_that_of_all_rows():
    for wanted in (3, 0.9, "mle", 0, None):
        whole = eigenmesh.PCA(wanted).fit(X)
        pca = eigenmesh.PCA(wanted).fit(local, comm=comm)
        np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-9)
        np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-10)
        assert pca.converged_ and pca.n_samples_ == 400 and same_everywhere(pca.components_)


def several_nodes_a_process():
    pca = eigenmesh.PCA(3, nodes=8, topology="cycle", method="deepca").fit(local, comm=comm)
    np.testing.assert_allclose(pca.components_, eigenmesh.PCA(3).fit(X).components_, atol=1e-9)
    assert pca.network_.bytes > 0
    parts = np.array_split(local, 8 * (comm.rank + 1) // comm.size - 8 * comm.rank // comm.size)
    listed = eigenmesh.PCA(3, nodes=8, topology="cycle", method="deepca").fit(list(parts), comm=comm)
    np.testing.assert_array_equal(listed.components_, pca.components_)


def sparse_rows_beside_dense_ones():
    try:
        import scipy.sparse
    except ImportError:
        print("skipped: sparse rows, as SciPy is not installed")
        return
    rows = np.where(np.random.default_rng(3).random(X.shape) < 0.3, X, 0)
    mine = np.array_split(rows, comm.size)[comm.rank]
    pca = eigenmesh.PCA(3, tol=1e-11).fit(mine if comm.rank == 1 else scipy.sparse.csr_matrix(mine), comm=comm)
    np.testing.assert_allclose(pca.components_, eigenmesh.PCA(3, tol=1e-11).fit(rows).components_, atol=1e-9)
    assert same_everywhere(pca.components_)


def types_may_differ_and_estimators_work_on():
    mine = local.astype(np.float32) if comm.rank == 0 else local.astype(np.float32).astype(np.float64)
    pca = eigenmesh.PCA(2, whiten=True).fit(mine, comm=comm)
    single = eigenmesh.PCA(2).fit(X.astype(np.float32))
    np.testing.assert_allclose(pca.components_, single.components_, atol=1e-6)
    assert pca.transform(local).shape == (len(local), 2)
    assert pca.components_.dtype == (np.float32 if comm.size == 1 else np.float64) and single.mean_.dtype == np.float32
    assert eigenmesh.PCA(2).fit(local.astype(np.float32), comm=comm).components_.dtype == np.float32


def failures_are_everybodys():
    broken = local.copy()
    if comm.rank == comm.size - 1:
        broken[3, 1] = np.nan
    own = comm.rank == comm.size - 1  # only there, in words that hold something of the data
    words = "row 3, column 1" if own else f"rank {comm.size - 1}: has failed"
    refused(ValueError, words, lambda: eigenmesh.PCA(2).fit(broken, comm=comm))
    narrow = local[:, :5] if comm.rank == comm.size - 1 and comm.size > 1 else local
    if comm.size > 1:
        refused(eigenmesh.EigenmeshError, "", lambda: eigenmesh.PCA(2).fit(narrow, comm=comm))
    flat = local[0] if comm.rank == comm.size - 1 else local
    refused(ValueError, "", lambda: eigenmesh.PCA(2).fit(flat, comm=comm))
    refused(ValueError, "method magic", lambda: eigenmesh.PCA(2, method="magic").fit(local, comm=comm))
    refused(ValueError, "comm", lambda: eigenmesh.PCA(2).fit(local, comm=5))


def a_callback_of_one_process_stops_all():
    callback = (lambda progress: progress.iteration >= 20) if comm.rank == 0 else None
    pca = eigenmesh.PCA(2, nodes=8, method="dsa", max_iter=10 ** 6, tol=1e-300, callback=callback)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pca.fit(local, comm=comm)
    assert 20 <= pca.n_iter_ < 100 and not pca.converged_ and same_everywhere(np.array(pca.n_iter_))


def a_part_of_the_world():
    half = comm.Split(comm.rank % 2)
    mine = np.array_split(X, half.size)[half.rank]
    np.testing.assert_allclose(eigenmesh.PCA(2).fit(mine, comm=half).components_, eigenmesh.PCA(2).fit(X).components_,
                               atol=1e-9)
    half.Free()


def rows_that_keep_coming():
    """Every process adds what it has, unequal batches; refresh makes the model of all of them."""
    pca = eigenmesh.PCA(3, method="krylov", tol=1e-11)
    for part in np.array_split(local[:-5], 3 + comm.rank):
        pca.partial_fit(part)
    pca.refresh(comm=comm)
    seen = np.concatenate([part[:-5] for part in np.array_split(X, comm.size)])
    np.testing.assert_allclose(pca.components_, eigenmesh.PCA(3).fit(seen).components_, atol=1e-9)
    assert pca.n_samples_ == len(seen) and pca.n_samples_seen_ == len(local) - 5 and same_everywhere(pca.components_)
    for row in local[-5:]:
        pca.partial_fit(row[None])
    refused(ValueError, "try refresh(comm=...)", lambda: pca.components_)
    refused(ValueError, "try refresh(comm=...)", lambda: pca.transform(local))
    before = pca._last.components
    pca.refresh(comm=comm)
    whole = eigenmesh.PCA(3).fit(X)
    np.testing.assert_allclose(np.abs(pca.components_), np.abs(whole.components_), atol=1e-9)
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-11)
    assert (np.sum(before * pca.components_, axis=1) > 0).all() and 0 < pca.turn_ < 1.6
    assert same_everywhere(pca.components_) and pca.transform(local).shape == (len(local), 3)
    several = eigenmesh.PCA(3, nodes=8, topology="cycle", tol=1e-11)
    for part in np.array_split(local, 8):
        several.partial_fit(part)
    several.refresh(comm=comm)
    np.testing.assert_allclose(several.components_, whole.components_, atol=1e-9)


def one_row_in_a_process_is_enough():
    mine = X[comm.rank:comm.rank + 1] if comm.rank < comm.size - 1 else X[comm.size - 1:]
    whole = eigenmesh.PCA(3).fit(X).components_
    np.testing.assert_allclose(eigenmesh.PCA(3, tol=1e-11).fit(mine, comm=comm).components_, whole, atol=1e-9)
    streamed = eigenmesh.PCA(3, tol=1e-11).partial_fit(mine).refresh(comm=comm)
    np.testing.assert_allclose(streamed.components_, whole, atol=1e-9)


def who_has_seen_nothing_is_named():
    pca = eigenmesh.PCA(2)
    if comm.rank < comm.size - 1 or comm.size == 1:
        pca.partial_fit(local)
    if comm.size > 1:
        words = "refresh: no rows were seen; try partial_fit first"
        refused(ValueError, words if comm.rank == comm.size - 1 else f"rank {comm.size - 1}: {words}",
                lambda: pca.refresh(comm=comm))


try:
    the_answer_is_that_of_all_rows()
    several_nodes_a_process()
    sparse_rows_beside_dense_ones()
    types_may_differ_and_estimators_work_on()
    failures_are_everybodys()
    a_callback_of_one_process_stops_all()
    a_part_of_the_world()
    rows_that_keep_coming()
    one_row_in_a_process_is_enough()
    who_has_seen_nothing_is_named()
except BaseException:
    import traceback

    traceback.print_exc()
    sys.stderr.flush()
    comm.Abort(1)
if comm.rank == 0:
    print(f"{comm.size} processes: fine")
