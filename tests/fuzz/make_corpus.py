#!/usr/bin/env python3
"""Make the corpora that the fuzz targets start from: make_corpus.py EIGENMESH

Tiny files, valid ones and ones that are nearly so.  NumPy makes the arrays; the eigenmesh program given makes
models.
"""
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile

import corpus_net
import numpy as np
from corpora import HERE, put

TABLE = np.arange(6).reshape(3, 2) + 0.5


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version=version)
    return out.getvalue()


def npy_claiming(header, payload=b""):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + payload


def idx(code, shape, payload):
    return bytes([0, 0, code, len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape) + payload


def make_npy():
    for kind in ["?", "i1", "<i2", ">i4", "<i8", "u1", ">u2", "<u4", ">u8", "<f2", ">f4", "<f8", "<f16"]:
        put("npy", kind.strip("<>").replace("?", "b1"), npy(TABLE.astype(kind)))
    put("npy", "fortran", npy(np.asfortranarray(TABLE)))
    put("npy", "three-dims", npy(np.zeros((2, 3, 2), "u1")))
    put("npy", "version-2", npy(TABLE, (2, 0)))
    put("npy", "version-3", npy(TABLE, (3, 0)))
    put("npy", "complex", npy(TABLE.astype("c16")))
    put("npy", "text", npy(np.array([["a", "b"]])))
    put("npy", "records", npy(np.zeros(2, [("a", "f8"), ("b", "i4")])))
    put("npy", "one-dim", npy(np.zeros(4)))
    put("npy", "cut", npy(TABLE)[:-3])
    put("npy", "trailing", npy(TABLE) + b"more")
    put("npy", "huge", npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 2), }"))
    put("npy", "reordered", npy_claiming("{\"shape\":(1,2,),\"descr\":\"|u1\",\"fortran_order\":True}", b"ab"))


def make_npz():
    """Those of the library's tests (tests/data/files/make_npz.py), damaged ones too."""
    for path in (HERE.parent.parent / "data" / "files").glob("*.npz"):
        put("npz", path.stem, path.read_bytes())


def make_idx():
    for code, size in [(8, 1), (9, 1), (0x0B, 2), (0x0C, 4), (0x0D, 4), (0x0E, 8)]:
        put("idx", f"type-{code:02x}", idx(code, [3, 2], bytes(range(6 * size))))
    put("idx", "labels", idx(8, [4], b"\0\1\2\3"))
    put("idx", "images", idx(8, [2, 2, 2], bytes(8)))
    put("idx", "cut", idx(8, [3, 2], b"abc"))
    put("idx", "huge", idx(0x0E, [0xFFFFFFFF] * 4, b""))
    put("idx", "empty", idx(8, [0, 2], b""))


def make_text():
    texts = {
        "plain": "1,2\n3,4\n",
        "header": "a,b,label\n1,2.5,x\n-3e2,.5,y\n",
        "tabs": "a\tb\n1\t2\n",
        "semicolons": "1;2\r\n3;4\r\n",
        "blanks": "  1   2 \n 3 4\n\n",
        "quotes": "\"a,1\",\"b\"\"c\"\n\"1\",\"2\"\n",
        "mark": "\ufeffa,b\n1,2\n",
        "missing": "1,\nNA,2\n",
        "infinite": "1,inf\n1e999,2\n",
        "ragged": "1,2\n3\n",
        "unclosed": "1,\"2\n3,4\n",
        "long": "0.1234567890123456789,1234567890123456789012345\n1e-320,2.2250738585072014e-308\n",
        "one": "7",
        "bars": "a|b\n1|2\n",
        "comments": "# by hand\n#b,a\n1,2\n# \"so\n3,4\n",
        "index": ",a,b\n0,1,2\n1,3,4\n",
        "returns": "a,b\r1,2\r",
        "years": "x,1990,1991,1992\ny,1,2,3\n",
        "mixed": "id,b,a,note\nP1,1,2,\nP2,NA,3,x\nP3,4,5,y\n",
    }
    for name, text in texts.items():
        put("csv", name, text.encode())
    put("csv", "utf16", "b,a\n1,2\n".encode("utf-16"))
    put("csv", "latin1", "\xe4,b\n1,2\n".encode("latin-1"))


def make_binary():
    put("raw", "f64", bytes([0, 2]) + TABLE.tobytes())
    put("raw", "u8", bytes([8, 3]) + bytes(9))
    put("raw", "no-columns", bytes([1, 0]) + bytes(8))
    put("raw", "ragged", bytes([1, 3]) + bytes(8))
    record = bytes([7]) + bytes(i % 256 for i in range(3072))
    put("cifar", "one", record)
    put("cifar", "two", 2 * record)
    put("cifar", "cut", record[:-1])
    put("cifar", "label", b"\x0a" + record[1:])


