"""The build backend of the project as a whole, such as the source archive that `make dist` makes: setuptools, in this folder.

An editable install is made by `pip install -e ./python`.
"""
import os
import subprocess
import sys
from pathlib import Path

from setuptools import build_meta

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # where setup.py is run without a folder of its own


def here(hook):
    """The hook, run in this folder; the first argument is a folder, and may be relative."""

    def run(directory=None, *arguments, **more):
        before = Path.cwd()
        first = [] if directory is None else [str(before / directory)]
        os.chdir(HERE)
        try:
            return hook(*first, *arguments, **more)
        finally:
            os.chdir(before)

    return run


build_wheel = here(build_meta.build_wheel)
prepare_metadata_for_build_wheel = here(build_meta.prepare_metadata_for_build_wheel)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    """The project's own source archive is what others call an sdist."""
    done = subprocess.run([HERE.parent / "scripts" / "dist", sdist_directory], check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip()).name
