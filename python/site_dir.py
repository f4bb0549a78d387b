"""Prints where below a prefix this Python looks for packages; fails, saying why, where the package cannot be built."""
import sys
import sysconfig
from pathlib import Path

try:
    import cffi  # noqa: F401
    import numpy  # noqa: F401
    import setuptools  # noqa: F401
except ImportError as error:
    sys.exit(f"{error}; try Debian's python3-cffi, python3-numpy and python3-setuptools")
if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
    sys.exit("there is no Python.h; try Debian's python3-dev")

place = Path(sysconfig.get_path("platlib"))
for prefix in ("/usr/local", sys.base_prefix):  # Debian's Python keeps what it did not package in the former
    if place.is_relative_to(prefix):
        print(place.relative_to(prefix))
        sys.exit()
sys.exit(f"packages are kept in {place}, which is below no prefix")
