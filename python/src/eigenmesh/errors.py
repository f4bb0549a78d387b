"""What goes wrong, as exceptions that keep the library's code and text.

>>> import eigenmesh
>>> try:
...     eigenmesh.Graph("moebius", nodes=5)
... except eigenmesh.InvalidArgument as error:
...     print(error.code, isinstance(error, ValueError))
-2 True
"""
from __future__ import annotations

import sys
import warnings
from typing import Type

__all__ = [
    "EigenmeshError", "OutOfMemory", "InvalidArgument", "NotSupported", "DataError", "ReadError", "WriteError",
    "NetworkError", "NumericError", "ConvergenceWarning", "SketchWarning", "SlowKernelsWarning",
    "error_for",
]

try:
    from sklearn.exceptions import ConvergenceWarning
except ImportError:

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """A fit ended before it met its tolerance."""


def warn(text: str, kind: Type[Warning] = UserWarning) -> None:
    """As if by the line that called the package, however deep in it this is."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("eigenmesh."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)


class SlowKernelsWarning(RuntimeWarning):
    """OpenBLAS multiplies as on an older CPU; results are right, and late."""


class SketchWarning(UserWarning):
    """A model is of a sketch of the rows: a variance may be larger than it says, by no more than `sketch_bound_`."""


class EigenmeshError(Exception):
    """Any failure of the library: `code` is its em_status, `text` says what was wrong and what to try."""

    code = 0

    def __init__(self, text: str, node: int = -1) -> None:
        super().__init__(text)
        self.text = text
        self.node = node  #: the node that failed, -1 where it was none in particular

    def __reduce__(self) -> tuple:
        return type(self), (self.text, self.node)


class OutOfMemory(EigenmeshError, MemoryError):
    code = -1


class InvalidArgument(EigenmeshError, ValueError):
    code = -2


class NotSupported(EigenmeshError, NotImplementedError):
    code = -3


class DataError(EigenmeshError, ValueError):
    """The data is not usable: not finite, ragged, without variance."""

    code = -4


class ReadError(EigenmeshError, OSError):
    code = -5


class WriteError(EigenmeshError, OSError):
    code = -6


class NetworkError(EigenmeshError, ConnectionError):
    """A neighbour is lost."""

    code = -7


class NumericError(EigenmeshError, ArithmeticError):
    """A numerical routine failed."""

    code = -8


_BY_CODE = {kind.code: kind for kind in EigenmeshError.__subclasses__()}


def error_for(code: int, text: str, node: int = -1) -> EigenmeshError:
    """The exception for an em_status."""
    return _BY_CODE.get(code, EigenmeshError)(text, node)
