import os
import sys
from pathlib import Path

import pytest

import eigenmesh  # noqa: F401  before NumPy, so that it has the kernels for this CPU

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent))  # for data.py


@pytest.fixture
def program():
    """The command line of the same build."""
    path = os.environ.get("EIGENMESH")
    if not path:
        pytest.skip("EIGENMESH does not name the program")
    return path
