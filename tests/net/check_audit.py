#!/usr/bin/env python3
"""Is this an audit log as src/net/audit.h describes it?  check_audit.py LOG

With nothing of eigenmesh: json, hashlib, and for signatures the package cryptography, without which they are left out.
Prints the number of lines and of signatures that were checked.
"""
import hashlib
import json
import re
import sys

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None

LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def key_of(identity):
    """The 32 bytes of an id; its checksum is another test's business."""
    assert len(identity) == 61 and identity.startswith("em1")
    bits = "".join(f"{LETTERS.index(c):05b}" for c in identity[3:55])
    return Ed25519PublicKey.from_public_bytes(int(bits[:256], 2).to_bytes(32, "big"))


def check_signature(line, fields, key):
    signed, signature = re.fullmatch(rb'(.*),"signature":"([0-9a-f]{128})"}', line).groups()
    key.verify(bytes.fromhex(signature.decode()), b"eigenmesh audit 1\0" + signed)
    assert list(fields)[-1] == "signature"


def check(path):
    content = open(path, "rb").read()
    assert content.endswith(b"\n")
    before, key, signatures = "0" * 64, None, 0
    lines = content[:-1].split(b"\n")
    for number, line in enumerate(lines, 1):
        assert all(0x20 <= byte < 0x7f for byte in line), number
        fields = json.loads(line)
        assert list(fields)[:4] == ["n", "time", "before", "what"], number
        assert fields["n"] == number and fields["before"] == before, number
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", fields["time"]), number
        before = hashlib.sha256(line).hexdigest()
        if Ed25519PublicKey and fields["what"] == "begin":
            key = key_of(fields["id"])
        if Ed25519PublicKey and "signature" in fields:
            check_signature(line, fields, key)
            signatures += 1
        if fields["what"] == "refused" and "address" in fields:
            assert fields["why"] == 'no "key" \\ of\x01 this Ã© study', fields["why"]
    print(len(lines), "lines,", signatures, "signatures" if Ed25519PublicKey else "signatures: no cryptography here")


check(sys.argv[1])
