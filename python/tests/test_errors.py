"""Every status is an exception that keeps its code and text."""
import pickle

import numpy as np
import pytest
from data import spectrum

import eigenmesh
from eigenmesh._native import in_parameters, lib

KINDS = {
    "ENOMEM": (eigenmesh.OutOfMemory, MemoryError),
    "EINVAL": (eigenmesh.InvalidArgument, ValueError),
    "ENOTSUP": (eigenmesh.NotSupported, NotImplementedError),
    "EDATA": (eigenmesh.DataError, ValueError),
    "EIO": (eigenmesh.ReadError, OSError),
    "EOUTPUT": (eigenmesh.WriteError, OSError),
    "ENET": (eigenmesh.NetworkError, ConnectionError),
    "ENUMERIC": (eigenmesh.NumericError, ArithmeticError),
}


def test_every_status_of_the_header_has_a_kind():
    codes = {name: getattr(lib, name) for name in dir(lib) if name.startswith("EM_E") and getattr(lib, name) < 0}
    assert {f"EM_{name}": kind.code for name, (kind, _) in KINDS.items()} == codes


@pytest.mark.parametrize("kind, builtin", KINDS.values())
def test_kinds(kind, builtin):
    error = eigenmesh.errors.error_for(kind.code, "graph: too odd; try another", 3)
    assert type(error) is kind and isinstance(error, builtin) and isinstance(error, eigenmesh.EigenmeshError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.text, again.node, str(again)) == (kind.code, "graph: too odd; try another", 3, error.text)


@pytest.mark.parametrize("value, name", [(np.nan, "NaN"), (np.inf, "infinite")])
def test_bad_numbers_are_named(value, name):
    X = spectrum(30, 4)
    X[17, 2] = value
    with pytest.raises(eigenmesh.DataError, match=rf"row 17, column 2 .*{name}") as caught:
        eigenmesh.PCA().fit(X)
    assert caught.value.code == -4 and caught.value.text == str(caught.value)


@pytest.mark.parametrize("parameters, said", [
    ({"method": "magic"}, "method magic"),
    ({"step": -1.0, "method": "dsa"}, "step -1"),
    ({"tol": -1.0}, "tolerance"),
    ({"max_iter": -1}, "iterations"),
    ({"scale": "loud"}, "scale loud"),
    ({"topology": "moebius", "nodes": 4}, "topology moebius"),
    ({"weights": "heavy"}, "weights heavy"),
    ({"method": "gha", "nodes": 4}, "gha"),
    ({"nodes": 31}, "31"),
])
def test_parameters_are_refused_by_the_library(parameters, said):
    with pytest.raises(eigenmesh.EigenmeshError, match=said):
        eigenmesh.PCA(2, **parameters).fit(spectrum(30, 4))


@pytest.mark.parametrize("library, here", [
    ("QR: LAPACK returned 3; try scale=spectral", 'QR: LAPACK returned 3; try scale="spectral"'),
    ("covariance: out of memory; try method=krylov, or a machine with more",
     'covariance: out of memory; try method="krylov", or a machine with more'),
    ("mpi: out of memory; try a smaller option components", "mpi: out of memory; try a smaller n_components"),
    ("fit: option consensus-rounds differs; try components=10", "fit: consensus_rounds differs; try n_components=10"),
    ("method=dsa.npy: no file; try colour=red, or another option", "method=dsa.npy: no file; try colour=red, or another option"),
])
def test_advice_names_parameters(library, here):
    assert in_parameters(library) == here


def test_advice_of_a_fit_names_parameters():
    with pytest.raises(eigenmesh.InvalidArgument, match='needs all data in one place.*; try nodes=1, or method dsa'):
        eigenmesh.PCA(2, method="gha", nodes=4).fit(spectrum(30, 4))


def test_data_without_variance():
    with pytest.raises(eigenmesh.DataError, match="no variance"):
        eigenmesh.PCA().fit(np.ones((5, 3)))


def test_more_nodes_than_rows_are_refused_at_once():
    with pytest.raises(ValueError, match="20 rows for 1000000000 nodes"):
        eigenmesh.PCA(2, nodes=10 ** 9).fit(np.eye(20, 5))


def test_what_c_would_cut_short_is_refused(tmp_path):
    fitted = eigenmesh.PCA(1).fit(np.eye(5, 3))
    with pytest.raises(ValueError, match="no zero"):
        fitted.save(f"{tmp_path}/a\0b.npz")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="random_state=-1"):
        eigenmesh.PCA(1, random_state=-1).fit(np.eye(5, 3))
