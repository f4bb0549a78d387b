"""Rows on a GPU, which two libraries stand in for: an array that has __cuda_array_interface__, or speaks DLPack, and lies in memory
of the stand-in."""
import ctypes
import os

import numpy as np
import pytest

import eigenmesh
from eigenmesh import PCA

STANDIN = os.environ.get("EIGENMESH_CUDA_PATH")
pytestmark = pytest.mark.skipif(not STANDIN or not os.path.exists(os.path.join(STANDIN, "libcuda.so.1")),
                                reason="no stand-in for CUDA's libraries")


class There:
    """An array of the device's memory, by __cuda_array_interface__."""

    def __init__(self, array, strides=None, shape=None):
        self.driver = ctypes.CDLL(os.path.join(STANDIN, "libcuda.so.1"))
        self.array = np.ascontiguousarray(array)
        self.at = ctypes.c_ulonglong()
        assert self.driver.cuMemAlloc_v2(ctypes.byref(self.at), ctypes.c_size_t(self.array.nbytes)) == 0
        assert self.driver.cuMemcpyHtoDAsync_v2(self.at, ctypes.c_void_p(self.array.ctypes.data),
                                                ctypes.c_size_t(self.array.nbytes), None) == 0
        self.shape, self.ndim = shape or self.array.shape, len(shape or self.array.shape)
        self.strides = strides

    def __del__(self):
        self.driver.cuMemFree_v2(self.at)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.array.dtype.str, "data": (self.at.value, False), "version": 3,
                "strides": self.strides, "stream": None}


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Spoken:
    """The same by DLPack."""

    def __init__(self, array, device=2):
        self.there, self.device, self.streams = There(array), device, []
        self.shape, self.ndim = self.there.shape, 2
        self.numbers = (ctypes.c_int64 * 2)(*self.shape)
        self.tensor = Managed(self.there.at.value, device, 0, 2, 2, 8 * array.dtype.itemsize, 1, self.numbers, None, 0,
                              None, None)

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return rng.standard_normal((400, 12)) * np.linspace(4, 1, 12) + 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [There, Spoken])
@pytest.mark.parametrize("nodes", [1, 3])
def test_rows_stay_where_they_lie(rows, dtype, make, nodes):
    X = rows.astype(dtype)
    here, there = PCA(3, device="cpu").fit(X), PCA(3, nodes=nodes, topology="cycle").fit(make(X))
    assert (there.device_, here.device_) == ("gpu", "cpu")
    assert there.components_.dtype == dtype and there.n_features_in_ == 12
    np.testing.assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(there.transform(make(X)), here.transform(X), atol=1e-3)


def test_of_several_nodes(rows):
    parts = [There(rows[:150]), There(rows[150:])]
    pca = PCA(3, topology="complete").fit(parts)
    np.testing.assert_allclose(pca.explained_variance_, PCA(3).fit(rows).explained_variance_, rtol=1e-9)


def test_any_strides(rows):
    across = There(rows.T, strides=(8, 8 * len(rows)), shape=rows.shape)
    some = There(rows, strides=(16 * 12, 8), shape=(200, 12))
    np.testing.assert_allclose(PCA(2).fit(across).explained_variance_, PCA(2).fit(rows).explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(PCA(2).fit(some).explained_variance_, PCA(2).fit(rows[::2]).explained_variance_, rtol=1e-9)


def test_whoever_made_it_is_told_the_stream(rows):
    X = Spoken(rows)
    PCA(2).fit(X)
    assert X.streams == [1]


def test_rows_of_the_host(rows):
    there, here = PCA(3, device="gpu").fit(rows), PCA(3, device="cpu").fit(rows)
    assert there.device_ == "gpu" and "stand-in" in there.device_choice_
    np.testing.assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-9)
    assert PCA(3).fit(rows).device_ == "cpu"  # too few to be worth it


def test_refusals(rows):
    with pytest.raises(eigenmesh.InvalidArgument, match="float32 or float64"):
        PCA(2).fit(There(rows.astype(np.int32)))
    with pytest.raises(ValueError, match="rows of features"):
        PCA(2).fit(There(rows[0]))
    with pytest.raises(eigenmesh.InvalidArgument, match="over and over"):
        PCA(2).fit(There(rows, strides=(0, 8)))
    with pytest.raises(ValueError, match="expecting 12 features"):
        PCA(2).fit(There(rows)).transform(There(rows[:, :5]))
    with pytest.raises(eigenmesh.InvalidArgument, match="the rows lie on a GPU"):
        PCA(2, device="cpu").fit(There(rows))
    with pytest.raises(eigenmesh.InvalidArgument, match="no such device"):
        PCA(2, device="tpu").fit(rows)
    rows[7, 3] = np.nan
    with pytest.raises(eigenmesh.DataError, match="row 7, column 3"):
        PCA(2).fit(There(rows))


def test_arrays_of_the_host_are_no_matter_of_it(rows):
    X = Spoken(rows, device=1)
    with pytest.raises((TypeError, ValueError)):
        PCA(2).fit(X)  # which is no array here, and is not taken for one there
