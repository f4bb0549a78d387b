"""What the library keeps in files, also as bytes in memory: that is how it is copied and pickled."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Union

FilePath = Union[str, "os.PathLike[str]"]


def path_of(path: FilePath) -> bytes:
    text = os.fsencode(path)
    if b"\0" in text:
        raise ValueError(f"{path!r}: a path has no zero in it")
    return text


def content_of(save: Callable[[Path], None]) -> bytes:
    """What it writes to a path."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "it.npz"
        save(path)
        return path.read_bytes()


def loaded(load: Callable[[Path], Any], content: bytes) -> Any:
    """What it reads from a path that holds these bytes."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "it.npz"
        path.write_bytes(content)
        return load(path)
