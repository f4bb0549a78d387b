"""Rows that lie on a GPU: CuPy's, PyTorch's, JAX's, or anybody's who speaks DLPack or has __cuda_array_interface__."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from .errors import InvalidArgument

CUDA = 2  # kDLCUDA
DEFAULT_STREAM = 1  # CUDA's, as both protocols count


class _Tensor(ctypes.Structure):
    """As dlpack.h has it, what a capsule called "dltensor" begins with."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


class DeviceRows(NamedTuple):
    """A table on the GPU, and what keeps it there."""

    address: int
    dtype: np.dtype
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  #: in bytes
    stream: int  #: that whoever made it may still be at work on
    owner: Any


def device_rows(X: Any) -> Optional[DeviceRows]:
    """The table where it lies, if that is a GPU; None: it is somewhere else. Nothing is copied."""
    if isinstance(X, np.ndarray) or not (hasattr(X, "__dlpack_device__") or hasattr(X, "__cuda_array_interface__")):
        return None
    rows = _by_dlpack(X) if _lies_on_gpu(X) else _by_interface(X)
    if rows is None:
        return None
    if len(rows.shape) != 2 or 0 in rows.shape:
        raise ValueError(f"Expected rows of features, got an array of shape {rows.shape}.")
    if rows.dtype not in (np.float32, np.float64):
        raise InvalidArgument(f"X: {rows.dtype} on a GPU; try float32 or float64")
    if any(stride == 0 and size > 1 for stride, size in zip(rows.strides, rows.shape)):
        raise InvalidArgument("X: rows that are one row over and over, on a GPU; try a copy of it")
    return rows


def _lies_on_gpu(X: Any) -> bool:
    try:
        return hasattr(X, "__dlpack__") and X.__dlpack_device__()[0] == CUDA
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        return False  # an array that has no one place, such as one of several devices


def _by_dlpack(X: Any) -> DeviceRows:
    """Whoever made it sees to it that the default stream waits for what is under way."""
    X = X.detach() if hasattr(X, "detach") else X  # PyTorch lends no tensor that it differentiates by
    capsule = X.__dlpack__(stream=DEFAULT_STREAM)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    kind = _KINDS.get(tensor.code)
    if kind is None or tensor.lanes != 1:
        raise InvalidArgument("X: numbers of a kind that is not read, on a GPU; try float32 or float64")
    dtype = np.dtype(f"{kind}{tensor.bits // 8}")
    shape = tuple(tensor.shape[n] for n in range(tensor.ndim))
    packed = _packed(shape, dtype.itemsize)
    strides = tuple(tensor.strides[n] * dtype.itemsize for n in range(tensor.ndim)) if tensor.strides else packed
    address = (tensor.data or 0) + tensor.byte_offset
    return DeviceRows(address, dtype, shape, strides, DEFAULT_STREAM, capsule)  # which frees it, as it is not taken over


def _by_interface(X: Any) -> Optional[DeviceRows]:
    about = getattr(X, "__cuda_array_interface__", None)
    if about is None:
        return None
    if about.get("mask") is not None:
        raise InvalidArgument("X: an array with a mask, on a GPU; try filling it")
    dtype = np.dtype(about["typestr"])
    if dtype.byteorder == ">":
        raise InvalidArgument("X: numbers of the other byte order, on a GPU; try float32 or float64")
    strides = about.get("strides") or _packed(about["shape"], dtype.itemsize)
    stream = about.get("stream")
    return DeviceRows(int(about["data"][0] or 0), dtype, tuple(about["shape"]), tuple(strides),
                      DEFAULT_STREAM if stream is None else int(stream), X)


def _packed(shape: Tuple[int, ...], size: int) -> Tuple[int, ...]:
    strides = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return tuple(strides)
