"""Loads eigenmesh._core, and with it OpenBLAS, which then chooses the kernels that it multiplies by. On a CPU that it does not
know they are slow, unless its variable names others: docs/speed.md.

To be imported before NumPy, which may bring the same OpenBLAS: once loaded, it does not choose again.
"""
from __future__ import annotations

import _ctypes
import ctypes
import os
from contextlib import contextmanager, suppress
from importlib import import_module, util
from typing import Iterator

CORE = f"{__package__}._core"
CHOICE = "OPENBLAS_CORETYPE"


def _better() -> str:
    """The kernels that OpenBLAS should be told to use, "" for its own choice. It can only be asked: where what it chose is
    not good, it is unloaded again."""
    found = util.find_spec(CORE)
    with suppress(OSError):  # the import will say why
        if found and found.origin and not os.environ.get(CHOICE):
            core = ctypes.CDLL(found.origin)
            core.py_blas_advice.restype = ctypes.c_char_p
            advice = core.py_blas_advice()
            if advice:
                _ctypes.dlclose(core._handle)
                return advice.decode().partition("=")[2]
    return ""


@contextmanager
def _chosen(kernels: str) -> Iterator[None]:
    """The environment with this choice, which is read once and is nobody else's."""
    if kernels:
        os.environ[CHOICE] = kernels
    try:
        yield
    finally:
        if kernels:
            del os.environ[CHOICE]


with _chosen(_better()):
    import_module(CORE)
