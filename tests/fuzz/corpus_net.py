"""What the fuzz targets of a study start from: its file, what is done to a node, and audit logs (make_corpus.py)."""
import hashlib
import json

from corpora import put
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


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


def make():
    make_study()
    make_node()
    make_audit()
