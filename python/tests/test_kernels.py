"""BLAS kernels that are slow on this CPU: mended where nobody chose them and it is not too late, and else a warning."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

FITS = """
import warnings
import eigenmesh, numpy
from eigenmesh._native import lib, text_of

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        eigenmesh.PCA(2).fit(numpy.eye(6))
print(text_of(lib.em_blas()))
print([f"{w.category.__name__}: {w.message}" for w in caught])
print([w.filename for w in caught])
"""


def told(program, tmp_path, **environment):
    """The lines that a program in a process of its own prints."""
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    run = subprocess.run([sys.executable, "-c", program], env={**plain, **environment}, cwd=tmp_path, check=True,
                         stdout=subprocess.PIPE, text=True)
    return run.stdout.splitlines()


@pytest.fixture
def new_cpu(tmp_path):
    """A CPU that old kernels are slow on, and an OpenBLAS that has others for it."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists() or " avx2 " not in cpuinfo.read_text():
        pytest.skip("no CPU with AVX2")
    if not told(FITS, tmp_path)[0].startswith("OpenBLAS"):
        pytest.skip("the BLAS is not OpenBLAS")


@pytest.fixture
def unknowing(new_cpu, tmp_path):
    """The environment in which OpenBLAS does not know this CPU: tests/support/unknowing_blas.c."""
    folder = os.environ.get("UNKNOWING_BLAS")
    if not folder:
        pytest.skip("UNKNOWING_BLAS does not name the folder of such a BLAS")
    environment = {"LD_LIBRARY_PATH": folder, "UNKNOWING_BLAS_LOG": str(tmp_path / "log")}
    told("import eigenmesh", tmp_path, **environment)
    if not (tmp_path / "log").exists():
        pytest.skip("the module is not linked with a libblas.so.3")
    (tmp_path / "log").unlink()
    return environment


def test_nothing_is_said_of_good_kernels(new_cpu, tmp_path):
    assert told(FITS, tmp_path, OPENBLAS_CORETYPE="Haswell")[1] == "[]"


def test_a_choice_is_kept_and_warned_of_once(new_cpu, tmp_path):
    blas, warned, places = told(FITS, tmp_path, OPENBLAS_CORETYPE="Prescott")
    assert blas.endswith(", Prescott kernels")
    assert warned.startswith(f"['SlowKernelsWarning: {blas}: ")
    assert warned.count("SlowKernelsWarning") == 1
    assert "try OPENBLAS_CORETYPE=" in warned
    assert places == "['<string>']"  # where the user called fit


def test_openblas_is_told(unknowing, tmp_path):
    blas, warned, _ = told(FITS, tmp_path, **unknowing)
    assert blas.endswith((", SkylakeX kernels", ", Haswell kernels"))
    assert warned == "[]"
    assert len((tmp_path / "log").read_text().splitlines()) == 2


def test_the_environment_is_as_before(unknowing, tmp_path):
    program = "import os; before = dict(os.environ); import eigenmesh; print(before == dict(os.environ))"
    assert told(program, tmp_path, **unknowing) == ["True"]


def test_nobody_is_told_where_the_kernels_are_right(unknowing, tmp_path):
    blas, warned, _ = told(FITS, tmp_path, UNKNOWING_BLAS_CLAIMS="Haswell", **unknowing)
    assert (blas.endswith(", Haswell kernels"), warned) == (True, "[]")
    assert (tmp_path / "log").read_text() == "loaded for any CPU\n"


def test_it_can_be_too_late(unknowing, tmp_path):
    """Who loads the same OpenBLAS first, as Debian's NumPy does, keeps it."""
    early = "import ctypes; ctypes.CDLL('libblas.so.3')\n"
    blas, warned, _ = told(early + FITS, tmp_path, **unknowing)
    assert blas.endswith(", Prescott kernels")
    assert "try importing eigenmesh before NumPy, or OPENBLAS_CORETYPE=" in warned
