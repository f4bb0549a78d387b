#!/usr/bin/env python3
"""Make the corpora that the fuzz targets start from: make_corpus.py EIGENMESH

Tiny files, valid ones and ones that are nearly so.  NumPy makes the arrays; the eigenmesh program given makes
models.
"""
import gzip
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HERE = pathlib.Path(__file__).parent / "corpus"
TABLE = np.arange(6).reshape(3, 2) + 0.5


def put(reader, name, content):
    place = HERE / reader
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)


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


def make_study():
    """Ids of identity seeds 10.., 11.. and 12.. (tests/net/study_texts.h)."""
    ids = [
        "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm",
        "em16p9tyvn59w62kwsndz75v90yumgzyj4hrgqkhtu9yz3n9jthsumsmdravm",
        "em1ypqypcmycy8jhmyurljspgwdfsj8ezwk2zspa4lg9j46seu80ssspdtnq8",
    ]
    good = (
        "[study]\nname = heart\ncomponents = 10\nscale = std # so\nmasks = no\n\n"
        f"[site berlin]\nid = {ids[0]}\naddress = berlin.example.org:7473\nneighbours = paris, oslo\n\n"
        f"[site paris]\nid = {ids[1]}\naddress = [2001:db8::7]:80\nneighbours = oslo\n\n[site oslo]\nid = {ids[2]}\n"
    )
    put("net_study", "good", good.encode())
    put("net_study", "windows", good.replace("\n", "\r\n").encode())
    put("net_study", "bare", good.replace(" = ", "=").replace("# so", "").encode())
    put("net_study", "capitals", good.replace(ids[0], ids[0].upper()).encode())
    put("net_study", "mixes", good.replace("scale = std", "method = dsa\nstep = 0.1\nstep-decay = power:0.2").encode())
    put("net_study", "options", good.replace("scale = std", "tolerance = 1e-320\nseed = 18446744073709551615").encode())
    put("net_study", "fraction", good.replace("= 10", "= 0.9").encode())
    put("net_study", "apart", good.replace("neighbours = paris, oslo", "").encode())
    put("net_study", "twice", good.replace(ids[1], ids[0]).encode())
    put("net_study", "refused", good.replace("scale", "checkpoint").encode())
    put("net_study", "mark", ("\ufeff" + good).encode())
    put("net_study", "utf16", good.encode("utf-16"))


def make_node():
    """What is done to a node (fuzz_net_node.c): a byte for what, from whom; then, mostly, a frame."""
    zeros = bytes(32)

    def number(value, size):
        return value.to_bytes(size, "little")

    def frame(kind, payload, run=zeros, sequence=0):
        return bytes([kind, 0, 0, 0]) + number(len(payload), 4) + run[:8] + number(sequence, 8) + payload

    def hello(site, run=zeros, received=0, life=9):
        return frame(1, zeros + number(site, 2) + bytes([life]) * 16 + run + number(received, 8) + zeros)

    def entry(site, life):
        return number(site, 2) + bytes([life]) * 48 + number(3, 4) + zeros + zeros + b"s" * 64

    def start(name, own=1, keys=(7, 8, 9)):
        lives = [own if site == 1 else keys[site] for site in range(3)]
        return name * 16 + bytes(8) + b"".join(entry(site, life) for site, life in enumerate(lives))

    def by(which, what):  # a frame from the first or second neighbour
        return bytes([12 | which]) + what

    run = b"r" * 32
    meet = b"\x01" + by(0, hello(0)) + by(1, hello(2))
    drain = bytes([8, 9])
    here = by(1, frame(3, entry(2, 9)))
    begin = by(0, frame(4, start(b"r")))
    same = by(0, frame(5, run + bytes(8))) + by(1, frame(5, run + bytes(8)))
    in_run = meet + drain + here + begin + drain + same
    parts = b"".join(by(1, frame(6, bytes(64 if n < 15 else 40), run, n)) for n in range(16))
    ack = by(0, frame(7, number(16, 8), run))
    put("net_node", "meets", meet + drain)
    put("net_node", "enters", in_run)
    put("net_node", "round", in_run + bytes([4, 0x49]) + 20 * drain + parts + ack + drain)
    put("net_node", "early", in_run + parts + bytes([4, 0x49]) + 20 * drain + ack)
    put("net_node", "ahead", in_run + bytes([4, 0x49]) + by(1, frame(6, bytes(64), run, 5)))
    put("net_node", "size", in_run + bytes([4, 0x49]) + by(1, frame(6, bytes(63), run, 0)) + drain)
    put("net_node", "cut", in_run + bytes([4, 0x49]) + 9 * drain + b"\x00" + by(0, hello(0, run, 3)) + 20 * drain)
    put("net_node", "set-back", in_run + by(0, frame(7, number(9, 8), run)) + drain)
    put("net_node", "count-to-come", meet + by(0, frame(5, run + number(99, 8))) + begin + drain)
    put("net_node", "again", in_run + by(0, frame(4, start(b"q"))) + drain)
    put("net_node", "keys", meet + by(0, frame(4, start(b"r", keys=(7, 8, 7)))))
    put("net_node", "beats", in_run + by(0, frame(8, b"\2\0")) + 5 * b"\xf2" + drain)
    for code in range(11):
        put("net_node", f"leave-{code}", in_run + by(0, frame(9, number(code, 2))))
    put("net_node", "study", meet + by(0, frame(2, b"eigenmesh study 1\nx \x1b[1m\n")))
    put("net_node", "lives", meet + by(1, hello(2, life=8)) + 4 * b"\xf2" + by(1, hello(2, life=8)))
    put("net_node", "done", in_run + b"\xfa" + drain + begin + drain)
    root = b"\x00" + by(0, hello(1)) + by(1, hello(2)) + by(0, frame(3, entry(1, 8))) + by(1, frame(3, entry(2, 9)))
    first = b"\x01" * 32
    root_run = root + by(0, frame(5, first + bytes(8))) + by(1, frame(5, first + bytes(8))) + drain
    put("net_node", "root", root_run + bytes([4, 0x43]) + 20 * drain)
    put("net_node", "root-again", root_run + by(0, frame(3, entry(1, 6))) + drain)


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


