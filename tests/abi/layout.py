#!/usr/bin/env python3
"""Do today's headers keep what those of an earlier version promised?  layout.py KEPT TODAY, folders with eigenmesh/*.h

Every function has the same text; every enum the same values, and perhaps more; every record the same members at the same
places, and perhaps more at its end, or, of those that say that they are frozen, none.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cffi import FFI

SYSTEM = ("stddef.h", "stdint.h", "stdio.h", "mpi.h")


def declarations(header: Path) -> str:
    """The header as the preprocessor leaves it, without what it includes from elsewhere."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM:
            (Path(empty) / name).touch()
        command = ["cc", "-E", "-P", "-nostdinc", "-I", empty, "-I", str(header.parent.parent), "-U", "__GNUC__"]
        text = subprocess.run([*command, str(header)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"const (\w+) \(\*(\w+)\)\[", r"\1 (*\2)[", text)  # which cffi 1.15 cannot write


def functions(text: str) -> dict:
    found = re.findall(r"[\w\s*]*\b(em_\w+)\(([^;{}]*)\);", text)
    lines = [" ".join(piece.split()) for piece in text.split(";")]
    return {name: next(line for line in lines if re.search(rf"\b{name}\(", line)) for name, _ in found
            if not name.endswith("_fn")}


def frozen(header: Path) -> set:
    """The records whose comment says so: before them, or at their beginning."""
    text = header.read_text()
    return {name for name in re.findall(r"typedef struct (\w+) \{", text)
            if re.search(rf"frozen[^/]*\*/\s*typedef struct {name} \{{|typedef struct {name} \{{ /\* frozen", text)}


def types(text: str) -> dict:
    ffi = FFI()
    of_mpi = "".join(f"typedef void *{name};\n" for name in sorted(set(re.findall(r"\bMPI_\w+", text))))
    ffi.cdef(of_mpi + text)
    return {name: ffi.typeof(f"{name} *" if name.endswith("_fn") else name)
            for name in ffi.list_types()[0] if name.startswith("em_")}


def differences(kept: Path, today: Path):
    old, new = declarations(kept), declarations(today)
    now = functions(new)
    for name, line in functions(old).items():
        if now.get(name) != line:
            yield f"{name}: was '{line}', is '{now.get(name)}'"
    then, now = types(old), types(new)
    for name, kind in then.items():
        if name not in now:
            yield f"{name}: is gone"
        elif kind.kind == "enum":
            yield from (f"{name}: {word} was {value}" for value, word in kind.elements.items()
                        if now[name].elements.get(value) != word)
        elif kind.kind == "struct" and kind.fields:
            yield from of_record(name, kind, now[name], name in frozen(kept))
        elif kind.cname != now[name].cname:
            yield f"{name}: was {kind.cname}, is {now[name].cname}"


def of_record(name, kind, current, is_frozen):
    fields = dict(current.fields or [])
    for member, field in kind.fields:
        same = member in fields and (fields[member].offset, fields[member].type.cname) == (field.offset, field.type.cname)
        if not same:
            yield f"{name}.{member}: is not where, or what, it was"
    if is_frozen and len(current.fields) != len(kind.fields):
        yield f"{name}: is frozen, and has other members"


def main(kept: Path, today: Path) -> int:
    failed = 0
    for header in sorted(kept.glob("eigenmesh/*.h")):
        other = today / "eigenmesh" / header.name
        found = list(differences(header, other)) if other.exists() else [f"{header.name}: is gone"]
        failed += len(found)
        print(f"{header.name}: {len(types(declarations(header)))} types, {len(found)} differ", *found, sep="\n  ")
    return failed > 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