def make_bed():
    """The .bim, the .fam and the .bed, with a zero between (fuzz_bed.c)."""
    bim = b"1 rs1 0 10 T C\nchr1\trs2\t0\t20\tA\tG\r\n"
    fam = b"f1 i1 0 0 1 -9\nf2 i2 0 0 2 1\nf3 i3 0 0 0 2\nf4 i4 0 0 0 2\nf5 i5 0 0 0 2\n"
    bed = b"\x6c\x1b\x01\xe4\x03\x1b\x02"
    files = {
        "plain": (bim, fam, bed),
        "cut": (bim, fam, bed[:-1]),
        "longer": (bim, fam, bed + b"x"),
        "person-major": (bim, fam, b"\x6c\x1b\x00\xe4\x03"),
        "other-bytes": (bim, fam, b"\x00\x00\x00\xe4"),
        "one-variant": (bim[:15], fam, bed[:5]),
        "fields": (b"1 rs1 10 T C\n", fam, bed),
        "position": (bim.replace(b"20", b"2e1"), fam, bed),
        "nobody": (bim, b" \n", bed),
        "twice": (b"1 rs2 0 20 A G\n1 rs2 0 20 G A\n", fam, bed),
        "latin1": (bim.replace(b"rs1", b"\xe4"), fam.replace(b"i1", b"\xe4"), bed),
    }
    for name, parts in files.items():
        put("bed", name, b"\0".join(parts))