class Log:
    """An audit log as src/net/audit.h describes it, signed with the key whose seed is 32 times 0x10."""

    identity = "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm"

    def __init__(self, site, number):
        self.lines = []
        self.add("begin", signed=True, site=site, number=number, study="heart", study_digest=digest("heart"),
                 fingerprint="0000 1111", id=self.identity, version="1.0")

    def last(self):
        return hashlib.sha256(self.lines[-1]).hexdigest() if self.lines else "0" * 64

    def add(self, what, signed=False, **fields):
        head = {"n": len(self.lines) + 1, "time": "2026-01-02T03:04:05Z", "before": self.last(), "what": what}
        text = json.dumps({**head, **fields}, separators=(",", ":")).replace("\\\\", "\\u005c").replace('\\"', "\\u0022")
        line = text.encode()[:-1]
        if signed:
            key = Ed25519PrivateKey.from_private_bytes(bytes([0x10]) * 32)
            line += b',"signature":"' + key.sign(b"eigenmesh audit 1\0" + line).hex().encode() + b'"'
        self.lines.append(line + b"}")

    def content(self):
        return b"\n".join(self.lines) + b"\n"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def make_audit():
    """Two sites that met and ran, alone and, with a 0 between, together."""
    a, b = Log("berlin", 0), Log("paris", 1)
    of_a, of_b = a.last(), b.last()
    for own, peer, theirs, ours in ((a, "paris", of_b, of_a), (b, "berlin", of_a, of_b)):
        own.add("up", peer=peer, instance="00" * 16, peer_audit=theirs, own_audit=ours)
        own.add("start", signed=True, run=digest("run"), iteration=0)
    block = {"number": 0, "bytes": 16, "digest": digest("block")}
    a.add("block", peer="paris", direction="sent", **block)
    b.add("block", peer="berlin", direction="received", **block)
    for log in (a, b):
        log.add("sum", number=1, view=digest("view"))
        log.add("model", digest=digest("model"))
    a.add("refused", address="192.0.2.1\x1b[2J", why='"\\')
    for log in (a, b):
        log.add("end", signed=True, status="done", sent=16, received=0)
    both = a.content() + b"\0" + b.content()
    put("net_audit", "one", a.content())
    put("net_audit", "both", both)
    put("net_audit", "torn", a.content()[:-40])
    put("net_audit", "cut", both[:-len(b.lines[-1]) - 1])
    put("net_audit", "changed", both.replace(b'"number":1,"view"', b'"number":2,"view"', 1))
    put("net_audit", "other", both.replace(digest("heart").encode(), digest("lung").encode(), 1))


def make_with(program):
    with tempfile.TemporaryDirectory() as place:
        source = pathlib.Path(place) / "source.npy"
        np.save(source, np.random.default_rng(1).normal(size=(12, 3)))

        def run(*arguments):
            subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

        model = source.with_name("model.npz")
        run("fit", source, "-k", 2, "-n", 1, "--iterations", 5, "-o", model, "--tolerance", 0)
        put("model", "fit", model.read_bytes())
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
make_study()
make_node()
make_sparse()
make_hdf5()
make_checkpoint()
make_audit()
make_with(sys.argv[1])
