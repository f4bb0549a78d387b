#!/usr/bin/env python3
"""Make the arrays of this folder with NumPy, and index.txt, which says what is in them.

A line of the index: file, type, rows, columns, then every number as a hexadecimal float, row by row.
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
TYPES = {
    "f64": "f8", "f32": "f4", "f16": "f2", "f128": "f16", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
    "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "bool": "?",
}
index = []


def put(name, kind, array, version=None):
    with open(HERE / name, "wb") as out:
        np.lib.format.write_array(out, array, version=version)
    table = array.reshape(array.shape[0], -1).astype("f8")
    numbers = " ".join(float(x).hex() for x in table.ravel())
    index.append(f"{name} {kind} {table.shape[0]} {table.shape[1]} {numbers}\n")


def numbers_of(dtype):
    """3 x 2, with the type's extremes."""
    if dtype.kind == "b":
        return np.array([[False, True], [True, True], [False, False]])
    if dtype.kind in "iu":
        about = np.iinfo(dtype)
        return np.array([[about.min, about.max], [0, 1], [about.max // 3, 100]], dtype)
    about = np.finfo("f8" if dtype.itemsize == 16 else dtype)
    tiny = about.tiny * about.eps  # the smallest subnormal
    return np.array([[about.max, -about.max], [tiny, -1 / 3], [np.inf, np.nan]], dtype)


for kind, code in TYPES.items():
    little = numbers_of(np.dtype(code))
    for order in "<>":
        array = little.astype(little.dtype.newbyteorder(order))
        for layout in "CF":
            name = f"{kind}-{'little' if order == '<' else 'big'}-{layout}.npy"
            put(name, kind, np.asarray(array, order=layout))

table = np.arange(24.0).reshape(4, 6)
for version in 1, 2, 3:
    put(f"version-{version}.npy", "f64", table, (version, 0))
put("three-dims.npy", "i32", np.arange(24, dtype="i4").reshape(4, 3, 2))
put("four-dims.npy", "u8", np.arange(24, dtype="u1").reshape(2, 3, 2, 2))
put("one-number.npy", "f64", np.array([[42.0]]))
put("one-row.npy", "f64", np.arange(5.0).reshape(1, 5))
put("one-column-F.npy", "f64", np.asfortranarray(np.arange(5.0).reshape(5, 1)))
(HERE / "index.txt").write_text("".join(index))

# What must be refused, and is not in the index.
for name, array in {
    "scalar": np.array(1.0),
    "one-dim": np.arange(4.0),
    "no-rows": np.zeros((0, 3)),
    "no-columns": np.zeros((3, 0)),
    "fortran-three-dims": np.asfortranarray(np.zeros((2, 3, 2))),
    "complex": np.zeros((2, 2), "c16"),
    "bytes": np.array([[b"ab", b"c"]]),
    "text": np.array([["ab", "c"]]),
    "dates": np.array([["2020-01-01", "2020-01-02"]], "M8[D]"),
    "durations": np.array([[1, 2]], "m8[s]"),
    "records": np.zeros((2, 2), [("a", "f8"), ("b", "i4")]),
    "void": np.zeros((2, 2), "V4"),
    "objects": np.array([[None, 1]], object),
}.items():
    np.save(HERE / f"refused-{name}.npy", array, allow_pickle=True)