def make_gz():
    contents = {"npy": npy(TABLE), "csv": b"a,b\n1,2\n", "idx": idx(8, [2, 2], bytes(4)), "empty": b""}
    for name, content in contents.items():
        put("gz", f"packed-{name}", b"\x00" + gzip.compress(content, mtime=0))
        put("gz", f"plain-{name}", b"\x01" + content)
    packed = gzip.compress(npy(TABLE), mtime=0)
    put("gz", "cut", b"\x00" + packed[:-5])
    put("gz", "checksum", b"\x00" + packed[:-8] + b"abcd" + packed[-4:])
    put("gz", "two-members", b"\x00" + gzip.compress(b"1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0))


def make_edges():
    put("edges", "cycle", b"0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n")
    put("edges", "comments", b"# a path\n0\t1 # first\n\n1 2\r\n2 3\n3 4\n4 5")
    put("edges", "loop", b"0 0\n")
    put("edges", "apart", b"0 1\n2 3\n4 5\n")
    put("edges", "beyond", b"0 6\n")
    put("edges", "text", b"a b\n1 2 3\n")


def make_sparse():
    """Matrix Market; and recipes of what a program lends (fuzz_csr.c) and of what SciPy saves (fuzz_npz_sparse.c)."""
    head = b"%%MatrixMarket matrix coordinate "
    for name, text in {
        "real": b"real general\n% made\n3 2 3\n1 1 0.5\n3 1 -2e1\n2 2 7\n",
        "integer": b"integer general\n2 3 2\n2 1 3\n1 3 16777217\n",
        "pattern": b"pattern general\n2 3 2\n1 3\n2 1\n",
        "symmetric": b"real symmetric\n2 2 2\n1 1 5\n2 1 3\n",
        "skew": b"real skew-symmetric\n2 2 1\n2 1 3\n",
        "missing": b"real general\n3 2 3\n1 1 nan\n2 2 1\n3 1 inf\n",
        "twice": b"real general\n1 2 3\n1 2 1\n1 2 2\n1 1 4\n",
        "empty": b"real general\n2000000000 2000000000 0\n",
        "cut": b"real general\n3 2 3\n1 1 0.5\n",
    }.items():
        put("mtx", name, head + text)
    put("mtx", "array", b"%%MatrixMarket matrix array real general\n1 1\n1\n")
    put("mtx", "packed", gzip.compress(head + b"real general\n1 1 1\n1 1 2\n", mtime=0))
    for n in range(8):  # types, rows, columns, careful; starts; an index and a value in turn
        put("csr", f"careful-{n}", bytes([n, 6, 5, 1] + [3] * 6 + [k * (n + 3) % 251 + 5 for k in range(60)]))
    put("csr", "wild", bytes([0, 2, 2, 0, 8, 10, 12] + [8, 110, 9, 120] * 4))
    put("csr", "numbers", bytes([1, 3, 2, 1, 2, 2, 2] + [0, 0, 1, 1, 0, 2, 1, 3, 0, 4, 1, 200]))
    for kind in range(5):  # rows, entries, format; of each array its type, and its bytes
        recipe = [3, 4, kind, 0, 3, 2, 0, 0, 2, 3, 4, 0, 0, 1, 1, 0, 0, 0, 1, 2, 2, 0, 1, 0, 1, 1, 2, 5, 6, 7, 8]
        put("npz_sparse", f"kind-{kind}", bytes(recipe))
    put("npz_sparse", "not-there", bytes([3, 4, 0, 0, 3, 2, 250]))


def make_hdf5():
    """Recipes (fuzz_hdf5.c): packed, asked for, cut, datasets; of each, dimensions, type, extents."""
    recipes = {
        "table": [0, 0, 0, 1, 2, 0, 5, 3],
        "packed": [1, 0, 0, 1, 2, 1, 5, 3],
        "named": [0, 1, 0, 2, 2, 0, 5, 3, 2, 2, 4, 4],
        "several": [0, 0, 0, 3, 2, 0, 5, 3, 2, 2, 4, 4, 3, 3, 2, 2, 2],
        "missing": [0, 2, 0, 1, 2, 0, 5, 3],
        "group": [0, 3, 0, 1, 2, 0, 5, 3],
        "cut": [0, 0, 9, 1, 2, 0, 5, 3],
        "cut-packed": [1, 0, 9, 1, 2, 0, 5, 3],
        "text": [0, 1, 0, 1, 2, 6, 5, 3],
        "scalar": [0, 1, 0, 1, 0, 0],
        "wide": [0, 0, 0, 1, 3, 2, 2, 200, 180],
        "nine-dims": [0, 1, 0, 1, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        "none": [0, 0, 0, 0],
    }
    for kind in range(3):  # encoding, shape, three lists (type, held, count, numbers and 2 more), two frames
        recipes[f"sparse-{kind}"] = [0, 0, 0, 0, 1, kind, 1, 3, 2, 3, 1, 4, 2, 4, 4, 6, 2, 1, 4, 2, 3, 3, 2,
                                     kind, 1, 4, 3, 4, 5, 6, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 2, 1]
    for name, recipe in recipes.items():
        put("hdf5", name, bytes(recipe))


def make_checkpoint():
    """Patches (fuzz_checkpoint.c): the method, then words to replace: where, and what."""
    label_iteration, at_root, alpha, options, option_count = 10, 47, 48, 53, 20  # each of which takes six words
    tested = options + 1 + 6 * option_count
    column, found, first_count = tested + 1, tested + 3, tested + 8
    for method in range(6):
        put("checkpoint", f"good-{method}", bytes([method]))
        for name, place, word in (
            ("late", label_iteration, 1 << 62),
            ("never", label_iteration, 0),
            ("root", at_root, 1 if method else 0),
            ("step", alpha, 0x7FF8000000000000),
            ("options", options, 1 << 40),
            ("fewer", options, 3),
            ("unknown", options + 1, int.from_bytes(b"zeal-ous", "little")),
            ("tested", tested, 1),
            ("column", column, 5),
            ("found", found, 1),
            ("count", first_count, 1 << 63),
        ):
            put("checkpoint", f"{name}-{method}", bytes([method]) + place.to_bytes(2, "little") + word.to_bytes(8, "little"))


def make_with(program):
    with tempfile.TemporaryDirectory() as place:
        source = pathlib.Path(place) / "source.npy"
        np.save(source, np.random.default_rng(1).normal(size=(12, 3)))

        def run(*arguments):
            subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

        model = source.with_name("model.npz")
        run("fit", source, "-k", 2, "-n", 1, "--iterations", 5, "-o", model, "--tolerance", 0)
        put("model", "fit", model.read_bytes())
        moments = source.with_name("moments.npz")
        for name, options in (("exact", ()), ("sketch", ("--directions", 2))):
            run("moments", source, *options, "-o", moments)
            put("moments", name, moments.read_bytes())
            put("moments", name + "-cut", moments.read_bytes()[:-40])
        put("model", "cut", model.read_bytes()[:-40])
        named = source.with_name("named.npz")
        with np.load(model) as entries:
            np.savez(named, **entries, feature_names=np.array(["width", "", "Länge"]))
        put("model", "names", named.read_bytes())
        np.savez(source.with_name("other.npz"), components=np.eye(2))
        put("model", "other", (source.with_name("other.npz")).read_bytes())


if len(sys.argv) != 2:
    sys.exit("usage: make_corpus.py EIGENMESH")
make_npy()
make_npz()
make_idx()
make_text()
make_binary()
make_bed()
make_gz()
make_edges()
make_sparse()
make_hdf5()
make_checkpoint()
corpus_net.make()
make_with(sys.argv[1])
