"""All but the version and the C module is in pyproject.toml."""
import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_core  # noqa: E402  (found beside this file, also where a build front end runs it from elsewhere)

setup(
    version=build_core.version_of_sources() or build_core.find_library().version,
    cffi_modules=["build_core.py:builder"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},  # as the module is
)
