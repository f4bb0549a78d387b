"""The seam to libeigenmesh: handles that are released, statuses that are raised, arrays that are lent."""
from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Match, Optional, Sequence

import numpy as np

from ._core import ffi, lib
from ._gpu import DeviceRows
from ._sparse import is_sparse
from .errors import error_for

#: Types that the library reads where they lie; the first is what others are converted to.
LENDABLE = {
    np.dtype(name): code
    for name, code in {
        "float64": lib.EM_F64, "float32": lib.EM_F32, "float16": lib.EM_F16,
        "int8": lib.EM_I8, "int16": lib.EM_I16, "int32": lib.EM_I32, "int64": lib.EM_I64,
        "uint8": lib.EM_U8, "uint16": lib.EM_U16, "uint32": lib.EM_U32, "uint64": lib.EM_U64, "bool": lib.EM_BOOL,
    }.items()
}


def text_of(chars: Any) -> str:
    return ffi.string(chars).decode(errors="replace")


#: Parameters with another name than the library's option.
PARAMETERS = {"components": "n_components", "tolerance": "tol", "iterations": "max_iter", "seed": "random_state"}


def options() -> List[Dict[str, Any]]:
    """The library's table: a dict an option, with its name, default, help and the words it may be."""
    found: List[Dict[str, Any]] = []
    while lib.em_option(len(found)):
        info = lib.em_option(len(found))
        found.append({"name": text_of(info.name), "preset": text_of(info.preset), "help": text_of(info.help),
                      "words": text_of(info.words).split()})
    return found


def in_parameters(text: str) -> str:
    """The library says "try method=krylov" or "option tolerance"; here that is method="krylov" and tol."""
    names = {option["name"]: PARAMETERS.get(option["name"], option["name"].replace("-", "_")) for option in options()}
    names["directions"] = "directions"  # of moments: no fit's, and so not in the table

    def spoken(found: Match[str]) -> str:
        name, value = found["option"] or found["name"], found["value"]
        if name not in names:
            return found[0]
        if value is None:
            return names[name]
        quote = "" if re.fullmatch(r"[\d.eE+-]+", value) else '"'
        return f"{names[name]}={quote}{value}{quote}"

    subject, colon, rest = text.partition(": ")
    rest = re.sub(r",? or (?:missing|center)=\w+(?: or \w+)?", "", rest)  # which the estimator does not have
    return subject + colon + re.sub(r"(?<![^\s(])(?:option (?P<option>[a-z-]+)|(?P<name>[a-z-]+)=(?P<value>[^\s,;)]+))",
                                    spoken, rest)


def checked(function: Callable[..., int], *arguments: Any) -> None:
    """Call a function of the library, which takes an em_error last, and raise what it says."""
    error = ffi.new("em_error *")
    status = function(*arguments, error)
    if status != lib.EM_OK:
        raise error_for(status, in_parameters(text_of(error.msg)) or text_of(lib.em_status_text(status)), error.node)


def create(kind: str, make: Callable[..., int], release: Callable[[Any], None], *arguments: Any) -> Any:
    """An object of the library, released at the end of a `with`, or when nothing refers to it any more."""
    out = ffi.new(f"{kind} **")
    checked(make, out, *arguments)
    return ffi.gc(out[0], lambda handle: release(ffi.new(f"{kind} **", handle)))


def _address(array: np.ndarray) -> Any:
    return ffi.cast("void *", array.__array_interface__["data"][0])


def lend(array: Any, names: Optional[Sequence[str]] = None) -> Any:
    """An em_data over the memory of an array, whatever its strides, here or on a GPU, or of a sparse matrix in rows; it
    must outlive that."""
    if is_sparse(array):
        table = create("em_data", lib.em_data_from_csr, lib.em_data_free, _address(array.data), LENDABLE[array.dtype],
                       _address(array.indices), _address(array.indptr), LENDABLE[array.indices.dtype], *array.shape)
    elif isinstance(array, DeviceRows):
        table = create("em_data", lib.em_data_from_gpu, lib.em_data_free, ffi.cast("void *", array.address),
                       LENDABLE[array.dtype], *array.shape, *array.strides, ffi.cast("void *", array.stream))
    else:
        table = create("em_data", lib.em_data_from_array, lib.em_data_free, _address(array), LENDABLE[array.dtype],
                       *array.shape, *array.strides)
    if names is not None:
        texts = [ffi.new("char[]", str(name).encode()) for name in names]
        checked(lib.em_data_set_column_names, table, texts)
    return table


def is_lendable(array: np.ndarray) -> bool:
    """A stride of 0 means packed to the library, and a repeated row to NumPy."""
    return array.dtype in LENDABLE and 0 not in array.strides


def doubles(pointer: Any, *shape: int) -> np.ndarray:
    """A copy of numbers that belong to the library."""
    size = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(pointer, 8 * size), dtype=np.float64).reshape(shape).copy()


def whole_numbers(pointer: Any, count: int) -> np.ndarray:
    """A copy of int64_t that belong to the library."""
    return np.frombuffer(ffi.buffer(pointer, 8 * count), dtype=np.int64).copy()


def borrowed_doubles(array: np.ndarray) -> Any:
    """A pointer into a packed float64 array, which must outlive it."""
    return ffi.cast("double *", array.__array_interface__["data"][0])
